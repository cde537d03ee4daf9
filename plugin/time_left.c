/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/deadline.h"
#include "plugin/cluster.h"
#include "plugin/time_left.h"

#define MARGIN_MS 2000 /* that Slurm shall find us finished before its own time is up */

int time_left_find(const struct node *node, unsigned seconds, struct time_left *left)
{
	unsigned limit, answer;

	*left = (struct time_left){0};
	if (cluster_prolog_limit(&limit, &answer, NULL) < 0)
		return -1;
	left->end = left->ask_until = deadline_after(seconds);
	if (limit > 0) {
		/* Of a short time half must do. */
		int64_t ms = 1000 * (int64_t)limit, margin = deadline_nearer(MARGIN_MS, ms / 2);

		left->end = deadline_nearer(left->end, node->opened + ms - margin);
		left->ask_until = left->end - 2000 * (int64_t)answer;
	}
	return 0;
}

bool time_left_to_ask(const struct node *node)
{
	struct time_left left;

	/* Without a limit any time will do. */
	return time_left_find(node, 1, &left) == 0 && deadline_left(left.ask_until) > 0;
}
