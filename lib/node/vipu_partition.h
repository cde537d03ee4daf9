/* SPDX-License-Identifier: GPL-2.0-or-later */
/* V-IPU partitions, made and removed through the helper program within Slurm's time limits. */
#ifndef TESSERA_VIPU_PARTITION_H
#define TESSERA_VIPU_PARTITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/node/node.h"
#include "lib/state/job_record.h"
#include "lib/util/error.h"

/*
 * Create the partition of job record H if H is the owner, otherwise wait until the job's first node
 * has created it. Takes at most CreateWait, less if Slurm would kill the prolog earlier, and stops
 * when the job ends. ANSWER: seconds until a query to slurmctld about that times out. Returns 0 if
 * the partition is active, or -1 with ERR, the controller's message; there may be a partition even
 * then.
 */
int partition_make(const struct node *node, const struct tessera_job_record *h, unsigned domains,
		   unsigned answer, struct tessera_error *err);

/*
 * Fill H for a job whose record is missing or damaged, as if NODE, which must have a controller,
 * had created its partition under the current tessera.conf. The number of IPUs is not known: H has
 * 1.
 */
void partition_assume(const struct node *node, uint32_t job, struct tessera_job_record *h);

/*
 * Does the current tessera.conf still name the controller and the partition of H, so that
 * partition_remove() would find it? Returns 0, or -1 with ERR (TESSERA_ERR_INPUT), which says what
 * to do.
 */
int partition_findable(const struct node *node, const struct tessera_job_record *h,
		       struct tessera_error *err);

struct partition_terms {
	unsigned limit;  /* Slurm's time limit of the prolog or epilog in seconds; 0 = none */
	unsigned answer; /* seconds until a query to slurmctld times out; used with a limit */
	bool active_too; /* remove it even if the job is running */
};

/*
 * Remove the partition of JOB, if it has one. Stops, without having removed it, if the job starts
 * to run meanwhile, unless TERMS allow that. Returns 0, or -1 with ERR.
 */
int partition_remove(const struct node *node, uint32_t job, const struct partition_terms *terms,
		     struct tessera_error *err);

/* A partition at the controller. */
struct partition_seen {
	const char *id;
	const char *state;
	unsigned ipus;
	unsigned gcds;
	uint32_t job; /* by the partition's name; 0 = not made by tessera */
};

/* Called for each partition; ARG is the caller's. A result other than 0 ends the list. */
typedef int (*partition_fn)(const struct partition_seen *seen, void *arg);

/*
 * List all partitions at the controller of NODE, which must have one. Returns 0, -1 with ERR, or
 * what EACH returned to end the list.
 */
int partition_list(const struct node *node, partition_fn each, void *arg,
		   struct tessera_error *err);

/*
 * The jobs whose partitions, by their names, the node's controller has. *JOBS must be freed with
 * free(). Returns the number of jobs, or -1 with ERR.
 */
int partition_jobs(const struct node *node, uint32_t **jobs, struct tessera_error *err);

#endif /* TESSERA_VIPU_PARTITION_H */
