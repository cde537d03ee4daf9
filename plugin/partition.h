/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * V-IPU partitions, as the node's root code sees them: what it has the helper program do, and within what time.
 */
#ifndef TESSERA_PLUGIN_PARTITION_H
#define TESSERA_PLUGIN_PARTITION_H

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
 * Is H's partition where partition_remove() would look for it, as tessera.conf is now? Returns 0, or -1 with ERR
 * (TESSERA_ERR_INPUT), which says what to do.
 */
int partition_findable(const struct node *node, const struct tessera_holding *h, struct tessera_error *err);

/*
 * Remove the partition of JOB; none is fine. LIMIT: seconds that Slurm gives an epilog, 0 if it does not care. Returns
 * 0, or -1 with ERR.
 */
int partition_remove(const struct node *node, uint32_t job, unsigned limit, struct tessera_error *err);

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
