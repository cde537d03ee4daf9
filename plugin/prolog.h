/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job starts on the node, and ends there: in a slurmstepd that slurmd starts for it, as root.
 */
#ifndef TESSERA_PROLOG_H
#define TESSERA_PROLOG_H

#include "lib/slurm/compat.h"

/*
 * Reserve the tiles that slurmctld allocated to the job here, and create its V-IPU partition.
 * Always returns 0, because Slurm drains a node whose prolog fails: an error is recorded, and the
 * job's first task prints it.
 */
int prolog_run(spank_t sp);

/*
 * Release whatever the job holds. Always returns 0: what cannot be released is left to tessera reap
 * or the next start of slurmd.
 */
int epilog_run(spank_t sp);

#endif /* TESSERA_PROLOG_H */
