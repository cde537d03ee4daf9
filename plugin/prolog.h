/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job comes to the node and leaves it.
 */
#ifndef TESSERA_PROLOG_H
#define TESSERA_PROLOG_H

#include "plugin/slurm_compat.h"

/*
 * Reserve the tiles that slurmctld granted the job here, and have its V-IPU partition made. Always 0: a prolog that
 * fails drains the node. What went wrong is written down, and the job's first task says it.
 */
int prolog_run(spank_t sp, int argc, char **argv);

/*
 * Give back whatever the job holds. Always 0; what could not be given back is found by tessera reap, or the next start
 * of slurmd.
 */
int epilog_run(spank_t sp, int argc, char **argv);

#endif /* TESSERA_PROLOG_H */
