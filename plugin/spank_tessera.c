/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The hooks that Slurm calls, and the file that serves each.
 */
#include "config.h"

#include "lib/slurm/compat.h"
#include "plugin/client.h"
#include "plugin/options.h"
#include "plugin/plugin_node.h"
#include "plugin/prolog.h"
#include "plugin/slurmd_start.h"
#include "plugin/step.h"

#pragma GCC visibility push(default)
SPANK_PLUGIN(tessera, 1)
TESSERA_INIT_FAILURE_MODE
#pragma GCC visibility pop

/*
 * Runs in srun, sbatch, salloc, slurmd and slurmstepd. For a job that asked for no accelerator the
 * plugin prints nothing and reads no file, except that a client reads tessera.conf. Never returns
 * an error, because Slurm drains the node for one.
 */
int slurm_spank_init(spank_t sp, int argc, char **argv)
{
	switch (spank_context()) {
	case S_CTX_SLURMD:
		plugin_node_init(argc, argv);
		slurmd_start();
		break;
	case S_CTX_LOCAL:
	case S_CTX_ALLOCATOR:
		client_init(sp, argc, argv);
		break;
	case S_CTX_REMOTE:
		if (options_register(sp, NULL) != ESPANK_SUCCESS)
			slurm_error("tessera: cannot register options: does another SPANK plugin "
				    "define the same names?");
		break;
	default:
		break;
	}
	return ESPANK_SUCCESS;
}

/*
 * All options are known. On a client a negative result ends the program; on a node it would drain
 * the node.
 */
int slurm_spank_init_post_opt(spank_t sp, int argc, char **argv)
{
	switch (spank_context()) {
	case S_CTX_LOCAL:
	case S_CTX_ALLOCATOR:
		return client_init_post_opt(sp);
	case S_CTX_REMOTE:
		plugin_node_init(argc, argv);
		return step_init_post_opt(sp);
	default:
		return ESPANK_SUCCESS;
	}
}

/* The job starts on a node: slurmd runs this as root. */
int slurm_spank_job_prolog(spank_t sp, int argc, char **argv)
{
	plugin_node_init(argc, argv);
	return prolog_run(sp);
}

/* In a task, still as root: the only hook on a node whose failure fails the job alone. */
int slurm_spank_task_init_privileged(spank_t sp, int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return step_task_init_privileged(sp);
}

/* In slurmstepd: a task has been forked. A negative result would drain the node. */
int slurm_spank_task_post_fork(spank_t sp, int argc, char **argv)
{
	(void)argc;
	(void)argv;
	if (spank_context() == S_CTX_REMOTE)
		step_task_post_fork(sp);
	return ESPANK_SUCCESS;
}

/* The process that loaded the plugin ends. */
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

/* The job has ended on the node: slurmd runs this as root. */
int slurm_spank_job_epilog(spank_t sp, int argc, char **argv)
{
	plugin_node_init(argc, argv);
	return epilog_run(sp);
}
