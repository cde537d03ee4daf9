/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What no living job owns: of jobs whose epilog never ran, because the node or slurmd went down, or did not succeed.
 */
#ifndef TESSERA_REAP_H
#define TESSERA_REAP_H

#include "lib/error.h"
#include "lib/holding_fate.h"
#include "plugin/node.h"

/* Called for each row that goes, or whose tiles are kept back: its text says why. ARG is the caller's. */
typedef void (*reap_fn)(const struct tessera_row *row, const struct tessera_platform *p, bool kept, void *arg);

/*
 * Ask slurmctld about every job in the node's ledger, and give back the tiles of those that it does not have on this node
 * any more, and those that were kept back; but not what a process still holds (stale.h). With DRY_RUN only tell. If
 * slurmctld gives no answer nothing goes. Returns how many rows went, or -1 with ERR.
 */
int reap_ledger(const struct node *node, bool dry_run, reap_fn tell, void *arg, struct tessera_error *err);

/*
 * Called for each note or partition that goes: PARTITION is its name, NULL if only a note goes. PHASE is what slurmctld
 * says about the job.
 */
typedef void (*reap_pool_fn)(uint32_t job, const char *partition, enum holding_phase phase, void *arg);

/* What a job whose partition goes is, for a message: "gone", "ending", or "queued again" after a requeue. */
const char *reap_job_word(enum holding_phase phase);

/* Forget why prologs of jobs failed that are not on this node any more. */
void reap_failures(const struct node *node);

/*
 * The same for what is written down of IPUs and pools, and for partitions at the node's V-IPU controller that carry the
 * number of a job, whichever node made them; lib/holding_fate.h decides. Not touched: the partition of a running job, of a
 * job that never ran, of one that is ending whose epilog is due, and those of other names. Returns how many went, or -1
 * with ERR; some may have gone then.
 */
int reap_pools(const struct node *node, bool dry_run, reap_pool_fn tell, void *arg, struct tessera_error *err);

/*
 * slurmd starts: reap, and log what went. In a process of its own, because slurmctld may be down, and slurmd must not
 * wait for it.
 */
void reap_at_start(int argc, char **argv);

#endif /* TESSERA_REAP_H */
