/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/gres.h"
#include "lib/tessera.h"
#include "plugin/client.h"
#include "plugin/cluster.h"
#include "plugin/conf_path.h"
#include "plugin/normalise.h"
#include "plugin/options.h"
#include "plugin/program.h"
#include "plugin/sources.h"

/* What one component asks for, and whatever is found out about it. */
struct client {
	const char *conf_path; /* as plugstack.conf says it; NULL: where it usually is */
	unsigned component;    /* of a heterogeneous job or step, from 0 */
	bool step;             /* in an allocation that exists */
	struct sources sources;
	struct tessera_options opt;
	char *gres;
	char *per_task; /* --tres-per-task, where Slurm has it */
	char *licenses;
	struct tessera_conf *conf;
	const struct tessera_platform *platform;
};

/* The job that srun is to run a step of, 0 if it makes one. Slurm fills --jobid from the environment too. */
static uint32_t job_around(void)
{
	const char *job = getenv("SLURM_JOB_ID");
	unsigned number = program_number("jobid");

	return number > 0 || job == NULL ? number : (uint32_t)strtoul(job, NULL, 10);
}

/* Does it say that there shall be none? */
static bool refuses_tiles(const char *gres)
{
	struct gres_sum rdu, tile;

	if (gres == NULL || gres_asks_tiles(gres))
		return false;
	if (strcasecmp(gres, "none") == 0)
		return true;
	gres_sum(gres, GRES_LIST_GRES, GRES_RDU, "", &rdu, NULL);
	gres_sum(gres, GRES_LIST_GRES, GRES_RDU_TILE, "", &tile, NULL);
	return rdu.given || tile.given;
}

/* What was typed, by this component's user and nobody else. */
static int gather(struct client *client, struct tessera_error *err)
{
	struct tessera_options *opt = &client->opt;
	const char *step_gres = client->step ? getenv("SLURM_STEP_GRES") : NULL;

	sources_find(&client->sources);
	client->gres = program_get("gres");
	client->per_task = program_get("tres-per-task");
	client->licenses = program_get("licenses");
	/* Slurm looks at this variable when the step is made and nothing else was said. */
	if (client->gres == NULL && step_gres != NULL && *step_gres != '\0' && program_found())
		client->gres = strdup(step_gres);
	if ((sources_given(&client->sources) || gres_asks_tiles(client->gres) ||
	     gres_asks_tiles(client->per_task)) &&
	    sources_add_twins(&client->sources, client->step, err) < 0)
		return -1;
	*opt = (struct tessera_options){
		.gres = client->gres,
		.licenses = client->licenses,
		.tiles_per_task = client->sources.value[OPTION_TILES_PER_TASK],
		.tile_affinity = client->sources.value[OPTION_TILE_AFFINITY],
		.tile_bind = client->sources.value[OPTION_TILE_BIND],
		.step = client->step,
	};
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

/* Read tessera.conf, and see what machine the request is for. */
static int find_platform(struct client *client, struct tessera_error *err)
{
	char path[PATH_MAX];
	char *partition = NULL;
	int rc = -1;

	client->conf = tessera_conf_read(
		client->conf_path != NULL ? client->conf_path : conf_path_beside_slurm(path, sizeof(path)), err);
	if (client->conf == NULL)
		return -1;
	if (client->step && step_partition(&partition, err) < 0)
		return -1;
	if (!client->step)
		partition = program_get("partition");
	if (tessera_conf_partition_platform(client->conf, partition, &client->platform, err) < 0)
		goto cleanup;
	/* Nobody named a partition, and the machines differ: only the cluster's default can tell. */
	if (client->platform == NULL && partition == NULL) {
		if (cluster_default_partition(&partition, err) < 0 ||
		    tessera_conf_partition_platform(client->conf, partition, &client->platform, err) < 0)
			goto cleanup;
	}
	rc = 0;
cleanup:
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

/* --tres-per-task: each task's part, as if it were all there is. */
static int translate_per_task(struct client *client, struct tessera_error *err)
{
	struct tessera_options opt = {.gres = client->per_task};
	struct normalised *normal;
	int rc;

	if (!gres_asks_tiles(client->per_task))
		return 0;
	normal = normalise(client->conf, client->platform, &opt, err);
	if (normal == NULL)
		return tessera_error_prefix(err, "--tres-per-task");
	rc = change("tres-per-task", client->per_task, normal->gres, err);
	normalised_free(normal);
	return rc;
}

static int translate(struct client *client, struct tessera_error *err)
{
	struct normalised *normal;
	char asked[32];
	int rc = -1;

	client->opt.nodes = program_number("nodes");
	client->opt.ntasks = program_number("ntasks");
	client->opt.ntasks_per_node = program_number("ntasks-per-node");
	if (find_platform(client, err) < 0)
		return -1;
	normal = normalise(client->conf, client->platform, &client->opt, err);
	if (normal == NULL)
		return -1;
	if (change("gres", client->gres, normal->gres, err) < 0 ||
	    change("licenses", client->licenses, normal->licenses, err) < 0 || translate_per_task(client, err) < 0)
		goto cleanup;
	if (gres_asks_tiles(client->gres))
		tell_step_tiles(client, normal->req.tiles);
	if (!client->step && normal->req.tiles > 0) {
		snprintf(asked, sizeof(asked), "%u", normal->req.tiles);
		setenv(CLIENT_ASKED, asked, 1);
	}
	rc = 0;
cleanup:
	normalised_free(normal);
	return rc;
}

/* This program's options cannot be reached: then the controller must do what we cannot. */
static int leave_to_controller(const struct client *client, struct tessera_error *err)
{
	bool checks;

	/* The options of a step go to the node by themselves. */
	if (client->step)
		return 0;
	if (cluster_checks_requests(&checks, err) < 0)
		return -1;
	if (checks)
		return 0;
	return tessera_error_set(err, TESSERA_ERR_MISSING,
				 "this Slurm's option table cannot be reached, and slurmctld has no "
				 "JobSubmitPlugins=tessera to ask for the tiles instead; ask with --gres=rdu:N and "
				 "without --%s, and tell the administrator",
				 options_name(client->opt.tiles_per_task != NULL  ? OPTION_TILES_PER_TASK
					      : client->opt.tile_affinity != NULL ? OPTION_TILE_AFFINITY
										  : OPTION_TILE_BIND));
}

static int ask(struct client *client, struct tessera_error *err)
{
	if (gather(client, err) < 0)
		return -1;
	if (client->step && refuses_tiles(client->gres))
		tell_step_tiles(client, 0);
	if (!tessera_options_any(&client->opt) && !gres_asks_tiles(client->per_task))
		return 0;
	return program_found() ? translate(client, err) : leave_to_controller(client, err);
}

/*
 * A job that is submitted by a job asks for itself, and the mask of the other's tiles is not for it. Once only: the
 * components of a heterogeneous job share this environment.
 */
static void forget_outer_job(void)
{
	static bool done;
	const char *mask = getenv(CLIENT_MASK), *copy = getenv(CLIENT_MASK_COPY);

	if (done)
		return;
	done = true;
	unsetenv(CLIENT_ASKED);
	if (copy != NULL && mask != NULL && strcmp(mask, copy) == 0)
		unsetenv(CLIENT_MASK);
	unsetenv(CLIENT_MASK_COPY);
}

int client_init_post_opt(spank_t sp, int argc, char **argv)
{
	static unsigned components;
	struct client client = {.conf_path = conf_path_argument(argc, argv), .component = components++};
	struct tessera_error err = {0};
	int rc;

	client.step = spank_context() == S_CTX_LOCAL && job_around() != 0;
	unsetenv(CLIENT_STEP_TILES);
	if (!client.step)
		forget_outer_job();
	rc = ask(&client, &err);
	if (rc < 0)
		slurm_error("tessera: %s", err.text);
	else
		sources_publish(&client.sources, sp, client.step);
	free(client.gres);
	free(client.per_task);
	free(client.licenses);
	tessera_conf_free(client.conf);
	/* The next component of a heterogeneous job starts anew. */
	options_clear();
	return rc;
}
