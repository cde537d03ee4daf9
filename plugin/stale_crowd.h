/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processes of a user that have the device open, and whose they are.
 */
#ifndef TESSERA_STALE_CROWD_H
#define TESSERA_STALE_CROWD_H

#include <stdbool.h>

#include "lib/holders_job.h"
#include "plugin/node.h"

/*
 * Zeros are nobody yet. One crowd serves several rows of the same user, and is looked for anew for another's. What slurmd has
 * said is kept from one look to the next: so each look goes on where the last one ran out of questions.
 */
struct stale_crowd {
	bool looked;
	uint32_t uid;
	int count;           /* -1: it could not be found out; err says why */
	bool cut;            /* there may be more; err says why */
	struct holder *list; /* by number */
	uint32_t *owner;     /* of each: its job's number, or one of these */
	unsigned asked;      /* questions to slurmd in this look */
	bool silent;         /* it has not answered one */
	uint64_t
		again; /* the row's job runs again since then: what it started before is the ended run's; 0: not known */
	struct tessera_error err;
	struct holders_tree tree;
	struct holders_known known;
};

#define STALE_OWNER_NONE    0                /* of no job that runs here */
#define STALE_OWNER_UNASKED (UINT32_MAX - 1) /* nobody had to know yet */
#define STALE_OWNER_UNKNOWN UINT32_MAX       /* slurmd did not say, or there was no time to ask */

/*
 * Questions to slurmd in one look: slurmd has other work, and asks all its steps for each. A running job takes one, however
 * many processes and steps it has, as long as Slurm runs as root (holders_job.h).
 */
#define STALE_QUESTIONS 256

void stale_crowd_free(struct stale_crowd *crowd);

/* The next look finds the processes anew, but does not ask again what slurmd has said. */
void stale_crowd_renew(struct stale_crowd *crowd);

enum stale_hold {
	STALE_FREE,
	STALE_HELD,     /* by a process that slurmd knows no job of */
	STALE_IN_DOUBT, /* it could not be found out: slurmd or /proc did not say, or END came first */
};

/*
 * Are the tiles of ROW, whose job has ended here, still held? By a process of its user that started since, and that no
 * running job owns; ENDED is the number of a job that is none, 0 if all may be. Unless they are free, TEXT names the first
 * process found: there may be more. END (deadline.h) is when to give up. They are free if tessera.conf names no device.
 */
enum stale_hold stale_held(const struct node *node, struct stale_crowd *crowd, const struct tessera_row *row,
			   uint32_t ended, int64_t end, char *text, size_t len);

/*
 * Send those of them that were found a signal, each after slurmd was asked once more: one that it is not sure of is let
 * be, and so is one that looks like a step's, which slurmd may have lost sight of, and any of root. None after END. What is
 * done is logged. The crowd must have been found by stale_held().
 */
void stale_signal(const struct node *node, struct stale_crowd *crowd, const struct tessera_row *row, uint32_t ended,
		  int64_t end, int signal);

#endif /* TESSERA_STALE_CROWD_H */
