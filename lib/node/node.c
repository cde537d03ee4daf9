/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/conf/names.h"
#include "lib/node/node.h"
#include "lib/slurm/conf_path.h"
#include "lib/state/health.h"
#include "lib/util/deadline.h"
#include "lib/util/state_dir.h"

int node_open(struct node *node, const char *name, const char *conf_path, node_log_fn log,
	      struct tessera_error *err)
{
	memset(node, 0, sizeof(*node));
	node->log = log;
	node->opened = deadline_now();
	node->parent = getppid();
	if (snprintf(node->name, sizeof(node->name), "%s", name) >= (int)sizeof(node->name))
		return tessera_error_set(err, TESSERA_ERR_INPUT, "node name %.80s... is too long",
					 name);
	if (snprintf(node->conf_path, sizeof(node->conf_path), "%s", conf_path) >=
	    (int)sizeof(node->conf_path))
		return tessera_error_set(err, TESSERA_ERR_INPUT, "path %.80s... is too long",
					 conf_path);
	node->conf = tessera_conf_read_trusted(conf_path, err);
	if (node->conf == NULL)
		return conf_path_explain(conf_path, err);
	node->platform = tessera_conf_node_platform(node->conf, node->name);
	if (node->platform != NULL && node->platform->kind != TESSERA_KIND_RDU) {
		node->ipus = node->platform;
		node->platform = NULL;
	}
	node->site = tessera_conf_vipu(node->conf, node->name);
	node->has_state = node->platform != NULL || node->ipus != NULL ||
			  tessera_conf_pool_at(node->conf, 0) != NULL;
	if (!node->has_state)
		return 0;
	return tessera_conf_state_dir(node->conf, node->name, node->dir, sizeof(node->dir), err);
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
	return getenv(VAR_SLURMD_NODENAME);
}

void node_log(const struct node *node, enum node_log level, const char *fmt, ...)
{
	char text[1024];
	va_list args;

	if (node->log == NULL)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	node->log(level, text);
}

void node_mark_failed(const struct node *node, uint32_t job, const struct tessera_error *why)
{
	const char *dir = node->has_state ? node->dir : node->spare_dir;
	struct tessera_error err = {0};

	if (job != 0 && dir != NULL && failure_write(dir, job, why, &err) < 0)
		node_log(node, NODE_ERROR, "job %u: cannot record this failure: %s", job, err.text);
}

static void drop_failure(const char *dir, uint32_t job)
{
	if (dir != NULL && failure_exists(dir, job))
		failure_drop(dir, job, NULL);
}

void node_unmark_failed(const struct node *node, uint32_t job)
{
	if (node->has_state)
		drop_failure(node->dir, job);
	drop_failure(node->spare_dir, job);
}

/* As failure_read(), from StateDir or, if that has none, from spare_dir. */
static int read_failure(const struct node *node, uint32_t job, struct failure *f,
			struct tessera_error *err)
{
	int rc = failure_read(node->dir, job, f, err);

	return rc == 1 && node->spare_dir != NULL ? failure_read(node->spare_dir, job, f, err) : rc;
}

int node_read_failure(const struct node *node, uint32_t job, struct failure *f)
{
	struct tessera_error err = {0};
	int rc = read_failure(node, job, f, &err);

	/* If the prolog could not write the reason, the directory itself is the reason. */
	if (rc >= 0 && f->text[0] == '\0' && state_dir_check(node->dir, &err) < 0)
		rc = -1;
	if (rc >= 0)
		return rc;
	memcpy(f->text, err.text, sizeof(f->text));
	return 0;
}

void node_unusable_tiles(const struct node *node, struct tessera_tileset *bad,
			 struct tessera_tileset *unknown)
{
	static bool logged;
	struct tessera_health_verdict verdict;
	struct tessera_error err = {0};

	/* A prolog that waits for tiles calls this again and again. */
	if (tessera_health_of_node(node->conf, node->name, node->platform, &verdict, &err) < 0 &&
	    !logged) {
		node_log(node, NODE_ERROR, "%s", err.text);
		logged = true;
	}
	*bad = verdict.bad;
	*unknown = verdict.unusable;
	tessera_tileset_minus(unknown, bad);
}
