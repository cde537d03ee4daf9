/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The job that a process with the device open belongs to, with one query to slurmd for all
 * processes of a job. Not installed: for libtessera, the plugins and the command.
 *
 * A process that descends from a slurmstepd of root belongs to the job in that slurmstepd's title,
 * and a process in one of Slurm's control groups belongs to that group's job. Only root can create
 * either, so processes with the same claim belong to the same job. slurmd must confirm it for one
 * of them.
 */
#ifndef TESSERA_DEVICE_USERS_JOB_H
#define TESSERA_DEVICE_USERS_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/node/device_users.h"

/*
 * The ancestors of processes, each read once. {0} is empty. Valid for one inspection only:
 * processes start and end.
 */
struct device_users_tree {
	void *root;
};

void device_users_tree_free(struct device_users_tree *tree);

/* The job that root's processes and control groups claim for a process. */
struct device_user_claim {
	pid_t pid;      /* the process to query slurmd about: the slurmstepd, or itself */
	uint64_t start; /* of PID */
	uint32_t job;   /* 0 = no job is claimed */
	char text[512]; /* the evidence for JOB, the same for all its processes; "" if JOB is 0 */
};

/*
 * Fill *CLAIM for USER, which device_users_find() found. PROC is "/proc", or a test's replacement.
 *
 * A slurmstepd is a process with real user 0 whose name and program file (/proc/PID/exe) are both
 * slurmstepd: a user can choose the name of a setuid program, but not the name of its file. A
 * parent that started after its child is a reused pid. Control groups below /user.slice do not
 * count: systemd lets users create them.
 */
void device_users_claim(struct device_users_tree *tree, const char *proc,
			const struct device_user *user, struct device_user_claim *claim);

/*
 * Claims that slurmd has confirmed. {0} is empty. They stay valid for later inspections: a process
 * never moves to another job. An answer that names no job is not remembered, because the process
 * may only just have started.
 */
struct device_users_known {
	struct device_user_answer *list;
	size_t count;
};

/*
 * Remember that slurmd, queried about CLAIM's process, named JOB. Without memory, slurmd is queried
 * again.
 */
void device_users_learn(struct device_users_known *known, const struct device_user_claim *claim,
			uint32_t job);

/* The job that CLAIM belongs to by what slurmd confirmed; 0: slurmd must be queried. */
uint32_t device_users_recall(const struct device_users_known *known,
			     const struct device_user_claim *claim);

void device_users_known_free(struct device_users_known *known);

#endif /* TESSERA_DEVICE_USERS_JOB_H */
