/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>

#include "command/observe/grant_check.h"
#include "lib/conf/names.h"
#include "lib/slurm/job_info.h"

/* Allowed difference between the clocks of node and controller: munge's own limit. */
#define CLOCKS_S 300

/*
 * Is the job still running here, in the run that the grant was made for? If slurmctld has reused
 * the job ID, the job started after the grant.
 */
static int is_running(const struct tessera_grant *grant, void *arg, struct tessera_error *err)
{
	const struct node *const *node = arg;
	struct job_alloc job;
	int rc = job_info_load(grant->job, (*node)->name, &job, err);

	if (rc != 0)
		return rc > 0 ? 0 : -1;
	return job.here && job.uid == grant->uid && job.restarts == grant->restarts &&
	       (int64_t)job.start <= grant->time + CLOCKS_S;
}

struct grant_shown grant_shown_in(const struct process_env *env, uint32_t uid)
{
	return (struct grant_shown){
		.credential = process_env_find(env, TESSERA_GRANT_VARIABLE),
		.mask = process_env_find(env, VAR_MASK),
		.partition = process_env_find(env, VAR_PARTITION),
		.config_path = process_env_find(env, VAR_IPUOF_CONFIG),
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
					       /* a mask of another machine: no tiles here */
					       : NULL,
		.partition = shown->partition,
		.config_path = shown->config_path,
		.is_running = is_running,
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
