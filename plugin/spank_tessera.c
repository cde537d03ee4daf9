/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The SPANK plugin's table of contents: which of Slurm's calls goes to which file.
 */
#include "config.h"

#include "plugin/client.h"
#include "plugin/closeness.h"
#include "plugin/node.h"
#include "plugin/options.h"
#include "plugin/prolog.h"
#include "plugin/reap.h"
#include "plugin/site_conf.h"
#include "plugin/slurm_compat.h"
#include "plugin/step.h"

#pragma GCC visibility push(default)
SPANK_PLUGIN(tessera, 1)
#pragma GCC visibility pop

/*
 * Runs in srun, sbatch, salloc, slurmd and slurmstepd. A job that asked for no accelerator must not notice us:
 * no output, and no file but a client's tessera.conf. Slurm treats a negative answer here as a broken node, so there is none.
 */
int slurm_spank_init(spank_t sp, int argc, char **argv)
{
	switch (spank_context()) {
	case S_CTX_SLURMD:
		site_conf_keep(argc, argv);
		node_remember(argc, argv);
		reap_at_start(argc, argv);
		closeness_at_start(argc, argv);
		break;
	case S_CTX_LOCAL:
	case S_CTX_ALLOCATOR:
		client_init(sp, argc, argv);
		break;
	case S_CTX_REMOTE:
		if (options_register(sp, NULL) != ESPANK_SUCCESS)
			slurm_error("tessera: Slurm does not take our options; is there another plugin with them?");
		break;
	default:
		break;
	}
	return ESPANK_SUCCESS;
}

/* All options are known. On a client a negative answer ends the program, on a node it would break the node. */
int slurm_spank_init_post_opt(spank_t sp, int argc, char **argv)
{
	switch (spank_context()) {
	case S_CTX_LOCAL:
	case S_CTX_ALLOCATOR:
		return client_init_post_opt(sp);
	case S_CTX_REMOTE:
		site_conf_keep(argc, argv);
		return step_init_post_opt(sp, argc, argv);
	default:
		return ESPANK_SUCCESS;
	}
}

/* The job comes to a node, on which slurmd runs this as root. */
int slurm_spank_job_prolog(spank_t sp, int argc, char **argv)
{
	site_conf_keep(argc, argv);
	return prolog_run(sp, argc, argv);
}

/* A task, still as root: the one place where a failure is the job's and not the node's. */
int slurm_spank_task_init_privileged(spank_t sp, int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return step_task_init_privileged(sp);
}

/* In slurmstepd: a task has been forked. A negative answer would break the node. */
int slurm_spank_task_post_fork(spank_t sp, int argc, char **argv)
{
	(void)argc;
	(void)argv;
	if (spank_context() == S_CTX_REMOTE)
		step_task_post_fork(sp);
	return ESPANK_SUCCESS;
}

/* The end of srun, of slurmstepd, of others. */
int slurm_spank_exit(spank_t sp, int argc, char **argv)
{
	(void)sp;
	(void)argc;
	(void)argv;
	switch (spank_context()) {
	case S_CTX_LOCAL:
	case S_CTX_ALLOCATOR:
		client_exit();
		break;
	case S_CTX_REMOTE:
		step_exit();
		break;
	default:
		break;
	}
	return ESPANK_SUCCESS;
}

/* The job leaves the node. */
int slurm_spank_job_epilog(spank_t sp, int argc, char **argv)
{
	site_conf_keep(argc, argv);
	return epilog_run(sp, argc, argv);
}
