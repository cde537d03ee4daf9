/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera explain: show the GRES and licenses of a request, and the tiles that each task would get
 * on an idle node without bad tiles.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/cli.h"
#include "command/command.h"
#include "command/view/cli_options.h"
#include "command/view/explain.h"
#include "lib/request/sharing.h"
#include "lib/request/unasked.h"

static void print_help(void)
{
	puts("Usage: tessera explain [OPTION]...\n"
	     "\n"
	     "Dry run of a request: print the GRES and licenses that it requests from Slurm,\n"
	     "and the tiles that each task would get on an idle node. An invalid request gets\n"
	     "the same message as from srun.\n"
	     "\n"
	     "  --platform=P           platform, such as sn30-8, or\n"
	     "  -p, --partition=LIST   Slurm partitions with a platform in tessera.conf\n"
	     "  --conf=FILE            use FILE instead of tessera.conf beside slurm.conf\n"
	     "  --json                 print one JSON object\n"
	     "\n"
	     "The request, with the options of srun, sbatch and salloc:\n"
	     "  -N, --nodes=N          -n, --ntasks=N          --ntasks-per-node=N\n"
	     "  --gres=LIST            -L, --licenses=LIST\n"
	     "  --ipus=N               --ipu-gcds=N\n"
	     "  --tiles-per-task=N     --tile-affinity=SET     --tile-bind=HOW\n"
	     "  --pool=NAME=N          units of a pool in tessera.conf, such as --pool=csx=1\n"
	     "\n"
	     "Example: tessera explain --platform=sn30-8 --gres=rdu:8 -n 16 --tiles-per-task=4");
}

/* Store TEXT, "NAME=N", as the value of the option of pool NAME. */
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
	return tessera_error_set(
		err, TESSERA_ERR_INPUT,
		"there is no pool '%.*s' in tessera.conf: use --pool=NAME=N with the name of a "
		"pool block there",
		len < 80 ? (int)len : 80, text);
}

/* A partition without a platform is an error only for a request of accelerators. */
static int find_partition(struct explain *ex, const struct tessera_platform **p,
			  struct tessera_error *err)
{
	const struct cli_options where = {.conf = ex->conf_path};
	char path[1024];

	if (tessera_conf_partition_platform(ex->conf, ex->partition, p, err) < 0 ||
	    tessera_conf_partition_policy(ex->conf, ex->partition, &ex->opt.policy, err) < 0)
		return -1;
	if (*p != NULL || !tessera_options_any(ex->conf, &ex->opt))
		return 0;
	return tessera_error_set(err, TESSERA_ERR_INPUT,
				 "%s has no platform for partition %.80s: choose another "
				 "partition, or have the administrator add partition %.80s "
				 "{ Platform = P } there",
				 cli_conf_path(&where, path, sizeof(path)), ex->partition,
				 ex->partition);
}

static int find_platform(struct explain *ex, const struct tessera_platform **p,
			 struct tessera_error *err)
{
	*p = NULL;
	/* Pools do not depend on the platform. */
	if (tessera_options_any(ex->conf, &ex->opt) &&
	    !tessera_options_need_platform(ex->conf, &ex->opt))
		return 0;
	if (ex->platform_name == NULL && ex->partition != NULL)
		return find_partition(ex, p, err);
	*p = cli_platform(ex->conf, ex->platform_name, err);
	return *p != NULL ? 0 : -1;
}

/* Divide the job's tiles among its tasks, as for a step with all tasks of the job. */
static int divide_tiles(struct explain *ex, struct tessera_error *err)
{
	const struct tessera_request *req = &ex->req;
	const struct tessera_policy *policy =
		ex->opt.policy != NULL ? ex->opt.policy : tessera_conf_policy(ex->conf);
	const struct sharing_case all = {
		.asked = ex->opt.tiles_per_task != NULL || ex->opt.tile_bind != NULL,
		.own = sharing_own(policy),
	};
	struct tessera_split split = {.platform = req->platform,
				      .tiles = &ex->tiles,
				      .tasks = req->tasks,
				      .bind = TESSERA_BIND_BLOCK};

	ex->each = calloc(req->tasks, sizeof(*ex->each));
	if (ex->each == NULL)
		return tessera_error_nomem(err);
	if (sharing_rule(&all) == SHARING_EVEN && tessera_split(&split, ex->each, NULL) == 0)
		return 0;
	split.bind = req->bind;
	split.tiles_per_task = req->tiles_per_task;
	split.map = req->map;
	split.map_len = req->map_len;
	return tessera_split(&split, ex->each, err);
}

/* Apply the partition's Unasked to a request without tiles, as job_submit does in slurmctld. */
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
		return tessera_error_nomem(err);
	ex->opt.gres = ex->with_default;
	return 0;
}

/* Compute the GRES and licenses of the request, and the tiles of the job and of each task. */
static int compute_result(struct explain *ex, struct tessera_error *err)
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
	if (find_platform(ex, &p, err) < 0 ||
	    tessera_request_read(ex->conf, p, &ex->opt, req, err) < 0)
		return -1;
	ex->gres = malloc(len);
	ex->licenses = malloc(len);
	if (ex->gres == NULL || ex->licenses == NULL)
		return tessera_error_nomem(err);
	if (tessera_request_scheduler(ex->conf, &ex->opt, req, ex->gres, len, ex->licenses, len,
				      err) < 0)
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
	return divide_tiles(ex, err);
}

static int explain_request(struct explain *ex)
{
	struct tessera_error err = {0};
	int code = TESSERA_OK;

	ex->conf = cli_read_conf(ex->conf_path, &err);
	if (ex->conf == NULL || compute_result(ex, &err) < 0) {
		code = cli_fail(&err);
	} else if (ex->json) {
		explain_print_json(ex);
	} else if (explain_print_words(ex) < 0) {
		tessera_error_set(&err, TESSERA_ERR_UNAVAILABLE, "cannot print the table: %s",
				  strerror(errno));
		code = cli_fail(&err);
	}
	free(ex->each);
	free(ex->with_default);
	free(ex->gres);
	free(ex->licenses);
	tessera_conf_free(ex->conf);
	return code;
}

static int read_number(const char *command, const char *option, const char *text, unsigned *number)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || value == 0 ||
	    value > UINT_MAX)
		return cli_usage(command, "--%s=%s is not a number from 1 to %u", option, text,
				 UINT_MAX);
	*number = (unsigned)value;
	return TESSERA_OK;
}

static int read_nodes(const char *command, const char *text, void *to)
{
	return read_number(command, "nodes", text, to);
}

static int read_ntasks(const char *command, const char *text, void *to)
{
	return read_number(command, "ntasks", text, to);
}

static int read_ntasks_per_node(const char *command, const char *text, void *to)
{
	return read_number(command, "ntasks-per-node", text, to);
}

static int add_pool(const char *command, const char *text, void *to)
{
	struct explain *ex = to;

	if (ex->pool_count == TESSERA_POOLS_MAX)
		return cli_usage(command, "--pool given more than %d times", TESSERA_POOLS_MAX);
	ex->pools[ex->pool_count++] = text;
	return TESSERA_OK;
}

int cmd_explain(int argc, char **argv)
{
	struct explain ex = {0};
	const struct cli_row rows[] = {
		{"conf", 0, CLI_TEXT, &ex.conf_path, NULL},
		{"gres", 0, CLI_TEXT, &ex.opt.gres, NULL},
		{"ipu-gcds", 0, CLI_TEXT, &ex.opt.ipu_gcds, NULL},
		{"ipus", 0, CLI_TEXT, &ex.opt.ipus, NULL},
		{"json", 0, CLI_SET, &ex.json, NULL},
		{"licenses", 'L', CLI_TEXT, &ex.opt.licenses, NULL},
		{"nodes", 'N', CLI_READ, &ex.opt.nodes, read_nodes},
		{"ntasks", 'n', CLI_READ, &ex.opt.ntasks, read_ntasks},
		{"ntasks-per-node", 0, CLI_READ, &ex.opt.ntasks_per_node, read_ntasks_per_node},
		{"partition", 'p', CLI_TEXT, &ex.partition, NULL},
		{"platform", 0, CLI_TEXT, &ex.platform_name, NULL},
		{"pool", 0, CLI_READ, &ex, add_pool},
		/* srun accepts this spelling */
		{"tasks-per-node", 0, CLI_READ, &ex.opt.ntasks_per_node, read_ntasks_per_node},
		{"tile-affinity", 0, CLI_TEXT, &ex.opt.tile_affinity, NULL},
		{"tile-bind", 0, CLI_TEXT, &ex.opt.tile_bind, NULL},
		{"tiles-per-task", 0, CLI_TEXT, &ex.opt.tiles_per_task, NULL},
		CLI_END,
	};
	int code = cli_parse(argc, argv, rows, CLI_NO_OPERANDS, print_help);

	if (code != CLI_GO_ON)
		return code;
	return explain_request(&ex);
}
