/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options that we add to srun, sbatch and salloc, and their values. Slurm calls back each time
 * it finds an option, on the client (environment, #SBATCH lines, command line: the last one wins)
 * and again on the node. On the node a value is the user's text: it may select among what slurmctld
 * allocated, and never extends it.
 */
#ifndef TESSERA_OPTIONS_H
#define TESSERA_OPTIONS_H

#include <stddef.h>

#include "lib/conf/conf.h"
#include "lib/conf/names.h"
#include "lib/slurm/compat.h"

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
 * Register the options with Slurm, in slurm_spank_init of a client or of slurmstepd. A client's
 * pools are those of CONF (NULL: none); slurmstepd reads no file and has them from slurmd
 * (options_export_pools()). Returns ESPANK_SUCCESS, or Slurm's error for the first option that it
 * rejects.
 */
spank_err_t options_register(spank_t sp, const struct tessera_conf *conf);

/*
 * The same for a client that has only the names of the pools' options, in the order of
 * tessera.conf.
 */
spank_err_t options_register_pools(spank_t sp, char names[][TESSERA_NAME_MAX], size_t count);

/* In slurmd: put the names of the pools' options into the environment of every slurmstepd. */
void options_export_pools(const struct tessera_conf *conf);

/* The number of options: each one is below this. */
int options_count(void);

/*
 * Renumber the pools' options as CONF has the pools. For a node whose tessera.conf was changed
 * since slurmd started.
 */
void options_match(const struct tessera_conf *conf);

/* The last value, NULL if the option was not given. Valid until the next one or options_clear(). */
const char *options_value(int option);

/* The same for the pool of that number, from 0, in tessera.conf. */
const char *options_pool_value(size_t pool);

/* How often the option was given since the last options_clear(). */
unsigned options_seen(int option);

/* Forget all values. */
void options_clear(void);

/*
 * In job_prolog and job_epilog, where Slurm does not call back: read the options that the client
 * sent with the job. The pools are those of CONF.
 */
void options_from_prolog(spank_t sp, const struct tessera_conf *conf);

/* The option without its dashes: "tiles-per-task". */
const char *options_name(int option);

/* The user's environment variable for it, on the client: TESSERA_TILES_PER_TASK. */
const char *options_environment(int option);

/*
 * Slurm's own variable for it: in a job's environment and in its control environment
 * (spank_job_env) it carries the option to the node. With the prefix SLURM_SPANK_ it passes the
 * option of a job to what runs in the job.
 */
const char *options_variable(int option);
const char *options_inherited_variable(int option);

#endif /* TESSERA_OPTIONS_H */
