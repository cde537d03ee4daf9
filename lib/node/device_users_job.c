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

#include "lib/node/device_users_internal.h"
#include "lib/node/device_users_job.h"
#include "lib/util/array.h"
#include "lib/util/proc.h"

struct ancestor {
	pid_t pid;
	pid_t parent;
	uint64_t start; /* 0 = there is no such process */
	bool climbed;   /* its ancestors were searched, or are being searched */
	uint32_t job;   /* of a slurmstepd: the job ID in its title; 0 = could not be read */
	const struct ancestor *step; /* the slurmstepd that it is or descends from, or NULL */
};

static int compare_pids(const void *a, const void *b)
{
	const struct ancestor *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

void device_users_tree_free(struct device_users_tree *tree)
{
	tdestroy(tree->root, free);
	tree->root = NULL;
}

static bool has_step_name(const char *name)
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
	return slash != NULL && has_step_name(slash + 1);
}

/* The job ID in a title such as "slurmstepd: [12.batch]"; 0 if there is none. */
static uint32_t parse_title(const char *title)
{
	const char *at = strstr(title, ": [");
	unsigned long job;
	char *end;

	if (at == NULL || at[3] < '1' || at[3] > '9')
		return 0;
	job = strtoul(at + 3, &end, 10);
	return *end == '.' && job < UINT32_MAX ? (uint32_t)job : 0;
}

static void read_stat(const char *proc, pid_t pid, struct ancestor *process, char *stat,
		      size_t size)
{
	char state;

	device_users_read(proc, pid, "stat", stat, size);
	process->start = proc_parse_start(stat, &state);
	process->parent = proc_parent(stat);
}

/* Is PROCESS, whose stat file is STAT, a slurmstepd of root? If so, sets its job. */
static bool is_step(const char *proc, struct ancestor *process, char *stat, size_t size)
{
	const char *name = strchr(stat, '(');
	struct ancestor again;
	char title[256];
	uint32_t uid;

	if (name == NULL || !has_step_name(name + 1))
		return false;
	device_users_parent(proc, process->pid, &uid);
	if (uid != 0 || !runs_step_program(proc, process->pid))
		return false;
	device_users_read(proc, process->pid, "cmdline", title, sizeof(title));
	/* If the pid was reused meanwhile, what was read is of two processes. */
	read_stat(proc, process->pid, &again, stat, size);
	process->job = parse_title(title);
	return again.start == process->start;
}

/* Find process PID in the tree, or read and insert it. NULL: out of memory. */
static struct ancestor *find_ancestor(struct device_users_tree *tree, const char *proc, pid_t pid)
{
	struct ancestor key = {.pid = pid}, *process,
			**found = tfind(&key, &tree->root, compare_pids);
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
	if (tsearch(process, &tree->root, compare_pids) == NULL) {
		free(process);
		return NULL;
	}
	return process;
}

/* Set STEP for PID and all its ancestors below STEP, so that they are not searched again. */
static void remember_step(struct device_users_tree *tree, const char *proc, pid_t pid,
			  const struct ancestor *step)
{
	struct ancestor *at;

	while (pid > 1 && (at = find_ancestor(tree, proc, pid)) != NULL && at->step == NULL) {
		at->step = step;
		pid = at->parent;
	}
}

/* The slurmstepd that a child of PARENT, started at START, descends from; or NULL. */
static const struct ancestor *find_step(struct device_users_tree *tree, const char *proc,
					pid_t parent, uint64_t start)
{
	const struct ancestor *step = NULL;
	struct ancestor *at;
	pid_t pid = parent;

	while (step == NULL && pid > 1) {
		at = find_ancestor(tree, proc, pid);
		if (at == NULL || at->start == 0 || at->start > start)
			return NULL;
		step = at->step;
		/* An earlier search found none here, or reused pids form a circle. */
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

/*
 * Add the job in a line of /proc/PID/cgroup, if it has one, to CLAIM. False: the text does not fit,
 * or the claim already is of another job.
 */
static bool add_group_claim(struct device_user_claim *claim, const char *line, size_t line_len)
{
	size_t used = strlen(claim->text), len;
	uint32_t job;
	const char *from;

	job = device_users_group_job(line, line_len, &from, &len);
	if (job == 0)
		return true;
	if ((claim->job != 0 && claim->job != job) || used + len + 2 > sizeof(claim->text))
		return false;
	claim->job = job;
	memcpy(claim->text + used, from, len);
	memcpy(claim->text + used + len, "\n", 2);
	return true;
}

static void claim_from_groups(const char *proc, pid_t pid, struct device_user_claim *claim)
{
	char groups[16384];
	const char *line = groups;
	bool complete;

	device_users_read(proc, pid, "cgroup", groups, sizeof(groups));
	/* A list that was cut could go on to name another job. */
	complete = strlen(groups) < sizeof(groups) - 1;
	while (complete && *line != '\0') {
		size_t len = strcspn(line, "\n");

		complete = add_group_claim(claim, line, len);
		line += len + (line[len] == '\n');
	}
	if (!complete) {
		claim->job = 0;
		claim->text[0] = '\0';
	}
}

void device_users_claim(struct device_users_tree *tree, const char *proc,
			const struct device_user *user, struct device_user_claim *claim)
{
	const struct ancestor *step = find_step(tree, proc, user->parent, user->start);

	*claim = (struct device_user_claim){.pid = user->pid, .start = user->start};
	if (step == NULL) {
		claim_from_groups(proc, user->pid, claim);
		return;
	}
	claim->pid = step->pid;
	claim->start = step->start;
	claim->job = step->job;
	if (step->job != 0)
		snprintf(claim->text, sizeof(claim->text), "slurmstepd %u", step->job);
}

struct device_user_answer {
	pid_t pid;
	uint64_t start;
	uint32_t job;
	char *text; /* of the claim that the answer confirmed; NULL if it named another job */
};

void device_users_learn(struct device_users_known *known, const struct device_user_claim *claim,
			uint32_t job)
{
	struct device_user_answer *answer, *list;

	list = array_grow(known->list, known->count, sizeof(*list));
	if (list == NULL)
		return;
	known->list = list;
	answer = &known->list[known->count++];
	*answer = (struct device_user_answer){.pid = claim->pid, .start = claim->start, .job = job};
	if (claim->job == job)
		answer->text = strdup(claim->text);
}

uint32_t device_users_recall(const struct device_users_known *known,
			     const struct device_user_claim *claim)
{
	for (size_t i = 0; i < known->count; i++) {
		const struct device_user_answer *answer = &known->list[i];

		if ((answer->pid == claim->pid && answer->start == claim->start) ||
		    (answer->text != NULL && strcmp(answer->text, claim->text) == 0))
			return answer->job;
	}
	return 0;
}

void device_users_known_free(struct device_users_known *known)
{
	for (size_t i = 0; i < known->count; i++)
		free(known->list[i].text);
	free(known->list);
	*known = (struct device_users_known){0};
}
