/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gres/grant_check.h"
#include "gres/guard.h"
#include "gres/process_env.h"
#include "gres/sampler.h"
#include "lib/deadline.h"
#include "lib/gcmonitor.h"
#include "lib/grant_parts.h"
#include "lib/holders_job.h"
#include "plugin/process_job.h"

/* What is needed to judge, and what those said who could not help. */
struct judge {
	const struct node *node;
	const char *cluster;
	const char *proc;
	struct tessera_ledger *ledger; /* NULL: the node has no tiles */
	int64_t patient_until;
	int64_t env_left; /* milliseconds for environments: a process can make each take seconds */
	struct tessera_error slurmd_silent;  /* code 0: it answers */
	struct tessera_error grants_unknown; /* likewise munged and slurmctld */
	struct holders_tree tree;
	struct holders_known known; /* what slurmd has said */
};

static struct guard_item *add(struct guard *guard, struct tessera_error *err)
{
	struct guard_item *items = realloc(guard->items, (guard->count + 1) * sizeof(*items));

	if (items == NULL) {
		tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory for %zu processes", guard->count + 1);
		return NULL;
	}
	guard->items = items;
	items += guard->count++;
	memset(items, 0, sizeof(*items));
	return items;
}

/* Returns 0, or -1 with ERR when there may be more than were found; so does the next one. */
static int find_tile_users(const struct node *node, const char *proc, unsigned seconds, struct guard *guard,
			   struct tessera_error *err)
{
	const char *devices = tessera_conf_stale(node->conf)->devices;
	struct holder *list = NULL;
	char pattern[2 * TESSERA_PATH_MAX];
	bool cut = false;
	int count, rc = 0;

	if (devices[0] == '\0')
		return tessera_error_set(err, TESSERA_ERR_MISSING,
					 "tessera.conf names no DeviceFiles: who has a tile open is not known");
	if (tessera_conf_for_node("DeviceFiles", devices, node->name, pattern, sizeof(pattern), err) < 0)
		return -1;
	count = holders_find(proc, pattern, HOLDERS_ALL, deadline_after(seconds), &list, &cut, err);
	for (int i = 0; i < count && rc == 0; i++) {
		struct guard_item *item = add(guard, err);

		if (item == NULL)
			rc = -1;
		else
			item->process = list[i];
	}
	free(list);
	return count < 0 || cut ? -1 : rc;
}

/* A process has a row for each partition that it uses, however many IPUs of it: that of its tiles, if there is one, too. */
static struct guard_item *find_row(const struct guard *guard, const struct gcmonitor_ipu *ipu)
{
	for (size_t i = 0; i < guard->count; i++) {
		struct guard_item *item = &guard->items[i];

		if (item->process.pid == ipu->pid && (item->partition[0] == '\0' || ipu->partition[0] == '\0' ||
						      strcmp(item->partition, ipu->partition) == 0))
			return item;
	}
	return NULL;
}

static int add_ipu_user(struct guard *guard, const char *proc, const struct gcmonitor_ipu *ipu,
			struct tessera_error *err)
{
	struct guard_item *item = find_row(guard, ipu);
	struct holder process;

	if (item == NULL) {
		if (!holders_describe(proc, ipu->pid, &process))
			return 0;
		item = add(guard, err);
		if (item == NULL)
			return -1;
		item->process = process;
	}
	if (ipu->partition[0] != '\0')
		snprintf(item->partition, sizeof(item->partition), "%s", ipu->partition);
	return 0;
}

static int find_ipu_users(const struct node *node, const char *proc, struct guard *guard, struct tessera_error *err)
{
	struct tessera_holding *holdings = NULL;
	struct gcmonitor_ipu *ipus = NULL;
	bool crashed = false;
	int held = sampler_holdings(node, &holdings, err);
	int used = held < 0 ? -1 : sampler_ipus(node, &ipus, &crashed, err), rc = used < 0 ? -1 : 0;

	/* Without any partition the tool crashes, and nobody can use one. */
	if (held == 0 && crashed) {
		tessera_error_clear(err);
		rc = 0;
	}
	for (int i = 0; i < used && rc == 0; i++)
		rc = add_ipu_user(guard, proc, &ipus[i], err);
	free(ipus);
	free(holdings);
	return rc;
}

/* Who did not answer once is asked again for the next process, whose own fault it may have been, but not for ever. */
static bool gives_up(const struct judge *judge, const struct tessera_error *silent)
{
	return silent->code != TESSERA_OK && deadline_left(judge->patient_until) == 0;
}

/* Does the job have tiles or IPUs here? */
static bool holds(const struct judge *judge, uint32_t job)
{
	const struct tessera_row *row = judge->ledger != NULL ? tessera_ledger_job(judge->ledger, job) : NULL;
	struct tessera_holding holding;

	if (row != NULL && row->state == TESSERA_ROW_HELD)
		return true;
	return tessera_holding_read(judge->node->dir, job, &holding, NULL) == 0 && holding.ipus > 0 &&
	       holding.state == TESSERA_HOLDING_READY;
}

/* What is seen of it, held against GRANT. */
static int check_seen(const struct guard_item *item, const struct tessera_grant *grant, struct tessera_error *err)
{
	if (item->process.file[0] != '\0' && tessera_tileset_empty(&grant->tiles))
		return tessera_error_set(err, TESSERA_ERR_OUTSIDE, "it has %s open, but no tiles were granted",
					 item->process.file);
	if (item->partition[0] == '\0' || strcmp(item->partition, grant->partition) == 0)
		return 0;
	return tessera_error_set(err, TESSERA_ERR_OUTSIDE, "it uses partition %s, which was not granted; %s%s",
				 item->partition, grant->partition[0] != '\0' ? "granted was " : "no partition was",
				 grant->partition);
}

/* GOOD is the word for it if nothing is wrong. */
static void settle(struct guard_item *item, const char *good, const struct tessera_error *err)
{
	item->verdict = err->code == TESSERA_OK ? good : grant_verdict(err->code);
	item->right = err->code == TESSERA_OK;
	item->unknown = err->code != TESSERA_OK && err->code < TESSERA_ERR_UNGRANTED;
	snprintf(item->text, sizeof(item->text), "%s", err->text);
}

/* What the node has given to its job, as a grant would have it; of IPUs, if it uses some. */
static int find_given(const struct judge *judge, const struct guard_item *item, struct tessera_grant *given,
		      struct tessera_error *err)
{
	const struct tessera_row *row = judge->ledger != NULL ? tessera_ledger_job(judge->ledger, item->job) : NULL;
	struct tessera_holding holding;

	*given = (struct tessera_grant){.job = item->job};
	if (row != NULL && row->state == TESSERA_ROW_HELD) {
		given->tiles = row->tiles;
		snprintf(given->platform, sizeof(given->platform), "%s", judge->node->platform->name);
	}
	if (item->process.file[0] != '\0' && item->partition[0] == '\0')
		return 0;
	if (tessera_holding_read(judge->node->dir, item->job, &holding, err) < 0)
		return -1;
	snprintf(given->partition, sizeof(given->partition), "%s", holding.partition);
	return 0;
}

/*
 * What cannot be seen of it, namely which tiles it uses, and the partition if the tool does not say: by the variables that it
 * was started with, and the same rule as for a grant. The plugin sets them in every task; what comes by another way into a
 * job has none, and takes any tile.
 */
static int check_variables(struct judge *judge, const struct guard_item *item, const struct tessera_grant *given,
			   struct tessera_error *err)
{
	struct tessera_grant_claim claim = {0};
	struct process_env env = {0};
	struct grant_shown shown;
	int rc;

	if (item->process.file[0] == '\0' && item->partition[0] != '\0')
		return 0;
	rc = process_env_read(judge->proc, item->process.pid, &judge->env_left, &env, err);
	if (rc == 0 && process_env_empty(&env))
		rc = tessera_error_set(err, TESSERA_ERR_MISSING,
				       "its environment is empty: what it was started with is not known");
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

/* Its verdict as a process of a job that has something here. */
static void judge_member(struct judge *judge, struct guard_item *item)
{
	struct tessera_error err = {0};
	struct tessera_grant given;

	if (find_given(judge, item, &given, &err) == 0 && check_seen(item, &given, &err) == 0)
		check_variables(judge, item, &given, &err);
	settle(item, "member", &err);
}

/* Its verdict by the grant that it carries. */
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
	settle(item, grant_verdict(TESSERA_OK), &err);
}

/* Set the process's job. Returns 1; 0 if it is of none; or -1 if slurmd does not say. It is asked once for each job. */
static int find_job(struct judge *judge, struct guard_item *item)
{
	struct holder_claim claim;
	int rc;

	holders_claim(&judge->tree, judge->proc, &item->process, &claim);
	item->job = holders_recall(&judge->known, &claim);
	if (item->job != 0)
		return 1;
	if (gives_up(judge, &judge->slurmd_silent))
		return -1;
	rc = process_job(judge->node, claim.pid, &item->job, &judge->slurmd_silent);
	if (rc > 0)
		holders_learn(&judge->known, &claim, item->job);
	else
		item->job = 0;
	return rc;
}

static void judge_item(struct judge *judge, struct guard_item *item)
{
	int rc = find_job(judge, item);

	if (rc > 0 && holds(judge, item->job)) {
		judge_member(judge, item);
		return;
	}
	judge_grant(judge, item);
	if (item->right)
		return;
	/* It may be a job's, which may need no grant. */
	if (rc < 0) {
		item->verdict = grant_verdict(judge->slurmd_silent.code);
		item->unknown = true;
		snprintf(item->text, sizeof(item->text), "%s", judge->slurmd_silent.text);
	} else if (rc == 0 && item->process.uid == 0) {
		/* The vendor's own services hold the device; and root needs nobody's leave. */
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
			      .patient_until = deadline_after(seconds),
			      .env_left = INT64_C(1000) * seconds};

	*guard = (struct guard){0};
	if (node->platform != NULL && find_tile_users(node, proc, seconds, guard, err) < 0)
		guard->incomplete = *err;
	if (node->ipus != NULL && find_ipu_users(node, proc, guard, err) < 0)
		guard->incomplete = *err;
	if (guard->incomplete.code != TESSERA_OK) {
		/* Who was found is named, whatever hides the others. */
		if (guard->count == 0)
			return -1;
		tessera_error_prefix(&guard->incomplete, "this may not be all");
	}
	/* After the processes: a job that came meanwhile has its row, and they are no strangers. */
	if (node->platform != NULL && tessera_ledger_read(node->dir, node->platform, &judge.ledger, err) < 0)
		return -1;
	judge_all(&judge, guard);
	holders_tree_free(&judge.tree);
	holders_known_free(&judge.known);
	tessera_ledger_close(judge.ledger);
	return 0;
}

enum tessera_errcode guard_verdict(const struct guard *guard)
{
	enum tessera_errcode code = guard->incomplete.code != TESSERA_OK ? TESSERA_ERR_MISSING : TESSERA_OK;

	for (size_t i = 0; i < guard->count; i++) {
		if (guard->items[i].unknown)
			code = TESSERA_ERR_MISSING;
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
