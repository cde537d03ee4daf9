/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Looking at a node with the vendors' tools, and asking whose the processes are.
 */
#ifndef TESSERA_SAMPLER_H
#define TESSERA_SAMPLER_H

#include "lib/sample.h"
#include "plugin/node.h"

/*
 * Run the tools that NODE needs, each for a minute at most, and fill SAMPLE with what they tell. What a tool fails to
 * tell is left out: its jobs are not in the sample then. Returns 0; or -1 with ERR for the first thing that went wrong:
 * TESSERA_ERR_MISSING whatever it is, since nobody but the tool can mend its output. SAMPLE is to be freed with
 * sample_free() in either case.
 */
int sampler_look(const struct node *node, struct sample *sample, struct tessera_error *err);

/* What jobs have of IPUs here. *HOLDINGS is to be freed. Returns how many do, or -1 with ERR. */
int sampler_holdings(const struct node *node, struct tessera_holding **holdings, struct tessera_error *err);

/*
 * The IPUs that processes of this node use, as GcMonitorCommand tells. *IPUS is to be freed. Returns how many, or -1 with ERR,
 * and *IPUS untouched. *CRASHED: it ended by a segmentation fault, as it does where no partition is.
 */
int sampler_ipus(const struct node *node, struct gcmonitor_ipu **ipus, bool *crashed, struct tessera_error *err);

#endif /* TESSERA_SAMPLER_H */
