/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "command/view/health_view.h"

int health_view_read(struct health_view *view, const struct node *node, struct tessera_error *err)
{
	const struct tessera_platform *p = node->platform != NULL ? node->platform : node->ipus;
	char dir[512];
	int rc = 0;

	*view = (struct health_view){.now = time(NULL)};
	if (p == NULL)
		return 0;
	if (tessera_health_read(node->dir, p, &view->health, err) < 0)
		rc = -1;
	if (node->platform == NULL)
		return rc;
	/* If both reads fail, ERR is about the marks: no tool can restore those. */
	if (tessera_conf_marks_dir(node->conf, node->name, dir, sizeof(dir), err) < 0 ||
	    tessera_marks_read(dir, p, &view->marks, err) < 0)
		rc = -1;
	/* The prolog uses the same function, so that both agree on the tiles. */
	tessera_health_of_node(node->conf, node->name, p, &view->verdict, NULL);
	return rc;
}

void health_view_free(struct health_view *view)
{
	tessera_marks_free(&view->marks);
}

bool health_view_is_asked(const struct node *node)
{
	const struct tessera_health_conf *conf = tessera_conf_health(node->conf);

	if (node->platform != NULL)
		return conf->snfadm[0] != '\0' || conf->snconfig[0] != '\0';
	return node->ipus != NULL && conf->ipus[0] != '\0';
}

size_t health_view_marks(const struct tessera_marks *marks, size_t n, struct tessera_tileset *tiles)
{
	const struct tessera_mark *first = &marks->list[n];
	size_t count = 0;

	tessera_tileset_clear(tiles);
	for (; n < marks->count; n++, count++) {
		const struct tessera_mark *m = &marks->list[n];

		if (m->time != first->time || m->uid != first->uid ||
		    strcmp(m->text, first->text) != 0)
			break;
		tessera_tileset_add(tiles, m->tile);
	}
	return count;
}

const char *health_view_age(const struct health_view *view, int64_t when, char *buf, size_t len)
{
	int64_t age = view->now > when ? view->now - when : 0;

	if (when == 0)
		snprintf(buf, len, "never");
	else if (age < 120)
		snprintf(buf, len, "%" PRId64 " s", age);
	else if (age < INT64_C(2) * 3600)
		snprintf(buf, len, "%" PRId64 " min", age / 60);
	else if (age < INT64_C(2) * 86400)
		snprintf(buf, len, "%" PRId64 " h", age / 3600);
	else
		snprintf(buf, len, "%" PRId64 " days", age / 86400);
	return buf;
}
