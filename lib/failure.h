/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a prolog could not reserve what its job was granted: one small file for each such job, DIR/failed.NUMBER, which
 * the job's steps read. Not installed: for libtessera and the plugins.
 *
 *   tessera-failure 1
 *   job 4711
 *   text slurmctld did not say what job 4711 was granted: Socket timed out
 *   end
 */
#ifndef TESSERA_FAILURE_H
#define TESSERA_FAILURE_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"

/*
 * Whatever it is, it is the node's: an outage, a full disk, a damaged file. What is wrong with the request itself stands in
 * the ledger. So the same job may succeed later, or on another node.
 */
struct failure {
	char text[sizeof(((struct tessera_error *)0)->text)]; /* "" if the reason could not be written */
};

/*
 * Write WHY down for JOB, or replace what there is; DIR as in record.h. Where the text does not fit on the disk an empty
 * file stands for it. Returns 0, or -1 with ERR when not even that could be made.
 */
int failure_write(const char *dir, uint32_t job, const struct tessera_error *why, struct tessera_error *err);

/*
 * Returns 0; 1 if nothing is written of JOB; or -1 with ERR (as record_read() does). A file that is empty or damaged is a
 * failure without a text.
 */
int failure_read(const char *dir, uint32_t job, struct failure *f, struct tessera_error *err);

/* May something be written of JOB? One system call; true if that cannot be determined. */
bool failure_exists(const char *dir, uint32_t job);

/* Idempotent. Returns 0, or -1 with ERR. */
int failure_drop(const char *dir, uint32_t job, struct tessera_error *err);

/* The jobs that have one; as record_jobs() does. */
int failure_jobs(const char *dir, uint32_t **jobs, struct tessera_error *err);

#endif /* TESSERA_FAILURE_H */
