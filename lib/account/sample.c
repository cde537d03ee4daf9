/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/account/sample.h"
#include "lib/util/array.h"

struct sample_job *sample_find(const struct sample *sample, uint32_t job)
{
	for (size_t i = 0; i < sample->count; i++)
		if (sample->jobs[i].job == job)
			return &sample->jobs[i];
	return NULL;
}

/* The entry of JOB, added if missing; NULL with ERR if out of memory. Entries may move. */
static struct sample_job *find_or_add(struct sample *sample, uint32_t job,
				      struct tessera_error *err)
{
	struct sample_job *found = sample_find(sample, job), *grown;

	if (found != NULL)
		return found;
	grown = array_grow(sample->jobs, sample->count, sizeof(*grown));
	if (grown == NULL) {
		tessera_error_nomem(err);
		return NULL;
	}
	sample->jobs = grown;
	found = &sample->jobs[sample->count++];
	*found = (struct sample_job){.job = job};
	return found;
}

void sample_free(struct sample *sample)
{
	free(sample->jobs);
	*sample = (struct sample){0};
}

static int add_row(struct sample *sample, const struct tessera_row *row,
		   const struct tessera_tileset *listed, struct tessera_error *err)
{
	struct sample_job *seen = find_or_add(sample, row->job, err);

	if (seen == NULL)
		return -1;
	seen->holds = true;
	seen->restarts = row->restarts;
	seen->tiles = tessera_tileset_count(&row->tiles);
	seen->tiles_known = tessera_tileset_subset(&row->tiles, listed);
	return 0;
}

/*
 * The row of the job that holds TILE, or NULL. A withheld tile has no owner, even if its row has
 * the ID of a job that has been requeued and runs again.
 */
static const struct tessera_row *find_owner(const struct tessera_ledger *ledger, unsigned tile)
{
	const struct tessera_row *row;

	for (size_t n = 0; (row = tessera_ledger_row(ledger, n)) != NULL; n++)
		if (row->state == TESSERA_ROW_HELD && tessera_tileset_has(&row->tiles, tile))
			return row;
	return NULL;
}

/* Count a tile in use by WHOSE, JOB if that is SAMPLE_JOB; ROW is its owner's, or NULL. */
static int add_tile(struct sample *sample, const struct tessera_row *row, int whose, uint32_t job,
		    struct tessera_error *err)
{
	struct sample_job *seen;

	if (whose == SAMPLE_GONE && row == NULL)
		return 0;
	if (whose == SAMPLE_GONE)
		job = row->job;
	seen = find_or_add(sample, whose == SAMPLE_NO_JOB ? 0 : job, err);
	if (seen == NULL)
		return -1;
	if (row != NULL && seen->job == row->job) {
		seen->busy_tiles++;
	} else {
		seen->outside_tiles++;
		/* The use of a job without tiles is known: none of its own can be missing. */
		seen->tiles_known = seen->tiles_known || seen->tiles == 0;
	}
	return 0;
}

int sample_add_tiles(struct sample *sample, const struct tessera_ledger *ledger,
		     const struct sntilestat *stat, sample_whose_fn whose, void *arg,
		     struct tessera_error *err)
{
	struct sample_job *outsiders = find_or_add(sample, 0, err);
	const struct tessera_row *row;
	uint32_t job = 0;
	pid_t last = 0;
	int owner = SAMPLE_GONE;

	if (outsiders == NULL)
		return -1;
	outsiders->tiles_known = true;
	for (size_t n = 0; (row = tessera_ledger_row(ledger, n)) != NULL; n++)
		if (row->state == TESSERA_ROW_HELD && add_row(sample, row, &stat->listed, err) < 0)
			return -1;
	for (unsigned t = tessera_tileset_next(&stat->listed, 0); t < TESSERA_TILES_MAX;
	     t = tessera_tileset_next(&stat->listed, t + 1)) {
		if (stat->owner[t] == 0)
			continue;
		/* Tiles of one process are adjacent: query it once. */
		if (stat->owner[t] != last)
			owner = whose(stat->owner[t], &job, arg, err);
		last = stat->owner[t];
		if (owner < 0 || add_tile(sample, find_owner(ledger, t), owner, job, err) < 0)
			return -1;
	}
	return 0;
}

int sample_add_job_record(struct sample *sample, const struct tessera_job_record *record,
			  struct tessera_error *err)
{
	struct sample_job *seen = find_or_add(sample, record->job, err);

	if (seen == NULL)
		return -1;
	seen->holds = true;
	seen->restarts = record->restarts;
	seen->ipus = record->ipus;
	seen->ipus_known = true;
	return 0;
}

/* The job that uses the IPU; NULL if no job with IPUs does. */
static struct sample_job *find_ipu_user(const struct sample *sample,
					const struct tessera_job_record *records, size_t count,
					const struct gcmonitor_ipu *ipu, int whose, uint32_t job)
{
	struct sample_job *seen = whose == SAMPLE_JOB ? sample_find(sample, job) : NULL;

	if (seen != NULL && seen->ipus > 0)
		return seen;
	for (size_t i = 0; i < count && ipu->partition[0] != '\0'; i++)
		if (strcmp(records[i].partition, ipu->partition) == 0)
			return sample_find(sample, records[i].job);
	return NULL;
}

int sample_add_ipus(struct sample *sample, const struct tessera_job_record *records,
		    size_t record_count, const struct gcmonitor_ipu *ipus, size_t count,
		    sample_whose_fn whose, void *arg, struct tessera_error *err)
{
	uint32_t job = 0;
	pid_t last = 0;
	int owner = SAMPLE_GONE;

	for (size_t i = 0; i < count; i++) {
		struct sample_job *seen;

		if (ipus[i].pid != last)
			owner = whose(ipus[i].pid, &job, arg, err);
		last = ipus[i].pid;
		if (owner < 0)
			return -1;
		seen = find_ipu_user(sample, records, record_count, &ipus[i], owner, job);
		if (seen != NULL)
			seen->busy_ipus++;
	}
	return 0;
}

int sample_merge(struct sample *sample, const struct sample *other, struct tessera_error *err)
{
	for (size_t i = 0; i < other->count; i++) {
		const struct sample_job *from = &other->jobs[i];
		struct sample_job *to = find_or_add(sample, from->job, err);

		if (to == NULL)
			return -1;
		to->holds = to->holds || from->holds;
		to->restarts = from->holds ? from->restarts : to->restarts;
		to->tiles += from->tiles;
		to->ipus += from->ipus;
		to->tiles_known = to->tiles_known || from->tiles_known;
		to->ipus_known = to->ipus_known || from->ipus_known;
		to->busy_tiles += from->busy_tiles;
		to->busy_ipus += from->busy_ipus;
		to->outside_tiles += from->outside_tiles;
	}
	return 0;
}

/* The number of seconds that the sample stands for. */
static uint64_t compute_seconds(const struct sample_time *when,
				const struct tessera_sample_record *used)
{
	time_t since = used->last > when->previous ? used->last : when->previous;

	if (when->interval > 0)
		return when->interval;
	if (used->samples == 0 || when->now <= since)
		return 0;
	return (uint64_t)(when->now - since) < when->most ? (uint64_t)(when->now - since)
							  : when->most;
}

void sample_apply(const struct sample_job *seen, const struct sample_time *when,
		  struct tessera_sample_record *used)
{
	uint64_t seconds;

	/* Another run of the job starts from zero. */
	if (used->samples == 0 || (seen->holds && seen->restarts != used->restarts))
		*used = (struct tessera_sample_record){
			.job = seen->job, .restarts = seen->restarts, .first = when->now};
	seconds = compute_seconds(when, used);
	used->samples += used->samples < UINT32_MAX ? 1 : 0;
	used->last = when->now;
	used->ended = false;
	used->seen += seconds;
	used->has_tiles = used->has_tiles || seen->tiles_known;
	used->has_ipus = used->has_ipus || seen->ipus_known;
	used->tile_seconds += seen->busy_tiles * seconds;
	used->ipu_seconds += seen->busy_ipus * seconds;
	used->outside_seconds += seen->outside_tiles * seconds;
}
