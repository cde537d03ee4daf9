/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the value of an option comes from, on the client. Slurm passes the options of a job to
 * whatever runs in it, and those of a heterogeneous job's component to the next one. Only what was
 * given for this component is a request.
 */
#ifndef TESSERA_CLIENT_ENV_H
#define TESSERA_CLIENT_ENV_H

#include <stdbool.h>

#include "lib/conf/conf.h"
#include "lib/util/error.h"
#include "plugin/options.h"

enum source {
	SOURCE_NONE,
	/* on this command line, in this script, or in the environment outside any job */
	SOURCE_GIVEN,
	SOURCE_INHERITED, /* from the job around us, or from an earlier component */
	SOURCE_VARIABLE,  /* from TESSERA_... in the environment */
	SOURCE_COUNT,     /* --gres or --licenses */
};

struct sources {
	enum source source[OPTION_MAX];
	const char *value[OPTION_MAX]; /* NULL with SOURCE_NONE and SOURCE_INHERITED */
	char count[OPTION_MAX][12];    /* value points here with SOURCE_COUNT */
};

/* What --gres and --licenses ask for. */
struct client_env_asked {
	bool tiles;
	bool ipus;
	bool pools[TESSERA_POOLS_MAX];
};

/* Find the source of each option. Once for each component, before options_clear(). */
void client_env_find(struct sources *sources);

/* Was any option given or inherited, or is any of the environment variables set? */
bool client_env_any(const struct sources *sources);

/*
 * Use the environment variables of options that were not given. Those of --ipus and of pools are
 * requests, but not inside a job: there such a variable may be one that we set for a task. The
 * others only say how, and count if tiles or IPUs are asked for. In a step an inherited option
 * comes before a variable. Returns 0, or -1 with ERR if a value is too long.
 */
int client_env_add_variables(struct sources *sources, const struct client_env_asked *asked,
			     bool step, struct tessera_error *err);

/*
 * Use MASK, the user's SF_RNT_TILE_AFFINITY, as --tile-affinity if tiles are asked for and neither
 * the option nor its variable is given. Returns true if it is used.
 */
bool client_env_add_mask(struct sources *sources, const struct client_env_asked *asked,
			 const char *mask);

/* Set OPTION to COUNT, which --gres or --licenses asks for, unless it has a value. */
void client_env_add_count(struct sources *sources, int option, unsigned count);

/*
 * Set the variables by which the options of this component, and no others, reach slurmctld, its
 * prolog and its steps. With STEP, inherited ones stay. This cannot stop srun from sending an
 * option of one component with the steps of all.
 */
void client_env_publish(const struct sources *sources, spank_t sp, bool step);

/*
 * Remove the outer job's variables from this program's environment: those that are as we set them,
 * and those of CONF's pools (NULL: none are known). Once only: the components of a heterogeneous
 * job share this environment.
 */
void client_env_unset_outer(const struct tessera_conf *conf);

#endif /* TESSERA_CLIENT_ENV_H */
