/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/deadline.h"
#include "lib/holding.h"
#include "lib/state_dir.h"
#include "plugin/conf_path.h"
#include "plugin/node.h"
#include "plugin/node_name.h"
#include "plugin/options.h"
#include "plugin/slurm_compat.h"
#include "plugin/step_unasked.h"

/* Where slurmd's environment has the ledger's directory; empty on a node that keeps nothing. */
#define REMEMBERED      "TESSERA_NODE_LEDGER"
#define REMEMBERED_CONF "TESSERA_NODE_CONF" /* and which version of tessera.conf said so; empty: it was wrong */
#define VERSION_MAX     1024

int node_open_as(struct node *node, const char *name, const char *conf_path, struct tessera_error *err)
{
	memset(node, 0, sizeof(*node));
	node->voice = "";
	node->opened = deadline_now();
	node->parent = getppid();
	if (snprintf(node->name, sizeof(node->name), "%s", name) >= (int)sizeof(node->name))
		return tessera_error_set(err, TESSERA_ERR_INPUT, "%.80s... is too long for the name of a node",
					 name);
	if (snprintf(node->conf_path, sizeof(node->conf_path), "%s", conf_path) >= (int)sizeof(node->conf_path))
		return tessera_error_set(err, TESSERA_ERR_INPUT, "%.80s... is too long a path", conf_path);
	node->conf = tessera_conf_read_trusted(conf_path, err);
	if (node->conf == NULL)
		return -1;
	node->platform = tessera_conf_node_platform(node->conf, node->name);
	if (node->platform != NULL && node->platform->kind != TESSERA_KIND_RDU) {
		node->ipus = node->platform;
		node->platform = NULL;
	}
	node->site = tessera_conf_vipu(node->conf, node->name);
	node->keeps = node->platform != NULL || node->ipus != NULL || tessera_conf_pool_at(node->conf, 0) != NULL;
	if (!node->keeps)
		return 0;
	return tessera_conf_state_dir(node->conf, node->name, node->dir, sizeof(node->dir), err);
}

int node_open(struct node *node, int argc, char **argv, struct tessera_error *err)
{
	const char *path = conf_path_argument(argc, argv);
	const char *name = node_name();
	char own[sizeof(node->name)];
	int rc;

	memset(node, 0, sizeof(*node));
	if (name == NULL && node_name_of_slurmd(own, sizeof(own)) < 0)
		return tessera_error_set(err, TESSERA_ERR_MISSING, "slurmd did not say which node this is");
	rc = node_open_as(node, name != NULL ? name : own, path != NULL ? path : TESSERA_CONF_PATH, err);
	node->voice = "tessera: ";
	return rc;
}

void node_close(struct node *node)
{
	tessera_conf_free(node->conf);
	node->conf = NULL;
	node->platform = NULL;
	node->ipus = NULL;
	node->site = NULL;
}

bool node_orphaned(const struct node *node)
{
	return getppid() != node->parent;
}

const char *node_name(void)
{
	return getenv("SLURMD_NODENAME");
}

static const char *spare_dir; /* NULL: none */

void node_use_spare_dir(const char *dir)
{
	spare_dir = dir;
}

void node_mark_failed(const struct node *node, uint32_t job, const struct tessera_error *why)
{
	const char *dir = node->keeps ? node->dir : spare_dir;
	struct tessera_error err = {0};

	if (job != 0 && dir != NULL && failure_write(dir, job, why, &err) < 0)
		slurm_error("tessera: job %u: cannot record this failure: %s", job, err.text);
}

static void unmark(const char *dir, uint32_t job)
{
	if (dir != NULL && failure_exists(dir, job))
		failure_drop(dir, job, NULL);
}

void node_unmark_failed(const struct node *node, uint32_t job)
{
	if (node->keeps)
		unmark(node->dir, job);
	unmark(spare_dir, job);
}

/* As failure_read(), in the state directory and, if that has nothing, in the spare one. */
static int read_mark(const struct node *node, uint32_t job, struct failure *f, struct tessera_error *err)
{
	int rc = failure_read(node->dir, job, f, err);

	return rc == 1 && spare_dir != NULL ? failure_read(spare_dir, job, f, err) : rc;
}

int node_read_failure(const struct node *node, uint32_t job, struct failure *f)
{
	struct tessera_error err = {0};
	int rc = read_mark(node, job, f, &err);

	/* A prolog that could not write why, or nothing at all, met what is wrong with the directory. */
	if (rc >= 0 && f->text[0] == '\0' && state_dir_check(node->dir, &err) < 0)
		rc = -1;
	if (rc >= 0)
		return rc;
	memcpy(f->text, err.text, sizeof(f->text));
	return 0;
}

/* "PATH device inode ctime": names a version of a file. Empty if there is none. */
static void version_of(const char *path, char *buf, size_t len)
{
	struct stat st;

	buf[0] = '\0';
	if (stat(path, &st) == 0)
		snprintf(buf, len, "%ju %ju %jd.%09ld %s", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino,
			 (intmax_t)st.st_ctim.tv_sec, st.st_ctim.tv_nsec, path);
}

void node_remember(int argc, char **argv)
{
	const char *path = conf_path_argument(argc, argv);
	struct tessera_error err = {0};
	char version[VERSION_MAX];
	struct node node;

	version_of(path != NULL ? path : TESSERA_CONF_PATH, version, sizeof(version));
	setenv(REMEMBERED_CONF, "", 1);
	/* A file that is wrong now may be right when a job comes: the job will hear what is wrong. */
	if (node_open(&node, argc, argv, &err) < 0) {
		slurm_error("tessera: %s", err.text);
	} else {
		setenv(REMEMBERED, node.keeps ? node.dir : "", 1);
		setenv(REMEMBERED_CONF, version, 1);
		options_remember(node.conf);
		step_unasked_remember(&node);
		/* Later a missing directory means that somebody removed it. */
		if (node.keeps && state_dir_make(node.dir, &err) < 0)
			slurm_error("tessera: %s", err.text);
	}
	node_close(&node);
}

/* Is tessera.conf still the file that slurmd read? */
static bool conf_is_same(void)
{
	const char *seen = getenv(REMEMBERED_CONF);
	const char *path = seen != NULL ? strchr(seen, '/') : NULL;
	char version[VERSION_MAX];

	if (path == NULL)
		return false;
	version_of(path, version, sizeof(version));
	return strcmp(seen, version) == 0;
}

bool node_prepared(void)
{
	return getenv(REMEMBERED_CONF) != NULL;
}

bool node_may_hold(uint32_t job)
{
	const char *dir = getenv(REMEMBERED);

	if (dir == NULL || !conf_is_same())
		return true;
	if (dir[0] == '\0')
		return false;
	/* Where the prolog could not write, nothing written does not mean nothing granted. */
	return state_dir_check(dir, NULL) < 0 || tessera_ledger_mentions(dir, job) ||
	       tessera_holding_exists(dir, job) || failure_exists(dir, job) ||
	       (spare_dir != NULL && strcmp(spare_dir, dir) != 0 && failure_exists(spare_dir, job));
}
