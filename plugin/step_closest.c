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

#include "lib/deadline.h"
#include "plugin/closeness.h"
#include "plugin/step_closest.h"

#define WAIT_S  60   /* for slurmstepd to bind its tasks, which it does at once */
#define LOOK_MS 1000 /* how often a task looks whether slurmstepd is still there */

static struct {
	pid_t parent; /* slurmstepd; 0: nothing to do */
	struct tessera_split split;
	struct tessera_tileset tiles;
	struct tessera_locality *table;
	unsigned *cost; /* of each RDU for each task; zeros where it is not bound */
	unsigned seen;  /* tasks */
	bool any;       /* of them is bound */
	int ready;      /* an event, when each is what it shall be */
	/* Shared with the tasks: they were forked when nothing was known yet. */
	struct tessera_tileset *each;
} own;

static size_t size_of_each(void)
{
	return own.split.tasks * sizeof(*own.each);
}

void step_closest_prepare(const struct node *node, const struct tessera_split *split,
			  const struct tessera_tileset *each)
{
	void *shared;

	own.table = closeness_table(node);
	if (own.table == NULL)
		return;
	own.split = *split;
	own.tiles = *split->tiles;
	own.split.tiles = &own.tiles;
	own.split.map = NULL;
	own.cost = calloc((size_t)split->tasks * tessera_platform_rdus(split->platform), sizeof(*own.cost));
	shared = mmap(NULL, size_of_each(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	own.each = shared != MAP_FAILED ? shared : NULL;
	own.ready = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	own.parent = getpid();
	if (own.cost == NULL || own.each == NULL || own.ready < 0) {
		slurm_error("tessera: tasks get tiles as with --tile-bind=block: %s", strerror(errno));
		step_closest_forget();
		return;
	}
	memcpy(own.each, each, size_of_each());
}

/* The CPUs that a task may use, as far as that says something. */
static bool find_cost(pid_t pid, unsigned *cost)
{
	struct tessera_cpuset cpus = {0};

	/* Both are the kernel's own form of a set. */
	return sched_getaffinity(pid, sizeof(cpus), (cpu_set_t *)(void *)&cpus) == 0 &&
	       tessera_locality_cost(own.table, &cpus, true, cost);
}

/* All are bound: this is what they get. */
static void share_out(void)
{
	struct tessera_tileset *each = calloc(own.split.tasks, sizeof(*each));
	struct tessera_error err = {0};
	const uint64_t one = 1;

	own.split.cost = own.cost;
	if (own.any && each != NULL) {
		if (tessera_split(&own.split, each, &err) == 0)
			memcpy(own.each, each, size_of_each());
		else
			slurm_error("tessera: %s", err.text);
	}
	free(each);
	if (write(own.ready, &one, sizeof(one)) != (ssize_t)sizeof(one))
		slurm_error("tessera: tasks cannot be told of their tiles: %s", strerror(errno));
}

void step_closest_bound(spank_t sp)
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
		own.any = true;
	if (++own.seen == own.split.tasks)
		share_out();
}

int step_closest_take(unsigned task, struct tessera_tileset *tiles, struct tessera_error *err)
{
	int64_t end = deadline_after(WAIT_S);
	struct pollfd event = {.fd = own.ready, .events = POLLIN};

	if (own.parent == 0)
		return 0;
	while (deadline_left(end) > 0 && getppid() == own.parent) {
		if (poll(&event, 1, LOOK_MS) != 1)
			continue;
		*tiles = own.each[task];
		return 0;
	}
	return tessera_error_set(err, TESSERA_ERR_MISSING,
				 "slurmstepd did not say within %d s which tiles are near: --tile-bind=block needs "
				 "no such word",
				 WAIT_S);
}

void step_closest_forget(void)
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
