/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The node's ledger: which job holds which tiles, and which of a job's tiles a step has for itself.
 * One small readable file, DIR/ledger, replaced as a whole by rename while DIR/lock is held: a
 * reader never sees half a write, and a writer that is killed leaves the old file. Every read and
 * write checks that no tile has two owners.
 *
 *   tessera-ledger 1 sn30-8
 *   job 4711 uid 1001 state held restarts 0 tiles 0-15 tasks 2 of 4 own text -
 *   step 4711.0 pid 2345 start 998877 tiles 0-3
 *   job 4712 uid 1002 state short restarts 1 tiles - text 2 whole RDUs needed, 1 free
 *   job 4713 uid 1003 state withheld restarts 0 tiles 16-23 text process 4242 (python3)
 *   end 4
 *
 * A job has one ordinary row. It may also have withheld rows, of earlier runs: their tiles are not
 * the job's. The last line counts the rows, so that a truncated file is an error, never an empty
 * ledger.
 */
#ifndef TESSERA_LEDGER_H
#define TESSERA_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../tile/place.h"
#include "../tile/platform.h"
#include "../tile/tileset.h"
#include "../util/error.h"

#define TESSERA_LEDGER_ROWS_MAX 4096 /* jobs and steps together */

enum tessera_row_state {
	TESSERA_ROW_HELD = 1,    /* the job holds its tiles */
	TESSERA_ROW_SHORT = 2,   /* too few free tiles; the text says why. It may fit later */
	TESSERA_ROW_REFUSED = 3, /* it can never fit, or an error occurred; the text says why */
	/* the job ended, its tiles are withheld; the text names the process that uses them */
	TESSERA_ROW_WITHHELD = 4,
};

struct tessera_row {
	uint32_t job;
	uint32_t uid;
	enum tessera_row_state state;
	uint32_t restarts;            /* the job's restart count in this run */
	struct tessera_tileset tiles; /* empty unless held or withheld */
	uint32_t tasks;               /* upper limit of the job's tasks on this node; 0: unknown */
	uint32_t job_tasks;           /* on all its nodes; 0 if and only if TASKS is 0 */
	bool own; /* by default, each task has tiles of its own (sharing_own()) */
	/* clock ticks after boot: processes that started earlier are not the job's; 0: unknown */
	uint64_t since;
	char text[sizeof(((struct tessera_error *)0)->text)]; /* "": none */
};

/* A step that has part of its job's tiles for itself while its process (slurmstepd) runs. */
struct tessera_step_row {
	uint32_t job;
	uint32_t step;
	pid_t pid;
	uint64_t start; /* of the process, in clock ticks after boot: detects a reused PID */
	struct tessera_tileset tiles;
};

struct tessera_ledger; /* an open ledger, as it was when it was read */

/*
 * Open the ledger in DIR read-only, without the lock. A missing file or directory is an empty
 * ledger. P is copied and must pass tessera_platform_check(). The caller closes *LEDGER with
 * tessera_ledger_close(). Returns 0, or -1 with ERR: TESSERA_ERR_IO if it cannot be read,
 * TESSERA_ERR_DENIED if the directory or the file does not belong to the effective user or root, or
 * others may write to it, TESSERA_ERR_INPUT if the file is damaged or has rows of another platform
 * (the message gives the line, and what to do). A ledger without rows is valid on any platform.
 */
int tessera_ledger_read(const char *dir, const struct tessera_platform *p,
			struct tessera_ledger **ledger, struct tessera_error *err);

/*
 * Open the ledger for changes: create DIR (mode 755, parents must exist) if it is missing, wait for
 * the lock up to WAIT_MS milliseconds (then TESSERA_ERR_UNAVAILABLE), and hold it until the ledger
 * is closed. The lock file has mode 600, because a user who can open it could hold the lock.
 * TESSERA_ERR_DENIED if the caller may not write to DIR.
 */
int tessera_ledger_open(const char *dir, const struct tessera_platform *p, unsigned wait_ms,
			struct tessera_ledger **ledger, struct tessera_error *err);

/* The ordinary row of a job, or NULL. Valid until the ledger is changed or closed. */
const struct tessera_row *tessera_ledger_job(const struct tessera_ledger *ledger, uint32_t job);

/*
 * Row N, from 0, or NULL past the last. Rows are ordered by job ID; a job's ordinary row precedes
 * its withheld rows. The second function does the same for the steps of all jobs.
 */
const struct tessera_row *tessera_ledger_row(const struct tessera_ledger *ledger, size_t n);
const struct tessera_step_row *tessera_ledger_step_row(const struct tessera_ledger *ledger,
						       size_t n);

/* The platform's tiles that are neither held nor withheld; and those that are withheld. */
void tessera_ledger_free_tiles(const struct tessera_ledger *ledger, struct tessera_tileset *tiles);
void tessera_ledger_withheld(const struct tessera_ledger *ledger, struct tessera_tileset *tiles);

/* The tiles of JOB that no running step has for itself; empty if the job holds none. */
void tessera_ledger_free_of_job(const struct tessera_ledger *ledger, uint32_t job,
				struct tessera_tileset *tiles);

/*
 * A tessera_owner_fn for tessera_place(): names the job that holds TILE, "job 4711 (uid 1001)", or
 * the ended job for which TILE is withheld; "" if TILE is free. ARG is the ledger.
 */
void tessera_ledger_owner(unsigned tile, char *buf, size_t len, void *arg);

/*
 * What a prolog may do with NOW, the ordinary row of its job (NULL: none). RUN has the uid and the
 * restart count that slurmctld reports for the job, TILES is the number of tiles that slurmctld
 * allocated, WISH the set that the user named or NULL.
 */
enum tessera_claim {
	/* write a row: there is none, or one without tiles of this run or an earlier one */
	TESSERA_CLAIM_FREE = 1,
	/* leave it: this run already holds its tiles (a prolog may run twice) */
	TESSERA_CLAIM_KEEP = 2,
	/*
	 * The row is of another run: an earlier one, a later one if this prolog was overtaken, or a
	 * run of another job that had this ID before slurmctld lost its state. The caller queries
	 * slurmctld, after NOW was read, to find out which.
	 */
	TESSERA_CLAIM_OTHER = 3,
};

enum tessera_claim tessera_row_claim(const struct tessera_row *now, const struct tessera_row *run,
				     unsigned tiles, const struct tessera_tileset *wish);

/*
 * Add an ordinary row, or replace the one of the same job (and drop its steps if the tiles change).
 * tessera_ledger_commit() writes it. Control characters in the text become ?, and a text that is
 * only "-" becomes "". Returns 0, or -1 with ERR and the ledger unchanged: TESSERA_ERR_SHORTAGE if
 * another job holds one of the tiles (the message names both) or the ledger already has
 * TESSERA_LEDGER_ROWS_MAX rows, TESSERA_ERR_INPUT if the platform lacks a tile, the state does not
 * match the tiles, or the job is 0, TESSERA_ERR_NOMEM when out of memory.
 */
int tessera_ledger_put(struct tessera_ledger *ledger, const struct tessera_row *row,
		       struct tessera_error *err);

/*
 * Add or replace a step's row, after dropping the rows of steps whose process has ended. Returns 0,
 * or -1 with ERR: TESSERA_ERR_INPUT if the row has no tiles or no process, or its job does not hold
 * these tiles, TESSERA_ERR_SHORTAGE if another running step of the job has one of them or the
 * ledger is full, TESSERA_ERR_NOMEM when out of memory.
 */
int tessera_ledger_put_step(struct tessera_ledger *ledger, const struct tessera_step_row *row,
			    struct tessera_error *err);

/* Drop a job's ordinary row and its steps, or one step. Returns whether there was one. */
bool tessera_ledger_drop(struct tessera_ledger *ledger, uint32_t job);
bool tessera_ledger_drop_step(struct tessera_ledger *ledger, uint32_t job, uint32_t step);

/*
 * Withhold the tiles of a job that has ended: its ordinary row becomes a withheld one with TEXT,
 * and its steps are dropped. Returns 0, or -1 with ERR (TESSERA_ERR_INPUT) if it holds no tiles.
 */
int tessera_ledger_withhold(struct tessera_ledger *ledger, uint32_t job, const char *text,
			    struct tessera_error *err);

/*
 * Replace the text of the job's withheld row with exactly these tiles, or drop that row. Returns
 * whether there was one.
 */
bool tessera_ledger_reword(struct tessera_ledger *ledger, uint32_t job,
			   const struct tessera_tileset *tiles, const char *text);
bool tessera_ledger_release(struct tessera_ledger *ledger, uint32_t job,
			    const struct tessera_tileset *tiles);

/*
 * Write the changes, if any, to the file. Returns 0, or -1 with ERR and the old file in place:
 * TESSERA_ERR_DENIED if the ledger was not opened with tessera_ledger_open(),
 * TESSERA_ERR_IO if the file cannot be written.
 */
int tessera_ledger_commit(struct tessera_ledger *ledger, struct tessera_error *err);

/* Release the lock and free LEDGER, which may be NULL. Changes not committed are lost. */
void tessera_ledger_close(struct tessera_ledger *ledger);

/*
 * May the ledger in DIR have a row of JOB, ordinary or withheld? A cheap test for a caller that
 * then opens the ledger: it searches the file's text, without lock or checks. False if there is no
 * such row or no file; true if the file cannot be read or is not a ledger.
 */
bool tessera_ledger_may_have_job(const char *dir, uint32_t job);

#endif /* TESSERA_LEDGER_H */
