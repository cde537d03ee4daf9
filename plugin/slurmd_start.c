/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/conf/names.h"
#include "lib/grant/grant_module.h"
#include "lib/node/reap.h"
#include "lib/slurm/compat.h"
#include "lib/slurm/pid_job.h"
#include "lib/state/job_record.h"
#include "lib/util/child.h"
#include "lib/util/deadline.h"
#include "lib/util/module.h"
#include "lib/util/run.h"
#include "lib/util/state_dir.h"
#include "plugin/options.h"
#include "plugin/plugin_node.h"
#include "plugin/slurmd_start.h"
#include "plugin/step_env.h"

#define VERSION_MAX  1024
#define MUNGE_WAIT_S 5
#define TABLE_WAIT_S 30 /* hwloc takes a second on a large machine */

#define SLURMD_WAIT_S        30 /* until a starting slurmd answers */
#define SLURMD_PAUSE_MS      50
#define SLURMD_PAUSE_MOST_MS 1000

/* "DEVICE INODE CTIME PATH": changes when the file does. "" if there is no file. */
static void read_version(const char *path, char *buf, size_t len)
{
	struct stat st;

	buf[0] = '\0';
	if (stat(path, &st) == 0)
		snprintf(buf, len, "%ju %ju %jd.%09ld %s", (uintmax_t)st.st_dev,
			 (uintmax_t)st.st_ino, (intmax_t)st.st_ctim.tv_sec, st.st_ctim.tv_nsec,
			 path);
}

/* For every slurmstepd, so that a step that asked for nothing need not read tessera.conf. */
static void set_environment(const struct node *node, const char *version)
{
	struct tessera_error err = {0};

	setenv(VAR_NODE_LEDGER, node->has_state ? node->dir : "", 1);
	setenv(VAR_NODE_CONF, version, 1);
	options_export_pools(node->conf);
	step_env_export_empty_mask(node);
	/* From now on a missing directory is an error. */
	if (node->has_state && state_dir_make(node->dir, &err) < 0)
		slurm_error("tessera: %s", err.text);
}

/* Without the table jobs run too, on RDUs that may not be NUMA-local. */
static void write_locality_table(const void *arg)
{
	const struct node *node = arg;
	char command[2 * TESSERA_COMMAND_MAX], output[RUN_SAID_MAX];
	const char *argv[RUN_WORDS_MAX + 1];
	struct run run = {.argv = argv, .deadline = deadline_after(TABLE_WAIT_S)};
	struct tessera_error err = {0};
	int status = -1;

	if (tessera_conf_for_node("TopologyCommand", tessera_conf_topology(node->conf), node->name,
				  command, sizeof(command), &err) == 0 &&
	    run_words(command, argv, &err) == 0)
		status = run_program(&run, output, &err);
	if (status > 0)
		tessera_error_set(&err, TESSERA_ERR_UNAVAILABLE, "%s failed with %d%s%s", argv[0],
				  status, output[0] != '\0' ? ": " : "", output);
	if (status != 0)
		slurm_error("tessera: cannot write the RDU locality table: %s", err.text);
	else if (output[0] != '\0')
		slurm_verbose("%s", output);
}

static void log_row(const struct tessera_row *row, const struct tessera_platform *p, bool withheld,
		    void *arg)
{
	char tiles[256];

	(void)arg;
	tessera_tileset_format(p, &row->tiles, TESSERA_FORM_RDUS, tiles, sizeof(tiles));
	if (withheld)
		slurm_info("tessera: job %u ended; withholding %s: %s", row->job, tiles, row->text);
	else
		slurm_info("tessera: job %u ended; released %s", row->job,
			   tiles[0] != '\0' ? tiles : "its row");
}

static void log_pool(uint32_t job, const char *partition, enum job_record_phase phase, void *arg)
{
	(void)arg;
	if (partition != NULL)
		slurm_info("tessera: job %u is %s: removed partition %s", job, reap_job_word(phase),
			   partition);
	else
		slurm_info("tessera: job %u ended; dropped its record", job);
}

/*
 * slurmd loads plugins before it opens its port (26.05), and without it the jobs of processes are
 * unknown. If it does not answer in time, reap withholds tiles in doubt.
 */
static void await_slurmd(void)
{
	int64_t end = deadline_after(SLURMD_WAIT_S);
	unsigned pause = SLURMD_PAUSE_MS;
	uint32_t job;

	while (pid_job_until(getpid(), end, &job, NULL) < 0 && deadline_left(end) > 0)
		deadline_pause(end, &pause, SLURMD_PAUSE_MOST_MS);
}

static void reap_and_log(const void *arg)
{
	const struct node *node = arg;
	struct tessera_error err = {0};

	/* By this name Slurm's library finds the slurmd to query, where a machine has several. */
	setenv(VAR_SLURMD_NODENAME, node->name, 1);
	await_slurmd();
	if (node->platform != NULL && reap_ledger(node, false, log_row, NULL, &err) < 0)
		slurm_error("tessera: %s", err.text);
	if (reap_pools(node, false, log_pool, NULL, &err) < 0)
		slurm_error("tessera: %s", err.text);
}

static void start_detached(void (*work)(const void *arg), const struct node *node, const char *what)
{
	if (child_detach(work, node) < 0)
		slurm_error("tessera: cannot start a process to %s: %s: restart slurmd", what,
			    strerror(errno));
}

static bool has_credential(const struct tessera_grant_conf *conf, char *why, size_t len)
{
	grant_module_encode_fn encode = NULL;
	struct tessera_error err = {0};
	char *credential;

	if (module_load(GRANT_MODULE, GRANT_MODULE_ENCODE, true, &encode, &err) < 0) {
		snprintf(why, len, "%s", err.text);
		return false;
	}
	credential = encode("tessera-slurmd", conf->socket, MUNGE_WAIT_S, why, len);
	free(credential);
	return credential != NULL;
}

static void report_grants(const void *arg)
{
	const struct node *node = arg;
	char why[sizeof(((struct tessera_error *)NULL)->text)] = "";

	if (!has_credential(tessera_conf_grants(node->conf), why, sizeof(why)))
		slurm_info("tessera: jobs run without TESSERA_GRANT: grants need munge, and %s is "
			   "in use: %s",
			   slurm_conf.authtype, why);
}

/*
 * Slurm needs no munge with another AuthType (auth/slurm from 23.11 on). Then munge may be absent
 * for good, and this says it once instead of every step.
 */
static void check_grants(const struct node *node)
{
	unsetenv(VAR_NODE_NO_MUNGE);
	if (!tessera_conf_grants(node->conf)->enabled || &slurm_conf == NULL ||
	    slurm_conf.authtype == NULL || strcmp(slurm_conf.authtype, "auth/munge") == 0)
		return;
	setenv(VAR_NODE_NO_MUNGE, "1", 1);
	start_detached(report_grants, node, "ask munge for a credential");
}

void slurmd_start(void)
{
	struct tessera_error err = {0};
	char version[VERSION_MAX];
	struct node node;

	read_version(plugin_node_conf_path(), version, sizeof(version));
	/*
	 * If tessera.conf has an error now, it may be correct when a job starts; otherwise the job
	 * reports the error.
	 */
	setenv(VAR_NODE_CONF, "", 1);
	if (plugin_node_open(&node, &err) < 0) {
		slurm_error("tessera: %s", err.text);
	} else {
		set_environment(&node, version);
		/* A node without a directory has no records. */
		if (node.has_state && (node.site != NULL || access(node.dir, F_OK) == 0))
			start_detached(reap_and_log, &node, "release what ended jobs left");
		if (node.platform != NULL && tessera_conf_topology(node.conf)[0] != '\0')
			start_detached(write_locality_table, &node, "write the RDU locality table");
		if (node.has_state)
			check_grants(&node);
	}
	node_close(&node);
}

/* Is tessera.conf the version that slurmd read? */
static bool is_conf_unchanged(void)
{
	const char *seen = getenv(VAR_NODE_CONF);
	const char *path = seen != NULL ? strchr(seen, '/') : NULL;
	char version[VERSION_MAX];

	if (path == NULL)
		return false;
	read_version(path, version, sizeof(version));
	return strcmp(seen, version) == 0;
}

bool slurmd_has_plugin(void)
{
	return getenv(VAR_NODE_CONF) != NULL;
}

bool slurmd_may_have_job(uint32_t job)
{
	const char *dir = getenv(VAR_NODE_LEDGER), *spare = plugin_node_cache_dir();

	if (dir == NULL || !is_conf_unchanged())
		return true;
	if (dir[0] == '\0')
		return false;
	/* If the prolog could not write, a missing record proves nothing. */
	return state_dir_check(dir, NULL) < 0 || tessera_ledger_may_have_job(dir, job) ||
	       tessera_job_record_exists(dir, job) || failure_exists(dir, job) ||
	       (strcmp(spare, dir) != 0 && failure_exists(spare, job));
}
