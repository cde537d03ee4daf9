/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/holders_job.h"
#include "lib/holders_parts.h"
#include "lib/ledger_parts.h"
#include "lib/proc.h"

/* A process that others descend from. */
struct ancestor {
	pid_t pid;
	pid_t parent;
	uint64_t start;              /* 0: there is no such process */
	bool climbed;                /* STEP is known, or is being looked for */
	uint32_t job;                /* of a slurmstepd: the one in its title; 0: it could not be read */
	const struct ancestor *step; /* the slurmstepd that it is or descends from; NULL: none */
};

static int by_pid(const void *a, const void *b)
{
	const struct ancestor *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

void holders_tree_free(struct holders_tree *tree)
{
	tdestroy(tree->root, free);
	tree->root = NULL;
}

static bool is_called_step(const char *name)
{
	static const char step[] = "slurmstepd";

	return strncmp(name, step, sizeof(step) - 1) == 0;
}

static bool runs_step_program(const char *proc, pid_t pid)
{
	char path[PATH_MAX], program[PATH_MAX];
	const char *slash;
	ssize_t len;

	snprintf(path, sizeof(path), "%s/%jd/exe", proc, (intmax_t)pid);
	len = readlink(path, program, sizeof(program) - 1);
	program[len > 0 ? len : 0] = '\0';
	slash = strrchr(program, '/');
	return slash != NULL && is_called_step(slash + 1);
}

/* From a title as "slurmstepd: [12.batch]"; 0 if it is another. */
static uint32_t job_in_title(const char *title)
{
	const char *at = strstr(title, ": [");
	unsigned long job;
	char *end;

	if (at == NULL || at[3] < '1' || at[3] > '9')
		return 0;
	job = strtoul(at + 3, &end, 10);
	return *end == '.' && job < UINT32_MAX ? (uint32_t)job : 0;
}

static void read_stat(const char *proc, pid_t pid, struct ancestor *process, char *stat, size_t size)
{
	char state;

	holders_read(proc, pid, "stat", stat, size);
	process->start = ledger_start_in(stat, &state);
	process->parent = proc_parent(stat);
}

/* Is PROCESS, whose stat is STAT, a slurmstepd of root? Then its job is set. */
static bool is_step(const char *proc, struct ancestor *process, char *stat, size_t size)
{
	const char *name = strchr(stat, '(');
	struct ancestor again;
	char title[256];
	uint32_t uid;

	if (name == NULL || !is_called_step(name + 1))
		return false;
	holders_parent(proc, process->pid, &uid);
	if (uid != 0 || !runs_step_program(proc, process->pid))
		return false;
	holders_read(proc, process->pid, "cmdline", title, sizeof(title));
	/* All that was read must be of one process, not of two that had its number. */
	read_stat(proc, process->pid, &again, stat, size);
	process->job = job_in_title(title);
	return again.start == process->start;
}

/* NULL: out of memory. */
static struct ancestor *find_ancestor(struct holders_tree *tree, const char *proc, pid_t pid)
{
	struct ancestor key = {.pid = pid}, *process, **found = tfind(&key, &tree->root, by_pid);
	char stat[1024];

	if (found != NULL)
		return *found;
	process = malloc(sizeof(*process));
	if (process == NULL)
		return NULL;
	*process = key;
	read_stat(proc, pid, process, stat, sizeof(stat));
	if (process->start != 0 && is_step(proc, process, stat, sizeof(stat)))
		process->step = process;
	if (tsearch(process, &tree->root, by_pid) == NULL) {
		free(process);
		return NULL;
	}
	return process;
}

/* For all from PID to STEP, which was found above it: the next who comes by need not climb. */
static void remember_step(struct holders_tree *tree, const char *proc, pid_t pid, const struct ancestor *step)
{
	struct ancestor *at;

	while (pid > 1 && (at = find_ancestor(tree, proc, pid)) != NULL && at->step == NULL) {
		at->step = step;
		pid = at->parent;
	}
}

/* The slurmstepd that a process descends from whose parent is PARENT; NULL if there is none. */
static const struct ancestor *find_step(struct holders_tree *tree, const char *proc, pid_t parent, uint64_t start)
{
	const struct ancestor *step = NULL;
	struct ancestor *at;
	pid_t pid = parent;

	while (step == NULL && pid > 1) {
		at = find_ancestor(tree, proc, pid);
		if (at == NULL || at->start == 0 || at->start > start)
			return NULL;
		step = at->step;
		/* Without a step: it was climbed before in vain, or we have come round in a circle. */
		if (step == NULL && at->climbed)
			return NULL;
		at->climbed = true;
		start = at->start;
		pid = at->parent;
	}
	if (step != NULL)
		remember_step(tree, proc, parent, step);
	return step;
}

/* Append what names a job in a line of /proc/PID/cgroup, if something does. False: no room, or it is another job's. */
static bool add_group(struct holder_claim *claim, const char *line, size_t line_len)
{
	size_t used = strlen(claim->text), len;
	uint32_t job;
	const char *from;

	job = holders_group_job(line, line_len, &from, &len);
	if (job == 0)
		return true;
	if ((claim->job != 0 && claim->job != job) || used + len + 2 > sizeof(claim->text))
		return false;
	claim->job = job;
	memcpy(claim->text + used, from, len);
	memcpy(claim->text + used + len, "\n", 2);
	return true;
}

static void claim_by_groups(const char *proc, pid_t pid, struct holder_claim *claim)
{
	char groups[16384];
	const char *line = groups;
	bool good;

	holders_read(proc, pid, "cgroup", groups, sizeof(groups));
	/* If there may be more than was read, the end of it could name another job. */
	good = strlen(groups) < sizeof(groups) - 1;
	while (good && *line != '\0') {
		size_t len = strcspn(line, "\n");

		good = add_group(claim, line, len);
		line += len + (line[len] == '\n');
	}
	if (!good) {
		claim->job = 0;
		claim->text[0] = '\0';
	}
}

void holders_claim(struct holders_tree *tree, const char *proc, const struct holder *holder,
		   struct holder_claim *claim)
{
	const struct ancestor *step = find_step(tree, proc, holder->parent, holder->start);

	*claim = (struct holder_claim){.pid = holder->pid, .start = holder->start};
	if (step == NULL) {
		claim_by_groups(proc, holder->pid, claim);
		return;
	}
	claim->pid = step->pid;
	claim->start = step->start;
	claim->job = step->job;
	if (step->job != 0)
		snprintf(claim->text, sizeof(claim->text), "slurmstepd %u", step->job);
}
