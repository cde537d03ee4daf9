/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>

#include "lib/ledger_parts.h"

/* The lowest tile that is in both. */
static unsigned first_common(const struct tessera_tileset *a, const struct tessera_tileset *b)
{
	struct tessera_tileset both = *a;

	tessera_tileset_and(&both, b);
	return tessera_tileset_next(&both, 0);
}

static int held_already(const struct tessera_ledger *ledger, unsigned tile, const char *by,
			struct tessera_error *err)
{
	unsigned per_rdu = ledger->platform.tiles_per_rdu;

	return tessera_error_set(err, TESSERA_ERR_SHORTAGE, "tile %u.%u is held by %s already", tile / per_rdu,
				 tile % per_rdu, by);
}

static int check_platform_has(const struct tessera_ledger *ledger, const struct tessera_row *row,
			      struct tessera_error *err)
{
	struct tessera_tileset all, rest = row->tiles;

	tessera_tileset_all(&ledger->platform, &all);
	tessera_tileset_minus(&rest, &all);
	if (tessera_tileset_empty(&rest))
		return 0;
	return tessera_error_set(err, TESSERA_ERR_INPUT, "job %u has tile %u, but %s has only %u tiles, from 0",
				 row->job, tessera_tileset_next(&rest, 0), ledger->platform.name,
				 tessera_platform_tiles(&ledger->platform));
}

void ledger_name_holder(const struct tessera_row *row, char *buf, size_t len)
{
	snprintf(buf, len, "job %u (uid %u)%s", row->job, row->uid,
		 row->state == TESSERA_ROW_STALE ? ", which has ended but left a process behind" : "");
}

/* The ordinary row of a job takes the place of the one that it had. */
static bool takes_place_of(const struct tessera_row *row, const struct tessera_row *other)
{
	return row->job == other->job && row->state != TESSERA_ROW_STALE && other->state != TESSERA_ROW_STALE;
}

int ledger_check_row(const struct tessera_ledger *ledger, const struct tessera_row *row, struct tessera_error *err)
{
	bool empty = tessera_tileset_empty(&row->tiles);
	bool has = row->state == TESSERA_ROW_HELD || row->state == TESSERA_ROW_STALE;
	char holder[128];

	if (row->job == 0)
		return tessera_error_set(err, TESSERA_ERR_INPUT, "there is no job 0: a row needs its job's number");
	if (!has && row->state != TESSERA_ROW_SHORT && row->state != TESSERA_ROW_REFUSED)
		return tessera_error_set(err, TESSERA_ERR_INPUT, "job %u has state %d, which there is not",
					 row->job, (int)row->state);
	if (empty == has)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "job %u has %u tile%s: one that holds tiles needs some, any other none",
					 row->job, tessera_tileset_count(&row->tiles),
					 tessera_tileset_count(&row->tiles) == 1 ? "" : "s");
	if (check_platform_has(ledger, row, err) < 0)
		return -1;
	for (size_t i = 0; !empty && i < ledger->row_count; i++) {
		const struct tessera_row *other = &ledger->rows[i];

		if (takes_place_of(row, other) || !tessera_tileset_overlap(&other->tiles, &row->tiles))
			continue;
		ledger_name_holder(other, holder, sizeof(holder));
		return held_already(ledger, first_common(&other->tiles, &row->tiles), holder, err);
	}
	return 0;
}

int ledger_check_step(const struct tessera_ledger *ledger, const struct tessera_step_row *row,
		      struct tessera_error *err)
{
	const struct tessera_row *job = tessera_ledger_job(ledger, row->job);
	char holder[64];

	if (row->pid <= 0 || row->start == 0)
		return tessera_error_set(err, TESSERA_ERR_INPUT, "step %u.%u has no process that lives", row->job,
					 row->step);
	if (tessera_tileset_empty(&row->tiles))
		return tessera_error_set(err, TESSERA_ERR_INPUT, "step %u.%u has no tiles", row->job, row->step);
	if (job == NULL || job->state != TESSERA_ROW_HELD)
		return tessera_error_set(err, TESSERA_ERR_INPUT, "step %u.%u has tiles, but job %u holds none",
					 row->job, row->step, row->job);
	if (!tessera_tileset_subset(&row->tiles, &job->tiles)) {
		struct tessera_tileset rest = row->tiles;

		tessera_tileset_minus(&rest, &job->tiles);
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "step %u.%u has tile %u, which job %u does not hold", row->job, row->step,
					 tessera_tileset_next(&rest, 0), row->job);
	}
	for (size_t i = 0; i < ledger->step_count; i++) {
		const struct tessera_step_row *other = &ledger->steps[i];

		if (other->job != row->job || other->step == row->step ||
		    !tessera_tileset_overlap(&other->tiles, &row->tiles))
			continue;
		snprintf(holder, sizeof(holder), "step %u.%u", other->job, other->step);
		return held_already(ledger, first_common(&other->tiles, &row->tiles), holder, err);
	}
	return 0;
}
