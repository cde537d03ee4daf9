/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>

#include "gres/grant_check.h"
#include "plugin/client.h"
#include "plugin/slurm_job.h"
#include "plugin/step_pools.h"

/* By so much the clocks of a node and of slurmctld's may differ: munge itself bears no more. */
#define CLOCKS_S 300

/*
 * The job has the node, and is in the run that the grant was made in. Its number could have been given anew, years later:
 * then it began after the grant.
 */
static int lives(const struct tessera_grant *grant, void *arg, struct tessera_error *err)
{
	const struct node *const *node = arg;
	struct slurm_job job;
	int rc = slurm_job_load(grant->job, (*node)->name, &job, err);

	if (rc != 0)
		return rc > 0 ? 0 : -1;
	return job.here && job.uid == grant->uid && job.restarts == grant->restarts &&
	       (int64_t)job.start <= grant->time + CLOCKS_S;
}

struct grant_shown grant_shown_in(const struct process_env *env, uint32_t uid)
{
	return (struct grant_shown){
		.credential = process_env_find(env, TESSERA_GRANT_VARIABLE),
		.mask = process_env_find(env, CLIENT_MASK),
		.partition = process_env_find(env, CLIENT_PARTITION),
		.config_path = process_env_find(env, STEP_CONFIG_PATH),
		.uid = uid,
	};
}

int grant_check(const struct node *node, const char *cluster, const struct grant_shown *shown,
		struct tessera_grant *grant, struct tessera_error *err)
{
	const struct tessera_grant_claim claim = {
		.cluster = cluster,
		.node = node->name,
		.uid = shown->uid,
		.platform = node->platform,
		.mask = node->platform != NULL ? shown->mask
					       : NULL, /* of another machine: there are no tiles here */
		.partition = shown->partition,
		.config_path = shown->config_path,
		.lives = lives,
		.arg = &node,
		.socket = tessera_conf_grants(node->conf)->socket,
	};

	return tessera_grant_verify(shown->credential, &claim, grant, err);
}

const char *grant_verdict(enum tessera_errcode code)
{
	switch (code) {
	case TESSERA_OK:
		return "granted";
	case TESSERA_ERR_UNGRANTED:
		return "none";
	case TESSERA_ERR_FORGED:
		return "forged";
	case TESSERA_ERR_ALTERED:
		return "altered";
	case TESSERA_ERR_FOREIGN:
		return "foreign";
	case TESSERA_ERR_OUTSIDE:
		return "outside";
	case TESSERA_ERR_OUTLIVED:
		return "outlived";
	default:
		return "unknown";
	}
}

const char *grant_step(const struct tessera_grant *grant, char *buf, size_t len)
{
	if (grant->step == SLURM_BATCH_SCRIPT)
		snprintf(buf, len, "%u.batch", grant->job);
	else if (grant->step == SLURM_INTERACTIVE_STEP)
		snprintf(buf, len, "%u.interactive", grant->job);
	else
		snprintf(buf, len, "%u.%u", grant->job, grant->step);
	return buf;
}
