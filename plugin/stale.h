/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tiles of jobs that have ended while processes of their users still hold the device: they are not for the next job.
 */
#ifndef TESSERA_STALE_H
#define TESSERA_STALE_H

#include "plugin/node.h"
#include "plugin/stale_crowd.h"

/*
 * The tiles that are kept back for want of their holders' end: give those back whose holders are gone by now. Cheap when
 * none are kept back: it reads the ledger. It takes a second or so at most. Troubles are logged. The node must have tiles.
 */
void stale_review(const struct node *node);

/*
 * The tiles of ROW, an ordinary row or a stale one, are not its job's any more: give them back, or keep them back if they
 * are still held (stale_held()) or that is not known at END. Only if the ledger has that row still: somebody else may have
 * been faster. Returns one of these, or -1 with ERR.
 */
enum stale_settled {
	STALE_GIVEN_BACK,
	STALE_KEPT_BACK,     /* ROW is the row that says so */
	STALE_KEPT_IN_DOUBT, /* likewise, but no holder is known: do not wait, a later look finds out */
	STALE_GONE,          /* the ledger has it no longer */
};

int stale_settle(const struct node *node, struct stale_crowd *crowd, struct tessera_row *row, uint32_t ended,
		 int64_t end, struct tessera_error *err);

/* The end of the next of COUNT looks that have until END in all: one user's crowd shall not cost the others theirs. */
int64_t stale_share(int64_t end, size_t count);

/* The ordinary row of JOB, without the lock. Returns 0 with *ROW, 1 if there is none, or -1 with ERR. */
int stale_find_job(const struct node *node, uint32_t job, struct tessera_row *row, struct tessera_error *err);

/*
 * stale_settle() for an ordinary row of a run that has ended: no process of its job's number is one of a running job. For
 * the epilog, and for the prolog of a later run before that has started a step. Logs what is kept back.
 */
int stale_settle_job(const struct node *node, struct stale_crowd *crowd, struct tessera_row *row, int64_t end,
		     struct tessera_error *err);

/* Did stale_settle() withhold the tiles, for whatever reason? */
static inline bool stale_is_kept(int settled)
{
	return settled == STALE_KEPT_BACK || settled == STALE_KEPT_IN_DOUBT;
}

/*
 * The number of a stale row's job if it has ended altogether; 0 if it runs here again, since *AGAIN, as struct stale_crowd
 * has it.
 */
uint32_t stale_ended(const struct tessera_ledger *ledger, const struct tessera_row *row, uint64_t *again);

#define STALE_KILL_MS 2000 /* that stale_end() may take after END for killing */
#define STALE_LOOK_MS 500  /* and for a last look */

/*
 * What tessera.conf says that shall be done about the holders of tiles that are kept back: nothing, wait until END for
 * theirs, or have it come. What nobody holds any more is given back, and its row in ROWS has no tiles then. What
 * happens is logged. HARD: who has had that time and is still there may be killed. Tiles whose holders are not known are
 * not waited for. CROWD has what slurmd said before; its processes are looked for anew.
 */
void stale_end(const struct node *node, struct stale_crowd *crowd, struct tessera_row *rows, size_t count,
	       int64_t end, bool hard);

void stale_log_kept_back(const struct node *node, const struct tessera_row *row);
void stale_log_given_back(const struct node *node, const struct tessera_row *row);

#endif /* TESSERA_STALE_H */
