/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options that srun, sbatch and salloc get from us, and what was given for them. Slurm calls back for each time
 * that an option is met, on the client (from the environment, #SBATCH lines, the command line: the last one wins)
 * and again on the node. What arrives on the node is a user's text: a wish, never a right.
 */
#ifndef TESSERA_OPTIONS_H
#define TESSERA_OPTIONS_H

#include <stddef.h>

#include "lib/conf.h"
#include "plugin/slurm_compat.h"

#define OPTION_TEXT_MAX 4096 /* characters of a value */

enum plugin_option {
	OPTION_TILES_PER_TASK,
	OPTION_TILE_AFFINITY,
	OPTION_TILE_BIND,
	OPTION_IPUS,
	OPTION_IPU_GCDS,
	OPTION_FIRST_POOL, /* from here on, one for each pool of tessera.conf */
	OPTION_MAX = OPTION_FIRST_POOL + TESSERA_POOLS_MAX,
};

/*
 * Tell Slurm of the options, in slurm_spank_init of a client or of slurmstepd. A client's pools are CONF's, NULL: none;
 * slurmstepd reads no file and has them from slurmd (options_remember()). Returns ESPANK_SUCCESS, or what Slurm says to
 * the first one that it does not take.
 */
spank_err_t options_register(spank_t sp, const struct tessera_conf *conf);

/* The same for a client that knows the names of the pools' options, in the order of tessera.conf, and nothing else of it. */
spank_err_t options_register_pools(spank_t sp, char names[][TESSERA_NAME_MAX], size_t count);

/* In slurmd: leave the names of the pools' options to every slurmstepd. Nothing of SPANK is used here. */
#define OPTIONS_REMEMBERED "TESSERA_NODE_POOLS"
void options_remember(const struct tessera_conf *conf);

/* In the environment of a job, before the name of an option (with _ for -) that it hands down to what runs in it. */
#define OPTIONS_INHERITED "SLURM_SPANK__SLURM_SPANK_OPTION_tessera_"

/* How many there are: an option is below this. */
int options_count(void);

/*
 * The numbers of pools shall be CONF's from now on. On a node: slurmd may have started before tessera.conf was
 * changed.
 */
void options_match(const struct tessera_conf *conf);

/* What was given last, NULL if nothing. Good until it is given again or options_clear(). */
const char *options_value(int option);

/* The same for the pool of that number, from 0, in tessera.conf. */
const char *options_pool_value(size_t pool);

/* How often it was given since the last options_clear(). */
unsigned options_seen(int option);

/* Forget all values. */
void options_clear(void);

/*
 * In job_prolog and job_epilog, where nobody has called back: read what the client sent along with the job. The pools
 * are CONF's.
 */
void options_from_prolog(spank_t sp, const struct tessera_conf *conf);

/* The option without its dashes: "tiles-per-task". */
const char *options_name(int option);

/* The environment variable that stands for it on the client: TESSERA_TILES_PER_TASK. */
const char *options_twin(int option);

/*
 * Slurm's own variable for it: in a job's environment and in its control environment (spank_job_env) it carries the
 * option to the node. With SLURM_SPANK_ before it, it hands the option of a job down to what runs in the job.
 */
const char *options_variable(int option);
const char *options_inherited_variable(int option);

#endif /* TESSERA_OPTIONS_H */
