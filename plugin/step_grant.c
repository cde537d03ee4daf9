/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/apart.h"
#include "lib/deadline.h"
#include "lib/grant.h"
#include "plugin/grant_module.h"
#include "plugin/module.h"
#include "plugin/step_grant.h"

#define MUNGE_WAIT_S   1 /* munge itself waits ten times as long for a munged that hangs */
#define CREDENTIAL_MAX (2 * TESSERA_GRANT_TEXT_MAX) /* base64 of it, and what munge adds */

/* Made in slurmstepd, and used by its tasks, which are forked from it. */
static struct {
	bool wanted; /* Grants = yes */
	bool failed; /* there is none to be had */
	char socket[TESSERA_PATH_MAX];
	char platform[TESSERA_NAME_MAX]; /* of the node's tiles */
	struct tessera_grant grant;      /* all but the tiles */
	struct {
		struct tessera_tileset tiles;
		char *credential; /* NULL: not made yet */
	} * made;                 /* for each set of tiles that tasks have */
	size_t count;
	grant_module_encode_fn encode;
} own;

static int load(struct tessera_error *err)
{
	return own.encode != NULL ? 0 : module_load(GRANT_MODULE, GRANT_MODULE_ENCODE, true, &own.encode, err);
}

static void say(int fd, const char *text)
{
	size_t len = strlen(text);
	ssize_t n = 1;

	for (size_t done = 0; done < len && n > 0; done += (size_t)n)
		n = write(fd, text + done, len - done);
}

/* In a process of its own: a line for each that is not made yet, + and the credential, or - and why there is none. */
static void encode_apart(int fd, void *arg)
{
	char text[TESSERA_GRANT_TEXT_MAX], why[256] = "";
	struct tessera_grant grant = own.grant;
	char *credential = NULL;

	(void)arg;
	grant.time = (int64_t)time(NULL);
	for (size_t i = 0; i < own.count; i++) {
		if (own.made[i].credential != NULL)
			continue;
		grant.tiles = own.made[i].tiles;
		snprintf(grant.platform, sizeof(grant.platform), "%s",
			 tessera_tileset_empty(&grant.tiles) ? "" : own.platform);
		tessera_grant_format(&grant, text, sizeof(text));
		credential = own.encode(text, own.socket, why, sizeof(why));
		say(fd, credential != NULL ? "+" : "-");
		say(fd, credential != NULL ? credential : why);
		say(fd, "\n");
		if (credential == NULL)
			return;
		free(credential);
	}
}

/* The next of the lines that encode_apart() wrote, into *CREDENTIAL. Returns what is behind it, or NULL with ERR. */
static char *take_line(char *line, char **credential, struct tessera_error *err)
{
	char *end = strchr(line, '\n');

	if (end != NULL)
		*end = '\0';
	if (end != NULL && line[0] == '+')
		*credential = strdup(line + 1);
	else
		tessera_error_set(err, TESSERA_ERR_MISSING, "%s", end != NULL ? line + 1 : "libmunge died");
	return *credential != NULL ? end + 1 : NULL;
}

/* All that are not made yet, from munged. Returns 0, or -1 with ERR. */
static int ask(struct tessera_error *err)
{
	size_t size = own.count * CREDENTIAL_MAX + 1;
	char *answer = malloc(size), *line = answer;

	if (answer == NULL)
		return tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory for %zu bytes", size);
	if (apart_do(encode_apart, NULL, deadline_after(MUNGE_WAIT_S), answer, size, err) < 0) {
		tessera_error_prefix(err, "munged%s%s for %d s", own.socket[0] != '\0' ? " at " : "", own.socket,
				     MUNGE_WAIT_S);
		line = NULL;
	}
	for (size_t i = 0; i < own.count && line != NULL; i++)
		if (own.made[i].credential == NULL)
			line = take_line(line, &own.made[i].credential, err);
	free(answer);
	return line != NULL ? 0 : -1;
}

/* The place of TILES among those that grants are or shall be made for; they are added. -1: out of memory. */
static int place_of(const struct tessera_tileset *tiles)
{
	void *more;

	for (size_t i = 0; i < own.count; i++)
		if (tessera_tileset_equal(tiles, &own.made[i].tiles))
			return (int)i;
	more = realloc(own.made, (own.count + 1) * sizeof(*own.made));
	if (more == NULL)
		return -1;
	own.made = more;
	own.made[own.count].tiles = *tiles;
	own.made[own.count].credential = NULL;
	return (int)own.count++;
}

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

static int make_all(const struct tessera_tileset *each, unsigned tasks, struct tessera_error *err)
{
	for (unsigned i = 0; i < tasks; i++)
		if (something(&each[i]) && place_of(&each[i]) < 0)
			return tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory for %u tasks", tasks);
	return own.count == 0 || (load(err) == 0 && ask(err) == 0) ? 0 : -1;
}

void step_grant_make(spank_t sp, const struct step_grant *about, const struct tessera_tileset *each, unsigned tasks)
{
	const struct tessera_grant_conf *conf = tessera_conf_grants(about->node->conf);
	struct tessera_error err = {0};

	own.wanted = conf->enabled;
	if (!own.wanted)
		return;
	snprintf(own.socket, sizeof(own.socket), "%s", conf->socket);
	if (about->node->platform != NULL)
		snprintf(own.platform, sizeof(own.platform), "%s", about->node->platform->name);
	if (fill(sp, about, &err) == 0 && make_all(each, tasks, &err) == 0)
		return;
	own.failed = true;
	/* Nobody else reads it: the user's output is not connected yet. */
	slurm_error("tessera: step %u.%u runs without a grant: %s", about->job, about->step, err.text);
}

/* The credential for TILES, or NULL. */
static const char *find(const struct tessera_tileset *tiles)
{
	struct tessera_error err = {0};
	int place;

	if (!own.wanted || own.failed || !something(tiles))
		return NULL;
	place = place_of(tiles);
	/* What the task has was not known when the others were made. */
	if (place >= 0 && own.made[place].credential == NULL && load(&err) == 0)
		ask(&err);
	if (place >= 0 && own.made[place].credential != NULL)
		return own.made[place].credential;
	/* An error would be shown to the user. */
	slurm_info("tessera: a task of step %u.%u runs without a grant: %s", own.grant.job, own.grant.step,
		   err.text);
	return NULL;
}

void step_grant_give(spank_t sp, const struct tessera_tileset *tiles)
{
	const char *credential = find(tiles);

	if (credential == NULL || spank_setenv(sp, TESSERA_GRANT_VARIABLE, credential, 1) != ESPANK_SUCCESS)
		spank_unsetenv(sp, TESSERA_GRANT_VARIABLE);
}

void step_grant_forget(void)
{
	for (size_t i = 0; i < own.count; i++)
		free(own.made[i].credential);
	free(own.made);
	memset(&own, 0, sizeof(own));
}
