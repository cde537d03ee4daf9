/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/node/partition_fate.h"
#include "lib/node/prolog_time.h"
#include "lib/slurm/job_info.h"

#define UNREACHABLE (NODE_STATE_NO_RESPOND | NODE_STATE_POWERED_DOWN | NODE_STATE_POWERING_DOWN)

/* A drained node still runs its epilogs; a node that is down or unreachable does not. */
static enum job_record_first classify_first(uint32_t state)
{
	uint32_t base = state & NODE_STATE_BASE;

	if ((state & UNREACHABLE) != 0 ||
	    (base != NODE_STATE_IDLE && base != NODE_STATE_ALLOCATED && base != NODE_STATE_MIXED))
		return JOB_RECORD_FIRST_DOWN;
	return JOB_RECORD_FIRST_UP;
}

/* A node that slurmctld does not know was removed from slurm.conf: it runs nothing. */
static enum job_record_first load_first(const char *first, struct tessera_error *err)
{
	enum job_record_first answer = JOB_RECORD_FIRST_DOWN;
	node_info_msg_t *msg = NULL;
	char name[256];

	snprintf(name, sizeof(name), "%s", first);
	if (slurm_load_node_single(&msg, name, SHOW_ALL) != SLURM_SUCCESS) {
		if (errno == ESLURM_INVALID_NODE_NAME)
			return JOB_RECORD_FIRST_DOWN;
		tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
				  "cannot query the state of node %s from slurmctld: %s", name,
				  slurm_strerror(errno));
		return JOB_RECORD_FIRST_UNKNOWN;
	}
	for (uint32_t i = 0; i < msg->record_count; i++)
		if (msg->node_array[i].name != NULL && strcmp(msg->node_array[i].name, name) == 0)
			answer = classify_first(msg->node_array[i].node_state);
	slurm_free_node_info_msg(msg);
	return answer;
}

static enum job_record_phase classify_job(int loaded, const struct job_alloc *job)
{
	if (loaded < 0)
		return JOB_RECORD_JOB_UNKNOWN;
	if (job_info_gone(loaded, job))
		return JOB_RECORD_JOB_GONE;
	if (job->ending)
		return JOB_RECORD_JOB_ENDING;
	return job->active ? JOB_RECORD_JOB_ACTIVE : JOB_RECORD_JOB_QUEUED;
}

static void load_job(const struct node *node, uint32_t id, enum job_record_caller caller,
		     struct job_record_job *out, struct tessera_error *err)
{
	struct job_alloc job;

	out->phase = classify_job(job_info_load(id, node->name, &job, err), &job);
	out->here = job.here;
	out->restarts = job.restarts;
	out->first = JOB_RECORD_FIRST_UNKNOWN;
	if (out->phase != JOB_RECORD_JOB_ENDING)
		return;
	if (job.first_node[0] == '\0')
		out->first = JOB_RECORD_FIRST_DOWN;
	else if (strcmp(job.first_node, node->name) == 0)
		out->first = JOB_RECORD_FIRST_SELF;
	else if (caller != JOB_RECORD_EPILOG || prolog_time_to_ask(node))
		out->first = load_first(job.first_node, err);
	else
		tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
				  "no time left to query slurmctld about node %s", job.first_node);
}

enum job_record_fate partition_fate(const struct node *node, uint32_t job,
				    const struct tessera_job_record *record,
				    enum job_record_caller caller, struct job_record_job *seen,
				    struct tessera_error *err)
{
	bool listable = node->site != NULL;

	load_job(node, job, caller, seen, err);
	return job_record_fate(seen, record, caller, listable);
}
