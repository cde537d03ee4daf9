/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who removes a job's V-IPU partition. The first node of a job makes it, but a job can lose that node: it shrinks, or
 * the node dies and the job goes on (--no-kill). So the decision is made when it is due, from what slurmctld says then.
 * Pure: the caller queries slurmctld and carries the decision out. Not installed.
 */
#ifndef TESSERA_HOLDING_FATE_H
#define TESSERA_HOLDING_FATE_H

#include <stdbool.h>
#include <stdint.h>

#include "holding.h"

enum holding_phase {
	HOLDING_JOB_UNKNOWN, /* slurmctld did not answer */
	HOLDING_JOB_GONE,    /* slurmctld does not know the job, or it has ended on all its nodes */
	HOLDING_JOB_QUEUED,  /* pending on no node: new, or requeued */
	HOLDING_JOB_ACTIVE,  /* running or suspended */
	HOLDING_JOB_ENDING,  /* completing: its epilogs run */
};

/* The first node of the job's current node list; of a job that is ending these are the nodes still completing. */
enum holding_first {
	HOLDING_FIRST_UNKNOWN, /* slurmctld did not say in which state it is */
	HOLDING_FIRST_SELF,    /* this node */
	HOLDING_FIRST_UP,      /* another node, which runs its epilog */
	HOLDING_FIRST_DOWN,    /* another node, down or not responding; or the list is empty */
};

/* What slurmctld says about the job now. */
struct holding_job {
	enum holding_phase phase;
	bool here;                /* this node is in the current node list */
	enum holding_first first; /* counts in phase HOLDING_JOB_ENDING only */
	uint32_t restarts;
};

enum holding_caller {
	HOLDING_EPILOG, /* the job's epilog on this node, which runs once */
	HOLDING_REAP,   /* tessera reap, which comes back */
};

enum holding_fate {
	HOLDING_KEEP,   /* undecided: keep the note for tessera reap */
	HOLDING_STAY,   /* a running job's, or an epilog deals with it: change nothing */
	HOLDING_FORGET, /* drop the note, leave the partition to the job's other nodes */
	HOLDING_REMOVE, /* remove the partition, then drop the note */
};

/*
 * Decide about the partition of JOB. NOTE: what is written on this node, NULL if nothing is. LISTABLE: the controller can
 * list its partitions, so a later reap on any node of the pod finds one that was left to a node which died. A running
 * job's partition is never removed. Several nodes may be sent to remove one: removing is idempotent.
 */
enum holding_fate holding_fate(const struct holding_job *job, const struct tessera_holding *note,
			       enum holding_caller caller, bool listable);

#endif /* TESSERA_HOLDING_FATE_H */
