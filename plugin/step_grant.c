/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/conf/names.h"
#include "lib/grant/grant.h"
#include "lib/grant/grant_module.h"
#include "lib/slurm/step_name.h"
#include "lib/util/module.h"
#include "plugin/step_grant.h"

#define MUNGE_WAIT_S 1 /* libmunge waits ten times as long for a munged that hangs */

/* Set in slurmstepd, and used by its tasks, which are forked from it. */
static struct {
	bool enabled; /* Grants = yes, and the module is loaded */
	char socket[TESSERA_PATH_MAX];
	char platform[TESSERA_NAME_MAX]; /* of the node's tiles */
	struct tessera_grant grant;      /* all but the tiles */
	grant_module_encode_fn encode;
} own;

/* Has slurmd said once, when it started, that grants need munge, which Slurm does not use? */
static bool is_without_munge(void)
{
	return getenv(VAR_NODE_NO_MUNGE) != NULL;
}

/* Does a task with TILES have anything that a grant can name? */
static bool has_anything(const struct tessera_tileset *tiles)
{
	return !tessera_tileset_empty(tiles) || own.grant.partition[0] != '\0';
}

/* All but the tiles. The user and the cluster are slurmd's, not the job's environment's. */
static int fill_grant(spank_t sp, const struct step_grant *about, struct tessera_error *err)
{
	struct tessera_grant *g = &own.grant;
	uid_t uid;

	if (spank_get_item(sp, S_JOB_UID, &uid) != ESPANK_SUCCESS || &slurm_conf == NULL ||
	    slurm_conf.cluster_name == NULL || slurm_conf.cluster_name[0] == '\0')
		return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
					 "Slurm did not pass the user or the cluster's name");
	g->job = about->job;
	g->restarts = about->restarts;
	g->step = about->step;
	g->uid = (uint32_t)uid;
	snprintf(g->cluster, sizeof(g->cluster), "%s", slurm_conf.cluster_name);
	snprintf(g->node, sizeof(g->node), "%s", about->node->name);
	snprintf(g->partition, sizeof(g->partition), "%s", about->partition);
	return 0;
}

/* Loaded before the tasks are forked, so that each has it in memory. */
static int load_module(const struct tessera_tileset *each, unsigned tasks,
		       struct tessera_error *err)
{
	for (unsigned i = 0; i < tasks; i++)
		if (has_anything(&each[i]))
			return module_load(GRANT_MODULE, GRANT_MODULE_ENCODE, true, &own.encode,
					   err);
	return 0;
}

void step_grant_prepare(spank_t sp, const struct step_grant *about,
			const struct tessera_tileset *each, unsigned tasks)
{
	const struct tessera_grant_conf *conf = tessera_conf_grants(about->node->conf);
	struct tessera_error err = {0};
	char name[STEP_NAME_MAX];

	if (!conf->enabled)
		return;
	snprintf(own.socket, sizeof(own.socket), "%s", conf->socket);
	if (about->node->platform != NULL)
		snprintf(own.platform, sizeof(own.platform), "%s", about->node->platform->name);
	own.enabled = fill_grant(sp, about, &err) == 0 && load_module(each, tasks, &err) == 0;
	/* The user's output is not connected yet: only slurmd's log has this. */
	if (!own.enabled && !is_without_munge())
		slurm_error("tessera: step %s runs without a grant: %s",
			    step_name(about->job, about->step, name, sizeof(name)), err.text);
}

/* The credential for TILES, to be freed, or NULL. */
static char *make_credential(unsigned task, const struct tessera_tileset *tiles)
{
	char text[TESSERA_GRANT_TEXT_MAX], why[256] = "";
	struct tessera_grant grant = own.grant;
	char name[STEP_NAME_MAX];
	char *credential;

	if (!own.enabled || own.encode == NULL || !has_anything(tiles))
		return NULL;
	grant.time = (int64_t)time(NULL);
	grant.tiles = *tiles;
	snprintf(grant.platform, sizeof(grant.platform), "%s",
		 tessera_tileset_empty(&grant.tiles) ? "" : own.platform);
	tessera_grant_format(&grant, text, sizeof(text));
	credential = own.encode(text, own.socket, MUNGE_WAIT_S, why, sizeof(why));
	/* One line for all tasks; not slurm_error(), which the user would see. */
	if (credential == NULL && task == 0 && !is_without_munge())
		slurm_info("tessera: step %s runs without a grant: %s",
			   step_name(grant.job, grant.step, name, sizeof(name)), why);
	return credential;
}

void step_grant_set(spank_t sp, unsigned task, const struct tessera_tileset *tiles)
{
	char *credential = make_credential(task, tiles);

	if (credential == NULL ||
	    spank_setenv(sp, TESSERA_GRANT_VARIABLE, credential, 1) != ESPANK_SUCCESS)
		spank_unsetenv(sp, TESSERA_GRANT_VARIABLE);
	free(credential);
}

void step_grant_clear(void)
{
	memset(&own, 0, sizeof(own));
}
