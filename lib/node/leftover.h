/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes of a user that have the device open after a job ended, and the jobs they belong to.
 */
#ifndef TESSERA_LEFTOVER_H
#define TESSERA_LEFTOVER_H

#include <stdbool.h>

#include "lib/node/device_users_job.h"
#include "lib/node/node.h"
#include "lib/node/release_rule.h"

/*
 * One inspection of a user's processes. {0} is none yet. It serves several rows of the same user; a
 * row of another user starts a new one. What slurmd has confirmed is kept from one inspection to
 * the next, so that each continues where the last one reached LEFTOVER_QUERIES.
 */
struct leftovers {
	bool inspected;
	uint32_t uid;
	int count;                /* -1: /proc could not be inspected; err says why */
	bool cut;                 /* there may be more processes; err says why */
	struct device_user *list; /* sorted by pid */
	uint32_t *owner;          /* of each process: a job ID or LEFTOVER_OWNER_* */
	unsigned queries;         /* to slurmd in this inspection */
	bool silent;              /* slurmd did not answer one of them */
	uint64_t again;           /* as in struct ended_run; set by the caller for each row */
	struct tessera_error err;
	struct device_users_tree tree;
	struct device_users_known known;
};

/*
 * Queries to slurmd in one inspection: slurmd queries all its steps for each. A running job takes
 * one, however many processes and steps it has, if Slurm runs as root (device_users_job.h).
 */
#define LEFTOVER_QUERIES 256

void leftovers_free(struct leftovers *leftovers);

/* Forget the processes, so that the next call inspects /proc again; keep what slurmd confirmed. */
void leftovers_renew(struct leftovers *leftovers);

/*
 * Does a process of the user of ROW, whose job has ended on this node, still use its tiles? ENDED
 * is as in struct ended_run. Unless the answer is DEVICE_FREE, TEXT says why, and names the first
 * process found. Gives up at END (deadline.h). Always DEVICE_FREE if tessera.conf names no device
 * files.
 */
enum device_use device_in_use(const struct node *node, struct leftovers *leftovers,
			      const struct tessera_row *row, uint32_t ended, int64_t end,
			      char *text, size_t len);

/*
 * Send SIGNAL, SIGTERM or SIGKILL, to the processes that device_in_use() found for ROW, until END.
 * slurmd is queried about each again first. Not signalled: processes of unknown owner, processes
 * that look like a job step's, and root's. Logs each signal, and with SIGTERM each refusal.
 */
void leftover_signal(const struct node *node, struct leftovers *leftovers,
		     const struct tessera_row *row, uint32_t ended, int64_t end, int signal);

#endif /* TESSERA_LEFTOVER_H */
