/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A SPANK plugin that does nothing, for comparison. With -DHOOKS it has a prolog and an epilog, for
 * which slurmd starts a process each. With -DASK its prolog queries the allocation of the job from
 * slurmctld, which every plugin must do that trusts slurmctld only.
 */
#define SLURM_BACKWARD_COMPAT
#include <slurm/slurm.h>
#include <slurm/spank.h>

SPANK_PLUGIN(empty, 1)

int slurm_spank_init(spank_t sp, int argc, char **argv)
{
	(void)sp;
	(void)argc;
	(void)argv;
	return 0;
}

#ifdef HOOKS
int slurm_spank_job_prolog(spank_t sp, int argc, char **argv)
{
#ifdef ASK
	job_info_msg_t *msg = NULL;
	uint32_t job = 0;

	if (spank_get_item(sp, S_JOB_ID, &job) == ESPANK_SUCCESS &&
	    slurm_load_job(&msg, job, SHOW_DETAIL | SHOW_LOCAL) == SLURM_SUCCESS)
		slurm_free_job_info_msg(msg);
#endif
	return slurm_spank_init(sp, argc, argv);
}

int slurm_spank_job_epilog(spank_t sp, int argc, char **argv)
{
	return slurm_spank_init(sp, argc, argv);
}
#endif
