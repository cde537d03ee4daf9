/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/node/node_locality.h"
#include "lib/util/deadline.h"
#include "plugin/step_bind.h"

#define WAIT_S  60   /* for slurmstepd to bind all tasks, which takes it far less */
#define POLL_MS 1000 /* between checks whether slurmstepd is still running */

static struct {
	pid_t parent; /* slurmstepd; 0: nothing to do */
	struct tessera_split split;
	struct tessera_tileset tiles;
	struct tessera_locality *table;
	unsigned *cost;    /* of each RDU for each task; zeros for a task that is not bound */
	unsigned seen;     /* tasks that are forked */
	bool is_any_bound; /* of these tasks */
	int ready;         /* eventfd, signalled when each is final */
	/* Shared memory: the tasks are forked before it is final. */
	struct tessera_tileset *each;
} own;

static size_t size_of_each(void)
{
	return own.split.tasks * sizeof(*own.each);
}

void step_bind_prepare(const struct node *node, const struct tessera_split *split,
		       const struct tessera_tileset *each)
{
	void *shared;

	own.table = node_locality_table(node);
	if (own.table == NULL)
		return;
	own.split = *split;
	own.tiles = *split->tiles;
	own.split.tiles = &own.tiles;
	own.split.map = NULL;
	own.cost = calloc((size_t)split->tasks * tessera_platform_rdus(split->platform),
			  sizeof(*own.cost));
	shared = mmap(NULL, size_of_each(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	own.each = shared != MAP_FAILED ? shared : NULL;
	own.ready = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	own.parent = getpid();
	if (own.cost == NULL || own.each == NULL || own.ready < 0) {
		slurm_error("tessera: using --tile-bind=block instead of closest: %s",
			    strerror(errno));
		step_bind_clear();
		return;
	}
	memcpy(own.each, each, size_of_each());
}

/* The cost of each RDU for the CPUs of process PID. False if it is not bound. */
static bool find_cost(pid_t pid, unsigned *cost)
{
	struct tessera_cpuset cpus = {0};

	/* Both types are the kernel's bit set. */
	return sched_getaffinity(pid, sizeof(cpus), (cpu_set_t *)(void *)&cpus) == 0 &&
	       tessera_locality_cost(own.table, &cpus, true, cost);
}

/* All tasks are bound: divide the tiles, and wake the tasks. */
static void divide_tiles(void)
{
	struct tessera_tileset *each = calloc(own.split.tasks, sizeof(*each));
	struct tessera_error err = {0};
	const uint64_t one = 1;

	own.split.cost = own.cost;
	if (own.is_any_bound && each != NULL) {
		if (tessera_split(&own.split, each, &err) == 0)
			memcpy(own.each, each, size_of_each());
		else
			slurm_error("tessera: %s", err.text);
	}
	free(each);
	if (write(own.ready, &one, sizeof(one)) != (ssize_t)sizeof(one))
		slurm_error("tessera: cannot pass tiles to the tasks: %s", strerror(errno));
}

void step_bind_task_bound(spank_t sp)
{
	unsigned rdus;
	int task = -1;
	pid_t pid = 0;

	if (own.parent == 0 || spank_get_item(sp, S_TASK_ID, &task) != ESPANK_SUCCESS || task < 0 ||
	    (unsigned)task >= own.split.tasks)
		return;
	rdus = tessera_platform_rdus(own.split.platform);
	if (spank_get_item(sp, S_TASK_PID, &pid) == ESPANK_SUCCESS && pid > 0 &&
	    find_cost(pid, &own.cost[(size_t)task * rdus]))
		own.is_any_bound = true;
	if (++own.seen == own.split.tasks)
		divide_tiles();
}

int step_bind_wait(unsigned task, struct tessera_tileset *tiles, struct tessera_error *err)
{
	int64_t end = deadline_after(WAIT_S);
	struct pollfd event = {.fd = own.ready, .events = POLLIN};

	if (own.parent == 0)
		return 0;
	while (deadline_left(end) > 0 && getppid() == own.parent) {
		if (poll(&event, 1, POLL_MS) != 1)
			continue;
		*tiles = own.each[task];
		return 0;
	}
	return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
				 "timed out after %d s waiting for slurmstepd to choose NUMA-local "
				 "tiles: use --tile-bind=block",
				 WAIT_S);
}

void step_bind_clear(void)
{
	if (own.parent == 0)
		return;
	if (own.each != NULL)
		munmap(own.each, size_of_each());
	if (own.ready >= 0)
		close(own.ready);
	tessera_locality_free(own.table);
	free(own.cost);
	memset(&own, 0, sizeof(own));
}
