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
 * has a heterogeneous one. The name starts with SLURM, which srun --export=NONE lets through. The user can forge it: it
 * says how many of the job's own tiles, nothing more.
 */
#define CLIENT_STEP_TILES "SLURM_TESSERA_STEP_TILES"

/*
 * Set, to "1", for a step of which --tiles-per-task or --tile-bind was typed, or the variable for it: these count, where
 * what the job hands down may not (lib/sharing.h). As above; who forges it divides the job's own tiles.
 */
#define CLIENT_STEP_TYPED "SLURM_TESSERA_STEP_TYPED"

/*
 * What a job asks for, and hands down to its steps: "tiles=8", "ipus=4", "csx=1" for one of the pool csx, with commas
 * between. It gives no right to anything: where it is found and the node knows nothing of the job, something went
 * wrong, and the job must not run as if it had asked for nothing.
 */
#define CLIENT_ASKED     "SLURM_TESSERA_ASKED"
#define CLIENT_ASKED_MAX 2048 /* characters, with the final NUL */

/*
 * In the control environment of a new job whose --gres says that it wants no tiles, for slurmctld: Slurm's clients do not
 * send --gres=none along. Slurm would show it to the batch script under the second name.
 */
#define CLIENT_NO_TILES        "TESSERA_NO_TILES"
#define CLIENT_NO_TILES_SCRIPT "SLURM_SPANK_TESSERA_NO_TILES"

/*
 * What the runtime of the vendor reads in a task, and our own copy of it: a mask that is equal was inherited from us
 * and is nobody's wish.
 */
#define CLIENT_MASK      "SF_RNT_TILE_AFFINITY"
#define CLIENT_MASK_COPY "TESSERA_MASK"

/* The V-IPU partition of a task, as the vendor's runtime reads it, and our own copy likewise. */
#define CLIENT_PARTITION      "IPUOF_VIPU_API_PARTITION_ID"
#define CLIENT_PARTITION_COPY "TESSERA_PARTITION"

/* Which variables of its own MPICH's mpirun gives to its ranks (step_mpi.h), and our own copy likewise. */
#define CLIENT_HYDRA_ENV      "HYDRA_ENV"
#define CLIENT_HYDRA_ENV_COPY "TESSERA_HYDRA_ENV"

/*
 * In slurm_spank_init of a client: reads tessera.conf, whose pools have options, and tells Slurm of all options. A file
 * that cannot be used is nobody's business until something is asked for.
 */
void client_init(spank_t sp, int argc, char **argv);

/* In slurm_spank_exit of a client. */
void client_exit(void);

/*
 * In slurm_spank_init_post_opt of a client, once for each component of a heterogeneous job. Returns 0, or -1 after
 * the user was told: the program then ends and nothing is queued.
 */
int client_init_post_opt(spank_t sp);

#endif /* TESSERA_CLIENT_H */
