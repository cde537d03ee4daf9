/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/apart.h"
#include "lib/deadline.h"
#include "lib/file.h"
#include "lib/grant.h"
#include "plugin/grant_module.h"
#include "plugin/step_grant.h"

#define MUNGE_WAIT_S   1 /* munge itself waits ten times as long for a munged that hangs */
#define CREDENTIAL_MAX 65536

/* Made in slurmstepd, and used by its tasks, which are forked from it. */
static struct {
	bool wanted; /* Grants = yes */
	bool failed; /* there is none to be had */
	char socket[TESSERA_PATH_MAX];
	const char *platform;
	struct tessera_grant grant; /* the last one made */
	char *credential;           /* NULL: none was */
	grant_module_encode_fn encode;
} own;

/* The module lies beside this plugin, which Slurm loaded for root from there. */
static int module_path(char *buf, size_t len, struct tessera_error *err)
{
	void (*function)(void) = step_grant_forget;
	const char *slash;
	Dl_info info;
	void *here;

	/* ISO C knows no way from a function's pointer to an object's: POSIX does. */
	memcpy(&here, &function, sizeof(here));
	if (dladdr(here, &info) == 0 || info.dli_fname == NULL || (slash = strrchr(info.dli_fname, '/')) == NULL ||
	    snprintf(buf, len, "%.*s/%s", (int)(slash - info.dli_fname), info.dli_fname, GRANT_MODULE) >= (int)len)
		return tessera_error_set(err, TESSERA_ERR_MISSING, "it is not known where %s is", GRANT_MODULE);
	return 0;
}

/* Who can write it can be root. */
static int load(struct tessera_error *err)
{
	char path[1024];
	struct stat st;
	void *module, *symbol;

	if (own.encode != NULL)
		return 0;
	if (module_path(path, sizeof(path), err) < 0)
		return -1;
	if (stat(path, &st) < 0)
		return tessera_error_set(err, TESSERA_ERR_MISSING, "%s: %s", path, strerror(errno));
	if (file_check_trust(path, &st, err) < 0)
		return -1;
	module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	symbol = module != NULL ? dlsym(module, GRANT_MODULE_ENCODE) : NULL;
	if (symbol == NULL)
		return tessera_error_set(err, TESSERA_ERR_MISSING, "%s", dlerror());
	memcpy(&own.encode, &symbol, sizeof(symbol));
	return 0;
}

static void say(int fd, const char *text)
{
	size_t len = strlen(text);
	ssize_t n = 1;

	for (size_t done = 0; done < len && n > 0; done += (size_t)n)
		n = write(fd, text + done, len - done);
}

/* In a process of its own: + and the credential, or - and why there is none. ARG is what shall be in it. */
static void encode_apart(int fd, void *arg)
{
	char why[256] = "";
	char *credential = own.encode(arg, own.socket, why, sizeof(why));

	say(fd, credential != NULL ? "+" : "-");
	say(fd, credential != NULL ? credential : why);
	free(credential);
}

/* Make the credential of own.grant. Returns 0, or -1 with ERR. */
static int encode(struct tessera_error *err)
{
	static char answer[CREDENTIAL_MAX];
	char text[TESSERA_GRANT_TEXT_MAX];

	if (load(err) < 0)
		return -1;
	own.grant.time = (int64_t)time(NULL);
	tessera_grant_format(&own.grant, text, sizeof(text));
	if (apart_do(encode_apart, text, deadline_after(MUNGE_WAIT_S), answer, sizeof(answer), err) < 0)
		return tessera_error_prefix(err, "munged%s%s for %d s", own.socket[0] != '\0' ? " at " : "",
					    own.socket, MUNGE_WAIT_S);
	if (answer[0] != '+')
		return tessera_error_set(err, TESSERA_ERR_MISSING, "%s",
					 answer[0] == '-' ? answer + 1 : "libmunge died");
	free(own.credential);
	own.credential = strdup(answer + 1);
	return own.credential != NULL ? 0 : tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory");
}

/* Is there something to grant? Then own.grant says what. */
static bool take(const struct tessera_tileset *tiles)
{
	bool any = !tessera_tileset_empty(tiles);

	tessera_tileset_clear(&own.grant.tiles);
	own.grant.platform[0] = '\0';
	if (any) {
		own.grant.tiles = *tiles;
		snprintf(own.grant.platform, sizeof(own.grant.platform), "%s", own.platform);
	}
	return any || own.grant.partition[0] != '\0';
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

void step_grant_make(spank_t sp, const struct step_grant *about, const struct tessera_tileset *first)
{
	const struct tessera_grant_conf *conf = tessera_conf_grants(about->node->conf);
	struct tessera_error err = {0};

	own.wanted = conf->enabled;
	if (!own.wanted)
		return;
	snprintf(own.socket, sizeof(own.socket), "%s", conf->socket);
	own.platform = about->node->platform != NULL ? about->node->platform->name : "";
	if (fill(sp, about, &err) == 0 && (!take(first) || encode(&err) == 0))
		return;
	own.failed = true;
	/* Nobody else reads it: the user's output is not connected yet. */
	slurm_error("tessera: step %u.%u runs without a grant: %s", about->job, about->step, err.text);
}

/* The credential for TILES, or NULL. */
static const char *find(const struct tessera_tileset *tiles)
{
	struct tessera_error err = {0};

	if (!own.wanted || own.failed)
		return NULL;
	if (own.credential != NULL && tessera_tileset_equal(tiles, &own.grant.tiles))
		return own.credential;
	if (!take(tiles))
		return NULL;
	if (encode(&err) == 0)
		return own.credential;
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
	free(own.credential);
	memset(&own, 0, sizeof(own));
}
