/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera explain: cmd_explain.c computes the result, explain_print.c prints it.
 */
#ifndef TESSERA_EXPLAIN_H
#define TESSERA_EXPLAIN_H

#include <stdbool.h>

#include "lib/tessera.h"

/* The options, and the result computed from them. */
struct explain {
	const char *conf_path;
	const char *platform_name;
	const char *partition;
	bool json;
	struct tessera_options opt;
	const char *pools[TESSERA_POOLS_MAX]; /* --pool: NAME=N, until the configuration is read */
	size_t pool_count;

	struct tessera_conf *conf;
	struct tessera_request req;
	char *with_default; /* opt.gres with what Unasked = default adds; NULL: nothing */
	char *gres;         /* to request from Slurm */
	char *licenses;
	struct tessera_tileset tiles; /* of the job on one node */
	struct tessera_tileset *each; /* of each task, req.tasks sets; NULL: no tiles */
	char text[TESSERA_TILESET_TEXT_MAX];
};

/* One JSON object, as tessera(1) describes it. */
void explain_print_json(struct explain *ex);

/* Text, tables and a map. Returns 0, or -1 with errno. */
int explain_print_words(struct explain *ex);

#endif /* TESSERA_EXPLAIN_H */
