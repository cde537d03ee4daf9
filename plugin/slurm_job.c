/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/gres.h"
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

/*
 * Cut what was granted to what was asked for: a job with --exclusive is granted all that the node has, but wants only
 * what it named, and nothing if it named nothing.
 */
static void cut_to_asked(const job_info_t *info, struct tessera_granted *granted)
{
	struct gres_sum rdu = {0}, tile = {0}, each_rdu = {0}, each_tile = {0};

	/* What cannot be read was not written by us: then the grant holds. */
	if (gres_sum(info->tres_per_node, GRES_LIST_GRES, GRES_RDU, "", &rdu, NULL) < 0 ||
	    gres_sum(info->tres_per_node, GRES_LIST_GRES, GRES_RDU_TILE, "", &tile, NULL) < 0 ||
	    gres_sum(info->tres_per_task, GRES_LIST_GRES, GRES_RDU, "", &each_rdu, NULL) < 0 ||
	    gres_sum(info->tres_per_task, GRES_LIST_GRES, GRES_RDU_TILE, "", &each_tile, NULL) < 0)
		return;
	if (each_rdu.count > 0 || each_tile.count > 0)
		return;
	granted->rdus = rdu.count < granted->rdus ? rdu.count : granted->rdus;
	if (tile.count > 0 || rdu.count == 0)
		granted->tiles = tile.count < granted->tiles ? tile.count : granted->tiles;
	else
		granted->tiles = 0; /* RDUs that nobody turned into tiles: as many as they have */
}

static int read_record(const job_info_t *info, const char *node, struct slurm_job *out, struct tessera_error *err)
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
	out->node_cores = slurm_cores_read(info, index, &out->cores);
	if (index < 0 || (uint32_t)index >= info->gres_detail_cnt)
		return 0;
	if (tessera_granted_read(info->gres_detail_str[index], &out->granted, err) < 0)
		return -1;
	cut_to_asked(info, &out->granted);
	return 0;
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
	struct tessera_error *err;
};

static int look(const job_info_t *info, void *arg)
{
	struct loading *loading = arg;

	return read_record(info, loading->node, loading->out, loading->err);
}

int slurm_job_load(uint32_t job, const char *node, struct slurm_job *out, struct tessera_error *err)
{
	struct loading loading = {.node = node, .out = out, .err = err};

	memset(out, 0, sizeof(*out));
	return slurm_job_visit(job, look, &loading, err);
}

bool slurm_job_gone(int loaded, const struct slurm_job *job)
{
	return loaded > 0 || (loaded == 0 && job->ended);
}
