/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The health of a node from its files, for the commands that print it.
 */
#ifndef TESSERA_HEALTH_VIEW_H
#define TESSERA_HEALTH_VIEW_H

#include "command/view/cli_options.h"
#include "command/view/occupancy.h"
#include "lib/node/node.h"
#include "lib/state/health.h"

struct health_view {
	int64_t now;
	struct tessera_health health;
	struct tessera_marks marks;
	struct tessera_health_verdict verdict; /* empty on a host of IPUs */
};

/*
 * Read it; to be freed with health_view_free() in any case. Returns 0, or -1 with ERR and what
 * could be read. A node without accelerators has nothing.
 */
int health_view_read(struct health_view *view, const struct node *node, struct tessera_error *err);
void health_view_free(struct health_view *view);

/* Does tessera.conf name a health tool for this node? */
bool health_view_is_asked(const struct node *node);

/*
 * Marks N and those behind it that were made in one go: for all of them one line is enough. TILES
 * is set to theirs. Returns how many.
 */
size_t health_view_marks(const struct tessera_marks *marks, size_t n,
			 struct tessera_tileset *tiles);

/* "2 min", in BUF: how long ago WHEN was, as a person says it. */
const char *health_view_age(const struct health_view *view, int64_t when, char *buf, size_t len);

/* Print the results as a table, in plain form below a map. Returns 0, or -1 with ERR. */
int health_view_print(const struct health_view *view, const struct node *node,
		      const struct cli_options *c, struct tessera_error *err);

/*
 * Add bad tiles, tiles not allocated because their health is unknown, and bad IPUs as items of S,
 * and remove them from the free item. Returns 0, or -1 with ERR.
 */
int occupancy_health(struct occupancy *s, const struct node *node, const struct health_view *view,
		     struct tessera_error *err);

/*
 * S is what occupancy_cluster() says, OWN what occupancy_node() says of NODE: in place of what
 * slurmctld knows of the node's tiles that no job gets, put what the node's ledger and VIEW know.
 * Returns 0, or -1 with ERR.
 */
int occupancy_own_health(struct occupancy *s, const struct node *node, const struct occupancy *own,
			 const struct health_view *view, struct tessera_error *err);

#endif /* TESSERA_HEALTH_VIEW_H */
