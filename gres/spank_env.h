/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job's control environment as slurmctld has it: there the options of SPANK plugins travel to the job's nodes.
 */
#ifndef TESSERA_SPANK_ENV_H
#define TESSERA_SPANK_ENV_H

#include <stdbool.h>

#include "lib/request.h"
#include "plugin/slurm_compat.h"

/*
 * Put the options of ours that DESC carries into OPT, whose texts are DESC's then; the last one of each counts, as for
 * Slurm. CONF knows the pools, NULL: nobody does. Returns whether there was any, even one that is not known.
 */
bool spank_env_read(const struct tessera_conf *conf, const job_desc_msg_t *desc, struct tessera_options *opt);

/* Variables of a job that are looked at: a few for each SPANK plugin of a site. */
#define SPANK_ENV_MAX 4096

/* Returns 0, or -1 with ERR (TESSERA_ERR_INPUT): more variables, or an option of ours longer than GRES_TEXT_MAX. */
int spank_env_check_sizes(const job_desc_msg_t *desc, struct tessera_error *err);

/* Did the client send word that its job wants no tiles (CLIENT_NO_TILES)? */
bool spank_env_no_tiles(const job_desc_msg_t *desc);

/* Add OPTION, without its dashes, with the value COUNT. */
void spank_env_add(job_desc_msg_t *desc, const char *option, unsigned count);

#endif /* TESSERA_SPANK_ENV_H */
