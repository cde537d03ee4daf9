/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What to do with a job's V-IPU partition: queries slurmctld, and lets lib/state/job_record_fate.h
 * decide.
 */
#ifndef TESSERA_PARTITION_FATE_H
#define TESSERA_PARTITION_FATE_H

#include "lib/node/node.h"
#include "lib/state/job_record_fate.h"
#include "lib/util/error.h"

/*
 * Decide about JOB's partition. RECORD is the job record on NODE, NULL if there is none. One RPC,
 * and a second one for a job that is ending and whose first node is not NODE, about that node.
 * *SEEN is what slurmctld reported. Returns the decision; JOB_RECORD_KEEP with ERR
 * (TESSERA_ERR_UNAVAILABLE): what slurmctld did not report.
 */
enum job_record_fate partition_fate(const struct node *node, uint32_t job,
				    const struct tessera_job_record *record,
				    enum job_record_caller caller, struct job_record_job *seen,
				    struct tessera_error *err);

#endif /* TESSERA_PARTITION_FATE_H */
