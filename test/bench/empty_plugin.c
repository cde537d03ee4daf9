/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A SPANK plugin that does nothing, to be measured against. With -DHOOKS it has a prolog and an epilog, for which slurmd
 * starts a process each.
 */
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
	return slurm_spank_init(sp, argc, argv);
}

int slurm_spank_job_epilog(spank_t sp, int argc, char **argv)
{
	return slurm_spank_init(sp, argc, argv);
}
#endif
