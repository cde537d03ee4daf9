/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small files in a node's state directory, most of them one per job: DIR/PREFIX.JOB. A file is
 * always replaced as a whole, by rename, so that readers need no lock and never see a partial file.
 * Not installed.
 */
#ifndef TESSERA_STATEFILE_H
#define TESSERA_STATEFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/util/error.h"

/*
 * Replace the file NAME in the open directory DIR_FD with LEN bytes of TEXT, mode 644. Every
 * replacement of a file in Tessera goes through this function. TEMP is the name of the file until
 * it is complete; only one process may use that name at a time. The file is fsynced before the
 * rename and the directory after it, so that a successful replacement survives a crash of the
 * machine; on tmpfs, where state usually is, both are cheap. DIR is for messages. Returns 0, or -1
 * with ERR (TESSERA_ERR_DENIED, TESSERA_ERR_IO) and the old file in place; but if only the fsync of
 * the directory failed, the new file is in place.
 */
int statefile_replace(int dir_fd, const char *dir, const char *temp, const char *name,
		      const char *text, size_t len, struct tessera_error *err);

/*
 * The same for a PATH outside the state directory. The directory's owner and mode are not checked.
 * Safe in several processes at once, since the temporary name contains the PID.
 */
int statefile_replace_path(const char *path, const char *text, size_t len,
			   struct tessera_error *err);

/*
 * Create or replace JOB's file with LEN bytes of TEXT. DIR is created if it is missing (mode 755),
 * but not its parents, and file_check_trust() must accept it. Returns 0, or -1 with ERR as
 * statefile_replace().
 */
int statefile_write(const char *dir, const char *prefix, uint32_t job, const char *text, size_t len,
		    struct tessera_error *err);

/*
 * Read JOB's file into *TEXT, to be freed, with a NUL after its *LEN bytes. Returns 0; 1 with *TEXT
 * NULL if there is no such file; or -1 with ERR: TESSERA_ERR_DENIED if file_check_trust() rejects
 * the directory or the file, TESSERA_ERR_IO if it cannot be read.
 */
int statefile_read(const char *dir, const char *prefix, uint32_t job, char **text, size_t *len,
		   struct tessera_error *err);

/*
 * The same for DIR/NAME, a file that does not belong to a job. Only one process may write it at a
 * time: take a lock with statefile_lock().
 */
int statefile_write_file(const char *dir, const char *name, const char *text, size_t len,
			 struct tessera_error *err);
int statefile_read_file(const char *dir, const char *name, char **text, size_t *len,
			struct tessera_error *err);

/*
 * Create JOB's file, empty, if it does not exist: works even when the disk is too full for
 * statefile_write(). Returns 0, or -1 with ERR.
 */
int statefile_touch(const char *dir, const char *prefix, uint32_t job, struct tessera_error *err);

/* Does JOB's file exist? True if this cannot be determined. A single system call. */
bool statefile_exists(const char *dir, const char *prefix, uint32_t job);

/* Remove JOB's file, if it exists. Returns 0, or -1 with ERR. */
int statefile_drop(const char *dir, const char *prefix, uint32_t job, struct tessera_error *err);

/*
 * List the jobs with a number of LEAST or more that have a file, in no particular order. *JOBS is
 * to be freed with free(). Returns the number of jobs, 0 if DIR does not exist, or -1 with ERR.
 */
int statefile_jobs(const char *dir, const char *prefix, uint32_t least, uint32_t **jobs,
		   struct tessera_error *err);

/*
 * Lock DIR/NAME exclusively; DIR is created as by statefile_write(). Returns a descriptor, whose
 * close() releases the lock; or -1 with ERR: TESSERA_ERR_UNAVAILABLE if another process holds the
 * lock, TESSERA_ERR_DENIED, TESSERA_ERR_IO.
 */
int statefile_lock(const char *dir, const char *name, struct tessera_error *err);

/* The same, but wait at most WAIT_MS milliseconds for the lock. */
int statefile_lock_within(const char *dir, const char *name, unsigned wait_ms,
			  struct tessera_error *err);

#endif /* TESSERA_STATEFILE_H */
