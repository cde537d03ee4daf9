/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which changes of a job with accelerators are allowed. Slurm lets the owner of a running job
 * release nodes and licenses, but the job would keep the V-IPU partition made for them.
 */
#ifndef TESSERA_JOB_CHANGE_H
#define TESSERA_JOB_CHANGE_H

#include <stdbool.h>

#include "lib/conf/conf.h"
#include "lib/slurm/compat.h"
#include "lib/util/error.h"

struct job_change_by {
	bool privileged; /* by root, SlurmUser or an operator of the cluster */
	bool started;    /* the job is not pending, or that is not known */
};

/*
 * May DESC change OLD? OLD is NULL if slurmctld does not report what the job has, CONF is NULL if
 * tessera.conf cannot be read. Returns 0, or -1 with ERR (TESSERA_ERR_DENIED, or TESSERA_ERR_INPUT
 * for licenses that cannot be parsed).
 */
int job_change_check(const struct tessera_conf *conf, const job_desc_msg_t *desc,
		     const job_desc_msg_t *old, const struct job_change_by *by,
		     struct tessera_error *err);

#endif /* TESSERA_JOB_CHANGE_H */
