/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IPUs and counted pools of a job, in its prolog and its epilog.
 */
#ifndef TESSERA_JOB_POOLS_H
#define TESSERA_JOB_POOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/node/node.h"
#include "lib/slurm/job_info_pools.h"
#include "lib/state/job_record.h"
#include "lib/util/error.h"

/*
 * May JOB have IPUs or part of a pool here, or is there a record with its ID? If not, no query for
 * them is needed. To be called after options_from_prolog().
 */
bool job_pools_may_have(const struct node *node, uint32_t job);

/* What a prolog knows before it does anything about IPUs and pools. */
struct job_pools_facts {
	bool has_record;
	struct tessera_job_record record; /* as it was before slurmctld was queried */
	struct job_pools alloc;           /* slurmctld's answer */
};

/*
 * Read the record of JOB. To be called before slurmctld is queried: its answer then shows whether
 * the record is of the current run.
 */
void job_pools_read_record(const struct node *node, uint32_t job, struct job_pools_facts *facts);

/*
 * Record what slurmctld allocated to the job of IPUs and pools, and create its partition if it has
 * IPUs. An error with that is recorded as well. A record of an earlier job with this ID is
 * replaced; a complete one of this run stays. Returns 0; 1 if this run has left the node; or -1
 * with ERR if nothing could be written.
 */
int job_pools_prolog(const struct node *node, uint32_t job, const struct job_pools_facts *facts,
		     struct tessera_error *err);

/*
 * The job has left this node: remove its partition, if by slurmctld's current node list that is up
 * to this node (lib/state/job_record_fate.h), and drop its record. If the partition cannot be
 * removed, or slurmctld does not answer, the record stays for tessera reap. What a later run of the
 * job has stays. Returns 0, or -1 with ERR.
 */
int job_pools_epilog(const struct node *node, uint32_t job, struct tessera_error *err);

#endif /* TESSERA_JOB_POOLS_H */
