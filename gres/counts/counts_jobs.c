/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>

#include "gres/counts/counts_internal.h"
#include "lib/conf/gres_list.h"
#include "lib/slurm/compat.h"

/* Jobs that a user or an administrator holds have another reason. */
static bool is_held_for_counts(const job_info_t *job)
{
	return (job->job_state & JOB_STATE_BASE) == JOB_PENDING && job->priority == 0 &&
	       job->state_reason == FAIL_BAD_CONSTRAINTS &&
	       (gres_asks_tiles(job->tres_per_node) || gres_asks_tiles(job->tres_per_task));
}

int counts_release_jobs(void (*report)(uint32_t job), struct tessera_error *err)
{
	job_info_msg_t *msg = NULL;

	if (slurm_load_jobs((time_t)0, &msg, SHOW_ALL) != SLURM_SUCCESS)
		return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
					 "cannot query jobs from slurmctld: %s",
					 slurm_strerror(errno));
	for (uint32_t i = 0; i < msg->record_count; i++) {
		const job_info_t *job = &msg->job_array[i];
		job_desc_msg_t change;

		if (!is_held_for_counts(job))
			continue;
		slurm_init_job_desc_msg(&change);
		TESSERA_JOB_DESC_ID(&change) = job->job_id;
		change.priority = INFINITE; /* as scontrol release: the priority it had before */
		/* A failure is ignored: the job may have ended meanwhile. */
		if (slurm_update_job(&change) == SLURM_SUCCESS)
			report(job->job_id);
	}
	slurm_free_job_info_msg(msg);
	return 0;
}
