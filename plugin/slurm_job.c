/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/sharing.h"
#include "plugin/slurm_compat.h"
#include "plugin/slurm_cores.h"
#include "plugin/slurm_job.h"

int slurm_job_node_index(const char *nodes, const char *node)
{
	tessera_slurm_hostlist list;
	int index;

	if (nodes == NULL || nodes[0] == '\0')
		return -1;
	list = slurm_hostlist_create(nodes);
	if (list == NULL)
		return -1;
	index = slurm_hostlist_find(list, node);
	slurm_hostlist_destroy(list);
	return index;
}

void slurm_job_first_node(const char *nodes, char *buf, size_t len)
{
	tessera_slurm_hostlist list = nodes != NULL ? slurm_hostlist_create(nodes) : NULL;
	char *name = list != NULL ? slurm_hostlist_shift(list) : NULL;

	snprintf(buf, len, "%s", name != NULL ? name : "");
	free(name);
	if (list != NULL)
		slurm_hostlist_destroy(list);
}

/* On one node, at the most: all tasks of a job may be there. */
static unsigned tasks_on_node(const job_info_t *info)
{
	if (info->ntasks_per_node != 0 && info->ntasks_per_node != NO_VAL16 && info->ntasks_per_node != INFINITE16)
		return info->ntasks_per_node;
	return info->num_tasks != 0 && info->num_tasks != NO_VAL ? info->num_tasks : 1;
}

static void read_tasks(const job_info_t *info, struct slurm_job *out)
{
	unsigned per_node = info->ntasks_per_node;

	if (per_node == NO_VAL16 || per_node == INFINITE16)
		per_node = 0;
	out->job_tasks = info->num_tasks != NO_VAL ? info->num_tasks : 0;
	out->tasks = sharing_tasks(out->job_tasks, per_node, info->num_nodes);
}

static void read_grant(const job_info_t *info, uint32_t index, struct slurm_job *out)
{
	const char *detail = index < info->gres_detail_cnt ? info->gres_detail_str[index] : NULL;

	tessera_granted_within(detail,
			       &(struct tessera_granted_asked){.per_node = info->tres_per_node,
							       .per_task = info->tres_per_task,
							       .tasks = tasks_on_node(info)},
			       &out->granted, &out->unclear);
}

static void read_record(const job_info_t *info, const char *node, struct slurm_job *out)
{
	uint32_t state = info->job_state & JOB_STATE_BASE;
	int index = slurm_job_node_index(info->nodes, node);

	memset(out, 0, sizeof(*out));
	out->uid = info->user_id;
	out->restarts = info->restart_cnt;
	out->start = info->start_time;
	out->batch = info->batch_flag != 0;
	out->ended = state > JOB_SUSPENDED && (info->job_state & JOB_COMPLETING) == 0;
	out->ending = (info->job_state & JOB_COMPLETING) != 0;
	out->active = (state == JOB_RUNNING || state == JOB_SUSPENDED) && (info->job_state & JOB_COMPLETING) == 0;
	/* A job that waits to be run again still has its number, but no longer its nodes. */
	out->here = index >= 0 &&
		    (state == JOB_RUNNING || state == JOB_SUSPENDED || (info->job_state & JOB_COMPLETING));
	out->running = index >= 0 && out->active;
	slurm_job_first_node(info->nodes, out->first_node, sizeof(out->first_node));
	snprintf(out->partition, sizeof(out->partition), "%s", info->partition != NULL ? info->partition : "");
	read_tasks(info, out);
	out->node_cores = slurm_cores_read(info, index, &out->cores);
	if (index >= 0)
		read_grant(info, (uint32_t)index, out);
}

int slurm_job_visit(uint32_t job, int (*look)(const job_info_t *info, void *arg), void *arg,
		    struct tessera_error *err)
{
	job_info_msg_t *msg = NULL;
	int rc = 1;

	TESSERA_ONE_SELECTOR();
	/* Of this cluster: otherwise a question about its federation goes before, which doubles the cost. */
	if (slurm_load_job(&msg, job, SHOW_DETAIL | SHOW_LOCAL) != SLURM_SUCCESS) {
		if (errno == ESLURM_INVALID_JOB_ID)
			return 1;
		return tessera_error_set(err, TESSERA_ERR_MISSING,
					 "slurmctld did not say what job %u was granted: %s", job,
					 slurm_strerror(errno));
	}
	/* An array or heterogeneous job brings its relatives along. */
	for (uint32_t i = 0; i < msg->record_count; i++) {
		if (msg->job_array[i].job_id == job) {
			rc = look(&msg->job_array[i], arg);
			break;
		}
	}
	slurm_free_job_info_msg(msg);
	return rc;
}

/* What a visit for slurm_job_load() needs. */
struct loading {
	const char *node;
	struct slurm_job *out;
};

static int look(const job_info_t *info, void *arg)
{
	struct loading *loading = arg;

	read_record(info, loading->node, loading->out);
	return 0;
}

int slurm_job_load(uint32_t job, const char *node, struct slurm_job *out, struct tessera_error *err)
{
	struct loading loading = {.node = node, .out = out};

	memset(out, 0, sizeof(*out));
	return slurm_job_visit(job, look, &loading, err);
}

bool slurm_job_gone(int loaded, const struct slurm_job *job)
{
	return loaded > 0 || (loaded == 0 && job->ended);
}

int slurm_job_runs(uint32_t job, const char *node, uint32_t uid, uint32_t restarts, struct tessera_error *err)
{
	struct slurm_job info;
	int rc = slurm_job_load(job, node, &info, err);

	return rc < 0 ? -1 : rc == 0 && info.running && info.uid == uid && info.restarts == restarts;
}
