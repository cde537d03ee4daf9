/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "gres/survey.h"
#include "lib/used.h"

/* The tiles' item of a job; NULL if it holds none. */
static struct survey_item *tiles_of(struct survey *s, uint32_t job)
{
	for (size_t i = 0; i < s->count; i++)
		if (job != 0 && s->items[i].job == job && strcmp(s->items[i].resource, SURVEY_TILES) == 0)
			return &s->items[i];
	return NULL;
}

static int add_used(struct survey *s, const struct node *node, const struct tessera_used *used,
		    struct tessera_error *err)
{
	struct survey_item *item = tiles_of(s, used->job);

	/* Whether a job used tiles is not known if nobody looked at them. */
	if (!used->has_tiles || (item == NULL && used->outside_seconds == 0))
		return 0;
	if (item == NULL) {
		item = survey_add(s, node->name, SURVEY_TILES, err);
		if (item == NULL)
			return -1;
		item->job = used->job;
		item->uid = UINT32_MAX;
		item->state = SURVEY_OUTSIDE;
	}
	item->has_outside = true;
	item->outside = used->outside_seconds;
	return 0;
}

int survey_outside(struct survey *s, const struct node *node, struct tessera_error *err)
{
	uint32_t *jobs = NULL;
	int count, rc = 0;

	if (!node->keeps)
		return 0;
	count = tessera_used_jobs(node->dir, &jobs, err);
	rc = count < 0 ? -1 : 0;
	for (int i = 0; i < count && rc == 0; i++) {
		struct tessera_error damaged = {0};
		struct tessera_used used;

		/* What cannot be read is not known: the next sample will say so. */
		if (tessera_used_read(node->dir, jobs[i], &used, &damaged) == 0)
			rc = add_used(s, node, &used, err);
	}
	free(jobs);
	return rc;
}
