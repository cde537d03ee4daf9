/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A job's control environment in slurmctld, which carries SPANK options to the job's nodes. */
#ifndef TESSERA_SPANK_ENV_H
#define TESSERA_SPANK_ENV_H

#include <stdbool.h>

#include "lib/request/request.h"
#include "lib/slurm/compat.h"

/*
 * Set the fields of OPT from tessera's options in DESC, which owns the texts; the last of each
 * wins, as in Slurm. CONF has the options of pools; NULL: without pools. Returns whether there was
 * any option, even an unknown one.
 */
bool spank_env_read(const struct tessera_conf *conf, const job_desc_msg_t *desc,
		    struct tessera_options *opt);

/* Variables in a job's control environment: each SPANK plugin of a site has a few. */
#define SPANK_ENV_MAX 4096

/*
 * Returns 0, or -1 with ERR (TESSERA_ERR_INPUT): more variables, or an option of ours longer than
 * GRES_TEXT_MAX.
 */
int spank_env_check_sizes(const job_desc_msg_t *desc, struct tessera_error *err);

/* Did the client set VAR_NO_TILES, because the job explicitly requests no tiles? */
bool spank_env_no_tiles(const job_desc_msg_t *desc);

/* Add OPTION, without its leading dashes, with the value COUNT. */
void spank_env_add(job_desc_msg_t *desc, const char *option, unsigned count);

#endif /* TESSERA_SPANK_ENV_H */
