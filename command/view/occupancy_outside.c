/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "command/view/occupancy.h"
#include "lib/state/sample_record.h"

/* The item of a job's tiles; NULL if it holds none. */
static struct occupancy_item *find_tiles(struct occupancy *s, uint32_t job)
{
	for (size_t i = 0; i < s->count; i++)
		if (job != 0 && s->items[i].job == job &&
		    strcmp(s->items[i].resource, OCCUPANCY_TILES) == 0)
			return &s->items[i];
	return NULL;
}

static int add_used(struct occupancy *s, const struct node *node,
		    const struct tessera_sample_record *used, struct tessera_error *err)
{
	struct occupancy_item *item = find_tiles(s, used->job);

	/* Without a sample of tiles their use is unknown. */
	if (!used->has_tiles || (item == NULL && used->outside_seconds == 0))
		return 0;
	if (item == NULL) {
		item = occupancy_add(s, node->name, OCCUPANCY_TILES, err);
		if (item == NULL)
			return -1;
		item->job = used->job;
		item->uid = UINT32_MAX;
		item->state = OCCUPANCY_OUTSIDE;
	}
	item->has_outside = true;
	item->outside = used->outside_seconds;
	return 0;
}

int occupancy_outside(struct occupancy *s, const struct node *node, struct tessera_error *err)
{
	uint32_t *jobs = NULL;
	int count, rc = 0;

	if (!node->has_state)
		return 0;
	count = tessera_sample_record_jobs(node->dir, &jobs, err);
	rc = count < 0 ? -1 : 0;
	for (int i = 0; i < count && rc == 0; i++) {
		struct tessera_error damaged = {0};
		struct tessera_sample_record used;

		/* Skip a damaged record: the next sample reports it. */
		if (tessera_sample_record_read(node->dir, jobs[i], &used, &damaged) == 0)
			rc = add_used(s, node, &used, err);
	}
	free(jobs);
	return rc;
}
