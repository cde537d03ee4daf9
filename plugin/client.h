/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The client: srun, sbatch and salloc. What the user asked for becomes the scheduler's own request, or a sentence
 * that says what is wrong with it, before anything is queued.
 */
#ifndef TESSERA_CLIENT_H
#define TESSERA_CLIENT_H

#include "plugin/slurm_compat.h"

/*
 * To a step that named its own share of the job by --gres, srun hands the number of its tiles on a node, and the
 * word "overlap" after a blank if it shares them: "4", "4 overlap"; "0" if it wants none. No other step has it, nor
 * has a heterogeneous one, nor one that srun --export=NONE starts. The user can forge it: it says how many of the
 * job's own tiles, nothing more.
 */
#define CLIENT_STEP_TILES "TESSERA_STEP_TILES"

/*
 * In slurm_spank_init_post_opt of a client, once for each component of a heterogeneous job. Returns 0, or -1 after
 * the user was told: the program then ends and nothing is queued.
 */
int client_init_post_opt(spank_t sp, int argc, char **argv);

#endif /* TESSERA_CLIENT_H */
