/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One look at a node: which jobs' tiles and IPUs are in use, and what that adds to what is written down of them. Knows
 * no Slurm: whose a process is, is asked of the caller. Not installed: for the tessera command.
 */
#ifndef TESSERA_SAMPLE_H
#define TESSERA_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "error.h"
#include "gcmonitor.h"
#include "holding.h"
#include "ledger.h"
#include "sntilestat.h"
#include "used.h"

/* What was seen of a job. Job 0 stands for processes of no job. */
struct sample_job {
	uint32_t job;
	bool holds;        /* it has tiles or IPUs here; otherwise it only uses what it has not */
	uint32_t restarts; /* if it holds something */
	unsigned tiles, ipus;
	bool tiles_known; /* all its tiles were looked at */
	bool ipus_known;
	unsigned busy_tiles; /* of its own, in use by itself */
	unsigned busy_ipus;
	unsigned outside_tiles; /* not its own, in use by it */
};

struct sample {
	struct sample_job *jobs;
	size_t count;
};

enum sample_whose { SAMPLE_GONE = 0, SAMPLE_NO_JOB = 1, SAMPLE_JOB = 2 };

/* Whose is the process? *JOB is set if it is a job's. -1 with ERR if nobody can say. ARG is the caller's. */
typedef int (*sample_whose_fn)(pid_t pid, uint32_t *job, void *arg, struct tessera_error *err);

/*
 * Add job 0, the jobs of LEDGER that hold tiles, and what STAT says of all tiles. A process that is gone meanwhile was the
 * holder's, for all that is known. A job with a tile that STAT does not tell of is not known. Returns 0, or -1 with
 * ERR.
 */
int sample_add_tiles(struct sample *sample, const struct tessera_ledger *ledger, const struct sntilestat *stat,
		     sample_whose_fn whose, void *arg, struct tessera_error *err);

/*
 * Add a job that holds IPUs; then COUNT that are in use: by a process of such a job, or in such a job's partition.
 * Others are nobody's that we know of. Returns 0, or -1 with ERR.
 */
int sample_add_holding(struct sample *sample, const struct tessera_holding *holding, struct tessera_error *err);
int sample_add_ipus(struct sample *sample, const struct tessera_holding *holdings, size_t holding_count,
		    const struct gcmonitor_ipu *ipus, size_t count, sample_whose_fn whose, void *arg,
		    struct tessera_error *err);

/* The job's, or NULL. */
struct sample_job *sample_find(const struct sample *sample, uint32_t job);

void sample_free(struct sample *sample);

/* Add all that OTHER saw to SAMPLE. Returns 0, or -1 with ERR. */
int sample_merge(struct sample *sample, const struct sample *other, struct tessera_error *err);

/* When it was, and for how long it stands. */
struct sample_time {
	time_t now;
	time_t previous;   /* the last time that this node was looked at; 0: not known */
	unsigned interval; /* it stands for so many seconds; 0: for the time since */
	unsigned most;     /* but not for more than these */
};

/*
 * Add what was seen of a job to USED, which is zeros at first. Without an interval the sample stands for the time since the
 * last one of the node and of this run of the job, and so for none if it is the first, or the clock was set back.
 */
void sample_apply(const struct sample_job *seen, const struct sample_time *when, struct tessera_used *used);

#endif /* TESSERA_SAMPLE_H */
