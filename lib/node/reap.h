/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Releasing what ended jobs left: their epilog failed, or never ran because the node or slurmd went
 * down.
 */
#ifndef TESSERA_REAP_H
#define TESSERA_REAP_H

#include "lib/node/node.h"
#include "lib/state/job_record_fate.h"
#include "lib/util/error.h"

/*
 * Called for each row whose tiles are released, or WITHHELD: then the row's text says why. ARG is
 * the caller's.
 */
typedef void (*reap_fn)(const struct tessera_row *row, const struct tessera_platform *p,
			bool withheld, void *arg);

/*
 * Query slurmctld about every job in the node's ledger. Release the tiles of jobs that are no
 * longer on this node, and withheld tiles, unless a process still uses them (release.h). With
 * DRY_RUN only report. Releases nothing if slurmctld does not answer. Returns the number of rows
 * released, or -1 with ERR.
 */
int reap_ledger(const struct node *node, bool dry_run, reap_fn report, void *arg,
		struct tessera_error *err);

/*
 * Called for each job record or V-IPU partition that is removed: PARTITION is its name, NULL if
 * only a record is. PHASE is what slurmctld reports about the job.
 */
typedef void (*reap_pool_fn)(uint32_t job, const char *partition, enum job_record_phase phase,
			     void *arg);

/* PHASE of a job whose partition is removed, for a message: "gone", "ending" or "queued again". */
const char *reap_job_word(enum job_record_phase phase);

/* Remove the failure records (node_mark_failed()) of jobs that are no longer on this node. */
void reap_failures(const struct node *node);

/*
 * The same for job records, and for partitions at the node's V-IPU controller that are named after
 * a job, whichever node created them; lib/state/job_record_fate.h decides. Not touched: partitions
 * of running jobs, of jobs that never ran, of ending jobs whose epilog is due, and those with other
 * names. Returns the number removed, or -1 with ERR; some may have been removed then.
 */
int reap_pools(const struct node *node, bool dry_run, reap_pool_fn report, void *arg,
	       struct tessera_error *err);

#endif /* TESSERA_REAP_H */
