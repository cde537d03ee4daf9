/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Releasing the tiles of ended jobs, or withholding them while a process of the job's user still
 * has the device open. Carries out what release_rule.h decides.
 */
#ifndef TESSERA_RELEASE_H
#define TESSERA_RELEASE_H

#include "lib/node/leftover.h"
#include "lib/node/node.h"

/*
 * Release the withheld tiles that no process uses any more. For prologs, which call it again and
 * again while they wait for tiles: it inspects processes once a second at most, for a second at
 * most, and only reads the ledger if no tiles are withheld. Logs errors. The node must have tiles.
 */
void release_review(const struct node *node);

/*
 * ROW, an ordinary or withheld row, belongs to an ended job: release its tiles, or withhold them if
 * they are in use or that is not known at END; ENDED is as in struct ended_run. Changes nothing if
 * the ledger no longer has that row. Takes the ledger's lock only after the inspection of
 * processes. Returns an enum release_result, or -1 with ERR; if the tiles are withheld, *ROW is the
 * withheld row.
 */
int release_or_withhold(const struct node *node, struct leftovers *leftovers,
			struct tessera_row *row, uint32_t ended, int64_t end,
			struct tessera_error *err);

/*
 * The deadline of the next of COUNT inspections that have until END together: one user's processes
 * must not use up the time of the others.
 */
int64_t release_share(int64_t end, size_t count);

/*
 * Read the ordinary row of JOB, without the lock. Returns 0 with *ROW, 1 if there is none, or -1
 * with ERR.
 */
int release_find_row(const struct node *node, uint32_t job, struct tessera_row *row,
		     struct tessera_error *err);

/*
 * release_or_withhold() for the ordinary row of a run that has ended: processes of its job ID count
 * as leftover. For the epilog, and for the prolog of a later run, which has no step yet. Logs
 * withheld tiles.
 */
int release_or_withhold_job(const struct node *node, struct leftovers *leftovers,
			    struct tessera_row *row, int64_t end, struct tessera_error *err);

/*
 * For a withheld row: the job ID to treat as ended, or 0 if the job is running on this node again;
 * *AGAIN is as in struct ended_run.
 */
uint32_t release_ended_job(const struct tessera_ledger *ledger, const struct tessera_row *row,
			   uint64_t *again);

/*
 * Apply the policy of tessera.conf for leftover processes to COUNT withheld ROWS: return at once,
 * wait until END for them to end, or send them SIGTERM and wait. MAY_KILL: with the last policy,
 * send SIGKILL to those left at END, which takes up to RELEASE_KILL_MS more. Tiles that are no
 * longer in use are released, and their row in ROWS then has no tiles. Does not wait for tiles
 * whose use is unknown. Logs what happens. LEFTOVERS keeps what slurmd confirmed.
 */
void release_wait(const struct node *node, struct leftovers *leftovers, struct tessera_row *rows,
		  size_t count, int64_t end, bool may_kill);

void release_log_withheld(const struct node *node, const struct tessera_row *row);
void release_log_released(const struct node *node, const struct tessera_row *row);

#endif /* TESSERA_RELEASE_H */
