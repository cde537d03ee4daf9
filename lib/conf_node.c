/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "lib/conf_parts.h"

#define TOPOLOGY TESSERA_COMMAND " topology --write --node=%n"

_Static_assert(sizeof(TOPOLOGY) <= TESSERA_COMMAND_MAX, "a prefix that is too long");

void conf_new_node(struct tessera_conf *conf)
{
	memcpy(conf->marks_dir, "/var/lib/tessera", sizeof("/var/lib/tessera"));
	memcpy(conf->topology, TOPOLOGY, sizeof(TOPOLOGY));
	snprintf(conf->health.snfadm, sizeof(conf->health.snfadm), "%s", "/opt/sambaflow/bin/snfadm -l inventory");
	conf->health.wait = 60;
	conf->health.max = 900;
	snprintf(conf->stale.devices, sizeof(conf->stale.devices), "%s", "/dev/rdu*");
	conf->stale.policy = TESSERA_STALE_WAIT;
	conf->stale.wait = 10;
	conf->grants.enabled = 1;
}

int tessera_conf_for_node(const char *key, const char *text, const char *node, char *buf, size_t len,
			  struct tessera_error *err)
{
	size_t node_len = strlen(node), used = 0;

	for (const char *at = text; *at != '\0';) {
		bool mark = at[0] == '%' && at[1] == 'n';
		const char *piece = mark ? node : at;
		size_t piece_len = mark ? node_len : 1 + strcspn(at + 1, "%");

		if (used + piece_len >= len)
			return tessera_error_set(err, TESSERA_ERR_INPUT,
						 "%s = %.80s is longer than %zu characters on node %.64s: write a "
						 "shorter one in tessera.conf",
						 key, text, len == 0 ? 0 : len - 1, node);
		memcpy(buf + used, piece, piece_len);
		used += piece_len;
		at += mark ? 2 : piece_len;
	}
	if (len > 0)
		buf[used] = '\0';
	return 0;
}

static int dir_for_node(const char *key, const char *text, const char *node, char *buf, size_t len,
			struct tessera_error *err)
{
	if (node[0] == '\0' || strchr(node, '/') != NULL || strcmp(node, ".") == 0 || strcmp(node, "..") == 0)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "\"%.64s\" is no node's name that a directory could have", node);
	return tessera_conf_for_node(key, text, node, buf, len, err);
}

int tessera_conf_state_dir(const struct tessera_conf *conf, const char *node, char *buf, size_t len,
			   struct tessera_error *err)
{
	return dir_for_node("StateDir", conf->state_dir, node, buf, len, err);
}

int tessera_conf_marks_dir(const struct tessera_conf *conf, const char *node, char *buf, size_t len,
			   struct tessera_error *err)
{
	return dir_for_node("MarksDir", conf->marks_dir, node, buf, len, err);
}

const struct tessera_health_conf *tessera_conf_health(const struct tessera_conf *conf)
{
	return &conf->health;
}

const struct tessera_stale_conf *tessera_conf_stale(const struct tessera_conf *conf)
{
	return &conf->stale;
}

const struct tessera_grant_conf *tessera_conf_grants(const struct tessera_conf *conf)
{
	return &conf->grants;
}

const char *tessera_conf_topology(const struct tessera_conf *conf)
{
	return conf->topology;
}
