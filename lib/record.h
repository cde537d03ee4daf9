/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small files of a node's state directory, most of them one for each job: DIR/PREFIX.NUMBER. A file is replaced as a
 * whole by rename, so that a reader never sees half of it and nobody waits for a lock. Not installed: for libtessera.
 */
#ifndef TESSERA_RECORD_H
#define TESSERA_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

/*
 * Write LEN bytes of TEXT as JOB's, or replace what there is. DIR is made if it is missing (mode 755; its parents must
 * exist), and must belong to root or the effective user and be closed to others' writing. Returns 0, or -1 with ERR
 * (TESSERA_ERR_DENIED, TESSERA_ERR_MISSING) and the old file in place.
 */
int record_write(const char *dir, const char *prefix, uint32_t job, const char *text, size_t len,
		 struct tessera_error *err);

/*
 * The text of JOB's file, with a NUL after its *LEN bytes, to be freed. Returns 0; 1 if there is none, with *TEXT
 * NULL; or -1 with ERR: TESSERA_ERR_DENIED if directory or file cannot be trusted, TESSERA_ERR_MISSING if it cannot be
 * read.
 */
int record_read(const char *dir, const char *prefix, uint32_t job, char **text, size_t *len,
		struct tessera_error *err);

/*
 * The same for a file that belongs to no job: DIR/NAME. It is on the disk when it has been written. Only one process may
 * write it at a time (record_lock()).
 */
int record_write_file(const char *dir, const char *name, const char *text, size_t len, struct tessera_error *err);
int record_read_file(const char *dir, const char *name, char **text, size_t *len, struct tessera_error *err);

/* Make JOB's file, empty, if there is none: for a disk that has no room for a text. Returns 0, or -1 with ERR. */
int record_touch(const char *dir, const char *prefix, uint32_t job, struct tessera_error *err);

/* May JOB have a file? One system call, for a caller that then reads it. True if that cannot be determined. */
bool record_exists(const char *dir, const char *prefix, uint32_t job);

/* Remove JOB's file. Idempotent. Returns 0, or -1 with ERR. */
int record_drop(const char *dir, const char *prefix, uint32_t job, struct tessera_error *err);

/*
 * The jobs from LEAST on that have a file, in no order. *JOBS is to be freed with free(). A directory that is not there
 * has none. Returns how many, or -1 with ERR.
 */
int record_jobs(const char *dir, const char *prefix, uint32_t least, uint32_t **jobs, struct tessera_error *err);

/*
 * Take the lock DIR/NAME, which only one process has at a time; DIR is made as for record_write(). Returns a descriptor,
 * to be closed to give it back; or -1 with ERR: TESSERA_ERR_MISSING if another process has it, TESSERA_ERR_DENIED.
 */
int record_lock(const char *dir, const char *name, struct tessera_error *err);

/* The same, waiting for it WAIT_MS milliseconds at most. */
int record_lock_within(const char *dir, const char *name, unsigned wait_ms, struct tessera_error *err);

#endif /* TESSERA_RECORD_H */
