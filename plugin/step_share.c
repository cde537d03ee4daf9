/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/request.h"
#include "plugin/client.h"
#include "plugin/options.h"
#include "plugin/step_share.h"

/* Did the step name a number of tiles? It is a wish, and can only be about the job's own. */
static bool named_tiles(spank_t sp, unsigned *count, bool *overlap)
{
	char text[32];
	char *end;
	unsigned long tiles;

	if (spank_getenv(sp, CLIENT_STEP_TILES, text, sizeof(text)) != ESPANK_SUCCESS || text[0] < '0' ||
	    text[0] > '9')
		return false;
	tiles = strtoul(text, &end, 10);
	*count = tiles <= TESSERA_TILES_MAX ? (unsigned)tiles : TESSERA_TILES_MAX;
	*overlap = strcmp(end, " overlap") == 0;
	return true;
}

/* How many tiles a task wants, so that the part is made of pieces that tasks can use; 0: nobody said. */
static unsigned per_task(const struct node *node)
{
	const struct tessera_options opt = {.tiles_per_task = options_value(OPTION_TILES_PER_TASK), .step = true};
	struct tessera_request req;

	if (opt.tiles_per_task == NULL || tessera_request_read(node->conf, node->platform, &opt, &req, NULL) < 0)
		return 0;
	return req.tiles_per_task;
}

/* COUNT of the tiles in AMONG. */
static int find_part(const struct node *node, unsigned count, const struct tessera_tileset *among,
		     struct tessera_tileset *part, struct tessera_error *err)
{
	struct tessera_place place = {.platform = node->platform, .free = among};

	if (tessera_request_shape(node->platform, count, per_task(node), &place.shape, err) < 0)
		return -1;
	if (tessera_place(&place, part, err) < 0)
		return tessera_error_prefix(err, "%u tile%s for this step", count, count == 1 ? "" : "s");
	return 0;
}

static int record_part(struct step_share *share, unsigned count, struct tessera_tileset *tiles,
		       struct tessera_error *err)
{
	const struct node *node = share->node;
	struct tessera_step_row row = {.job = share->job, .step = share->step, .pid = getpid()};
	struct tessera_ledger *ledger = NULL;
	struct tessera_tileset among;
	int rc = -1;

	if (tessera_ledger_open(node->dir, node->platform, NODE_LOCK_WAIT_MS, &ledger, err) < 0)
		return -1;
	row.start = tessera_ledger_process_start(row.pid);
	tessera_ledger_free_of_job(ledger, share->job, &among);
	if (find_part(node, count, &among, &row.tiles, err) == 0 &&
	    tessera_ledger_put_step(ledger, &row, err) == 0 && tessera_ledger_commit(ledger, err) == 0) {
		share->recorded = true;
		*tiles = row.tiles;
		rc = 0;
	}
	tessera_ledger_close(ledger);
	return rc;
}

/* --tile-affinity may be the job's, which the step inherits: then it is satisfied already. */
static int narrow(const struct node *node, const struct tessera_row *row, struct tessera_tileset *tiles,
		  struct tessera_error *err)
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
	return tessera_error_set(
		err, TESSERA_ERR_INPUT,
		"--tile-affinity=%.80s names tiles that this step does not have on node %s: it has %s", text,
		node->name, have);
}

int step_share_find(spank_t sp, struct step_share *share, const struct tessera_row *row,
		    struct tessera_tileset *tiles, struct tessera_error *err)
{
	struct tessera_tileset part;
	unsigned count = 0;
	bool overlap = false;

	if (named_tiles(sp, &count, &overlap) && count == 0) {
		tessera_tileset_clear(tiles);
		return 0;
	}
	/* All that the job has needs no row: the next step that names a part waits for Slurm's own counter. */
	if (count > 0 && count < tessera_tileset_count(tiles)) {
		if (!overlap && record_part(share, count, tiles, err) < 0)
			return -1;
		if (overlap && find_part(share->node, count, &row->tiles, &part, err) < 0)
			return -1;
		if (overlap)
			*tiles = part;
	}
	return narrow(share->node, row, tiles, err);
}

void step_share_return(const struct step_share *share)
{
	struct tessera_ledger *ledger = NULL;
	struct tessera_error err = {0};

	if (tessera_ledger_open(share->node->dir, share->node->platform, NODE_LOCK_WAIT_MS, &ledger, &err) < 0 ||
	    (tessera_ledger_drop_step(ledger, share->job, share->step) && tessera_ledger_commit(ledger, &err) < 0))
		slurm_error("tessera: step %u.%u: its tiles could not be given back: %s", share->job, share->step,
			    err.text);
	tessera_ledger_close(ledger);
}
