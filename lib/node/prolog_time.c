/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/node/prolog_time.h"
#include "lib/slurm/cluster.h"
#include "lib/util/deadline.h"

#define MARGIN_MS 2000 /* between our end and Slurm's time limit */

int prolog_time_find(const struct node *node, unsigned seconds, struct prolog_time *left)
{
	unsigned limit, answer;

	*left = (struct prolog_time){0};
	if (cluster_prolog_limit(&limit, &answer, NULL) < 0)
		return -1;
	left->end = left->ask_until = deadline_after(seconds);
	if (limit > 0) {
		/* With a short limit, half of it. */
		int64_t ms = 1000 * (int64_t)limit, margin = deadline_earlier(MARGIN_MS, ms / 2);

		left->end = deadline_earlier(left->end, node->opened + ms - margin);
		/* a connection and an answer may take ANSWER seconds each */
		left->ask_until = left->end - 2000 * (int64_t)answer;
	}
	return 0;
}

bool prolog_time_to_ask(const struct node *node)
{
	struct prolog_time left;

	/* The number of seconds matters only without a limit. */
	return prolog_time_find(node, 1, &left) == 0 && deadline_left(left.ask_until) > 0;
}
