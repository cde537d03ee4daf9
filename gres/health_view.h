/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a node's files say of its health now: for the commands that show it.
 */
#ifndef TESSERA_HEALTH_VIEW_H
#define TESSERA_HEALTH_VIEW_H

#include "gres/common.h"
#include "gres/survey.h"
#include "lib/health.h"
#include "plugin/node.h"

struct health_view {
	int64_t now;
	struct tessera_health health;
	struct tessera_marks marks;
	struct tessera_health_verdict verdict; /* empty on a host of IPUs */
};

/*
 * Read it; to be given back with health_view_free() in any case. Returns 0, or -1 with ERR and what could be read. A
 * node without accelerators has nothing.
 */
int health_view_read(struct health_view *view, const struct node *node, struct tessera_error *err);
void health_view_free(struct health_view *view);

/* Does tessera.conf name a tool that is to be asked of this node? */
bool health_view_is_asked(const struct node *node);

/*
 * Marks N and those behind it that were made in one go: for all of them one line is enough. TILES is set to theirs.
 * Returns how many.
 */
size_t health_view_marks(const struct tessera_marks *marks, size_t n, struct tessera_tileset *tiles);

/* "2 min", in BUF: how long ago WHEN was, as a person says it. */
const char *health_view_age(const struct health_view *view, int64_t when, char *buf, size_t len);

/* Who says what, as a table, with a picture of the tiles for a person. Returns 0, or -1 with ERR. */
int health_view_print(const struct health_view *view, const struct node *node, const struct common *c,
		      struct tessera_error *err);

/*
 * Bad tiles, those that are not handed out since nobody knows them, and an IPU pool's bad ones, as items of S; what is
 * free has none of them any more. Returns 0, or -1 with ERR.
 */
int survey_health(struct survey *s, const struct node *node, const struct health_view *view,
		  struct tessera_error *err);

/*
 * S is what survey_cluster() says, OWN what survey_node() says of NODE: in place of what slurmctld knows of the node's tiles that
 * no job gets, put what the node's ledger and VIEW know. Returns 0, or -1 with ERR.
 */
int survey_own_health(struct survey *s, const struct node *node, const struct survey *own,
		      const struct health_view *view, struct tessera_error *err);

#endif /* TESSERA_HEALTH_VIEW_H */
