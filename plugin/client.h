/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In srun, sbatch and salloc, as the user: turns what the user asked for into Slurm's own request,
 * or into a message that says what is wrong with it, before anything is queued.
 */
#ifndef TESSERA_CLIENT_H
#define TESSERA_CLIENT_H

#include "lib/slurm/compat.h"

/*
 * In slurm_spank_init: register all options, among them those of the pools in tessera.conf. If that
 * file cannot be read, the user sees an error only when they ask for something of ours.
 */
void client_init(spank_t sp, int argc, char **argv);

/* In slurm_spank_exit. */
void client_exit(void);

/*
 * In slurm_spank_init_post_opt, once for each component of a heterogeneous job. Returns 0, or -1
 * after printing a message: the program then ends and nothing is queued.
 */
int client_init_post_opt(spank_t sp);

#endif /* TESSERA_CLIENT_H */
