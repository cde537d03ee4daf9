/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/request/sharing.h"

static bool is_smaller_than_job(const struct sharing_case *c)
{
	return c->step_here < c->job_here && c->step_all < c->job_all;
}

enum sharing sharing_rule(const struct sharing_case *c)
{
	if (c->typed)
		return SHARING_ASKED;
	if (is_smaller_than_job(c))
		return SHARING_ALL;
	if (c->asked)
		return SHARING_ASKED;
	return c->own ? SHARING_EVEN : SHARING_ALL;
}

bool sharing_own(const struct tessera_policy *policy)
{
	return policy->rdu_scope == TESSERA_SCOPE_TASK || policy->rdu_scope == TESSERA_SCOPE_AUTO;
}

unsigned sharing_tasks(unsigned ntasks, unsigned per_node, unsigned nodes)
{
	unsigned here;

	if (ntasks == 0)
		return per_node;
	if (nodes == 0)
		nodes = 1;
	here = ntasks / nodes + (ntasks % nodes != 0);
	return per_node > 0 && per_node < here ? per_node : here;
}
