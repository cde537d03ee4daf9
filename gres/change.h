/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which changes of a job that has accelerators are allowed. Slurm lets the owner of a running job release nodes and
 * licenses, and the job would keep the partition that was made for them.
 */
#ifndef TESSERA_CHANGE_H
#define TESSERA_CHANGE_H

#include <stdbool.h>

#include "lib/conf.h"
#include "lib/error.h"
#include "plugin/slurm_compat.h"

struct change_by {
	bool privileged; /* root, SlurmUser or an operator of the cluster makes the change */
	bool started;    /* the job is not pending, or slurmctld does not tell */
};

/*
 * May DESC change OLD (NULL: slurmctld does not tell what the job has)? CONF may be NULL, if it cannot be used. Returns 0,
 * or -1 with ERR (TESSERA_ERR_DENIED, or TESSERA_ERR_INPUT for licenses that cannot be read).
 */
int change_check(const struct tessera_conf *conf, const job_desc_msg_t *desc, const job_desc_msg_t *old,
		 const struct change_by *by, struct tessera_error *err);

#endif /* TESSERA_CHANGE_H */
