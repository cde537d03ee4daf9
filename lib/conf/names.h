/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names of all environment variables between Tessera, Slurm and the vendors' runtimes.
 *
 * A *_COPY holds the value that Tessera set: a variable equal to its copy was inherited from an
 * outer job, and was not set by the user.
 */
#ifndef TESSERA_NAMES_H
#define TESSERA_NAMES_H

/* Read by SambaNova's runtime in a task. */
#define VAR_MASK      "SF_RNT_TILE_AFFINITY"
#define VAR_MASK_COPY "TESSERA_MASK"

/* Read by Graphcore's runtime in a task. */
#define VAR_VIPU_HOST      "IPUOF_VIPU_API_HOST"
#define VAR_VIPU_PORT      "IPUOF_VIPU_API_PORT"
#define VAR_VIPU_GCD       "IPUOF_VIPU_API_GCD_ID"
#define VAR_VIPU_TIMEOUT   "IPUOF_VIPU_API_TIMEOUT"
#define VAR_PARTITION      "IPUOF_VIPU_API_PARTITION_ID"
#define VAR_PARTITION_COPY "TESSERA_PARTITION"
#define VAR_PARTITION_GCDS "TESSERA_PARTITION_GCDS" /* number of GCDs, for tessera task */
#define VAR_IPUOF_CONFIG   "IPUOF_CONFIG_PATH"

/* Which variables MPICH's mpirun passes to its ranks (plugin/step_env.h). */
#define VAR_HYDRA_ENV      "HYDRA_ENV"
#define VAR_HYDRA_ENV_COPY "TESSERA_HYDRA_ENV"

/*
 * Set by srun for a step with its own --gres: the number of its tiles on a node, followed by
 * " overlap" if it shares them: "4", "4 overlap"; "0" for none. For --tres-per-task it is the
 * number for each task: "4 each", "4 each overlap". Not set for heterogeneous steps.
 * The name starts with SLURM because srun --export=NONE passes such variables. A user who forges it
 * only changes how many of the job's own tiles the step gets.
 */
#define VAR_STEP_TILES     "SLURM_TESSERA_STEP_TILES"
#define STEP_TILES_EACH    " each"
#define STEP_TILES_OVERLAP " overlap"

/*
 * Set to "1" by srun for a step that has its own --tiles-per-task, --tres-per-task or --tile-bind,
 * or the variable for it: these always apply, while values inherited from the job may not
 * (lib/request/sharing.h).
 * A user who forges it only changes how the job's own tiles are divided.
 */
#define VAR_STEP_TYPED "SLURM_TESSERA_STEP_TYPED"

/*
 * What a job requested, inherited by its steps: "tiles=8", "ipus=4", "csx=1" for one of the pool
 * csx, separated by commas. It does not authorize anything. If it is set but the node has no record
 * of the job, the prolog failed, and the job must not run without its accelerators.
 */
#define VAR_ASKED     "SLURM_TESSERA_ASKED"
#define VAR_ASKED_MAX 2048 /* characters, with the final NUL */

/*
 * Set in the job control environment of a new job that declines tiles by --gres, for slurmctld,
 * because Slurm's clients do not send --gres=none. Slurm would pass it to the batch script under
 * the second name.
 */
#define VAR_NO_TILES        "TESSERA_NO_TILES"
#define VAR_NO_TILES_SCRIPT "SLURM_SPANK_TESSERA_NO_TILES"

/*
 * Prefix of Slurm's variable for a SPANK option, followed by the option's name with _ for -. In the
 * job control environment it passes the option to the node; in the job's environment, with the
 * second prefix, to steps and jobs started by the job.
 */
#define VAR_OPTION           "_SLURM_SPANK_OPTION_tessera_"
#define VAR_OPTION_INHERITED "SLURM_SPANK_" VAR_OPTION

#define OPTION_TEXT_MAX 4096 /* characters of an option's value */

/* In slurmd's environment, for its slurmstepds (plugin/slurmd_start.h). */
#define VAR_NODE_LEDGER     "TESSERA_NODE_LEDGER"
#define VAR_NODE_CONF       "TESSERA_NODE_CONF"
#define VAR_NODE_POOLS      "TESSERA_NODE_POOLS"
#define VAR_NODE_EMPTY_MASK "TESSERA_NODE_EMPTY_MASK"
#define VAR_NODE_NO_MUNGE   "TESSERA_NODE_NO_MUNGE"

/* The NodeName of this node, in the environment of slurmd's child processes. */
#define VAR_SLURMD_NODENAME "SLURMD_NODENAME"

/* Which errors hwloc prints itself: hwloc(7). */
#define VAR_HWLOC_HIDE_ERRORS "HWLOC_HIDE_ERRORS"

#endif /* TESSERA_NAMES_H */
