/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/conf_scan.h"
#include "lib/file.h"
#include "lib/gres.h"
#include "lib/tessera.h"
#include "plugin/client.h"
#include "plugin/cluster.h"
#include "plugin/conf_path.h"
#include "plugin/normalise.h"
#include "plugin/options.h"
#include "plugin/outer_job.h"
#include "plugin/program.h"
#include "plugin/sources.h"

/* What one component asks for, and whatever is found out about it. */
struct client {
	unsigned component; /* of a heterogeneous job or step, from 0 */
	bool step;          /* in an allocation that exists */
	struct sources sources;
	struct tessera_options opt;
	bool mask; /* tile_affinity is what SF_RNT_TILE_AFFINITY says */
	char *gres;
	char *per_task; /* --tres-per-task, where Slurm has it */
	char *licenses;
	const struct tessera_platform *platform;
};

/* tessera.conf, read when something of ours may be asked for: conf is NULL if it cannot be used, and err says why. */
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
}

/* The job that srun is to run a step of, 0 if it makes one. Slurm fills --jobid from the environment too. */
static uint32_t job_around(void)
{
	const char *job = getenv("SLURM_JOB_ID");
	unsigned number = program_number("jobid");

	return number > 0 || job == NULL ? number : (uint32_t)strtoul(job, NULL, 10);
}

/* Is NAME asked for among the licences, or, if it counts IPUs, among the GRES? */
static bool asks(const struct client *client, const char *name, bool ipus)
{
	struct gres_sum sum;

	if (gres_sum(client->licenses, GRES_LIST_LICENSES, name, "", &sum, NULL) < 0 || sum.count > 0)
		return true;
	return ipus && (gres_sum(client->gres, GRES_LIST_GRES, name, "", &sum, NULL) < 0 || sum.count > 0);
}

static struct sources_said what_is_said(const struct client *client)
{
	struct sources_said said = {.tiles = gres_asks_tiles(client->gres) || gres_asks_tiles(client->per_task)};
	const struct tessera_pool *pool;

	said.ipus = asks(client, site.conf != NULL ? tessera_conf_ipu_name(site.conf) : GRES_IPU, true);
	for (size_t i = 0; site.conf != NULL && (pool = tessera_conf_pool_at(site.conf, i)) != NULL; i++)
		said.pools[i] = asks(client, pool->license, false);
	return said;
}

/* What was typed, by this component's user and nobody else. */
static void find_texts(struct client *client)
{
	const char *step_gres = client->step ? getenv("SLURM_STEP_GRES") : NULL;

	sources_find(&client->sources);
	client->gres = program_get("gres");
	client->per_task = program_get("tres-per-task");
	client->licenses = program_get("licenses");
	/* Slurm looks at this variable when the step is made and nothing else was said. */
	if (client->gres == NULL && step_gres != NULL && *step_gres != '\0' && program_found())
		client->gres = strdup(step_gres);
}

/* What these texts ask for. */
static int gather(struct client *client, struct tessera_error *err)
{
	struct tessera_options *opt = &client->opt;
	struct sources_said said = what_is_said(client);

	if (sources_add_twins(&client->sources, &said, client->step, err) < 0)
		return -1;
	/* An outer job's mask has been forgotten. */
	if (!client->step && site.conf != NULL && tessera_conf_user_mask(site.conf) == TESSERA_MASK_WISH)
		client->mask = sources_add_mask(&client->sources, &said, getenv(CLIENT_MASK));
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

/* The partition of the job that this is a step of. To be freed; NULL if nobody knows. */
static int step_partition(char **partition, struct tessera_error *err)
{
	const char *here = getenv("SLURM_JOB_ID");
	uint32_t job = job_around();
	char variable[64] = "SLURM_JOB_PARTITION";
	char *group = program_get("het-group");
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
		       : tessera_conf_partition_policy(site.conf, partition, &client->opt.policy, err);
}

/* See what machine the request is for, and how its partition reads it. */
static int find_platform(struct client *client, struct tessera_error *err)
{
	char *partition = NULL;
	int rc = -1;

	if (client->step && step_partition(&partition, err) < 0)
		return -1;
	if (!client->step)
		partition = program_get("partition");
	rc = read_partition(client, partition, err);
	/* Nobody named a partition, and they differ: only the cluster's default can tell. */
	if (rc == 0 && partition == NULL && (client->platform == NULL || client->opt.policy == NULL)) {
		rc = cluster_default_partition(&partition, err);
		if (rc == 0)
			rc = read_partition(client, partition, err);
	}
	free(partition);
	return rc;
}

static int change(const char *option, const char *old, const char *text, struct tessera_error *err)
{
	if (!normalised_differs(old, text) || program_set(option, text) == 0)
		return 0;
	return tessera_error_set(err, TESSERA_ERR_MISSING, "Slurm does not take --%s=%.200s", option, text);
}

/*
 * A step's share, so that the node can tell it from a step that just has what its job has. The components of a
 * heterogeneous step have one environment: there it would be said to all of them, and is said to none.
 */
static void tell_step_tiles(const struct client *client, unsigned tiles)
{
	char *overlap = program_get("overlap");
	char text[32];

	snprintf(text, sizeof(text), "%u%s", tiles,
		 overlap != NULL && strcmp(overlap, "set") == 0 ? " overlap" : "");
	free(overlap);
	if (client->step && client->component == 0)
		setenv(CLIENT_STEP_TILES, text, 1);
}

/* What the user said on purpose, to who would take it for a request that says nothing. */
static void tell_no_tiles(const struct client *client, spank_t sp)
{
	if (client->step)
		tell_step_tiles(client, 0);
	else
		spank_job_control_setenv(sp, CLIENT_NO_TILES, "1", 1);
}

/* Did the user say, for this very step or srun, how its tiles are shared out? */
static void tell_typed(const struct client *client)
{
	static const int options[] = {OPTION_TILES_PER_TASK, OPTION_TILE_BIND};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (client->sources.value[options[i]] != NULL && spank_context() == S_CTX_LOCAL)
			setenv(CLIENT_STEP_TYPED, "1", 1);
}

/* Add to what the components of a job have asked for. */
static void tell_asked(const char *what, unsigned count)
{
	const char *before = getenv(CLIENT_ASKED);
	char text[CLIENT_ASKED_MAX];

	if (count == 0)
		return;
	snprintf(text, sizeof(text), "%s%s%s=%u", before != NULL ? before : "", before != NULL ? "," : "", what,
		 count);
	setenv(CLIENT_ASKED, text, 1);
}

/* Counts reach the node by the options, however they were asked for. */
static void tell_all(struct client *client, const struct tessera_request *req)
{
	const struct tessera_pool *pool;

	sources_add_count(&client->sources, OPTION_IPUS, req->ipus);
	if (!client->step) {
		tell_asked("tiles", req->tiles);
		tell_asked(options_name(OPTION_IPUS), req->ipus);
	}
	for (int i = 0; (pool = tessera_conf_pool_at(site.conf, (size_t)i)) != NULL; i++) {
		sources_add_count(&client->sources, OPTION_FIRST_POOL + i, req->pools[i]);
		if (!client->step)
			tell_asked(pool->option, req->pools[i]);
	}
}

/* --tres-per-task: each task's part, as if it were all there is. */
static int translate_per_task(struct client *client, struct tessera_error *err)
{
	struct tessera_options opt = {.gres = client->per_task};
	struct normalised *normal;
	int rc;

	if (!gres_asks_tiles(client->per_task))
		return 0;
	normal = normalise(site.conf, client->platform, &opt, err);
	if (normal == NULL)
		return tessera_error_prefix(err, "--tres-per-task");
	rc = change("tres-per-task", client->per_task, normal->gres, err);
	normalised_free(normal);
	return rc;
}

/* The request is wrong. Is it the exported mask, which the user may not think of? */
static int blame_mask(const struct client *client, struct tessera_error *err)
{
	struct tessera_options opt = client->opt;
	struct normalised *without;

	if (!client->mask)
		return -1;
	opt.tile_affinity = NULL;
	without = normalise(site.conf, client->platform, &opt, NULL);
	if (without != NULL)
		tessera_error_prefix(err, CLIENT_MASK "=%.80s is read as --tile-affinity",
				     client->opt.tile_affinity);
	normalised_free(without);
	return -1;
}

static int translate(struct client *client, struct tessera_error *err)
{
	struct normalised *normal;
	int rc = -1;

	if (site.conf == NULL) {
		*err = site.err;
		return -1;
	}

	client->opt.nodes = program_number("nodes");
	client->opt.ntasks = program_number("ntasks");
	client->opt.ntasks_per_node = program_number("ntasks-per-node");
	if ((tessera_options_need_platform(site.conf, &client->opt) || gres_asks_tiles(client->per_task)) &&
	    find_platform(client, err) < 0)
		return -1;
	normal = normalise(site.conf, client->platform, &client->opt, err);
	if (normal == NULL)
		return blame_mask(client, err);
	if (change("gres", client->gres, normal->gres, err) < 0 ||
	    change("licenses", client->licenses, normal->licenses, err) < 0 || translate_per_task(client, err) < 0)
		goto cleanup;
	if (gres_asks_tiles(client->gres))
		tell_step_tiles(client, normal->req.tiles);
	tell_all(client, &normal->req);
	rc = 0;
cleanup:
	normalised_free(normal);
	return rc;
}

/* This program's options cannot be reached: then the controller must do what we cannot. */
static int leave_to_controller(const struct client *client, struct tessera_error *err)
{
	bool checks;
	int option = 0;

	/* The options of a step go to the node by themselves. */
	if (client->step)
		return 0;
	if (cluster_checks_requests(&checks, err) < 0)
		return -1;
	if (checks)
		return 0;
	while (option < options_count() - 1 && client->sources.value[option] == NULL)
		option++;
	return tessera_error_set(err, TESSERA_ERR_MISSING,
				 "this Slurm's option table cannot be reached, and slurmctld has no "
				 "JobSubmitPlugins=tessera to do what it is for; ask with --gres=rdu_tile:N or "
				 "--licenses=ipu:N and without --%s, and tell the administrator",
				 options_name(option));
}

/* Is there any text that could ask for something of ours? Most jobs have none, and then tessera.conf is not needed. */
static bool says_anything(const struct client *client)
{
	return client->gres != NULL || client->per_task != NULL || client->licenses != NULL ||
	       sources_any(&client->sources);
}

static int ask(struct client *client, spank_t sp, struct tessera_error *err)
{
	find_texts(client);
	if (!says_anything(client))
		return 0;
	read_site();
	if (gather(client, err) < 0)
		return -1;
	tell_typed(client);
	if (gres_refuses_tiles(client->gres))
		tell_no_tiles(client, sp);
	if (!tessera_options_any(site.conf, &client->opt) && !gres_asks_tiles(client->per_task))
		return 0;
	return program_found() ? translate(client, err) : leave_to_controller(client, err);
}

/*
 * The pools' options must be registered before anything else is known. Their names alone are found faster than the file is
 * parsed; if it is written in an unusual way, it is parsed.
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
	char beside[PATH_MAX];

	snprintf(site.path, sizeof(site.path), "%s",
		 named != NULL ? named : conf_path_beside_slurm(beside, sizeof(beside)));
	if (register_options(sp) != ESPANK_SUCCESS)
		slurm_error("tessera: Slurm does not take our options; is there another plugin with them?");
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

	client.step = spank_context() == S_CTX_LOCAL && job_around() != 0;
	unsetenv(CLIENT_STEP_TILES);
	if (client.component == 0)
		unsetenv(CLIENT_STEP_TYPED);
	if (!client.step) {
		/* The variables of its pools are the outer job's. */
		if (getenv("SLURM_JOB_ID") != NULL && options_count() > OPTION_FIRST_POOL)
			read_site();
		outer_job_forget(site.conf);
		/* What the component before said. */
		if (client.component > 0)
			spank_job_control_unsetenv(sp, CLIENT_NO_TILES);
	}
	rc = ask(&client, sp, &err);
	if (rc < 0)
		slurm_error("tessera: %s", err.text);
	else
		sources_publish(&client.sources, sp, client.step);
	free(client.gres);
	free(client.per_task);
	free(client.licenses);
	/* The next component of a heterogeneous job starts anew. */
	options_clear();
	return rc;
}
