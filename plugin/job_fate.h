/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is to be done with a job's partition: asks slurmctld, and lets lib/holding_fate.h decide.
 */
#ifndef TESSERA_JOB_FATE_H
#define TESSERA_JOB_FATE_H

#include "lib/error.h"
#include "lib/holding_fate.h"
#include "plugin/node.h"

/*
 * Decide about JOB's partition, of which NOTE is written on NODE (NULL: nothing). One RPC, and another one about the first
 * node of a job that is ending if that is not NODE. *SEEN is what slurmctld said. Returns the decision; for HOLDING_KEEP
 * with ERR (TESSERA_ERR_MISSING): what slurmctld did not say.
 */
enum holding_fate job_fate(const struct node *node, uint32_t job, const struct tessera_holding *note,
			   enum holding_caller caller, struct holding_job *seen, struct tessera_error *err);

#endif /* TESSERA_JOB_FATE_H */
