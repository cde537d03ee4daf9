/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Of which job a process that has the device open is, with one question to slurmd for all processes of a job. Not
 * installed: for libtessera, the plugins and the command.
 *
 * A process that descends from a slurmstepd of root is of the job in that slurmstepd's title, and a process in one of Slurm's
 * control groups is of that group's job. Only root makes either, so processes for which the same text stands are of the
 * same job. slurmd must confirm it for one of them.
 */
#ifndef TESSERA_HOLDERS_JOB_H
#define TESSERA_HOLDERS_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "holders.h"

/* The ancestors of processes, each read once. {0} is empty. It is good for one look: processes come and go. */
struct holders_tree {
	void *root;
};

void holders_tree_free(struct holders_tree *tree);

/* What root's own processes and control groups say about a process. */
struct holder_claim {
	pid_t pid;      /* the process to ask slurmd about: its slurmstepd, or the process itself */
	uint64_t start; /* of PID */
	uint32_t job;   /* 0: nothing names a job */
	char text[512]; /* what names JOB, the same for all processes of which it holds; "" if JOB is 0 */
};

/*
 * Fill *CLAIM for HOLDER, as holders_find() found it. PROC is "/proc", or what a test puts in its place.
 *
 * A slurmstepd is a process with real user 0, whose name and whose program (/proc/PID/exe) are called slurmstepd: a user can
 * choose the name of a setuid program, but not that of its file. A parent that started after its child is another process
 * with the same number. Control groups below /user.slice do not count: systemd lets users make them.
 */
void holders_claim(struct holders_tree *tree, const char *proc, const struct holder *holder,
		   struct holder_claim *claim);

/*
 * What slurmd has confirmed. {0} is nothing. It stays true for looks that come later: a process of one job never becomes
 * another job's. That slurmd knows no job of a process is not kept: it may only just have started.
 */
struct holders_known {
	struct holder_answer *list;
	size_t count, room;
};

/* Remember that slurmd, asked about CLAIM's process, named JOB. Without memory for it slurmd is just asked again. */
void holders_learn(struct holders_known *known, const struct holder_claim *claim, uint32_t job);

/* The job that follows for CLAIM from what is known; 0: slurmd must be asked. */
uint32_t holders_recall(const struct holders_known *known, const struct holder_claim *claim);

void holders_known_free(struct holders_known *known);

#endif /* TESSERA_HOLDERS_JOB_H */
