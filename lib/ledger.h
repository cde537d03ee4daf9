/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The node's ledger: which job holds which tiles, and which of a job's tiles a step has for itself. One small readable
 * file, DIR/ledger, replaced as a whole by rename while DIR/lock is held: a reader never sees half a write, and
 * whoever dies in the middle leaves the old file. No tile has two owners: that is checked on every read and write.
 *
 *   tessera-ledger 1 sn30-8
 *   job 4711 uid 1001 state held restarts 0 tiles 0-15 tasks 2 of 4 own text -
 *   step 4711.0 pid 2345 start 998877 tiles 0-3
 *   job 4712 uid 1002 state short restarts 1 tiles - text 2 whole RDUs are needed, 1 is free
 *   job 4713 uid 1003 state stale restarts 0 tiles 16-23 text process 4242 (python3) of uid 1003 still holds /dev/rdu
 *   end 4
 *
 * A job has one row, its ordinary one. Beside it may stand stale ones, of earlier runs of that job: their tiles are not
 * the job's. The last line counts the rows: a file that was cut is known for it, and is an error, never an empty ledger.
 */
#ifndef TESSERA_LEDGER_H
#define TESSERA_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "error.h"
#include "place.h"
#include "platform.h"
#include "tileset.h"

#define TESSERA_LEDGER_ROWS_MAX 4096 /* of jobs and steps together */

enum tessera_row_state {
	TESSERA_ROW_HELD = 1,    /* the job holds its tiles */
	TESSERA_ROW_SHORT = 2,   /* there was no room; the text says why. It may fit later */
	TESSERA_ROW_REFUSED = 3, /* it can never fit, or something is wrong; the text says why */
	TESSERA_ROW_STALE =
		4, /* the job has ended, its tiles are kept back; the text says which process holds them */
};

struct tessera_row {
	uint32_t job;
	uint32_t uid;
	enum tessera_row_state state;
	uint32_t restarts;            /* how often the job had been requeued when it got here */
	struct tessera_tileset tiles; /* empty unless held or stale */
	uint32_t tasks;               /* of the job on this node, at the most; 0: not known */
	uint32_t job_tasks;           /* on all its nodes; 0: not known, and only together with the one above */
	bool own;                     /* tasks have tiles of their own if the user says nothing else */
	uint64_t since; /* a process that started before is not the job's: clock ticks after boot; 0: not known */
	char text[sizeof(((struct tessera_error *)0)->text)]; /* "" if there is nothing to say */
};

/* A step that has part of its job's tiles for itself, as long as the process (slurmstepd) lives. */
struct tessera_step_row {
	uint32_t job;
	uint32_t step;
	pid_t pid;
	uint64_t start; /* of the process, in clock ticks after boot: an id given anew is another process */
	struct tessera_tileset tiles;
};

struct tessera_ledger; /* an open ledger, as it was when it was read */

/*
 * Open the ledger in DIR for reading only, without the lock. A missing file or directory is an empty ledger. P is
 * copied and must pass tessera_platform_check(). *LEDGER is to be closed with tessera_ledger_close(). Returns 0, or -1
 * with ERR: TESSERA_ERR_MISSING when it cannot be read, TESSERA_ERR_DENIED when the directory or the file does not
 * belong to the effective user or root, or others may write to it, TESSERA_ERR_INPUT when the file is damaged or has
 * rows of another platform (the message says which line, and what to do). Without rows it is as good as one of P.
 */
int tessera_ledger_read(const char *dir, const struct tessera_platform *p, struct tessera_ledger **ledger,
			struct tessera_error *err);

/*
 * The same for changing it: makes DIR (mode 755, parents must exist) if it is missing, takes the lock, at most
 * WAIT_MS milliseconds (TESSERA_ERR_MISSING after that), and keeps it until the ledger is closed. The lock is a file
 * that nobody else may open (mode 600): who can open it could hold it. Who may not write to DIR is told so
 * (TESSERA_ERR_DENIED).
 */
int tessera_ledger_open(const char *dir, const struct tessera_platform *p, unsigned wait_ms,
			struct tessera_ledger **ledger, struct tessera_error *err);

/* The ordinary row of a job, or NULL. Good until the ledger is changed or closed. */
const struct tessera_row *tessera_ledger_job(const struct tessera_ledger *ledger, uint32_t job);

/*
 * Row N, from 0, in the order of job numbers, of a job its ordinary row first and then its stale ones; NULL past the
 * last. The same for steps of all jobs.
 */
const struct tessera_row *tessera_ledger_row(const struct tessera_ledger *ledger, size_t n);
const struct tessera_step_row *tessera_ledger_step_row(const struct tessera_ledger *ledger, size_t n);

/* The platform's tiles that no job holds, and that are not kept back; and those that are kept back. */
void tessera_ledger_free_tiles(const struct tessera_ledger *ledger, struct tessera_tileset *tiles);
void tessera_ledger_kept_tiles(const struct tessera_ledger *ledger, struct tessera_tileset *tiles);

/* The tiles of JOB that no living step of it has for itself; empty if the job holds none. */
void tessera_ledger_free_of_job(const struct tessera_ledger *ledger, uint32_t job, struct tessera_tileset *tiles);

/*
 * For tessera_place(): names the job that holds a tile, "job 4711 (uid 1001)", or that has left a process on it; "" if
 * none does. ARG is the ledger.
 */
void tessera_ledger_holder(unsigned tile, char *buf, size_t len, void *arg);

/*
 * What a prolog may do with NOW, the ordinary row of its job; NULL: there is none. RUN has the uid and the restart count
 * that slurmctld gives for the job, TILES is the number that it granted, WISH the set that the user named or NULL.
 */
enum tessera_claim {
	TESSERA_CLAIM_FREE = 1, /* write: there is no row, or one without tiles of this run or an earlier one */
	TESSERA_CLAIM_KEEP = 2, /* leave it: this run holds its tiles already, a prolog may run twice */
	/*
	 * Another run's: an earlier one, a later one if this prolog was overtaken, or one of another job that had the number
	 * before slurmctld lost its state. slurmctld, queried after NOW was read, tells them apart.
	 */
	TESSERA_CLAIM_OTHER = 3,
};

enum tessera_claim tessera_row_claim(const struct tessera_row *now, const struct tessera_row *run, unsigned tiles,
				     const struct tessera_tileset *wish);

/*
 * Add an ordinary row, or replace the one of the same job (and drop its steps if the tiles change). Nothing is written yet.
 * Control characters in the text become ?, and a text that is only "-" becomes "". Returns 0, or -1 with ERR and the
 * ledger untouched: TESSERA_ERR_SHORTAGE when another job holds one of its tiles (named, with the job) or there are
 * TESSERA_LEDGER_ROWS_MAX rows already, TESSERA_ERR_INPUT when a tile is not the platform's, or tiles and state do not
 * fit, or the job is 0, TESSERA_ERR_MISSING when out of memory.
 */
int tessera_ledger_put(struct tessera_ledger *ledger, const struct tessera_row *row, struct tessera_error *err);

/*
 * Add or replace a step's row; rows of steps whose process is gone are dropped first. Returns 0, or -1 with ERR:
 * TESSERA_ERR_INPUT when it names no tiles or no process, or its job holds no tiles, or not these,
 * TESSERA_ERR_SHORTAGE when another living step of the job has them or there are too many rows, TESSERA_ERR_MISSING
 * when out of memory.
 */
int tessera_ledger_put_step(struct tessera_ledger *ledger, const struct tessera_step_row *row,
			    struct tessera_error *err);

/* Drop a job's ordinary row and its steps', or one step's. True if there was one. Idempotent. */
bool tessera_ledger_drop(struct tessera_ledger *ledger, uint32_t job);
bool tessera_ledger_drop_step(struct tessera_ledger *ledger, uint32_t job, uint32_t step);

/*
 * The job has ended, but its tiles are kept back: its ordinary row becomes a stale one with that text, and its steps'
 * rows go. Returns 0, or -1 with ERR (TESSERA_ERR_INPUT) when it holds no tiles.
 */
int tessera_ledger_keep_back(struct tessera_ledger *ledger, uint32_t job, const char *text,
			     struct tessera_error *err);

/* The job's stale row of just these tiles: another text for it; or drop it. True if there was one. */
bool tessera_ledger_reword(struct tessera_ledger *ledger, uint32_t job, const struct tessera_tileset *tiles,
			   const char *text);
bool tessera_ledger_give_back(struct tessera_ledger *ledger, uint32_t job, const struct tessera_tileset *tiles);

/*
 * Replace the file by what was put and dropped; no change, no write. Returns 0, or -1 with ERR and the old file in
 * place: TESSERA_ERR_DENIED for a ledger that was not opened with tessera_ledger_open(), TESSERA_ERR_MISSING when it
 * cannot be written.
 */
int tessera_ledger_commit(struct tessera_ledger *ledger, struct tessera_error *err);

/* Give the lock back and free. What was not committed is forgotten. NULL is fine. */
void tessera_ledger_close(struct tessera_ledger *ledger);

/*
 * May the ledger in DIR have a row of JOB, ordinary or stale? Looks at the text of the file only, without lock or
 * checks: for a caller that then reads it properly. False when there is no such row or no file; true when the file
 * cannot be read or is no ledger.
 */
bool tessera_ledger_mentions(const char *dir, uint32_t job);

/* The start time of a process as struct tessera_step_row has it; 0 if there is none, or only its remains (a zombie). */
uint64_t tessera_ledger_process_start(pid_t pid);

#endif /* TESSERA_LEDGER_H */
