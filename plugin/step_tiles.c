/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/conf/names.h"
#include "lib/request/request.h"
#include "lib/request/sharing.h"
#include "lib/slurm/step_name.h"
#include "lib/util/proc.h"
#include "plugin/options.h"
#include "plugin/step_bind.h"
#include "plugin/step_tiles.h"

/*
 * Did the step name a number of tiles? The text comes from the user's environment: it can only
 * select among the job's own tiles.
 */
static bool read_step_tiles(spank_t sp, unsigned tasks, unsigned *count, bool *overlap)
{
	char text[32];
	char *end;
	unsigned long long tiles;

	if (spank_getenv(sp, VAR_STEP_TILES, text, sizeof(text)) != ESPANK_SUCCESS ||
	    text[0] < '0' || text[0] > '9')
		return false;
	tiles = strtoul(text, &end, 10);
	if (tiles > TESSERA_TILES_MAX)
		tiles = TESSERA_TILES_MAX;
	if (strncmp(end, STEP_TILES_EACH, strlen(STEP_TILES_EACH)) == 0) {
		tiles *= tasks;
		end += strlen(STEP_TILES_EACH);
	}
	*count = tiles <= TESSERA_TILES_MAX ? (unsigned)tiles : TESSERA_TILES_MAX;
	*overlap = strcmp(end, STEP_TILES_OVERLAP) == 0;
	return true;
}

/*
 * Tiles per task, so that the step's tiles divide into pieces that tasks can use; 0: not given, or
 * wrong, which divide_as_asked() reports.
 */
static unsigned read_tiles_per_task(const struct node *node)
{
	const struct tessera_options opt = {.tiles_per_task = options_value(OPTION_TILES_PER_TASK),
					    .step = true};
	struct tessera_request req;

	if (opt.tiles_per_task == NULL ||
	    tessera_request_read(node->conf, node->platform, &opt, &req, NULL) < 0)
		return 0;
	return req.tiles_per_task;
}

/* COUNT of the tiles in AMONG. */
static int place_part(const struct node *node, unsigned count, const struct tessera_tileset *among,
		      struct tessera_tileset *part, struct tessera_error *err)
{
	struct tessera_place place = {.platform = node->platform, .free = among};

	if (tessera_request_shape(node->platform, count, read_tiles_per_task(node), &place.shape,
				  err) < 0)
		return -1;
	if (tessera_place(&place, part, err) < 0)
		return tessera_error_prefix(err, "%u tile%s for this step", count,
					    count == 1 ? "" : "s");
	return 0;
}

/* COUNT of the job's tiles that no other step has, with a row for this step. */
static int record_part(struct step_tiles *share, unsigned count, struct tessera_tileset *tiles,
		       struct tessera_error *err)
{
	const struct node *node = share->node;
	struct tessera_step_row row = {.job = share->job, .step = share->step, .pid = getpid()};
	struct tessera_ledger *ledger = NULL;
	struct tessera_tileset among;
	int rc = -1;

	if (tessera_ledger_open(node->dir, node->platform, NODE_LOCK_WAIT_MS, &ledger, err) < 0)
		return -1;
	row.start = proc_start_time(row.pid);
	tessera_ledger_free_of_job(ledger, share->job, &among);
	if (place_part(node, count, &among, &row.tiles, err) == 0 &&
	    tessera_ledger_put_step(ledger, &row, err) == 0 &&
	    tessera_ledger_commit(ledger, err) == 0) {
		share->recorded = true;
		*tiles = row.tiles;
		rc = 0;
	}
	tessera_ledger_close(ledger);
	return rc;
}

/* --tile-affinity may be inherited from the job: then the job's tiles satisfy it already. */
static int apply_affinity(const struct node *node, const struct tessera_row *row,
			  struct tessera_tileset *tiles, struct tessera_error *err)
{
	const char *text = options_value(OPTION_TILE_AFFINITY);
	struct tessera_tileset wish;
	char have[160];

	if (text == NULL)
		return 0;
	if (tessera_tileset_parse(node->platform, text, &wish, err) < 0)
		return tessera_error_prefix(err, "--tile-affinity=%.80s", text);
	if (tessera_tileset_equal(&wish, &row->tiles))
		return 0;
	if (tessera_tileset_subset(&wish, tiles)) {
		*tiles = wish;
		return 0;
	}
	tessera_tileset_format(node->platform, tiles, TESSERA_FORM_RDUS, have, sizeof(have));
	return tessera_error_set(err, TESSERA_ERR_INPUT,
				 "--tile-affinity=%.80s names tiles that this step does not have "
				 "on node %s: it has %s",
				 text, node->name, have);
}

/*
 * TILES, which are all of the job's, become the step's: as many as it named (VAR_STEP_TILES), and
 * of these the ones of --tile-affinity. Returns 0, or -1 with ERR.
 */
static int find_step_tiles(spank_t sp, struct step_tiles *share, const struct tessera_row *row,
			   struct tessera_tileset *tiles, struct tessera_error *err)
{
	struct tessera_tileset part;
	unsigned count = 0;
	bool overlap = false;

	if (read_step_tiles(sp, share->tasks, &count, &overlap) && count == 0) {
		tessera_tileset_clear(tiles);
		return 0;
	}
	/*
	 * A step with all tiles of the job needs no row: Slurm's own counter makes the next step
	 * that names a number wait.
	 */
	if (count > 0 && count < tessera_tileset_count(tiles)) {
		if (!overlap && record_part(share, count, tiles, err) < 0)
			return -1;
		if (overlap && place_part(share->node, count, &row->tiles, &part, err) < 0)
			return -1;
		if (overlap)
			*tiles = part;
	}
	return apply_affinity(share->node, row, tiles, err);
}

/* Do the step's tasks share its tiles? */
static enum sharing find_sharing(spank_t sp, const struct step_tiles *share,
				 const struct tessera_row *row)
{
	struct sharing_case c = {
		.asked = options_value(OPTION_TILES_PER_TASK) != NULL ||
			 options_value(OPTION_TILE_BIND) != NULL,
		.own = row->own,
		.step_here = share->tasks,
		.job_here = row->tasks,
		.job_all = row->job_tasks,
	};
	char typed[8];

	if (spank_get_item(sp, S_JOB_TOTAL_TASK_COUNT, &c.step_all) != ESPANK_SUCCESS)
		c.step_all = share->tasks;
	c.typed =
		c.asked && spank_getenv(sp, VAR_STEP_TYPED, typed, sizeof(typed)) == ESPANK_SUCCESS;
	return sharing_rule(&c);
}

static void share_all(struct step_tiles *share, const struct tessera_tileset *tiles)
{
	for (unsigned i = 0; i < share->tasks; i++)
		share->each[i] = *tiles;
}

/* Equal parts; if the tiles do not divide, all tasks share all. */
static void divide_evenly(struct step_tiles *share, const struct tessera_tileset *tiles)
{
	const struct tessera_split split = {.platform = share->node->platform,
					    .tiles = tiles,
					    .tasks = share->tasks,
					    .bind = TESSERA_BIND_BLOCK};

	if (tessera_split(&split, share->each, NULL) < 0)
		share_all(share, tiles);
}

/* As --tiles-per-task and --tile-bind say. */
static int divide_as_asked(struct step_tiles *share, const struct tessera_tileset *tiles,
			   struct tessera_error *err)
{
	const struct node *node = share->node;
	struct tessera_request req;
	struct tessera_split split;
	struct tessera_options opt = {
		.tiles_per_task = options_value(OPTION_TILES_PER_TASK),
		.tile_bind = options_value(OPTION_TILE_BIND),
		.ntasks_per_node = share->tasks,
		.step = true,
	};

	if (tessera_request_read(node->conf, node->platform, &opt, &req, err) < 0)
		return -1;
	split = (struct tessera_split){.platform = node->platform,
				       .tiles = tiles,
				       .tasks = share->tasks,
				       .bind = req.bind,
				       .tiles_per_task = req.tiles_per_task,
				       .map = req.map,
				       .map_len = req.map_len};
	if (tessera_split(&split, share->each, err) < 0)
		return -1;
	if (req.bind == TESSERA_BIND_CLOSEST)
		step_bind_prepare(node, &split, share->each);
	return 0;
}

int step_tiles_divide(spank_t sp, struct step_tiles *share, const struct tessera_row *row,
		      struct tessera_error *err)
{
	struct tessera_tileset tiles = row->tiles;
	enum sharing sharing = SHARING_ALL;

	if (!share->script) {
		if (find_step_tiles(sp, share, row, &tiles, err) < 0)
			return -1;
		sharing = find_sharing(sp, share, row);
	}
	share->each = calloc(share->tasks, sizeof(*share->each));
	if (share->each == NULL)
		return tessera_error_nomem(err);
	if (tessera_tileset_empty(&tiles))
		return 0;
	if (sharing == SHARING_ASKED)
		return divide_as_asked(share, &tiles, err);
	if (sharing == SHARING_EVEN)
		divide_evenly(share, &tiles);
	else
		share_all(share, &tiles);
	return 0;
}

static void drop_row(const struct step_tiles *share)
{
	struct tessera_ledger *ledger = NULL;
	struct tessera_error err = {0};
	char name[STEP_NAME_MAX];

	if (tessera_ledger_open(share->node->dir, share->node->platform, NODE_LOCK_WAIT_MS, &ledger,
				&err) < 0 ||
	    (tessera_ledger_drop_step(ledger, share->job, share->step) &&
	     tessera_ledger_commit(ledger, &err) < 0))
		slurm_error("tessera: step %s: cannot release its tiles: %s",
			    step_name(share->job, share->step, name, sizeof(name)), err.text);
	tessera_ledger_close(ledger);
}

void step_tiles_release(struct step_tiles *share)
{
	if (share->recorded)
		drop_row(share);
	free(share->each);
	share->each = NULL;
}
