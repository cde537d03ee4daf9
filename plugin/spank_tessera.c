/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The SPANK plugin's table of contents: which of Slurm's calls goes to which file.
 */
#include "config.h"

#include "plugin/slurm_compat.h"

#pragma GCC visibility push(default)
SPANK_PLUGIN(tessera, 1)
#pragma GCC visibility pop

/*
 * Runs in srun, sbatch, salloc, slurmd and slurmstepd. A job that asked for no accelerator must not notice us:
 * no output, no file, no memory. Slurm treats a negative answer here as a broken node, so there is none.
 */
int slurm_spank_init(spank_t sp, int argc, char **argv)
{
	(void)sp;
	(void)argc;
	(void)argv;
	return ESPANK_SUCCESS;
}
