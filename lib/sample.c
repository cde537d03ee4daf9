/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/sample.h"

#define CHUNK 32

struct sample_job *sample_find(const struct sample *sample, uint32_t job)
{
	for (size_t i = 0; i < sample->count; i++)
		if (sample->jobs[i].job == job)
			return &sample->jobs[i];
	return NULL;
}

/* The job's, made if need be; NULL with ERR when out of memory. Others move. */
static struct sample_job *get(struct sample *sample, uint32_t job, struct tessera_error *err)
{
	struct sample_job *found = sample_find(sample, job), *more = sample->jobs;

	if (found != NULL)
		return found;
	if (sample->count % CHUNK == 0)
		more = realloc(sample->jobs, (sample->count + CHUNK) * sizeof(*more));
	if (more == NULL) {
		tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory for %zu jobs", sample->count);
		return NULL;
	}
	sample->jobs = more;
	found = &sample->jobs[sample->count++];
	*found = (struct sample_job){.job = job};
	return found;
}

void sample_free(struct sample *sample)
{
	free(sample->jobs);
	*sample = (struct sample){0};
}

static int add_row(struct sample *sample, const struct tessera_row *row, const struct tessera_tileset *told,
		   struct tessera_error *err)
{
	struct sample_job *seen = get(sample, row->job, err);

	if (seen == NULL)
		return -1;
	seen->holds = true;
	seen->restarts = row->restarts;
	seen->tiles = tessera_tileset_count(&row->tiles);
	seen->tiles_known = tessera_tileset_subset(&row->tiles, told);
	return 0;
}

/* Tiles that are kept back are nobody's, though a number may come again: of a job that is run once more. */
static const struct tessera_row *holder(const struct tessera_ledger *ledger, unsigned tile)
{
	const struct tessera_row *row;

	for (size_t n = 0; (row = tessera_ledger_row(ledger, n)) != NULL; n++)
		if (row->state == TESSERA_ROW_HELD && tessera_tileset_has(&row->tiles, tile))
			return row;
	return NULL;
}

/* One tile that PID is on; ROW is its holder's, or NULL. */
static int add_tile(struct sample *sample, const struct tessera_row *row, int whose, uint32_t job,
		    struct tessera_error *err)
{
	struct sample_job *seen;

	if (whose == SAMPLE_GONE && row == NULL)
		return 0;
	if (whose == SAMPLE_GONE)
		job = row->job;
	seen = get(sample, whose == SAMPLE_NO_JOB ? 0 : job, err);
	if (seen == NULL)
		return -1;
	if (row != NULL && seen->job == row->job) {
		seen->busy_tiles++;
	} else {
		seen->outside_tiles++;
		/* A job that holds no tiles: none of its own were left out. */
		seen->tiles_known = seen->tiles_known || seen->tiles == 0;
	}
	return 0;
}

int sample_add_tiles(struct sample *sample, const struct tessera_ledger *ledger, const struct sntilestat *stat,
		     sample_whose_fn whose, void *arg, struct tessera_error *err)
{
	struct sample_job *nobody = get(sample, 0, err);
	const struct tessera_row *row;
	uint32_t job = 0;
	pid_t last = 0;
	int of = SAMPLE_GONE;

	if (nobody == NULL)
		return -1;
	nobody->tiles_known = true;
	for (size_t n = 0; (row = tessera_ledger_row(ledger, n)) != NULL; n++)
		if (row->state == TESSERA_ROW_HELD && add_row(sample, row, &stat->told, err) < 0)
			return -1;
	for (unsigned t = tessera_tileset_next(&stat->told, 0); t < TESSERA_TILES_MAX;
	     t = tessera_tileset_next(&stat->told, t + 1)) {
		if (stat->owner[t] == 0)
			continue;
		/* Tiles of one process lie side by side. */
		if (stat->owner[t] != last)
			of = whose(stat->owner[t], &job, arg, err);
		last = stat->owner[t];
		if (of < 0 || add_tile(sample, holder(ledger, t), of, job, err) < 0)
			return -1;
	}
	return 0;
}

int sample_add_holding(struct sample *sample, const struct tessera_holding *holding, struct tessera_error *err)
{
	struct sample_job *seen = get(sample, holding->job, err);

	if (seen == NULL)
		return -1;
	seen->holds = true;
	seen->restarts = holding->restarts;
	seen->ipus = holding->ipus;
	seen->ipus_known = true;
	return 0;
}

/* The job that the IPU is in use by; NULL if that is none of ours. */
static struct sample_job *user_of(const struct sample *sample, const struct tessera_holding *holdings, size_t count,
				  const struct gcmonitor_ipu *ipu, int whose, uint32_t job)
{
	struct sample_job *seen = whose == SAMPLE_JOB ? sample_find(sample, job) : NULL;

	if (seen != NULL && seen->ipus > 0)
		return seen;
	for (size_t i = 0; i < count && ipu->partition[0] != '\0'; i++)
		if (strcmp(holdings[i].partition, ipu->partition) == 0)
			return sample_find(sample, holdings[i].job);
	return NULL;
}

int sample_add_ipus(struct sample *sample, const struct tessera_holding *holdings, size_t holding_count,
		    const struct gcmonitor_ipu *ipus, size_t count, sample_whose_fn whose, void *arg,
		    struct tessera_error *err)
{
	uint32_t job = 0;
	pid_t last = 0;
	int of = SAMPLE_GONE;

	for (size_t i = 0; i < count; i++) {
		struct sample_job *seen;

		if (ipus[i].pid != last)
			of = whose(ipus[i].pid, &job, arg, err);
		last = ipus[i].pid;
		if (of < 0)
			return -1;
		seen = user_of(sample, holdings, holding_count, &ipus[i], of, job);
		if (seen != NULL)
			seen->busy_ipus++;
	}
	return 0;
}

int sample_merge(struct sample *sample, const struct sample *other, struct tessera_error *err)
{
	for (size_t i = 0; i < other->count; i++) {
		const struct sample_job *from = &other->jobs[i];
		struct sample_job *to = get(sample, from->job, err);

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

/* How many seconds the sample stands for. */
static uint64_t stands_for(const struct sample_time *when, const struct tessera_used *used)
{
	time_t since = used->last > when->previous ? used->last : when->previous;

	if (when->interval > 0)
		return when->interval;
	if (used->samples == 0 || when->now <= since)
		return 0;
	return (uint64_t)(when->now - since) < when->most ? (uint64_t)(when->now - since) : when->most;
}

void sample_apply(const struct sample_job *seen, const struct sample_time *when, struct tessera_used *used)
{
	uint64_t seconds;

	/* A run that is over has used what it used; this one starts from nothing. */
	if (used->samples == 0 || (seen->holds && seen->restarts != used->restarts))
		*used = (struct tessera_used){.job = seen->job, .restarts = seen->restarts, .first = when->now};
	seconds = stands_for(when, used);
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
