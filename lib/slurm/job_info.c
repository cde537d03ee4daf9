/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/request/sharing.h"
#include "lib/slurm/compat.h"
#include "lib/slurm/job_info.h"
#include "lib/slurm/job_info_pools.h"

int job_info_node_index(const char *nodes, const char *node)
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

void job_info_first_node(const char *nodes, char *buf, size_t len)
{
	tessera_slurm_hostlist list = nodes != NULL ? slurm_hostlist_create(nodes) : NULL;
	char *name = list != NULL ? slurm_hostlist_shift(list) : NULL;

	snprintf(buf, len, "%s", name != NULL ? name : "");
	free(name);
	if (list != NULL)
		slurm_hostlist_destroy(list);
}

/* The most tasks on one node: without --ntasks-per-node all tasks may be on it. */
static unsigned count_tasks_on_node(const job_info_t *info)
{
	if (info->ntasks_per_node != 0 && info->ntasks_per_node != NO_VAL16 &&
	    info->ntasks_per_node != INFINITE16)
		return info->ntasks_per_node;
	return info->num_tasks != 0 && info->num_tasks != NO_VAL ? info->num_tasks : 1;
}

static void read_tasks(const job_info_t *info, struct job_alloc *out)
{
	unsigned per_node = info->ntasks_per_node;

	if (per_node == NO_VAL16 || per_node == INFINITE16)
		per_node = 0;
	out->job_tasks = info->num_tasks != NO_VAL ? info->num_tasks : 0;
	out->tasks = sharing_tasks(out->job_tasks, per_node, info->num_nodes);
}

static void read_gres_detail(const job_info_t *info, uint32_t index, struct job_alloc *out)
{
	const char *detail = index < info->gres_detail_cnt ? info->gres_detail_str[index] : NULL;

	tessera_gres_detail_within(
		detail,
		&(struct tessera_gres_detail_asked){.per_node = info->tres_per_node,
						    .per_task = info->tres_per_task,
						    .tasks = count_tasks_on_node(info)},
		&out->granted, &out->unclear);
}

/* Set FN to a function of the program that loaded us; returns false if it has none. */
static bool look_up_symbol(const char *name, void *fn)
{
	void *symbol = dlsym(RTLD_DEFAULT, name);

	/* ISO C has no conversion from object to function pointers; POSIX guarantees this. */
	memcpy(fn, &symbol, sizeof(symbol));
	return symbol != NULL;
}

/*
 * The job's cores on the node at INDEX of its host list. Returns the number of cores of that node,
 * or 0 with CORES empty if Slurm does not report them.
 */
static unsigned read_cores(const job_info_t *info, int index, struct tessera_cpuset *cores)
{
	tessera_copy_cores_fn copy = NULL;
	tessera_bit_size_fn size = NULL;
	tessera_bit_test_fn test = NULL;
	tessera_bit_free_fn free_bits = NULL;
	bitstr_t *bits;
	unsigned count = 0;

	*cores = (struct tessera_cpuset){0};
	if (index < 0 || info->job_resrcs == NULL || !look_up_symbol(TESSERA_COPY_CORES, &copy) ||
	    !look_up_symbol(TESSERA_BIT_SIZE, &size) || !look_up_symbol(TESSERA_BIT_TEST, &test) ||
	    !look_up_symbol(TESSERA_BIT_FREE, &free_bits))
		return 0;
	bits = copy(info->job_resrcs, (uint32_t)index);
	if (bits == NULL)
		return 0;
	if (size(bits) > 0 && size(bits) <= TESSERA_CPUS_MAX)
		count = (unsigned)size(bits);
	for (unsigned n = 0; n < count; n++)
		if (test(bits, n))
			tessera_cpuset_add(cores, n);
	free_bits(&bits);
	return count;
}

static void read_record(const job_info_t *info, const char *node, struct job_alloc *out)
{
	uint32_t state = info->job_state & JOB_STATE_BASE;
	int index = job_info_node_index(info->nodes, node);

	memset(out, 0, sizeof(*out));
	out->uid = info->user_id;
	out->restarts = info->restart_cnt;
	out->start = info->start_time;
	out->batch = info->batch_flag != 0;
	out->ended = state > JOB_SUSPENDED && (info->job_state & JOB_COMPLETING) == 0;
	out->ending = (info->job_state & JOB_COMPLETING) != 0;
	out->active = (state == JOB_RUNNING || state == JOB_SUSPENDED) &&
		      (info->job_state & JOB_COMPLETING) == 0;
	/* A requeued job that is pending keeps its ID, but not its nodes. */
	out->here = index >= 0 && (state == JOB_RUNNING || state == JOB_SUSPENDED ||
				   (info->job_state & JOB_COMPLETING));
	out->running = index >= 0 && out->active;
	job_info_first_node(info->nodes, out->first_node, sizeof(out->first_node));
	snprintf(out->partition, sizeof(out->partition), "%s",
		 info->partition != NULL ? info->partition : "");
	read_tasks(info, out);
	out->node_cores = read_cores(info, index, &out->cores);
	if (index >= 0)
		read_gres_detail(info, (uint32_t)index, out);
}

int job_info_visit(uint32_t job, int (*visit)(const job_info_t *info, void *arg), void *arg,
		   struct tessera_error *err)
{
	job_info_msg_t *msg = NULL;
	int rc = 1;

	TESSERA_ONE_SELECTOR();
	/*
	 * Without SHOW_LOCAL, Slurm queries the federation first, which doubles the cost.
	 */
	if (slurm_load_job(&msg, job, SHOW_DETAIL | SHOW_LOCAL) != SLURM_SUCCESS) {
		if (errno == ESLURM_INVALID_JOB_ID)
			return 1;
		return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
					 "cannot query job %u from slurmctld: %s", job,
					 slurm_strerror(errno));
	}
	/* The reply has all tasks of an array and all components of a heterogeneous job. */
	for (uint32_t i = 0; i < msg->record_count; i++) {
		if (msg->job_array[i].job_id == job) {
			rc = visit(&msg->job_array[i], arg);
			break;
		}
	}
	slurm_free_job_info_msg(msg);
	return rc;
}

struct loading {
	const char *node;
	const struct tessera_conf *conf; /* NULL: do not read pools */
	struct job_alloc *out;
	struct job_pools *pools;
};

static int read_job(const job_info_t *info, void *arg)
{
	struct loading *l = arg;

	read_record(info, l->node, l->out);
	if (l->conf != NULL)
		l->pools->loaded =
			job_info_read_pools(info, l->node, l->conf, l->pools, &l->pools->err);
	return 0;
}

int job_info_load(uint32_t job, const char *node, struct job_alloc *out, struct tessera_error *err)
{
	struct loading loading = {.node = node, .out = out};

	memset(out, 0, sizeof(*out));
	return job_info_visit(job, read_job, &loading, err);
}

int job_info_load_with_pools(uint32_t job, const char *node, const struct tessera_conf *conf,
			     struct job_alloc *out, struct job_pools *pools,
			     struct tessera_error *err)
{
	struct loading loading = {.node = node, .conf = conf, .out = out, .pools = pools};
	int rc;

	memset(out, 0, sizeof(*out));
	memset(pools, 0, sizeof(*pools));
	rc = job_info_visit(job, read_job, &loading, &pools->err);
	if (rc != 0)
		pools->loaded = rc;
	if (rc < 0 && err != NULL)
		*err = pools->err;
	return rc;
}

bool job_info_gone(int loaded, const struct job_alloc *job)
{
	return loaded > 0 || (loaded == 0 && job->ended);
}

int job_info_runs(uint32_t job, const char *node, uint32_t uid, uint32_t restarts,
		  struct tessera_error *err)
{
	struct job_alloc info;
	int rc = job_info_load(job, node, &info, err);

	return rc < 0 ? -1
		      : rc == 0 && info.running && info.uid == uid && info.restarts == restarts;
}
