/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options that srun, sbatch and salloc get from us, and what was given for them. Slurm calls back for each time
 * that an option is met, on the client (from the environment, #SBATCH lines, the command line: the last one wins)
 * and again on the node. What arrives on the node is a user's text: a wish, never a right.
 */
#ifndef TESSERA_OPTIONS_H
#define TESSERA_OPTIONS_H

#include "plugin/slurm_compat.h"

#define OPTION_TEXT_MAX 4096 /* characters of a value */

enum plugin_option {
	OPTION_TILES_PER_TASK,
	OPTION_TILE_AFFINITY,
	OPTION_TILE_BIND,
	OPTION_COUNT,
};

/*
 * Tell Slurm of the options, in slurm_spank_init of a client or of slurmstepd. Returns ESPANK_SUCCESS, or what Slurm
 * says to the first one that it does not take.
 */
spank_err_t options_register(spank_t sp);

/* What was given last, NULL if nothing. Good until it is given again or options_clear(). */
const char *options_value(enum plugin_option option);

/* How often it was given since the last options_clear(). */
unsigned options_seen(enum plugin_option option);

/* Forget all values. */
void options_clear(void);

/* In job_prolog and job_epilog, where nobody has called back: read what the client sent along with the job. */
void options_from_prolog(spank_t sp);

/* The option without its dashes: "tiles-per-task". */
const char *options_name(enum plugin_option option);

/* The environment variable that stands for it on the client: TESSERA_TILES_PER_TASK. */
const char *options_twin(enum plugin_option option);

/*
 * Slurm's own variable for it: in a job's environment and in its control environment (spank_job_env) it carries the
 * option to the node. With SLURM_SPANK_ before it, it hands the option of a job down to what runs in the job.
 */
const char *options_variable(enum plugin_option option);
const char *options_inherited_variable(enum plugin_option option);

#endif /* TESSERA_OPTIONS_H */
