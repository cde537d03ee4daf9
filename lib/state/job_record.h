/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The job record: what a job holds on a node besides tiles, which is IPUs in a V-IPU partition, and
 * counted pools. One small readable file for each job, DIR/job.ID, replaced as a whole by rename,
 * so that a reader never sees half of it and takes no lock.
 *
 *   tessera-job 1
 *   job 4711 uid 1001 restarts 0
 *   state ready
 *   ipus 4 gcds 1 owner 1 limit 0
 *   partition slurm_4711
 *   controller 10.1.3.101 port 8090 timeout 120
 *   pool csx 1
 *   text -
 *   end
 *
 * The prolog writes it before it creates the partition, so that whatever happens then, the
 * partition's name is known.
 */
#ifndef TESSERA_JOB_RECORD_H
#define TESSERA_JOB_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../conf/conf_vipu.h"
#include "../conf/pool.h"
#include "../tile/platform.h"
#include "../util/error.h"

enum tessera_job_record_state {
	TESSERA_JOB_RECORD_MAKING = 1,  /* the partition may exist, or not yet */
	TESSERA_JOB_RECORD_READY = 2,   /* the job has what it requested */
	TESSERA_JOB_RECORD_FAILED = 3,  /* it has not; the text says why. A retry may succeed */
	TESSERA_JOB_RECORD_REFUSED = 4, /* it has not, and a retry cannot succeed */
	/* the job ended, but its partition could not be removed; the text says why */
	TESSERA_JOB_RECORD_LEAVING = 5,
};

struct tessera_job_record {
	uint32_t job;
	uint32_t uid;
	uint32_t restarts; /* the job's restart count in this run */
	enum tessera_job_record_state state;
	unsigned ipus;  /* of the whole job; 0: none, and no partition */
	unsigned gcds;  /* of the partition */
	bool owner;     /* this node creates the partition: at the prolog it is the job's first */
	unsigned limit; /* seconds after which Slurm kills a prolog or epilog; 0: no limit */
	char partition[TESSERA_PARTITION_MAX];
	char host[TESSERA_HOST_MAX]; /* of the controller */
	unsigned port;
	unsigned timeout; /* for the tasks: IPUOF_VIPU_API_TIMEOUT */
	size_t pool_count;
	struct {
		char name[TESSERA_NAME_MAX];
		unsigned count;
	} pools[TESSERA_POOLS_MAX];
	char text[sizeof(((struct tessera_error *)0)->text)]; /* "": none */
};

/*
 * Write RECORD, or replace its job's. DIR is created if it is missing (mode 755; its parents must
 * exist), and must belong to root or the effective user and not be writable by others. Control
 * characters in texts become ?. Returns 0, or -1 with ERR (TESSERA_ERR_DENIED,
 * TESSERA_ERR_UNAVAILABLE) and the old file in place.
 */
int tessera_job_record_write(const char *dir, const struct tessera_job_record *record,
			     struct tessera_error *err);

/* Are A and B of the same run of a job: the same job, uid and restart count? */
bool tessera_job_record_same_run(const struct tessera_job_record *a,
				 const struct tessera_job_record *b);

/*
 * Is NOW the ready record of COMING's run, with all that slurmctld allocated to it according to
 * COMING? Then the prolog is running a second time, and must leave NOW as it is.
 */
bool tessera_job_record_covers(const struct tessera_job_record *now,
			       const struct tessera_job_record *coming);

/*
 * Replace JOB's record by RECORD, or remove it if RECORD is NULL; but only if it is still of the
 * run of SEEN, or, with SEEN NULL, if there is none or it is damaged. Takes a lock, so that no run
 * overwrites or removes a record that another run wrote meanwhile. Removing a missing record
 * succeeds. Returns 0; 1 if the record is of another run, or missing, and nothing was changed; or
 * -1 with ERR as tessera_job_record_write() does.
 */
int tessera_job_record_swap(const char *dir, uint32_t job, const struct tessera_job_record *seen,
			    const struct tessera_job_record *record, struct tessera_error *err);

/*
 * Read JOB's record. Returns 0; 1 if there is none, with *RECORD zeroed; or -1 with ERR:
 * TESSERA_ERR_DENIED if owner or mode of directory or file is not safe, TESSERA_ERR_INPUT if the
 * file is damaged (then only job is set in *RECORD), TESSERA_ERR_UNAVAILABLE if it cannot be read.
 */
int tessera_job_record_read(const char *dir, uint32_t job, struct tessera_job_record *record,
			    struct tessera_error *err);

/*
 * Remove JOB's record, and the temporary file of a writer that was killed. Idempotent. Returns 0,
 * or -1 with ERR.
 */
int tessera_job_record_drop(const char *dir, uint32_t job, struct tessera_error *err);

/*
 * May JOB have a record? One system call, for a caller that then reads it. True if that cannot be
 * determined.
 */
bool tessera_job_record_exists(const char *dir, uint32_t job);

/*
 * The jobs that have a record, or the temporary file of one, in no order; a job may occur twice.
 * The caller frees *JOBS. A missing directory has none. Returns how many, or -1 with ERR.
 */
int tessera_job_record_jobs(const char *dir, uint32_t **jobs, struct tessera_error *err);

/* The name of a state: "ready"; "?" if it is not valid. */
const char *tessera_job_record_state_name(enum tessera_job_record_state state);

#endif /* TESSERA_JOB_RECORD_H */
