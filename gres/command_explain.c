/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera explain: what a request would ask of the scheduler, and what it would get on an empty healthy node.
 */
#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gres/command.h"
#include "gres/common.h"
#include "gres/explain.h"
#include "lib/sharing.h"
#include "lib/unasked.h"

static void print_help(void)
{
	puts("Usage: tessera explain [OPTION]...\n"
	     "\n"
	     "A dry run: says what a request would ask of the scheduler, and which tiles each\n"
	     "task would get on an empty node; or what is wrong with it, as srun would say it.\n"
	     "\n"
	     "  --platform=P           the machine, such as sn30-8\n"
	     "  -p, --partition=LIST   or the Slurm partitions that tessera.conf knows\n"
	     "  --conf=FILE            instead of tessera.conf beside slurm.conf\n"
	     "  --json                 one JSON object instead of words and a picture\n"
	     "\n"
	     "The request, as srun, sbatch and salloc take it:\n"
	     "  -N, --nodes=N          -n, --ntasks=N          --ntasks-per-node=N\n"
	     "  --gres=LIST            -L, --licenses=LIST\n"
	     "  --ipus=N               --ipu-gcds=N\n"
	     "  --tiles-per-task=N     --tile-affinity=SET     --tile-bind=HOW\n"
	     "  --pool=NAME=N          for the option of a pool in tessera.conf: --pool=csx=1\n"
	     "\n"
	     "Example: tessera explain --platform=sn30-8 --gres=rdu:8 -n 16 --tiles-per-task=4");
}

/* NAME=N: which of tessera.conf's pools it is. */
static int read_pool(struct explain *ex, const char *text, struct tessera_error *err)
{
	size_t len = strcspn(text, "=");
	const struct tessera_pool *pool;

	for (size_t i = 0; (pool = tessera_conf_pool_at(ex->conf, i)) != NULL; i++) {
		if (strlen(pool->name) == len && strncmp(pool->name, text, len) == 0) {
			ex->opt.pools[i] = text + len + (text[len] == '=');
			return 0;
		}
	}
	return tessera_error_set(err, TESSERA_ERR_INPUT,
				 "there is no pool '%.*s' in tessera.conf: write --pool=NAME=N for one that has a "
				 "block there",
				 len < 80 ? (int)len : 80, text);
}

/* A partition that is not known is no mistake as long as nothing of ours is asked for. */
static int find_partition(struct explain *ex, const struct tessera_platform **p, struct tessera_error *err)
{
	const struct common where = {.conf = ex->conf_path};
	char path[1024];

	if (tessera_conf_partition_platform(ex->conf, ex->partition, p, err) < 0 ||
	    tessera_conf_partition_policy(ex->conf, ex->partition, &ex->opt.policy, err) < 0)
		return -1;
	if (*p != NULL || !tessera_options_any(ex->conf, &ex->opt))
		return 0;
	return tessera_error_set(
		err, TESSERA_ERR_INPUT,
		"%s has no platform for partition %.80s: choose one that has, or let the administrator "
		"write partition %.80s { Platform = P } there",
		common_conf_path(&where, path, sizeof(path)), ex->partition, ex->partition);
}

static int find_platform(struct explain *ex, const struct tessera_platform **p, struct tessera_error *err)
{
	*p = NULL;
	/* Pools are the same for all. */
	if (tessera_options_any(ex->conf, &ex->opt) && !tessera_options_need_platform(ex->conf, &ex->opt))
		return 0;
	if (ex->platform_name == NULL && ex->partition != NULL)
		return find_partition(ex, p, err);
	*p = command_platform(ex->conf, ex->platform_name, err);
	return *p != NULL ? 0 : -1;
}

/* The tasks are a step with all tasks of the job. */
static int share_out(struct explain *ex, struct tessera_error *err)
{
	const struct tessera_request *req = &ex->req;
	const struct tessera_policy *policy =
		ex->opt.policy != NULL ? ex->opt.policy : tessera_conf_policy(ex->conf);
	const struct sharing_case all = {
		.asked = ex->opt.tiles_per_task != NULL || ex->opt.tile_bind != NULL,
		.own = sharing_own(policy),
	};
	struct tessera_split split = {
		.platform = req->platform, .tiles = &ex->tiles, .tasks = req->tasks, .bind = TESSERA_BIND_BLOCK};

	ex->each = calloc(req->tasks, sizeof(*ex->each));
	if (ex->each == NULL)
		return tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory for %u tasks", req->tasks);
	if (sharing_rule(&all) == SHARING_EVEN && tessera_split(&split, ex->each, NULL) == 0)
		return 0;
	split.bind = req->bind;
	split.tiles_per_task = req->tiles_per_task;
	split.map = req->map;
	split.map_len = req->map_len;
	return tessera_split(&split, ex->each, err);
}

/* A request that names no tiles is what Unasked of its partition makes of it, as slurmctld would. */
static int apply_unasked(struct explain *ex, struct tessera_error *err)
{
	struct unasked asked = unasked_read(&ex->opt);
	struct unasked_decision decision;

	if (ex->partition == NULL || ex->platform_name != NULL)
		return 0;
	if (unasked_decide(ex->conf, ex->partition, &asked, &decision, err) < 0)
		return -1;
	if (decision.act != UNASKED_ADD)
		return 0;
	ex->with_default = unasked_add(ex->opt.gres, decision.gres, "");
	if (ex->with_default == NULL)
		return tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory");
	ex->opt.gres = ex->with_default;
	return 0;
}

/* What the scheduler would be asked for, and the tiles of job and tasks. */
static int work_out(struct explain *ex, struct tessera_error *err)
{
	struct tessera_request *req = &ex->req;
	size_t len = 4096 + (ex->opt.gres != NULL ? 4 * strlen(ex->opt.gres) : 0) +
		     (ex->opt.licenses != NULL ? strlen(ex->opt.licenses) : 0);
	const struct tessera_platform *p;
	struct tessera_tileset all;

	for (size_t i = 0; i < ex->pool_count; i++)
		if (read_pool(ex, ex->pools[i], err) < 0)
			return -1;
	if (apply_unasked(ex, err) < 0)
		return -1;
	if (find_platform(ex, &p, err) < 0 || tessera_request_read(ex->conf, p, &ex->opt, req, err) < 0)
		return -1;
	ex->gres = malloc(len);
	ex->licenses = malloc(len);
	if (ex->gres == NULL || ex->licenses == NULL)
		return tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory");
	if (tessera_request_scheduler(ex->conf, &ex->opt, req, ex->gres, len, ex->licenses, len, err) < 0)
		return -1;
	if (req->tiles == 0)
		return 0;
	tessera_tileset_all(p, &all);
	if (tessera_place(&(struct tessera_place){.platform = p,
						  .free = &all,
						  .shape = req->shape,
						  .wish = req->has_wish ? &req->wish : NULL},
			  &ex->tiles, err) < 0)
		return -1;
	return share_out(ex, err);
}

static int explain(struct explain *ex)
{
	struct tessera_error err = {0};
	int code = TESSERA_OK;

	ex->conf = command_conf(ex->conf_path, &err);
	if (ex->conf == NULL || work_out(ex, &err) < 0) {
		code = command_fail(&err);
	} else if (ex->json) {
		explain_print_json(ex);
	} else if (explain_print_words(ex) < 0) {
		tessera_error_set(&err, TESSERA_ERR_MISSING, "the table could not be printed: %s", strerror(errno));
		code = command_fail(&err);
	}
	free(ex->each);
	free(ex->with_default);
	free(ex->gres);
	free(ex->licenses);
	tessera_conf_free(ex->conf);
	return code;
}

static int read_number(char **argv, const char *option, unsigned *number)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(optarg, &end, 10);
	if (*optarg < '0' || *optarg > '9' || *end != '\0' || errno != 0 || value == 0 || value > UINT_MAX)
		return command_usage(argv[0], "--%s=%s is not a number from 1 to %u", option, optarg, UINT_MAX);
	*number = (unsigned)value;
	return TESSERA_OK;
}

static const struct option options[] = {
	{"conf", required_argument, NULL, 'c'},
	{"gres", required_argument, NULL, 'g'},
	{"help", no_argument, NULL, 'h'},
	{"ipu-gcds", required_argument, NULL, 'G'},
	{"ipus", required_argument, NULL, 'i'},
	{"json", no_argument, NULL, 'j'},
	{"licenses", required_argument, NULL, 'L'},
	{"nodes", required_argument, NULL, 'N'},
	{"ntasks", required_argument, NULL, 'n'},
	{"ntasks-per-node", required_argument, NULL, 'T'},
	{"partition", required_argument, NULL, 'p'},
	{"platform", required_argument, NULL, 'P'},
	{"pool", required_argument, NULL, 'o'},
	{"tasks-per-node", required_argument, NULL, 'T'}, /* as srun has it */
	{"tile-affinity", required_argument, NULL, 'a'},
	{"tile-bind", required_argument, NULL, 'b'},
	{"tiles-per-task", required_argument, NULL, 't'},
	{NULL, 0, NULL, 0},
};

/* Where the text of an option goes; NULL if it is no text. */
static const char **text_of(struct explain *ex, int got)
{
	switch (got) {
	case 'a':
		return &ex->opt.tile_affinity;
	case 'b':
		return &ex->opt.tile_bind;
	case 'c':
		return &ex->conf_path;
	case 'g':
		return &ex->opt.gres;
	case 'G':
		return &ex->opt.ipu_gcds;
	case 'i':
		return &ex->opt.ipus;
	case 'L':
		return &ex->opt.licenses;
	case 'p':
		return &ex->partition;
	case 'P':
		return &ex->platform_name;
	case 't':
		return &ex->opt.tiles_per_task;
	default:
		return NULL;
	}
}

static int read_option(struct explain *ex, char **argv, int got)
{
	const char **text = text_of(ex, got);

	if (text != NULL) {
		*text = optarg;
		return TESSERA_OK;
	}
	switch (got) {
	case 'j':
		ex->json = true;
		return TESSERA_OK;
	case 'o':
		if (ex->pool_count == TESSERA_POOLS_MAX)
			return command_usage(argv[0], "--pool is given more than %d times", TESSERA_POOLS_MAX);
		ex->pools[ex->pool_count++] = optarg;
		return TESSERA_OK;
	case 'N':
		return read_number(argv, "nodes", &ex->opt.nodes);
	case 'n':
		return read_number(argv, "ntasks", &ex->opt.ntasks);
	case 'T':
		return read_number(argv, "ntasks-per-node", &ex->opt.ntasks_per_node);
	default:
		return command_bad_option(argv, got);
	}
}

int command_explain(int argc, char **argv)
{
	struct explain ex = {0};
	int got, code;

	while ((got = getopt_long(argc, argv, ":hL:n:N:p:", options, NULL)) != -1) {
		if (got == 'h') {
			print_help();
			return TESSERA_OK;
		}
		code = read_option(&ex, argv, got);
		if (code != TESSERA_OK)
			return code;
	}
	if (optind != argc)
		return command_usage(argv[0], "'%s' is not an option", argv[optind]);
	return explain(&ex);
}
