/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts that the ledger is made of. Not installed: only libtessera and its tests use it.
 *
 * ledger.c keeps the rows, ledger_stale.c those of jobs that have ended, ledger_rules.c says what a row may be,
 * ledger_text.c reads and writes them as text, ledger_file.c has the file, ledger_lock.c the directory and the lock,
 * ledger_process.c knows which processes live.
 */
#ifndef TESSERA_LEDGER_PARTS_H
#define TESSERA_LEDGER_PARTS_H

#include "ledger.h"

#define LEDGER_FILE "ledger"

/* The tiles of a row as text, with the final NUL: 1024 tiles in pairs need 3414. */
#define LEDGER_TILES_MAX 4096

struct tessera_ledger {
	struct tessera_platform platform;
	char *dir;
	char *path;  /* of the file, for sentences */
	int dir_fd;  /* -1: the directory is not there */
	int lock_fd; /* -1: open for reading only */
	char *text;  /* what the file holds; that of an empty ledger if there is none */

	/* In the order of ledger_row_before(). */
	struct tessera_row *rows;
	size_t row_count, row_room;

	/* In the order of job and step numbers. Each lies in its job's tiles, apart from the job's other steps. */
	struct tessera_step_row *steps;
	size_t step_count, step_room;
};

/* An empty ledger that has no files yet; NULL when out of memory. tessera_ledger_close() frees it. */
struct tessera_ledger *ledger_new(const struct tessera_platform *p, const char *dir);

/*
 * Would this row obey the rules beside the others? Its own old row does not count. Returns 0, or -1 with ERR as
 * tessera_ledger_put() and tessera_ledger_put_step() do.
 */
int ledger_check_row(const struct tessera_ledger *ledger, const struct tessera_row *row, struct tessera_error *err);
int ledger_check_step(const struct tessera_ledger *ledger, const struct tessera_step_row *row,
		      struct tessera_error *err);

/* Does row A stand before B: by job, the ordinary row before stale ones, those by their tiles? */
bool ledger_row_before(const struct tessera_row *a, const struct tessera_row *b);

/* Who has the tiles of a row: "job 4711 (uid 1001)". */
void ledger_name_holder(const struct tessera_row *row, char *buf, size_t len);

/* Put a checked row into its place. Returns 0, or -1 with ERR: no room, no memory. */
int ledger_insert_row(struct tessera_ledger *ledger, const struct tessera_row *row, struct tessera_error *err);
int ledger_insert_step(struct tessera_ledger *ledger, const struct tessera_step_row *row,
		       struct tessera_error *err);

/* Take row N out; its steps stay. */
void ledger_remove_row(struct tessera_ledger *ledger, size_t n);

/* A text as it will be read back. */
void ledger_tidy_text(char *text, size_t size);

/* The text of the ledger, to be freed; NULL when out of memory. */
char *ledger_format(const struct tessera_ledger *ledger);

/*
 * Read LEN bytes of TEXT, which need no NUL after them, into an empty LEDGER; NAME is the file's, for sentences.
 * Nothing but what ledger_format() writes is accepted. Returns 0, or -1 with ERR and any number of rows in LEDGER.
 */
int ledger_parse(struct tessera_ledger *ledger, const char *name, const char *text, size_t len,
		 struct tessera_error *err);

/* Open the directory, which must be one to trust. Returns 0 (dir_fd is -1 if there is none), or -1 with ERR. */
int ledger_open_dir(struct tessera_ledger *ledger, struct tessera_error *err);

/* Open the directory, which is made if it is missing, and take the lock. Returns 0, or -1 with ERR. */
int ledger_lock(struct tessera_ledger *ledger, unsigned wait_ms, struct tessera_error *err);

/* Give the lock back and close the directory, if they are open. */
void ledger_unlock(struct tessera_ledger *ledger);

/* What errno says of the file NAME of the directory. Returns -1. */
int ledger_failed(const struct tessera_ledger *ledger, const char *name, enum tessera_errcode code,
		  struct tessera_error *err);

/* What the text of a /proc/PID/stat says: when the process was started, 0 if it is not to be read, and its *STATE. */
uint64_t ledger_start_in(const char *stat, char *state);

/* Is the process of a step still there, and the same? */
bool ledger_step_lives(const struct tessera_step_row *row);

#endif /* TESSERA_LEDGER_PARTS_H */
