/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One sample of a node: which jobs' tiles and IPUs are in use, and what that adds to their sample
 * records. Does not call Slurm: a callback of the caller finds the job of a process. Not installed:
 * for the tessera command.
 */
#ifndef TESSERA_SAMPLE_H
#define TESSERA_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "lib/state/job_record.h"
#include "lib/state/ledger.h"
#include "lib/state/sample_record.h"
#include "lib/util/error.h"
#include "lib/vendor/gcmonitor.h"
#include "lib/vendor/sntilestat.h"

/* What a sample saw of a job. Job 0 stands for processes outside any job. */
struct sample_job {
	uint32_t job;
	bool holds; /* it has tiles or IPUs here; else it only uses what it was not allocated */
	uint32_t restarts; /* valid if holds */
	unsigned tiles, ipus;
	bool tiles_known; /* all its tiles were sampled */
	bool ipus_known;
	unsigned busy_tiles; /* its own, in use by itself */
	unsigned busy_ipus;
	unsigned outside_tiles; /* not its own, in use by it */
};

struct sample {
	struct sample_job *jobs;
	size_t count;
};

enum sample_whose { SAMPLE_GONE = 0, SAMPLE_NO_JOB = 1, SAMPLE_JOB = 2 };

/*
 * Find the job of process PID. Returns an enum sample_whose, with *JOB set if SAMPLE_JOB; or -1
 * with ERR if it cannot be determined. ARG is the caller's.
 */
typedef int (*sample_whose_fn)(pid_t pid, uint32_t *job, void *arg, struct tessera_error *err);

/*
 * Add job 0, the jobs of LEDGER that hold tiles, and the use of tiles in STAT. A process that has
 * ended since is taken for one of the job that holds the tile. If STAT does not list one of a job's
 * tiles, the job's use is unknown. Returns 0, or -1 with ERR.
 */
int sample_add_tiles(struct sample *sample, const struct tessera_ledger *ledger,
		     const struct sntilestat *stat, sample_whose_fn whose, void *arg,
		     struct tessera_error *err);

/*
 * First add the jobs that hold IPUs, then the COUNT IPUs in use. An IPU counts for the job of its
 * process, or the job of its V-IPU partition; if neither holds IPUs it is ignored. Return 0, or -1
 * with ERR.
 */
int sample_add_job_record(struct sample *sample, const struct tessera_job_record *record,
			  struct tessera_error *err);
int sample_add_ipus(struct sample *sample, const struct tessera_job_record *records,
		    size_t record_count, const struct gcmonitor_ipu *ipus, size_t count,
		    sample_whose_fn whose, void *arg, struct tessera_error *err);

/* The entry of JOB, or NULL. Valid until a job is added. */
struct sample_job *sample_find(const struct sample *sample, uint32_t job);

void sample_free(struct sample *sample);

/* Add OTHER to SAMPLE. Returns 0, or -1 with ERR. */
int sample_merge(struct sample *sample, const struct sample *other, struct tessera_error *err);

/* When a sample was taken, and how many seconds it stands for. */
struct sample_time {
	time_t now;
	time_t previous;   /* when this node was last sampled; 0: unknown */
	unsigned interval; /* it stands for this many seconds; 0: for the time since */
	unsigned most;     /* but at most this many */
};

/*
 * Add what a sample saw of a job to USED, which must be zeroed at first. Without an interval the
 * sample stands for the time since the last sample of the node and of this run of the job: for 0
 * seconds if it is the first, or the clock was set back.
 */
void sample_apply(const struct sample_job *seen, const struct sample_time *when,
		  struct tessera_sample_record *used);

#endif /* TESSERA_SAMPLE_H */
