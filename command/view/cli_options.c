/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>

#include "command/view/cli_options.h"
#include "lib/conf/names.h"
#include "lib/slurm/compat.h"
#include "lib/slurm/conf_file.h"
#include "lib/slurm/conf_path.h"
#include "lib/slurm/node_name.h"
#include "lib/slurm/plugstack.h"
#include "lib/state/job_record.h"

const char *cli_usual_conf_path(char *buf, size_t len)
{
	/*
	 * A host without any file: slurm_init() queries slurmctld, and ends the process if it
	 * cannot.
	 */
	if (conf_file_find(buf, len) < 0 && getenv("SLURM_CONF_SERVER") != NULL)
		slurm_init(NULL);
	return plugstack_conf_path(buf, len);
}

const char *cli_conf_path(const struct cli_options *c, char *buf, size_t len)
{
	return c->conf != NULL ? c->conf : cli_usual_conf_path(buf, len);
}

struct tessera_conf *cli_open_conf(const struct cli_options *c, char *path, size_t len,
				   struct tessera_error *err)
{
	const char *used = cli_conf_path(c, path, len);
	struct tessera_conf *conf = tessera_conf_read(used, err);

	if (conf == NULL)
		conf_path_explain(used, err);
	if (used != path)
		snprintf(path, len, "%s", used);
	return conf;
}

int cli_unknown_node(const char *node, const char *conf_path, struct tessera_error *err)
{
	return tessera_error_set(
		err, TESSERA_ERR_INPUT,
		"%s has no platform for node %.64s: check the name, or write node \"%.64s\" { "
		"Platform = P } there",
		conf_path, node, node);
}

/*
 * Jobs may hold units of pools on any node, and their job records remain when the node's line is
 * removed from tessera.conf.
 */
static bool has_job_records(const struct node *node)
{
	uint32_t *jobs = NULL;
	int count = node->has_state ? tessera_job_record_jobs(node->dir, &jobs, NULL) : 0;

	free(jobs);
	return count != 0;
}

/* Without --node, a node without accelerators is not an error: the timers run on every node. */
static int check_named_node(const struct cli_options *c, const struct node *node,
			    struct tessera_error *err)
{
	if (c->node == NULL || node->platform != NULL || node->ipus != NULL ||
	    has_job_records(node))
		return 0;
	return cli_unknown_node(node->name, node->conf_path, err);
}

/* libslurm adds the program's name and writes to standard error. */
static void log_to_slurm(enum node_log level, const char *text)
{
	if (level == NODE_ERROR)
		slurm_error("%s", text);
	else
		slurm_info("%s", text);
}

int cli_node(const struct cli_options *c, struct node *node, struct tessera_error *err)
{
	const char *name = c->node != NULL ? c->node : node_name();
	char own[sizeof(node->name)], path[sizeof(node->conf_path)];

	*node = (struct node){0};
	/*
	 * The node name of this machine is in slurm.conf. slurm_init() ends the process if there
	 * is no slurm.conf.
	 */
	if (name == NULL)
		slurm_init(NULL);
	if (name == NULL && node_name_of_host(own, sizeof(own)) < 0)
		return tessera_error_set(err, TESSERA_ERR_USAGE,
					 "cannot determine the name of this node: add --node=NAME");
	if (node_open(node, name != NULL ? name : own, cli_conf_path(c, path, sizeof(path)),
		      log_to_slurm, err) < 0)
		return -1;
	/* libslurm finds the slurmd to query by this name on a machine with several nodes. */
	setenv(VAR_SLURMD_NODENAME, node->name, 1);
	return check_named_node(c, node, err);
}

void cli_silence_hwloc(void)
{
	setenv(VAR_HWLOC_HIDE_ERRORS, "2", 0); /* all of them */
}

const char *cli_user(uint32_t uid, char *buf, size_t len)
{
	const struct passwd *user = getpwuid(uid);

	if (user != NULL)
		snprintf(buf, len, "%s", user->pw_name);
	else
		snprintf(buf, len, "%u", uid);
	return buf;
}

const char *cli_time(time_t when, char *buf, size_t len)
{
	struct tm tm = {0};

	localtime_r(&when, &tm);
	strftime(buf, len, "%Y-%m-%dT%H:%M:%S", &tm);
	return buf;
}
