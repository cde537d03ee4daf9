/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The health of a node, read from its files, for the commands that print it.
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
	struct tessera_health_verdict verdict; /* empty on a host with IPUs */
};

/*
 * Read the health and marks of NODE. Returns 0; or -1 with ERR, and VIEW has what could be read. A
 * node without accelerators has no health. Free VIEW with health_view_free() in either case.
 */
int health_view_read(struct health_view *view, const struct node *node, struct tessera_error *err);
void health_view_free(struct health_view *view);

/* Does tessera.conf name a health tool for this node? */
bool health_view_is_asked(const struct node *node);

/*
 * Set TILES to those of mark N and of the following marks that one command made, which are printed
 * as one line. Returns the number of these marks.
 */
size_t health_view_marks(const struct tessera_marks *marks, size_t n,
			 struct tessera_tileset *tiles);

/* The time since WHEN in one unit, such as "2 min", in BUF. */
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
 * Replace what slurmctld knows about the tiles of NODE that no job can get by what the node's
 * ledger and VIEW contain. S is from occupancy_cluster(), OWN from occupancy_node(). Returns 0, or
 * -1 with ERR.
 */
int occupancy_own_health(struct occupancy *s, const struct node *node, const struct occupancy *own,
			 const struct health_view *view, struct tessera_error *err);

#endif /* TESSERA_HEALTH_VIEW_H */
