/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * V-IPU partitions, as the node's root code sees them: what it has the helper program do, and within what time.
 */
#ifndef TESSERA_PLUGIN_PARTITION_H
#define TESSERA_PLUGIN_PARTITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"
#include "lib/holding.h"
#include "plugin/node.h"

/*
 * Make H's partition if it is the owner, otherwise wait until the job's first node has made it; at most CreateWait, and
 * less if Slurm would end the prolog before, or the job ends. ANSWER: seconds that slurmctld may take to say whether it
 * has. Returns 0 if it is active, or -1 with ERR: what the
 * controller said. There may be a partition then nevertheless.
 */
int partition_make(const struct node *node, const struct tessera_holding *h, unsigned domains, unsigned answer,
		   struct tessera_error *err);

/*
 * Fill H for a job of which nothing readable is written: as if NODE, which must have a controller, had made its
 * partition as tessera.conf is now. How many IPUs it had is not known: H has 1.
 */
void partition_assume(const struct node *node, uint32_t job, struct tessera_holding *h);

/*
 * Is H's partition where partition_remove() would look for it, as tessera.conf is now? Returns 0, or -1 with ERR
 * (TESSERA_ERR_INPUT), which says what to do.
 */
int partition_findable(const struct node *node, const struct tessera_holding *h, struct tessera_error *err);

struct partition_terms {
	unsigned limit;  /* seconds that Slurm gives a prolog or epilog; 0: no limit */
	unsigned answer; /* seconds that slurmctld may take to answer; counts with a limit */
	bool active_too; /* remove it although the job is running */
};

/*
 * Remove the partition of JOB; none is fine. Ends without having removed it when the job starts to run meanwhile, unless
 * TERMS say otherwise. Returns 0, or -1 with ERR.
 */
int partition_remove(const struct node *node, uint32_t job, const struct partition_terms *terms,
		     struct tessera_error *err);

/* A partition at the controller. */
struct partition_seen {
	const char *id;
	const char *state;
	unsigned ipus;
	unsigned gcds;
	uint32_t job; /* whose it is by its name; 0: none of ours */
};

/* Called for each; ARG is the caller's. Other answers than 0 end the list, and are its answer. */
typedef int (*partition_fn)(const struct partition_seen *seen, void *arg);

/* All partitions at the node's controller, which must have one. Returns 0, -1 with ERR, or LOOK's answer. */
int partition_list(const struct node *node, partition_fn look, void *arg, struct tessera_error *err);

/*
 * The jobs that the node's controller has partitions of, by their names: those of other names are nobody's business
 * here. *JOBS is to be freed with free(). Returns how many, or -1 with ERR.
 */
int partition_jobs(const struct node *node, uint32_t **jobs, struct tessera_error *err);

#endif /* TESSERA_PLUGIN_PARTITION_H */
