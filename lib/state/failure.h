/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a prolog could not reserve what slurmctld allocated to its job: one small file for each such
 * job, DIR/failed.ID, which the job's steps read. Not installed: for libtessera and the plugins.
 *
 *   tessera-failure 1
 *   job 4711
 *   text cannot query slurmctld for the GRES of job 4711: Socket timed out
 *   end
 */
#ifndef TESSERA_FAILURE_H
#define TESSERA_FAILURE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/util/error.h"

/*
 * The cause is always the node or a daemon: an outage, a full disk, a damaged file. So the same job
 * may succeed later, or on another node. Errors in the request itself are in the ledger.
 */
struct failure {
	/* "" if the reason could not be written */
	char text[sizeof(((struct tessera_error *)0)->text)];
};

/*
 * Write WHY as JOB's failure, or replace it; DIR as in statefile.h. If the disk has no room for the
 * text, an empty file is created. Returns 0, or -1 with ERR if that failed, too.
 */
int failure_write(const char *dir, uint32_t job, const struct tessera_error *why,
		  struct tessera_error *err);

/*
 * Returns 0; 1 if JOB has no failure; or -1 with ERR (as statefile_read() does). A file that is
 * empty or damaged is a failure without a text.
 */
int failure_read(const char *dir, uint32_t job, struct failure *f, struct tessera_error *err);

/* May JOB have a failure? One system call; true if that cannot be determined. */
bool failure_exists(const char *dir, uint32_t job);

/* Remove JOB's failure. Idempotent. Returns 0, or -1 with ERR. */
int failure_drop(const char *dir, uint32_t job, struct tessera_error *err);

/* The jobs that have a failure, as statefile_jobs() lists them. */
int failure_jobs(const char *dir, uint32_t **jobs, struct tessera_error *err);

#endif /* TESSERA_FAILURE_H */
