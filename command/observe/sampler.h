/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sample a node with the vendor tools, and find the jobs of the processes.
 */
#ifndef TESSERA_SAMPLER_H
#define TESSERA_SAMPLER_H

#include "lib/account/sample.h"
#include "lib/node/node.h"

/*
 * Run the tools that NODE needs, each for a minute at most, and fill SAMPLE from their output. Jobs
 * whose tool fails are not in the sample. Returns 0; or -1 with the first failure in ERR, always
 * TESSERA_ERR_UNAVAILABLE, because only the tool's vendor can mend its output. Free SAMPLE with
 * sample_free() in either case.
 */
int sampler_look(const struct node *node, struct sample *sample, struct tessera_error *err);

/* Read the job records with IPUs; free *RECORDS. Returns their number, or -1 with ERR. */
int sampler_job_records(const struct node *node, struct tessera_job_record **records,
			struct tessera_error *err);

/*
 * The IPUs that processes of this node use, as GcMonitorCommand tells. *IPUS is to be freed.
 * Returns how many, or -1 with ERR, and *IPUS untouched. *CRASHED: it ended by a segmentation
 * fault, as it does where no partition is.
 */
int sampler_ipus(const struct node *node, struct gcmonitor_ipu **ipus, bool *crashed,
		 struct tessera_error *err);

#endif /* TESSERA_SAMPLER_H */
