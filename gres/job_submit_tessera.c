/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The controller's side: slurmctld calls this for every job that comes in or is changed, from whatever client.
 * Slurm loads it only if plugin_version is its own full version, so the package is rebuilt for each release.
 */
#include "config.h"

#include "plugin/slurm_compat.h"

/* What slurmctld looks up by name. */
#pragma GCC visibility push(default)

const char plugin_name[] = "tessera: accelerator requests";
const char plugin_type[] = "job_submit/tessera";
const uint32_t plugin_version = SLURM_VERSION_NUMBER;

/* slurmctld's own record of a job: never looked into, its layout is private to Slurm. */
struct job_record;

int job_submit(job_desc_msg_t *job_desc, uint32_t submit_uid, char **err_msg);
int job_modify(job_desc_msg_t *job_desc, struct job_record *job, uint32_t submit_uid TESSERA_JOB_MODIFY_ERR_MSG);

#pragma GCC visibility pop

int job_submit(job_desc_msg_t *job_desc, uint32_t submit_uid, char **err_msg)
{
	(void)job_desc;
	(void)submit_uid;
	(void)err_msg;
	return SLURM_SUCCESS;
}

int job_modify(job_desc_msg_t *job_desc, struct job_record *job, uint32_t submit_uid TESSERA_JOB_MODIFY_ERR_MSG)
{
	(void)job_desc;
	(void)job;
	(void)submit_uid;
#ifdef TESSERA_JOB_MODIFY_HAS_ERR_MSG
	(void)err_msg;
#endif
	return SLURM_SUCCESS;
}
