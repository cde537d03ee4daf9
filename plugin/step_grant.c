/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/grant.h"
#include "plugin/grant_module.h"
#include "plugin/module.h"
#include "plugin/step_grant.h"

#define MUNGE_WAIT_S 1 /* munge itself waits ten times as long for a munged that hangs */

/* Found out in slurmstepd, and used by its tasks, which are forked from it. */
static struct {
	bool wanted; /* Grants = yes, and the module is there */
	char socket[TESSERA_PATH_MAX];
	char platform[TESSERA_NAME_MAX]; /* of the node's tiles */
	struct tessera_grant grant;      /* all but the tiles */
	grant_module_encode_fn encode;
} own;

/* Is there something to be granted to a task with TILES? */
static bool something(const struct tessera_tileset *tiles)
{
	return !tessera_tileset_empty(tiles) || own.grant.partition[0] != '\0';
}

/* All but the tiles, from slurmd's word and the node's own files. Returns 0, or -1 with ERR. */
static int fill(spank_t sp, const struct step_grant *about, struct tessera_error *err)
{
	struct tessera_grant *g = &own.grant;
	uid_t uid;

	if (spank_get_item(sp, S_JOB_UID, &uid) != ESPANK_SUCCESS || &slurm_conf == NULL ||
	    slurm_conf.cluster_name == NULL || slurm_conf.cluster_name[0] == '\0')
		return tessera_error_set(err, TESSERA_ERR_MISSING,
					 "Slurm does not say whose it is, or which cluster's");
	g->job = about->job;
	g->restarts = about->restarts;
	g->step = about->step;
	g->uid = (uint32_t)uid;
	snprintf(g->cluster, sizeof(g->cluster), "%s", slurm_conf.cluster_name);
	snprintf(g->node, sizeof(g->node), "%s", about->node->name);
	snprintf(g->partition, sizeof(g->partition), "%s", about->partition);
	return 0;
}

/* Tasks are forked when the module is loaded: each finds it in its memory. */
static int load(const struct tessera_tileset *each, unsigned tasks, struct tessera_error *err)
{
	for (unsigned i = 0; i < tasks; i++)
		if (something(&each[i]))
			return module_load(GRANT_MODULE, GRANT_MODULE_ENCODE, true, &own.encode, err);
	return 0;
}

void step_grant_prepare(spank_t sp, const struct step_grant *about, const struct tessera_tileset *each,
			unsigned tasks)
{
	const struct tessera_grant_conf *conf = tessera_conf_grants(about->node->conf);
	struct tessera_error err = {0};

	if (!conf->enabled)
		return;
	snprintf(own.socket, sizeof(own.socket), "%s", conf->socket);
	if (about->node->platform != NULL)
		snprintf(own.platform, sizeof(own.platform), "%s", about->node->platform->name);
	own.wanted = fill(sp, about, &err) == 0 && load(each, tasks, &err) == 0;
	/* The user's output is not connected yet: this goes to slurmd's log alone. */
	if (!own.wanted)
		slurm_error("tessera: step %u.%u runs without a grant: %s", about->job, about->step, err.text);
}

/* The credential for TILES, to be freed, or NULL. */
static char *make(unsigned task, const struct tessera_tileset *tiles)
{
	char text[TESSERA_GRANT_TEXT_MAX], why[256] = "";
	struct tessera_grant grant = own.grant;
	char *credential;

	if (!own.wanted || own.encode == NULL || !something(tiles))
		return NULL;
	grant.time = (int64_t)time(NULL);
	grant.tiles = *tiles;
	snprintf(grant.platform, sizeof(grant.platform), "%s",
		 tessera_tileset_empty(&grant.tiles) ? "" : own.platform);
	tessera_grant_format(&grant, text, sizeof(text));
	credential = own.encode(text, own.socket, MUNGE_WAIT_S, why, sizeof(why));
	/* One line for all tasks. An error would be shown to the user. */
	if (credential == NULL && task == 0)
		slurm_info("tessera: step %u.%u runs without a grant: %s", grant.job, grant.step, why);
	return credential;
}

void step_grant_give(spank_t sp, unsigned task, const struct tessera_tileset *tiles)
{
	char *credential = make(task, tiles);

	if (credential == NULL || spank_setenv(sp, TESSERA_GRANT_VARIABLE, credential, 1) != ESPANK_SUCCESS)
		spank_unsetenv(sp, TESSERA_GRANT_VARIABLE);
	free(credential);
}

void step_grant_forget(void)
{
	memset(&own, 0, sizeof(own));
}
