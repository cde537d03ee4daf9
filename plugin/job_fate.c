/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "plugin/job_fate.h"
#include "plugin/slurm_job.h"
#include "plugin/time_left.h"

#define SILENT (NODE_STATE_NO_RESPOND | NODE_STATE_POWERED_DOWN | NODE_STATE_POWERING_DOWN)

/* A drained node still runs its epilogs; one that is down does not, nor one that slurmctld cannot reach. */
static enum holding_first first_by_state(uint32_t state)
{
	uint32_t base = state & NODE_STATE_BASE;

	if ((state & SILENT) != 0 ||
	    (base != NODE_STATE_IDLE && base != NODE_STATE_ALLOCATED && base != NODE_STATE_MIXED))
		return HOLDING_FIRST_DOWN;
	return HOLDING_FIRST_UP;
}

/* A node that slurmctld does not know was taken out of slurm.conf: it runs nothing. */
static enum holding_first load_first(const char *first, struct tessera_error *err)
{
	enum holding_first answer = HOLDING_FIRST_DOWN;
	node_info_msg_t *msg = NULL;
	char name[256];

	snprintf(name, sizeof(name), "%s", first);
	if (slurm_load_node_single(&msg, name, SHOW_ALL) != SLURM_SUCCESS) {
		if (errno == ESLURM_INVALID_NODE_NAME)
			return HOLDING_FIRST_DOWN;
		tessera_error_set(err, TESSERA_ERR_MISSING, "slurmctld did not say whether node %s is up: %s", name,
				  slurm_strerror(errno));
		return HOLDING_FIRST_UNKNOWN;
	}
	for (uint32_t i = 0; i < msg->record_count; i++)
		if (msg->node_array[i].name != NULL && strcmp(msg->node_array[i].name, name) == 0)
			answer = first_by_state(msg->node_array[i].node_state);
	slurm_free_node_info_msg(msg);
	return answer;
}

static enum holding_phase phase_of(int loaded, const struct slurm_job *job)
{
	if (loaded < 0)
		return HOLDING_JOB_UNKNOWN;
	if (slurm_job_gone(loaded, job))
		return HOLDING_JOB_GONE;
	if (job->ending)
		return HOLDING_JOB_ENDING;
	return job->active ? HOLDING_JOB_ACTIVE : HOLDING_JOB_QUEUED;
}

static void load(const struct node *node, uint32_t id, enum holding_caller caller, struct holding_job *out,
		 struct tessera_error *err)
{
	struct slurm_job job;

	out->phase = phase_of(slurm_job_load(id, node->name, &job, err), &job);
	out->here = job.here;
	out->restarts = job.restarts;
	out->first = HOLDING_FIRST_UNKNOWN;
	if (out->phase != HOLDING_JOB_ENDING)
		return;
	if (job.first_node[0] == '\0')
		out->first = HOLDING_FIRST_DOWN;
	else if (strcmp(job.first_node, node->name) == 0)
		out->first = HOLDING_FIRST_SELF;
	else if (caller != HOLDING_EPILOG || time_left_to_ask(node))
		out->first = load_first(job.first_node, err);
	else
		tessera_error_set(err, TESSERA_ERR_MISSING, "no time is left to query slurmctld about node %s",
				  job.first_node);
}

enum holding_fate job_fate(const struct node *node, uint32_t job, const struct tessera_holding *note,
			   enum holding_caller caller, struct holding_job *seen, struct tessera_error *err)
{
	bool listable = node->site != NULL && node->site->backend == TESSERA_VIPU_GRPC;

	load(node, job, caller, seen, err);
	return holding_fate(seen, note, caller, listable);
}
