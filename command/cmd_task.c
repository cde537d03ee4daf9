/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera task: run a program with the share of one MPI rank, as srun sets it for a task.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/cli.h"
#include "command/command.h"
#include "command/rank.h"
#include "lib/conf/names.h"
#include "lib/request/request.h"

#define CANNOT_RUN 126 /* as in a shell */
#define NOT_FOUND  127

struct task {
	const char *conf_path;
	const char *node;
	const char *platform_name;
	struct tessera_options opt;
	struct rank rank;
};

static void print_help(void)
{
	puts("Usage: tessera task [OPTION]... [--] COMMAND [ARG]...\n"
	     "\n"
	     "Run COMMAND under mpirun with one rank's share, as srun sets it for a task: its\n"
	     "part of the tiles in SF_RNT_TILE_AFFINITY, by its rank on the node, or its GCD,\n"
	     "by its rank in the job. Without it, all ranks have all tiles. Under srun, which\n"
	     "has already set the share, only an option changes it.\n"
	     "\n"
	     "  --tiles-per-task=N  tiles per rank (default: that of the job, or an equal part\n"
	     "                      of all tiles)\n"
	     "  --tile-bind=HOW     block, cyclic or map:LIST, as for srun; none: all ranks\n"
	     "                      have all tiles\n"
	     "  --node=NAME         this node, if the machine has several\n"
	     "  --platform=P        platform, such as sn30-8 (default: the node's)\n"
	     "  --conf=FILE         use FILE instead of tessera.conf beside slurm.conf\n"
	     "\n"
	     "Exit codes: that of COMMAND; 1 the tiles cannot be divided so, 2 usage, 126\n"
	     "COMMAND cannot be run, 127 COMMAND not found.\n"
	     "\n"
	     "Example: mpirun -np 16 tessera task -- python train.py");
}

/* Find the platform of the node that runs this rank. Returns NULL with ERR. */
static const struct tessera_platform *
find_platform(const struct task *task, const struct tessera_conf *conf, struct tessera_error *err)
{
	const struct tessera_platform *p = NULL;
	const char *node = task->node != NULL ? task->node : getenv("SLURMD_NODENAME");

	if (task->platform_name == NULL && node != NULL)
		p = tessera_conf_node_platform(conf, node);
	return p != NULL ? p : cli_platform(conf, task->platform_name, err);
}

/* Without options of its own, use those of the job, else an equal part of all tiles. */
static void inherit_options(struct tessera_options *opt)
{
	if (opt->tiles_per_task != NULL || opt->tile_bind != NULL)
		return;
	opt->tiles_per_task = getenv(VAR_OPTION_INHERITED "tiles_per_task");
	opt->tile_bind = getenv(VAR_OPTION_INHERITED "tile_bind");
	if (opt->tiles_per_task == NULL && opt->tile_bind == NULL)
		opt->tile_bind = "block";
}

/* Reduce TILES, those of all ranks on the node, to this rank's. Returns 0, or -1 with ERR. */
static int divide_tiles(struct task *task, const struct tessera_conf *conf,
			const struct tessera_platform *p, struct tessera_tileset *tiles,
			struct tessera_error *err)
{
	struct tessera_tileset *each = calloc(task->rank.count_here, sizeof(*each));
	struct tessera_request req;
	int rc = -1;

	if (each == NULL)
		return tessera_error_nomem(err);
	inherit_options(&task->opt);
	task->opt.step = true;
	task->opt.ntasks_per_node = task->rank.count_here;
	if (tessera_request_read(conf, p, &task->opt, &req, err) == 0 &&
	    tessera_split(&(struct tessera_split){.platform = p,
						  .tiles = tiles,
						  .tasks = task->rank.count_here,
						  .bind = req.bind,
						  .tiles_per_task = req.tiles_per_task,
						  .map = req.map,
						  .map_len = req.map_len},
			  each, err) == 0) {
		*tiles = each[task->rank.here];
		rc = 0;
	}
	free(each);
	return rc;
}

static int set_mask(struct task *task, const struct tessera_conf *conf, const char *mask,
		    struct tessera_error *err)
{
	const struct tessera_platform *p = find_platform(task, conf, err);
	char text[TESSERA_TILESET_TEXT_MAX];
	struct tessera_tileset tiles;

	if (p == NULL)
		return -1;
	if (p->kind != TESSERA_KIND_RDU)
		return 0;
	if (tessera_tileset_parse(p, mask, &tiles, err) < 0)
		return tessera_error_prefix(err, VAR_MASK "=%.80s", mask);
	if (divide_tiles(task, conf, p, &tiles, err) < 0)
		return tessera_error_prefix(err, VAR_MASK "=%.80s", mask);
	tessera_tileset_format(p, &tiles, TESSERA_FORM_MASK, text, sizeof(text));
	/* The grant for all tiles remains valid for a part of them. */
	setenv(VAR_MASK, text, 1);
	setenv(VAR_MASK_COPY, text, 1);
	return 0;
}

static bool has_share_option(const struct task *task)
{
	return task->opt.tiles_per_task != NULL || task->opt.tile_bind != NULL;
}

static int share_tiles(struct task *task, struct tessera_error *err)
{
	const char *mask = getenv(VAR_MASK);
	struct tessera_conf *conf;
	int rc;

	if (mask == NULL || mask[0] == '\0' || (task->rank.shared_out && !has_share_option(task)))
		return 0;
	conf = cli_read_conf(task->conf_path, err);
	if (conf == NULL)
		return -1;
	rc = set_mask(task, conf, mask, err);
	tessera_conf_free(conf);
	return rc;
}

/* Is the partition variable as the plugin set it, and not the user's own? */
static bool has_partition(void)
{
	const char *partition = getenv(VAR_PARTITION), *copy = getenv(VAR_PARTITION_COPY);

	return partition != NULL && copy != NULL && strcmp(partition, copy) == 0;
}

static void share_gcds(const struct task *task)
{
	const char *gcds = getenv(VAR_PARTITION_GCDS);
	char text[16];

	if (!has_partition() || gcds == NULL || task->rank.shared_out)
		return;
	snprintf(text, sizeof(text), "%u",
		 tessera_request_gcd((unsigned)strtoul(gcds, NULL, 10), task->rank.count,
				     task->rank.number));
	setenv(VAR_VIPU_GCD, text, 1);
}

/* Set the environment variables of this rank. */
static int set_share(struct task *task, struct tessera_error *err)
{
	const char *mask = getenv(VAR_MASK);

	if ((mask == NULL || mask[0] == '\0') && !has_partition())
		return 0;
	if (rank_find(&task->rank, err) < 0)
		return -1;
	if (task->rank.launcher == NULL)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "not started by mpirun or srun: neither MPI_LOCALRANKID, "
					 "OMPI_COMM_WORLD_LOCAL_RANK nor srun's "
					 "SLURM_STEP_TASKS_PER_NODE is set; type mpirun or srun "
					 "before tessera task");
	share_gcds(task);
	return share_tiles(task, err);
}

/* Returns only if COMMAND cannot be run: the exit code. */
static int exec_command(char **command)
{
	int code;

	execvp(command[0], command);
	code = errno == ENOENT ? NOT_FOUND : CANNOT_RUN;
	fprintf(stderr, "tessera: %s cannot be run: %s\n", command[0], strerror(errno));
	return code;
}

int cmd_task(int argc, char **argv)
{
	struct tessera_error err = {0};
	struct task task = {0};
	const struct cli_row rows[] = {
		{"conf", 0, CLI_TEXT, &task.conf_path, NULL},
		{"node", 0, CLI_TEXT, &task.node, NULL},
		{"platform", 0, CLI_TEXT, &task.platform_name, NULL},
		{"tile-bind", 0, CLI_TEXT, &task.opt.tile_bind, NULL},
		{"tiles-per-task", 0, CLI_TEXT, &task.opt.tiles_per_task, NULL},
		CLI_END,
	};
	int code = cli_parse(argc, argv, rows, CLI_COMMAND, print_help);

	if (code != CLI_GO_ON)
		return code;
	if (optind == argc)
		return cli_usage(argv[0], "which command? COMMAND is missing");
	if (set_share(&task, &err) < 0)
		return cli_fail(&err);
	return exec_command(argv + optind);
}
