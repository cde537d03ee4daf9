/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/observe/grant_check.h"
#include "command/observe/guard.h"
#include "command/observe/process_env.h"
#include "command/observe/sampler.h"
#include "lib/grant/grant_claim.h"
#include "lib/grant/grant_munge.h"
#include "lib/node/device_users_job.h"
#include "lib/slurm/pid_job.h"
#include "lib/util/array.h"
#include "lib/util/deadline.h"
#include "lib/vendor/gcmonitor.h"

/* The data that a verdict needs, and the errors of daemons that did not respond. */
struct judge {
	const struct node *node;
	const char *cluster;
	const char *proc;
	struct tessera_ledger *ledger; /* NULL: the node has no tiles */
	int64_t retry_until; /* deadline: a daemon that failed is not queried again after it */
	int64_t env_left;    /* milliseconds left to read environments, which can block */
	struct tessera_error slurmd_silent;  /* code 0: slurmd responds */
	struct tessera_error grants_unknown; /* the same for munged and slurmctld */
	struct device_users_tree tree;
	struct device_users_known known; /* slurmd's answers so far */
};

static struct guard_item *add_item(struct guard *guard, struct tessera_error *err)
{
	struct guard_item *items = array_grow(guard->items, guard->count, sizeof(*items));

	if (items == NULL) {
		tessera_error_nomem(err);
		return NULL;
	}
	guard->items = items;
	items += guard->count++;
	memset(items, 0, sizeof(*items));
	return items;
}

/* Returns 0, or -1 with ERR if there may be more than were found. */
static int find_tile_users(const struct node *node, const char *proc, unsigned seconds,
			   struct guard *guard, struct tessera_error *err)
{
	const char *devices = tessera_conf_leftover(node->conf)->devices;
	struct device_user *list = NULL;
	char pattern[2 * TESSERA_PATH_MAX];
	bool cut = false;
	int count, rc = 0;

	if (devices[0] == '\0')
		return tessera_error_set(
			err, TESSERA_ERR_UNAVAILABLE,
			"cannot determine which processes use tiles: set DeviceFiles in "
			"tessera.conf");
	if (tessera_conf_for_node("DeviceFiles", devices, node->name, pattern, sizeof(pattern),
				  err) < 0)
		return -1;
	count = device_users_find(proc, pattern, DEVICE_USERS_ALL, deadline_after(seconds), &list,
				  &cut, err);
	for (int i = 0; i < count && rc == 0; i++) {
		struct guard_item *item = add_item(guard, err);

		if (item == NULL)
			rc = -1;
		else
			item->process = list[i];
	}
	free(list);
	return count < 0 || cut ? -1 : rc;
}

/*
 * A process has one row for each partition that it uses. The row of its tiles, if any, is also the
 * row of its first partition.
 */
static struct guard_item *find_row(const struct guard *guard, const struct gcmonitor_ipu *ipu)
{
	for (size_t i = 0; i < guard->count; i++) {
		struct guard_item *item = &guard->items[i];

		if (item->process.pid == ipu->pid &&
		    (item->partition[0] == '\0' || ipu->partition[0] == '\0' ||
		     strcmp(item->partition, ipu->partition) == 0))
			return item;
	}
	return NULL;
}

static int add_ipu_user(struct guard *guard, const char *proc, const struct gcmonitor_ipu *ipu,
			struct tessera_error *err)
{
	struct guard_item *item = find_row(guard, ipu);
	struct device_user process;

	if (item == NULL) {
		if (!device_users_describe(proc, ipu->pid, &process))
			return 0;
		item = add_item(guard, err);
		if (item == NULL)
			return -1;
		item->process = process;
	}
	if (ipu->partition[0] != '\0')
		snprintf(item->partition, sizeof(item->partition), "%s", ipu->partition);
	return 0;
}

static int find_ipu_users(const struct node *node, const char *proc, struct guard *guard,
			  struct tessera_error *err)
{
	struct tessera_job_record *records = NULL;
	struct gcmonitor_ipu *ipus = NULL;
	bool crashed = false;
	int held = sampler_job_records(node, &records, err);
	int used = held < 0 ? -1 : sampler_ipus(node, &ipus, &crashed, err), rc = used < 0 ? -1 : 0;

	/* gc-monitor crashes if there is no partition; then no process can use one. */
	if (held == 0 && crashed) {
		tessera_error_clear(err);
		rc = 0;
	}
	for (int i = 0; i < used && rc == 0; i++)
		rc = add_ipu_user(guard, proc, &ipus[i], err);
	free(ipus);
	free(records);
	return rc;
}

/*
 * A daemon that failed is queried again for the next process, as the failure may be due to the
 * process, until retry_until.
 */
static bool gives_up(const struct judge *judge, const struct tessera_error *silent)
{
	return silent->code != TESSERA_OK && deadline_left(judge->retry_until) == 0;
}

/* Does the job hold tiles or IPUs on this node? */
static bool holds_devices(const struct judge *judge, uint32_t job)
{
	const struct tessera_row *row =
		judge->ledger != NULL ? tessera_ledger_job(judge->ledger, job) : NULL;
	struct tessera_job_record record;

	if (row != NULL && row->state == TESSERA_ROW_HELD)
		return true;
	return tessera_job_record_read(judge->node->dir, job, &record, NULL) == 0 &&
	       record.ipus > 0 && record.state == TESSERA_JOB_RECORD_READY;
}

/* Compare the device and the partition that the process uses with GRANT. */
static int check_seen(const struct guard_item *item, const struct tessera_grant *grant,
		      struct tessera_error *err)
{
	if (item->process.file[0] != '\0' && tessera_tileset_empty(&grant->tiles))
		return tessera_error_set(err, TESSERA_ERR_OUTSIDE,
					 "has %s open, but no tiles were granted",
					 item->process.file);
	if (item->partition[0] == '\0' || strcmp(item->partition, grant->partition) == 0)
		return 0;
	return tessera_error_set(err, TESSERA_ERR_OUTSIDE,
				 "uses V-IPU partition %s, which was not granted (granted: %s)",
				 item->partition,
				 grant->partition[0] != '\0' ? grant->partition : "none");
}

/* GOOD: the verdict if ERR is clear. */
static void set_verdict(struct guard_item *item, const char *good, const struct tessera_error *err)
{
	item->verdict = err->code == TESSERA_OK ? good : grant_verdict(err->code);
	item->right = err->code == TESSERA_OK;
	item->unknown = err->code != TESSERA_OK && err->code < TESSERA_ERR_UNGRANTED;
	snprintf(item->text, sizeof(item->text), "%s", err->text);
}

/* Fill GIVEN with the tiles and the partition of the process's job, as in its grant. */
static int find_given(const struct judge *judge, const struct guard_item *item,
		      struct tessera_grant *given, struct tessera_error *err)
{
	const struct tessera_row *row =
		judge->ledger != NULL ? tessera_ledger_job(judge->ledger, item->job) : NULL;
	struct tessera_job_record record;

	*given = (struct tessera_grant){.job = item->job};
	if (row != NULL && row->state == TESSERA_ROW_HELD) {
		given->tiles = row->tiles;
		snprintf(given->platform, sizeof(given->platform), "%s",
			 judge->node->platform->name);
	}
	if (item->process.file[0] != '\0' && item->partition[0] == '\0')
		return 0;
	if (tessera_job_record_read(judge->node->dir, item->job, &record, err) < 0)
		return -1;
	snprintf(given->partition, sizeof(given->partition), "%s", record.partition);
	return 0;
}

/*
 * Which tiles a process uses, and sometimes its partition, cannot be observed: check the
 * environment variables that it was started with, by the same rule as for a grant. The plugin sets
 * them in every task; a process that entered the job otherwise has none, and may use any tile.
 */
static int check_variables(struct judge *judge, const struct guard_item *item,
			   const struct tessera_grant *given, struct tessera_error *err)
{
	struct tessera_grant_claim claim = {0};
	struct process_env env = {0};
	struct grant_shown shown;
	int rc;

	if (item->process.file[0] == '\0' && item->partition[0] != '\0')
		return 0;
	rc = process_env_read(judge->proc, item->process.pid, &judge->env_left, &env, err);
	if (rc == 0 && process_env_empty(&env))
		rc = tessera_error_set(
			err, TESSERA_ERR_UNAVAILABLE,
			"its environment is empty: cannot determine which tiles it uses");
	if (rc == 0) {
		shown = grant_shown_in(&env, item->process.uid);
		if (item->process.file[0] != '\0') {
			claim.platform = judge->node->platform;
			claim.mask = shown.mask;
		} else {
			claim.partition = shown.partition;
			claim.config_path = shown.config_path;
		}
		rc = grant_check_claim(given, &claim, err);
	}
	process_env_free(&env);
	return rc;
}

/* Verdict on a process of a job that holds tiles or IPUs here. */
static void judge_member(struct judge *judge, struct guard_item *item)
{
	struct tessera_error err = {0};
	struct tessera_grant given;

	if (find_given(judge, item, &given, &err) == 0 && check_seen(item, &given, &err) == 0)
		check_variables(judge, item, &given, &err);
	set_verdict(item, "member", &err);
}

/* Verdict by the grant in the environment of the process. */
static void judge_grant(struct judge *judge, struct guard_item *item)
{
	struct process_env env = {0};
	struct tessera_error err = {0};
	struct tessera_grant grant;
	struct grant_shown shown;

	if (process_env_read(judge->proc, item->process.pid, &judge->env_left, &env, &err) == 0) {
		shown = grant_shown_in(&env, item->process.uid);
		if (shown.credential != NULL && gives_up(judge, &judge->grants_unknown))
			err = judge->grants_unknown;
		else if (grant_check(judge->node, judge->cluster, &shown, &grant, &err) == 0)
			check_seen(item, &grant, &err);
		else if (err.code < TESSERA_ERR_UNGRANTED)
			judge->grants_unknown = err;
	}
	process_env_free(&env);
	set_verdict(item, grant_verdict(TESSERA_OK), &err);
}

/*
 * Set the job of the process. Returns 1; 0 if it belongs to none; or -1 if slurmd does not respond.
 * slurmd is queried once per job.
 */
static int find_job(struct judge *judge, struct guard_item *item)
{
	struct device_user_claim claim;
	int rc;

	device_users_claim(&judge->tree, judge->proc, &item->process, &claim);
	item->job = device_users_recall(&judge->known, &claim);
	if (item->job != 0)
		return 1;
	if (gives_up(judge, &judge->slurmd_silent))
		return -1;
	rc = pid_job(claim.pid, &item->job, &judge->slurmd_silent);
	if (rc > 0)
		device_users_learn(&judge->known, &claim, item->job);
	else
		item->job = 0;
	return rc;
}

static void judge_item(struct judge *judge, struct guard_item *item)
{
	int rc = find_job(judge, item);

	if (rc > 0 && holds_devices(judge, item->job)) {
		judge_member(judge, item);
		return;
	}
	judge_grant(judge, item);
	if (item->right)
		return;
	/* It may belong to a job, and need no grant. */
	if (rc < 0) {
		item->verdict = grant_verdict(judge->slurmd_silent.code);
		item->unknown = true;
		snprintf(item->text, sizeof(item->text), "%s", judge->slurmd_silent.text);
	} else if (rc == 0 && item->process.uid == 0) {
		/* Vendor services run as root and have the device open. */
		item->verdict = "service";
		item->right = true;
		item->unknown = false;
		item->text[0] = '\0';
	}
}

static void judge_all(struct judge *judge, struct guard *guard)
{
	size_t left = 0;

	for (size_t i = 0; i < guard->count; i++) {
		judge_item(judge, &guard->items[i]);
		if (process_is_same(judge->proc, &guard->items[i].process))
			guard->items[left++] = guard->items[i];
	}
	guard->count = left;
}

int guard_look(const struct node *node, const char *cluster, const char *proc, unsigned seconds,
	       struct guard *guard, struct tessera_error *err)
{
	struct judge judge = {.node = node,
			      .cluster = cluster,
			      .proc = proc,
			      .retry_until = deadline_after(seconds),
			      .env_left = INT64_C(1000) * seconds};

	*guard = (struct guard){0};
	if (node->platform != NULL && find_tile_users(node, proc, seconds, guard, err) < 0)
		guard->incomplete = *err;
	if (node->ipus != NULL && find_ipu_users(node, proc, guard, err) < 0)
		guard->incomplete = *err;
	if (guard->incomplete.code != TESSERA_OK) {
		/* Report the processes that were found. */
		if (guard->count == 0)
			return -1;
		tessera_error_prefix(&guard->incomplete, "the list may be incomplete");
	}
	/* Read the ledger after the processes: it then has the rows of jobs started meanwhile. */
	if (node->platform != NULL &&
	    tessera_ledger_read(node->dir, node->platform, &judge.ledger, err) < 0)
		return -1;
	judge_all(&judge, guard);
	device_users_tree_free(&judge.tree);
	device_users_known_free(&judge.known);
	tessera_ledger_close(judge.ledger);
	return 0;
}

enum tessera_errcode guard_verdict(const struct guard *guard)
{
	enum tessera_errcode code =
		guard->incomplete.code != TESSERA_OK ? TESSERA_ERR_UNAVAILABLE : TESSERA_OK;

	for (size_t i = 0; i < guard->count; i++) {
		if (guard->items[i].unknown)
			code = TESSERA_ERR_UNAVAILABLE;
		else if (!guard->items[i].right)
			return TESSERA_ERR_INPUT;
	}
	return code;
}

void guard_free(struct guard *guard)
{
	free(guard->items);
	*guard = (struct guard){0};
}
