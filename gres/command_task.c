/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera task: a program with the share of one rank, as srun gives it to a task.
 */
#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gres/command.h"
#include "gres/rank.h"
#include "lib/request.h"
#include "plugin/client.h"
#include "plugin/options.h"
#include "plugin/step_pools.h"

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
	     "Runs COMMAND with the share of one rank under mpirun, as srun gives it to a\n"
	     "task: its part of the tiles in SF_RNT_TILE_AFFINITY, by its number on the node,\n"
	     "or its GCD of the IPUs, by its number in all. Without it ranks share all tiles.\n"
	     "Under srun, which has done so, nothing changes unless an option is given.\n"
	     "\n"
	     "  --tiles-per-task=N  so many tiles for each rank; otherwise as many as the job\n"
	     "                      was asked for with that option, or an equal part of all\n"
	     "  --tile-bind=HOW     block, cyclic or map:LIST, as srun has it; none: all ranks\n"
	     "                      have all tiles\n"
	     "  --node=NAME         the node, if this machine has several\n"
	     "  --platform=P        the machine, such as sn30-8, instead of the node's\n"
	     "  --conf=FILE         instead of tessera.conf beside slurm.conf\n"
	     "\n"
	     "Exit codes: that of COMMAND; 1 there is no such share, 2 usage, 126 COMMAND\n"
	     "cannot be run, 127 it was not found.\n"
	     "\n"
	     "Example: mpirun -np 16 tessera task -- python train.py");
}

/* The machine that this rank is on. NULL with ERR if nothing says so. */
static const struct tessera_platform *find_platform(const struct task *task, const struct tessera_conf *conf,
						    struct tessera_error *err)
{
	const struct tessera_platform *p = NULL;
	const char *node = task->node != NULL ? task->node : getenv("SLURMD_NODENAME");

	if (task->platform_name == NULL && node != NULL)
		p = tessera_conf_node_platform(conf, node);
	return p != NULL ? p : command_platform(conf, task->platform_name, err);
}

/* How the job was asked to share its tiles out, unless it was said here. */
static void inherit(struct tessera_options *opt)
{
	if (opt->tiles_per_task != NULL || opt->tile_bind != NULL)
		return;
	opt->tiles_per_task = getenv(OPTIONS_INHERITED "tiles_per_task");
	opt->tile_bind = getenv(OPTIONS_INHERITED "tile_bind");
	if (opt->tiles_per_task == NULL && opt->tile_bind == NULL)
		opt->tile_bind = "block";
}

/* TILES, which all ranks of the node have, become this rank's. */
static int divide(struct task *task, const struct tessera_conf *conf, const struct tessera_platform *p,
		  struct tessera_tileset *tiles, struct tessera_error *err)
{
	struct tessera_tileset *each = calloc(task->rank.count_here, sizeof(*each));
	struct tessera_request req;
	int rc = -1;

	if (each == NULL)
		return tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory for %u ranks",
					 task->rank.count_here);
	inherit(&task->opt);
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

static int set_mask(struct task *task, const struct tessera_conf *conf, const char *mask, struct tessera_error *err)
{
	const struct tessera_platform *p = find_platform(task, conf, err);
	char text[TESSERA_TILESET_TEXT_MAX];
	struct tessera_tileset tiles;

	if (p == NULL)
		return -1;
	if (p->kind != TESSERA_KIND_RDU)
		return 0;
	if (tessera_tileset_parse(p, mask, &tiles, err) < 0)
		return tessera_error_prefix(err, CLIENT_MASK "=%.80s", mask);
	if (divide(task, conf, p, &tiles, err) < 0)
		return tessera_error_prefix(err, CLIENT_MASK "=%.80s", mask);
	tessera_tileset_format(p, &tiles, TESSERA_FORM_MASK, text, sizeof(text));
	/* The grant for all of them is good for a part. */
	setenv(CLIENT_MASK, text, 1);
	setenv(CLIENT_MASK_COPY, text, 1);
	return 0;
}

static bool asks_share(const struct task *task)
{
	return task->opt.tiles_per_task != NULL || task->opt.tile_bind != NULL;
}

static int share_tiles(struct task *task, struct tessera_error *err)
{
	const char *mask = getenv(CLIENT_MASK);
	struct tessera_conf *conf;
	int rc;

	if (mask == NULL || mask[0] == '\0' || (task->rank.shared_out && !asks_share(task)))
		return 0;
	conf = command_conf(task->conf_path, err);
	if (conf == NULL)
		return -1;
	rc = set_mask(task, conf, mask, err);
	tessera_conf_free(conf);
	return rc;
}

/* A partition that the user named himself is none of ours. */
static bool has_partition(void)
{
	const char *partition = getenv(STEP_API_PARTITION), *copy = getenv(STEP_PARTITION);

	return partition != NULL && copy != NULL && strcmp(partition, copy) == 0;
}

static void share_gcds(const struct task *task)
{
	const char *gcds = getenv(STEP_GCDS);
	char text[16];

	if (!has_partition() || gcds == NULL || task->rank.shared_out)
		return;
	snprintf(text, sizeof(text), "%u",
		 tessera_request_gcd((unsigned)strtoul(gcds, NULL, 10), task->rank.count, task->rank.number));
	setenv(STEP_API_GCD, text, 1);
}

/* Make the environment that of one rank. */
static int share(struct task *task, struct tessera_error *err)
{
	const char *mask = getenv(CLIENT_MASK);

	if ((mask == NULL || mask[0] == '\0') && !has_partition())
		return 0;
	if (rank_find(&task->rank, err) < 0)
		return -1;
	if (task->rank.launcher == NULL)
		return tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"this is not a rank: neither MPI_LOCALRANKID, OMPI_COMM_WORLD_LOCAL_RANK nor srun's "
			"SLURM_STEP_TASKS_PER_NODE is set; type mpirun or srun before tessera task");
	share_gcds(task);
	return share_tiles(task, err);
}

static int run(char **command)
{
	int code;

	execvp(command[0], command);
	code = errno == ENOENT ? NOT_FOUND : CANNOT_RUN;
	fprintf(stderr, "tessera: %s cannot be run: %s\n", command[0], strerror(errno));
	return code;
}

int command_task(int argc, char **argv)
{
	static const struct option options[] = {
		{"conf", required_argument, NULL, 'c'},
		{"help", no_argument, NULL, 'h'},
		{"node", required_argument, NULL, 'N'},
		{"platform", required_argument, NULL, 'p'},
		{"tile-bind", required_argument, NULL, 'b'},
		{"tiles-per-task", required_argument, NULL, 't'},
		{NULL, 0, NULL, 0},
	};
	struct tessera_error err = {0};
	struct task task = {0};
	int got;

	/* What comes after COMMAND is its own. */
	while ((got = getopt_long(argc, argv, "+:h", options, NULL)) != -1) {
		switch (got) {
		case 'b':
			task.opt.tile_bind = optarg;
			break;
		case 'c':
			task.conf_path = optarg;
			break;
		case 'N':
			task.node = optarg;
			break;
		case 'p':
			task.platform_name = optarg;
			break;
		case 't':
			task.opt.tiles_per_task = optarg;
			break;
		case 'h':
			print_help();
			return TESSERA_OK;
		default:
			return command_bad_option(argv, got);
		}
	}
	if (optind == argc)
		return command_usage(argv[0], "which command? It is missing");
	if (share(&task, &err) < 0)
		return command_fail(&err);
	return run(argv + optind);
}
