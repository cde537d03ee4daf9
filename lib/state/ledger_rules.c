/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>

#include "lib/state/ledger_internal.h"

/* The lowest tile that is in both sets. */
static unsigned find_common_tile(const struct tessera_tileset *a, const struct tessera_tileset *b)
{
	struct tessera_tileset both = *a;

	tessera_tileset_and(&both, b);
	return tessera_tileset_next(&both, 0);
}

static int refuse_held(const struct tessera_ledger *ledger, unsigned tile, const char *owner,
		       struct tessera_error *err)
{
	unsigned per_rdu = ledger->platform.tiles_per_rdu;

	return tessera_error_set(err, TESSERA_ERR_SHORTAGE, "tile %u.%u is already held by %s",
				 tile / per_rdu, tile % per_rdu, owner);
}

static int check_tiles_exist(const struct tessera_ledger *ledger, const struct tessera_row *row,
			     struct tessera_error *err)
{
	struct tessera_tileset all, rest = row->tiles;

	tessera_tileset_all(&ledger->platform, &all);
	tessera_tileset_minus(&rest, &all);
	if (tessera_tileset_empty(&rest))
		return 0;
	return tessera_error_set(err, TESSERA_ERR_INPUT,
				 "job %u has tile %u, but %s has %u tiles, numbered from 0",
				 row->job, tessera_tileset_next(&rest, 0), ledger->platform.name,
				 tessera_platform_tiles(&ledger->platform));
}

void ledger_name_owner(const struct tessera_row *row, char *buf, size_t len)
{
	snprintf(buf, len, "job %u (uid %u)%s", row->job, row->uid,
		 row->state == TESSERA_ROW_WITHHELD ? ", which has ended but left a process behind"
						    : "");
}

/* A job's new ordinary row replaces its old one. */
static bool is_replaced_by(const struct tessera_row *other, const struct tessera_row *row)
{
	return row->job == other->job && row->state != TESSERA_ROW_WITHHELD &&
	       other->state != TESSERA_ROW_WITHHELD;
}

int ledger_check_row(const struct tessera_ledger *ledger, const struct tessera_row *row,
		     struct tessera_error *err)
{
	bool empty = tessera_tileset_empty(&row->tiles);
	bool has = row->state == TESSERA_ROW_HELD || row->state == TESSERA_ROW_WITHHELD;
	char owner[128];

	if (row->job == 0)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "job 0 is not valid: a row needs a job ID");
	if (!has && row->state != TESSERA_ROW_SHORT && row->state != TESSERA_ROW_REFUSED)
		return tessera_error_set(err, TESSERA_ERR_INPUT, "job %u has invalid state %d",
					 row->job, (int)row->state);
	if (empty == has)
		return tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"job %u has %u tile%s: a held or withheld row must have tiles, any other "
			"row none",
			row->job, tessera_tileset_count(&row->tiles),
			tessera_tileset_count(&row->tiles) == 1 ? "" : "s");
	if (check_tiles_exist(ledger, row, err) < 0)
		return -1;
	for (size_t i = 0; !empty && i < ledger->row_count; i++) {
		const struct tessera_row *other = &ledger->rows[i];

		if (is_replaced_by(other, row) ||
		    !tessera_tileset_overlap(&other->tiles, &row->tiles))
			continue;
		ledger_name_owner(other, owner, sizeof(owner));
		return refuse_held(ledger, find_common_tile(&other->tiles, &row->tiles), owner,
				   err);
	}
	return 0;
}

int ledger_check_step(const struct tessera_ledger *ledger, const struct tessera_step_row *row,
		      struct tessera_error *err)
{
	const struct tessera_row *job = tessera_ledger_job(ledger, row->job);
	char owner[64];

	if (row->pid <= 0 || row->start == 0)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "step %u.%u has no running process", row->job, row->step);
	if (tessera_tileset_empty(&row->tiles))
		return tessera_error_set(err, TESSERA_ERR_INPUT, "step %u.%u has no tiles",
					 row->job, row->step);
	if (job == NULL || job->state != TESSERA_ROW_HELD)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "step %u.%u has tiles, but job %u holds none", row->job,
					 row->step, row->job);
	if (!tessera_tileset_subset(&row->tiles, &job->tiles)) {
		struct tessera_tileset rest = row->tiles;

		tessera_tileset_minus(&rest, &job->tiles);
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "step %u.%u has tile %u, which job %u does not hold",
					 row->job, row->step, tessera_tileset_next(&rest, 0),
					 row->job);
	}
	for (size_t i = 0; i < ledger->step_count; i++) {
		const struct tessera_step_row *other = &ledger->steps[i];

		if (other->job != row->job || other->step == row->step ||
		    !tessera_tileset_overlap(&other->tiles, &row->tiles))
			continue;
		snprintf(owner, sizeof(owner), "step %u.%u", other->job, other->step);
		return refuse_held(ledger, find_common_tile(&other->tiles, &row->tiles), owner,
				   err);
	}
	return 0;
}

enum tessera_claim tessera_row_claim(const struct tessera_row *now, const struct tessera_row *run,
				     unsigned tiles, const struct tessera_tileset *wish)
{
	if (now == NULL)
		return TESSERA_CLAIM_FREE;
	if (now->uid != run->uid || now->restarts > run->restarts)
		return TESSERA_CLAIM_OTHER;
	if (now->state != TESSERA_ROW_HELD)
		return TESSERA_CLAIM_FREE;
	if (now->restarts == run->restarts && tessera_tileset_count(&now->tiles) == tiles &&
	    (wish == NULL || tessera_tileset_equal(wish, &now->tiles)))
		return TESSERA_CLAIM_KEEP;
	return TESSERA_CLAIM_OTHER;
}
