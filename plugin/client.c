/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/conf/conf_scan.h"
#include "lib/conf/gres_list.h"
#include "lib/conf/names.h"
#include "lib/request/request_tres.h"
#include "lib/slurm/cluster.h"
#include "lib/slurm/conf_path.h"
#include "lib/tessera.h"
#include "lib/util/file.h"
#include "plugin/client.h"
#include "plugin/client_env.h"
#include "plugin/client_opt.h"
#include "plugin/options.h"

/* What one component asks for, and what follows from it. */
struct client {
	unsigned component; /* of a heterogeneous job or step, from 0 */
	bool step;          /* srun inside a job */
	struct sources sources;
	struct tessera_options opt;
	bool mask; /* opt.tile_affinity comes from SF_RNT_TILE_AFFINITY */
	char *gres;
	char *per_task; /* --tres-per-task, where Slurm has it */
	char *licenses;
	const struct tessera_platform *platform;
};

/*
 * tessera.conf, read when something of ours may be asked for. If it cannot be read, conf is NULL
 * and err says why.
 */
static struct {
	char path[PATH_MAX];
	bool read;
	struct tessera_conf *conf;
	struct tessera_error err;
} site;

static void read_site(void)
{
	if (site.read)
		return;
	site.read = true;
	site.conf = tessera_conf_read(site.path, &site.err);
	if (site.conf == NULL)
		conf_path_explain(site.path, &site.err);
}

/*
 * The job that srun runs a step of, 0 if it creates one. Slurm sets --jobid from the environment
 * too.
 */
static uint32_t find_outer_job(void)
{
	const char *job = getenv("SLURM_JOB_ID");
	unsigned number = client_opt_number("jobid");

	return number > 0 || job == NULL ? number : (uint32_t)strtoul(job, NULL, 10);
}

/* Do the licenses ask for NAME, or, if IPUS, do the GRES? A text that cannot be read counts. */
static bool asks_for(const struct client *client, const char *name, bool ipus)
{
	struct gres_sum sum;

	if (gres_sum(client->licenses, GRES_LIST_LICENSES, name, "", &sum, NULL) < 0 ||
	    sum.count > 0)
		return true;
	return ipus &&
	       (gres_sum(client->gres, GRES_LIST_GRES, name, "", &sum, NULL) < 0 || sum.count > 0);
}

static struct client_env_asked find_asked(const struct client *client)
{
	struct client_env_asked asked = {.tiles = gres_asks_tiles(client->gres) ||
						  gres_asks_tiles(client->per_task)};
	const struct tessera_pool *pool;

	asked.ipus = asks_for(
		client, site.conf != NULL ? tessera_conf_ipu_name(site.conf) : GRES_IPU, true);
	for (size_t i = 0; site.conf != NULL && (pool = tessera_conf_pool_at(site.conf, i)) != NULL;
	     i++)
		asked.pools[i] = asks_for(client, pool->license, false);
	return asked;
}

/* What was given for this component. The texts are to be freed. */
static void read_texts(struct client *client)
{
	const char *step_gres = client->step ? getenv("SLURM_STEP_GRES") : NULL;

	client_env_find(&client->sources);
	client->gres = client_opt_get("gres");
	client->per_task = client_opt_get("tres-per-task");
	client->licenses = client_opt_get("licenses");
	/* Slurm reads this variable when it creates a step without --gres. */
	if (client->gres == NULL && step_gres != NULL && *step_gres != '\0' && client_opt_found())
		client->gres = strdup(step_gres);
}

/* Collect the options from command line and environment into client->opt. */
static int collect_options(struct client *client, struct tessera_error *err)
{
	struct tessera_options *opt = &client->opt;
	struct client_env_asked asked = find_asked(client);

	if (client_env_add_variables(&client->sources, &asked, client->step, err) < 0)
		return -1;
	/* An outer job's mask has been unset: this one is the user's. */
	if (!client->step && site.conf != NULL &&
	    tessera_conf_user_mask(site.conf) == TESSERA_MASK_WISH)
		client->mask = client_env_add_mask(&client->sources, &asked, getenv(VAR_MASK));
	*opt = (struct tessera_options){
		.gres = client->gres,
		.licenses = client->licenses,
		.ipus = client->sources.value[OPTION_IPUS],
		.ipu_gcds = client->sources.value[OPTION_IPU_GCDS],
		.tiles_per_task = client->sources.value[OPTION_TILES_PER_TASK],
		.tile_affinity = client->sources.value[OPTION_TILE_AFFINITY],
		.tile_bind = client->sources.value[OPTION_TILE_BIND],
		.step = client->step,
	};
	memcpy(opt->pools, &client->sources.value[OPTION_FIRST_POOL], sizeof(opt->pools));
	return 0;
}

/* The partition of the job that this is a step of. *PARTITION is to be freed; NULL: unknown. */
static int find_step_partition(char **partition, struct tessera_error *err)
{
	const char *here = getenv("SLURM_JOB_ID");
	uint32_t job = find_outer_job();
	char variable[64] = "SLURM_JOB_PARTITION";
	char *group = client_opt_get("het-group");
	const char *name;

	if (group != NULL && strspn(group, "0123456789") == strlen(group))
		snprintf(variable, sizeof(variable), "SLURM_JOB_PARTITION_HET_GROUP_%.9s", group);
	free(group);
	name = getenv(variable);
	if (name == NULL || here == NULL || strtoul(here, NULL, 10) != job)
		return cluster_job_partition(job, partition, err);
	*partition = strdup(name);
	return 0;
}

static int read_partition(struct client *client, const char *partition, struct tessera_error *err)
{
	return tessera_conf_partition_platform(site.conf, partition, &client->platform, err) < 0
		       ? -1
		       : tessera_conf_partition_policy(site.conf, partition, &client->opt.policy,
						       err);
}

/* Find the platform that the request is for, and the policy of its partition. */
static int find_platform(struct client *client, struct tessera_error *err)
{
	char *partition = NULL;
	int rc = -1;

	if (client->step && find_step_partition(&partition, err) < 0)
		return -1;
	if (!client->step)
		partition = client_opt_get("partition");
	rc = read_partition(client, partition, err);
	/* No partition was named, and those of tessera.conf differ: the default one decides. */
	if (rc == 0 && partition == NULL &&
	    (client->platform == NULL || client->opt.policy == NULL)) {
		rc = cluster_default_partition(&partition, err);
		if (rc == 0)
			rc = read_partition(client, partition, err);
	}
	free(partition);
	return rc;
}

static int change_option(const char *option, const char *old, const char *text,
			 struct tessera_error *err)
{
	if (!request_tres_differs(old, text) || client_opt_set(option, text) == 0)
		return 0;
	return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE, "Slurm rejected --%s=%.200s", option,
				 text);
}

/*
 * Pass the step's number of tiles to the node: a step without it has all tiles of its job. The
 * components of a heterogeneous step share one environment, so none of them passes a number: the
 * next component unsets it.
 */
static void pass_step_count(const struct client *client, unsigned tiles, const char *each)
{
	char *overlap = client_opt_get("overlap");
	char text[32];

	snprintf(text, sizeof(text), "%u%s%s", tiles, each,
		 overlap != NULL && strcmp(overlap, "set") == 0 ? STEP_TILES_OVERLAP : "");
	free(overlap);
	if (client->step && client->component == 0)
		setenv(VAR_STEP_TILES, text, 1);
}

static void pass_step_tiles(const struct client *client, unsigned tiles)
{
	pass_step_count(client, tiles, "");
}

/* The same for a number of tiles for each task: only the node knows how many tasks it has. */
static void pass_step_tiles_per_task(const struct client *client, unsigned tiles)
{
	pass_step_count(client, tiles, STEP_TILES_EACH);
}

/*
 * The user gave --gres=none: pass that on, because slurmctld and the node would take it for a
 * request without --gres.
 */
static void pass_no_tiles(const struct client *client, spank_t sp)
{
	if (client->step)
		pass_step_tiles(client, 0);
	else
		spank_job_control_setenv(sp, VAR_NO_TILES, "1", 1);
}

/* Pass on that the user specified, for this srun, how tasks share its tiles. */
static void pass_typed(const struct client *client)
{
	static const int options[] = {OPTION_TILES_PER_TASK, OPTION_TILE_BIND};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (client->sources.value[options[i]] != NULL && spank_context() == S_CTX_LOCAL)
			setenv(VAR_STEP_TYPED, "1", 1);
}

/* Append to what the components of the job ask for (lib/request/asked.h). */
static void pass_asked(const char *what, unsigned count)
{
	const char *before = getenv(VAR_ASKED);
	char text[VAR_ASKED_MAX];

	if (count == 0)
		return;
	snprintf(text, sizeof(text), "%s%s%s=%u", before != NULL ? before : "",
		 before != NULL ? "," : "", what, count);
	setenv(VAR_ASKED, text, 1);
}

/* Counts reach the node as options, whether they were given as options, GRES or licenses. */
static void pass_counts(struct client *client, const struct tessera_request *req)
{
	const struct tessera_pool *pool;

	client_env_add_count(&client->sources, OPTION_IPUS, req->ipus);
	if (!client->step) {
		pass_asked("tiles", req->tiles);
		pass_asked(options_name(OPTION_IPUS), req->ipus);
	}
	for (int i = 0; (pool = tessera_conf_pool_at(site.conf, (size_t)i)) != NULL; i++) {
		client_env_add_count(&client->sources, OPTION_FIRST_POOL + i, req->pools[i]);
		if (!client->step)
			pass_asked(pool->option, req->pools[i]);
	}
}

/*
 * --tres-per-task is translated as --gres would be for one task, and reaches the node as
 * --tiles-per-task, which divides the tiles. Slurm counts them itself: no option may add more.
 */
static int translate_per_task(struct client *client, struct tessera_error *err)
{
	struct sources *sources = &client->sources;
	struct request_tres *normal;
	int rc;

	if (!gres_asks_tiles(client->per_task))
		return 0;
	/* An option takes precedence over an environment variable. */
	if (sources->source[OPTION_TILES_PER_TASK] == SOURCE_VARIABLE)
		sources->value[OPTION_TILES_PER_TASK] = NULL;
	/* In a step --tres-per-task may be the job's, and --tiles-per-task divides its tiles. */
	normal = request_tres_per_task(site.conf, client->platform, client->per_task,
				       client->step ? NULL : sources->value[OPTION_TILES_PER_TASK],
				       err);
	if (normal == NULL)
		return -1;
	rc = change_option("tres-per-task", client->per_task, normal->gres, err);
	if (rc == 0) {
		client_env_add_count(sources, OPTION_TILES_PER_TASK, normal->req.tiles);
		client->opt.tiles_per_task = NULL;
		pass_typed(client);
		pass_step_tiles_per_task(client, normal->req.tiles);
		if (!client->step)
			pass_asked("tiles", normal->req.tiles);
	}
	request_tres_free(normal);
	return rc;
}

/* The request is wrong. If only because of the exported mask, say so: users forget it. */
static int blame_mask(const struct client *client, struct tessera_error *err)
{
	struct tessera_options opt = client->opt;
	struct request_tres *without;

	if (!client->mask)
		return -1;
	opt.tile_affinity = NULL;
	without = request_tres_new(site.conf, client->platform, &opt, NULL);
	if (without != NULL)
		tessera_error_prefix(err, VAR_MASK "=%.80s is read as --tile-affinity",
				     client->opt.tile_affinity);
	request_tres_free(without);
	return -1;
}

static int translate(struct client *client, struct tessera_error *err)
{
	struct request_tres *normal;
	int rc = -1;

	if (site.conf == NULL) {
		*err = site.err;
		return -1;
	}

	client->opt.nodes = client_opt_number("nodes");
	client->opt.ntasks = client_opt_number("ntasks");
	client->opt.ntasks_per_node = client_opt_number("ntasks-per-node");
	if ((tessera_options_need_platform(site.conf, &client->opt) ||
	     gres_asks_tiles(client->per_task)) &&
	    find_platform(client, err) < 0)
		return -1;
	if (translate_per_task(client, err) < 0)
		return -1;
	normal = request_tres_new(site.conf, client->platform, &client->opt, err);
	if (normal == NULL)
		return blame_mask(client, err);
	if (change_option("gres", client->gres, normal->gres, err) < 0 ||
	    change_option("licenses", client->licenses, normal->licenses, err) < 0)
		goto cleanup;
	if (gres_asks_tiles(client->gres))
		pass_step_tiles(client, normal->req.tiles);
	pass_counts(client, &normal->req);
	rc = 0;
cleanup:
	request_tres_free(normal);
	return rc;
}

/* The options of this program cannot be changed: job_submit_tessera must complete the request. */
static int leave_to_controller(const struct client *client, struct tessera_error *err)
{
	bool checks;
	int option = 0;

	/* Slurm passes a step's options to the node. */
	if (client->step)
		return 0;
	if (cluster_checks_requests(&checks, err) < 0)
		return -1;
	if (checks)
		return 0;
	while (option < options_count() - 1 && client->sources.value[option] == NULL)
		option++;
	return tessera_error_set(
		err, TESSERA_ERR_UNAVAILABLE,
		"cannot set --gres in this release of Slurm, and slurmctld does not load "
		"JobSubmitPlugins=tessera, which would; use --gres=rdu_tile:N or --licenses=ipu:N "
		"without --%s, and tell the administrator",
		options_name(option));
}

/* May any text ask for something of ours? If not, as for most jobs, tessera.conf is not read. */
static bool has_texts(const struct client *client)
{
	return client->gres != NULL || client->per_task != NULL || client->licenses != NULL ||
	       client_env_any(&client->sources);
}

static int prepare_request(struct client *client, spank_t sp, struct tessera_error *err)
{
	read_texts(client);
	if (!has_texts(client))
		return 0;
	read_site();
	if (collect_options(client, err) < 0)
		return -1;
	pass_typed(client);
	if (gres_refuses_tiles(client->gres))
		pass_no_tiles(client, sp);
	if (!tessera_options_any(site.conf, &client->opt) && !gres_asks_tiles(client->per_task))
		return 0;
	return client_opt_found() ? translate(client, err) : leave_to_controller(client, err);
}

/*
 * The pools' options must be registered before it is known whether the job asks for something.
 * Scanning tessera.conf for their names is faster than parsing it; if the scan does not understand
 * the file, it is parsed.
 */
static spank_err_t register_options(spank_t sp)
{
	char names[TESSERA_POOLS_MAX][TESSERA_NAME_MAX];
	int fd = open(site.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), count = -1;
	size_t len = 0;
	char *text = fd >= 0 ? file_read(fd, site.path, CONF_MAX_MIB, false, &len, NULL) : NULL;

	if (text != NULL && strlen(text) == len)
		count = conf_scan_pools(text, names);
	free(text);
	if (fd >= 0)
		close(fd);
	if (count >= 0)
		return options_register_pools(sp, names, (size_t)count);
	read_site();
	return options_register(sp, site.conf);
}

void client_init(spank_t sp, int argc, char **argv)
{
	const char *named = conf_path_argument(argc, argv);
	char found[PATH_MAX];

	snprintf(site.path, sizeof(site.path), "%s",
		 named != NULL ? named : conf_path_find(found, sizeof(found)));
	if (register_options(sp) != ESPANK_SUCCESS)
		slurm_error("tessera: cannot register options: does another SPANK plugin define "
			    "the same names?");
}

void client_exit(void)
{
	tessera_conf_free(site.conf);
	memset(&site, 0, sizeof(site));
}

int client_init_post_opt(spank_t sp)
{
	static unsigned components;
	struct client client = {.component = components++};
	struct tessera_error err = {0};
	int rc;

	client.step = spank_context() == S_CTX_LOCAL && find_outer_job() != 0;
	unsetenv(VAR_STEP_TILES);
	if (client.component == 0)
		unsetenv(VAR_STEP_TYPED);
	if (!client.step) {
		/* To unset the outer job's variables of its pools. */
		if (getenv("SLURM_JOB_ID") != NULL && options_count() > OPTION_FIRST_POOL)
			read_site();
		client_env_unset_outer(site.conf);
		/* Set for the previous component. */
		if (client.component > 0)
			spank_job_control_unsetenv(sp, VAR_NO_TILES);
	}
	rc = prepare_request(&client, sp, &err);
	if (rc < 0)
		slurm_error("tessera: %s", err.text);
	else
		client_env_publish(&client.sources, sp, client.step);
	free(client.gres);
	free(client.per_task);
	free(client.licenses);
	/* Slurm sets the options of the next component after this. */
	options_clear();
	return rc < 0 ? -1 : 0;
}
