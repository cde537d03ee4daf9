/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ledger's internals. Not installed: only libtessera and its tests use them.
 *
 * ledger.c has the rows in memory, ledger_withheld.c those of ended jobs, ledger_rules.c the rules
 * for a row, ledger_text.c the text format, ledger_file.c the file, ledger_lock.c the directory and
 * the lock.
 */
#ifndef TESSERA_LEDGER_INTERNAL_H
#define TESSERA_LEDGER_INTERNAL_H

#include "lib/state/ledger.h"

#define LEDGER_FILE  "ledger"
#define LEDGER_TITLE "tessera-ledger 1 " /* the platform follows */

/* Bytes of a tile set as text, with the final NUL: 1024 tiles in pairs need 3414. */
#define LEDGER_TILES_MAX 4096

struct tessera_ledger {
	struct tessera_platform platform;
	char *dir;
	char *path;  /* of the file, for messages */
	int dir_fd;  /* -1: the directory does not exist */
	int lock_fd; /* -1: open read-only */
	char *text;  /* the file's content; that of an empty ledger if there is no file */

	/* In the order of ledger_row_before(). */
	struct tessera_row *rows;
	size_t row_count, row_room;

	/*
	 * Ordered by job and step ID. Each step's tiles are a subset of its job's, disjoint from
	 * those of the job's other steps.
	 */
	struct tessera_step_row *steps;
	size_t step_count, step_room;
};

/* An empty ledger without open files; NULL when out of memory. tessera_ledger_close() frees it. */
struct tessera_ledger *ledger_new(const struct tessera_platform *p, const char *dir);

/*
 * Check ROW by itself and against the other rows, except the one that it replaces. Returns 0, or -1
 * with ERR as tessera_ledger_put() and tessera_ledger_put_step() do.
 */
int ledger_check_row(const struct tessera_ledger *ledger, const struct tessera_row *row,
		     struct tessera_error *err);
int ledger_check_step(const struct tessera_ledger *ledger, const struct tessera_step_row *row,
		      struct tessera_error *err);

/* Does A precede B? By job; the ordinary row before withheld ones; those by their first tile. */
bool ledger_row_before(const struct tessera_row *a, const struct tessera_row *b);

/* The owner of a row's tiles: "job 4711 (uid 1001)". */
void ledger_name_owner(const struct tessera_row *row, char *buf, size_t len);

/* Insert a checked row in order. Returns 0, or -1 with ERR: ledger full, out of memory. */
int ledger_insert_row(struct tessera_ledger *ledger, const struct tessera_row *row,
		      struct tessera_error *err);
int ledger_insert_step(struct tessera_ledger *ledger, const struct tessera_step_row *row,
		       struct tessera_error *err);

/* Remove row N, but not its steps. */
void ledger_remove_row(struct tessera_ledger *ledger, size_t n);

/* Make TEXT, of SIZE bytes, what ledger_parse() will read back. */
void ledger_tidy_text(char *text, size_t size);

/* The text of the ledger, which the caller frees; NULL when out of memory. */
char *ledger_format(const struct tessera_ledger *ledger);

/*
 * Read LEN bytes of TEXT, not NUL-terminated, into an empty LEDGER; NAME is the file's name for
 * messages. Only what ledger_format() writes is accepted. Returns 0, or -1 with ERR and any number
 * of rows in LEDGER.
 */
int ledger_parse(struct tessera_ledger *ledger, const char *name, const char *text, size_t len,
		 struct tessera_error *err);

/*
 * Open the directory and check its owner and mode. Returns 0 (dir_fd is -1 if it does not exist),
 * or -1 with ERR.
 */
int ledger_open_dir(struct tessera_ledger *ledger, struct tessera_error *err);

/* Open the directory, or create it, and take the lock. Returns 0, or -1 with ERR. */
int ledger_lock(struct tessera_ledger *ledger, unsigned wait_ms, struct tessera_error *err);

/* Release the lock and close the directory, if they are open. */
void ledger_unlock(struct tessera_ledger *ledger);

/* Set ERR from errno, for the file NAME of the directory. Returns -1. */
int ledger_set_errno(const struct tessera_ledger *ledger, const char *name,
		     enum tessera_errcode code, struct tessera_error *err);

/* Is the step's process still running, and not another one with the same PID? */
bool ledger_step_running(const struct tessera_step_row *row);

#endif /* TESSERA_LEDGER_INTERNAL_H */
