/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a job holds on a node of things that are no tiles: IPUs in a V-IPU partition, and counted pools. One small
 * readable file for each job, DIR/job.NUMBER, replaced as a whole by rename, so that a reader never sees half of
 * it and no job waits for another's lock.
 *
 *   tessera-holding 1
 *   job 4711 uid 1001 restarts 0
 *   state ready
 *   ipus 4 gcds 1 owner 1 limit 0
 *   partition slurm_4711
 *   controller 10.1.3.101 port 8090 timeout 120
 *   pool csx 1
 *   text -
 *   end
 *
 * It is written before a partition is asked for: whatever happens then, there is a note of it.
 */
#ifndef TESSERA_HOLDING_H
#define TESSERA_HOLDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "platform.h"
#include "pool.h"
#include "vipu_site.h"

enum tessera_holding_state {
	TESSERA_HOLDING_MAKING = 1,  /* there may be a partition, or not yet */
	TESSERA_HOLDING_READY = 2,   /* the job has what it asked for */
	TESSERA_HOLDING_FAILED = 3,  /* it has not; the text says why. It may work later */
	TESSERA_HOLDING_REFUSED = 4, /* it never will */
	TESSERA_HOLDING_LEAVING =
		5, /* the job has gone, but its partition could not be removed; the text says why */
};

struct tessera_holding {
	uint32_t job;
	uint32_t uid;
	uint32_t restarts; /* how often the job had been requeued when it got here */
	enum tessera_holding_state state;
	unsigned ipus;  /* of the whole job; 0: none, and then there is no partition */
	unsigned gcds;  /* of the partition */
	bool owner;     /* this node makes the partition: it is the job's first at the prolog */
	unsigned limit; /* seconds after which Slurm ends a prolog or epilog; 0: never */
	char partition[TESSERA_PARTITION_MAX];
	char host[TESSERA_HOST_MAX]; /* of the controller */
	unsigned port;
	unsigned timeout; /* for the tasks: IPUOF_VIPU_API_TIMEOUT */
	size_t pool_count;
	struct {
		char name[TESSERA_NAME_MAX];
		unsigned count;
	} pools[TESSERA_POOLS_MAX];
	char text[sizeof(((struct tessera_error *)0)->text)]; /* "" if there is nothing to say */
};

/*
 * Write H, or replace what there is of its job. DIR is made if it is missing (mode 755; its parents must exist), and
 * must belong to root or the effective user and be closed to others' writing. Control characters in texts become ?.
 * Returns 0, or -1 with ERR: TESSERA_ERR_DENIED, TESSERA_ERR_MISSING; the old file is in place then.
 */
int tessera_holding_write(const char *dir, const struct tessera_holding *h, struct tessera_error *err);

/* Are both of one run of a job: the same owner and restart count? */
bool tessera_holding_same_run(const struct tessera_holding *a, const struct tessera_holding *b);

/*
 * Has the run of COMING, which says what slurmctld gave it, all of that already by NOW? Then its prolog runs twice, and
 * leaves NOW as it is.
 */
bool tessera_holding_covers(const struct tessera_holding *now, const struct tessera_holding *coming);

/*
 * Replace what is written of JOB by H, or remove it if H is NULL, if it is of the run of SEEN still; SEEN NULL: if nothing
 * is written, or something damaged. Under a lock, so that of two runs none overwrites or removes what the other wrote
 * since. Removing what is gone is fine. Returns 0; 1 if it is another run's, or gone, and nothing was changed; or -1 with
 * ERR as tessera_holding_write() does.
 */
int tessera_holding_swap(const char *dir, uint32_t job, const struct tessera_holding *seen,
			 const struct tessera_holding *h, struct tessera_error *err);

/*
 * Read what JOB holds. Returns 0; 1 if nothing is written of it, with *H zeros; or -1 with ERR:
 * TESSERA_ERR_DENIED if directory or file cannot be trusted, TESSERA_ERR_INPUT if the file is damaged (then *H has
 * job alone), TESSERA_ERR_MISSING if it cannot be read.
 */
int tessera_holding_read(const char *dir, uint32_t job, struct tessera_holding *h, struct tessera_error *err);

/* Forget JOB, and what a writer of its file left that was killed. Idempotent. Returns 0, or -1 with ERR. */
int tessera_holding_drop(const char *dir, uint32_t job, struct tessera_error *err);

/*
 * May something be written of JOB? One system call; for a caller that then reads it properly. True if that cannot be
 * determined.
 */
bool tessera_holding_exists(const char *dir, uint32_t job);

/*
 * The jobs that something is or was being written of, in no order; one may be named twice. *JOBS is to be freed with
 * free(). A directory that is not there has none. Returns how many, or -1 with ERR.
 */
int tessera_holding_jobs(const char *dir, uint32_t **jobs, struct tessera_error *err);

/* Its word for a state: "ready". "?" for what is none. */
const char *tessera_holding_state_name(enum tessera_holding_state state);

#endif /* TESSERA_HOLDING_H */
