/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gres/counts/counts_internal.h"
#include "gres/counts/update.h"
#include "lib/node/release.h"
#include "lib/request/gres_counts.h"
#include "lib/slurm/compat.h"
#include "lib/slurm/conf_file.h"
#include "lib/slurm/conf_nodes.h"
#include "lib/state/ledger.h"
#include "lib/util/statefile.h"
#include "lib/util/strbuf.h"

#define LOCK     "counts.lock"
#define GRES_MAX 4096

/*
 * Seconds to wait for a registration. slurmd may run other parts of its health check first, which
 * Slurm ends after 60 seconds.
 */
#define REGISTER_S          30
#define REGISTER_DETACHED_S 90

/* One update, or one comparison. */
struct update {
	const struct node *node;
	struct tessera_gres_counts_excluded excluded;
	char described[TESSERA_GRES_COUNTS_REASON_MAX];       /* why the counts are so */
	char drain_described[TESSERA_GRES_COUNTS_REASON_MAX]; /* why the node is drained */
	char lasting[TESSERA_GRES_COUNTS_REASON_MAX];         /* Reason of a drain that lasts */
	char temporary[TESSERA_GRES_COUNTS_REASON_MAX];       /* and of one for an update only */
	char *configured;                                     /* slurm.conf's Gres of the node */
	struct counts_node now;
	struct tessera_gres_counts_case c;
	struct tessera_gres_counts_run run;
	unsigned register_s;                     /* seconds to wait for a registration */
	bool detach;                             /* a detached process must continue, */
	enum tessera_gres_counts_action pending; /* with this action */
};

/*
 * Tiles of ended jobs that the ledger withholds. Prologs release them when their processes have
 * ended, but no prolog runs where nothing is counted: so with REVIEW, for root, this does it too.
 */
static int find_withheld(const struct update *u, bool review, struct tessera_tileset *withheld,
			 struct tessera_error *err)
{
	const struct node *node = u->node;
	struct tessera_ledger *ledger = NULL;

	if (review)
		release_review(node);
	if (tessera_ledger_read(node->dir, node->platform, &ledger, err) < 0)
		return -1;
	tessera_ledger_withheld(ledger, withheld);
	tessera_ledger_close(ledger);
	return 0;
}

/*
 * slurmd registers at most with slurm.conf's counts, and slurmctld does not count a name that is
 * absent there. A node without a line in slurm.conf (dynamic) has its platform's counts.
 */
static int find_configured(struct update *u, struct tessera_counts *limit,
			   struct tessera_error *err)
{
	const struct tessera_platform *p = u->node->platform;
	struct conf_file file = {0};
	char path[1024], usual[64];
	int rc = -1;

	if (conf_file_find(path, sizeof(path)) < 0) {
		tessera_error_set(err, TESSERA_ERR_IO,
				  "%s does not exist; SLURM_CONF can name another file", path);
	} else if (conf_file_read(&file, path, err) == 0) {
		snprintf(usual, sizeof(usual), "rdu:%u,rdu_tile:%u", tessera_platform_gres(p),
			 tessera_platform_tiles(p));
		if (conf_file_find_node(&file, u->node->name, &u->configured) == NULL)
			u->configured = strdup(usual);
		rc = tessera_gres_counts_read(u->configured, limit, err);
		if (rc < 0)
			tessera_error_prefix(err, "%s: node %s", path, u->node->name);
	}
	conf_file_free(&file);
	return rc;
}

/* Find the counts wanted, which does not need slurmctld. */
static int prepare_update(struct update *u, const struct tessera_health_verdict *verdict,
			  bool review, struct tessera_error *err)
{
	const struct tessera_platform *p = u->node->platform;
	struct tessera_counts limit;
	struct tessera_gres_counts_excluded drain;

	u->run.settled = !TESSERA_RESUME_MAY_OPEN_EARLY;
	u->register_s = REGISTER_S;
	u->excluded.bad = verdict->bad;
	u->excluded.unknown = verdict->unusable;
	tessera_tileset_minus(&u->excluded.unknown, &verdict->bad);
	if (find_withheld(u, review, &u->excluded.withheld, err) < 0 ||
	    find_configured(u, &limit, err) < 0)
		return -1;
	tessera_gres_counts_plan(p, &limit, &u->excluded, &u->c);
	tessera_gres_counts_describe(p, &u->excluded, u->described);
	/* Unknown and withheld tiles do not drain a node, and change often. */
	drain = u->excluded;
	tessera_tileset_clear(&drain.unknown);
	tessera_tileset_clear(&drain.withheld);
	tessera_gres_counts_describe(p, &drain, u->drain_described);
	tessera_gres_counts_reason(p, &drain, u->lasting);
	tessera_gres_counts_reason(p, &(struct tessera_gres_counts_excluded){0}, u->temporary);
	return 0;
}

/* Do jobs hold some of a counted GRES? Yes if slurmctld does not report how much is used. */
static bool is_used(const struct gres_sum *used, const struct gres_sum *counted)
{
	return counted->given && (!used->given || used->count > 0);
}

static int load_node(struct update *u, struct tessera_error *err)
{
	counts_node_free(&u->now);
	if (counts_node_load(u->node->name, &u->now, err) < 0)
		return -1;
	u->c.node = u->now.state;
	u->c.counted = u->now.counted;
	u->c.refused = u->now.refused;
	u->c.silent = u->now.silent;
	u->c.drained = u->now.drained;
	u->c.used = is_used(&u->now.used.rdu, &u->c.wanted.rdu) ||
		    is_used(&u->now.used.tile, &u->c.wanted.tile);
	u->c.current = strcmp(u->now.reason, u->lasting) == 0;
	u->c.temporary = strcmp(u->now.reason, u->temporary) == 0;
	return 0;
}

/* "rdu 8 -> 7, rdu_tile 64 -> 63": the counts that differ. */
static const char *format_change(const struct tessera_gres_counts_case *c, char *buf, size_t len)
{
	struct strbuf text = strbuf_start(buf, len);

	if (c->wanted.rdu.given && c->wanted.rdu.count != c->counted.rdu.count)
		strbuf_put(&text, "rdu %u -> %u", c->counted.rdu.count, c->wanted.rdu.count);
	if (c->wanted.tile.given && c->wanted.tile.count != c->counted.tile.count)
		strbuf_put(&text, "%srdu_tile %u -> %u", text.used > 0 ? ", " : "",
			   c->counted.tile.count, c->wanted.tile.count);
	return buf;
}

/* Print what was done, and WHY unless that is "". */
static void print_done(const struct update *u, const char *done, const char *why)
{
	bool given = why[0] != '\0';

	printf("%s: %s%s%s%s\n", u->node->name, done, given ? " (" : "", why, given ? ")" : "");
}

/* Returns -1 with ERR: what was not updated, and why. */
static int set_not_updated(const struct update *u, const char *why, struct tessera_error *err)
{
	char what[128];
	bool any = format_change(&u->c, what, sizeof(what))[0] != '\0';

	return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
				 "node %s: counts not updated%s%s%s: %s", u->node->name,
				 any ? " (" : "", what, any ? ")" : "", why);
}

/* The node's state does not allow the update, although the next one may succeed. Returns -1. */
static int set_blocked(const struct update *u, struct tessera_error *err)
{
	char what[128];

	if (u->c.node == TESSERA_GRES_COUNTS_INVALID)
		return tessera_error_set(
			err, TESSERA_ERR_UNAVAILABLE,
			"slurmctld refuses the registration of node %s (%s): the next run tries "
			"again; if it still does when the node's jobs have ended, see slurmctld's "
			"log",
			u->node->name, u->now.reason);
	if (u->c.node != TESSERA_GRES_COUNTS_REGISTERING)
		return set_not_updated(u, u->now.blocked, err);
	snprintf(what, sizeof(what),
		 "the node did not register with slurmctld within %u s; the next run tries again",
		 u->register_s);
	return set_not_updated(u, what, err);
}

static void print_released(uint32_t job)
{
	printf("job %u: waits again\n", job);
}

/* slurmctld may accept an update and ignore it, so it is queried before success is printed. */
static int update_counts(struct update *u, struct tessera_error *err)
{
	bool more = u->c.wanted.rdu.count > u->c.counted.rdu.count ||
		    u->c.wanted.tile.count > u->c.counted.tile.count;
	char gres[GRES_MAX], what[128];

	if (tessera_gres_counts_write(u->now.gres, u->configured, &u->c.wanted, gres, sizeof(gres),
				      err) < 0)
		return -1;
	format_change(&u->c, what, sizeof(what));
	if (counts_node_update(u->node->name, gres, err) < 0 || load_node(u, err) < 0)
		return -1;
	if (tessera_gres_counts_differ(&u->c))
		return set_not_updated(
			u,
			"slurmctld accepted them and still has the old ones; see slurmctld's log",
			err);
	print_done(u, what, u->described);
	return more ? counts_release_jobs(print_released, err) : 0;
}

/* Carry out ACTION, one that does not end the update. Returns 0, or -1 with ERR. */
static int perform_action(struct update *u, enum tessera_gres_counts_action action,
			  struct tessera_error *err)
{
	const char *name = u->node->name;

	switch (action) {
	case TESSERA_GRES_COUNTS_DRAIN:
		return counts_node_drain(
			name, tessera_gres_counts_drain_lasts(&u->c) ? u->lasting : u->temporary,
			err);
	case TESSERA_GRES_COUNTS_UPDATE:
		return update_counts(u, err);
	case TESSERA_GRES_COUNTS_REGISTER:
		print_done(u, "registers again", "");
		return counts_node_register(name, err);
	case TESSERA_GRES_COUNTS_AWAIT:
		return counts_node_await(name, u->register_s, err);
	case TESSERA_GRES_COUNTS_SETTLE:
		return counts_node_settle(name, u->now.reason, err);
	default:
		return counts_node_resume(name, err);
	}
}

/* ACTION ends the update: report how. Returns 0, or -1 with ERR. */
static int report_end(const struct update *u, enum tessera_gres_counts_action action,
		      struct tessera_error *err)
{
	const char *name = u->node->name;
	char what[128];

	if (action == TESSERA_GRES_COUNTS_BLOCKED)
		return set_blocked(u, err);
	if (action == TESSERA_GRES_COUNTS_STUCK)
		return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
					 "node %s: not resumed: slurmctld accepted the resume and "
					 "the node is still drained (%s); see slurmctld's log",
					 name, u->now.reason);
	if (action == TESSERA_GRES_COUNTS_UNSTABLE)
		return set_not_updated(
			u, "the node's state in slurmctld keeps changing; the next run tries again",
			err);
	/* Only a drain that was there before, or lasts, is worth a line. */
	if (u->run.resumed && !u->run.drained)
		print_done(u, "resumed", "");
	else if (u->run.drained && !u->run.resumed && u->c.node == TESSERA_GRES_COUNTS_DRAINED)
		print_done(u, "drained", u->drain_described);
	if (action == TESSERA_GRES_COUNTS_WAIT)
		fprintf(stderr,
			"tessera: node %s: %s must wait until no job has rdu or rdu_tile of it\n",
			name, format_change(&u->c, what, sizeof(what)));
	return 0;
}

/* A node drained only for the update must not stay so after a failure. */
static void reopen_node(struct update *u)
{
	if (u->run.was_open && load_node(u, NULL) == 0 &&
	    tessera_gres_counts_must_reopen(&u->run, &u->c))
		counts_node_resume(u->node->name, NULL);
}

static bool waits_for_slurmd(enum tessera_gres_counts_action action)
{
	return action == TESSERA_GRES_COUNTS_REGISTER || action == TESSERA_GRES_COUNTS_AWAIT ||
	       action == TESSERA_GRES_COUNTS_SETTLE;
}

/*
 * Each action follows the query it is decided on at once: nothing slow may come between. Returns
 * before an action that must be detached, with that pending.
 */
static int run_update(struct update *u, struct tessera_error *err)
{
	enum tessera_gres_counts_action action;
	int rc = load_node(u, err);

	while (rc == 0) {
		action = tessera_gres_counts_advance(&u->run, &u->c);
		if (action >= TESSERA_GRES_COUNTS_DONE) {
			rc = report_end(u, action, err);
			break;
		}
		if (u->run.by_slurmd && waits_for_slurmd(action)) {
			u->pending = action;
			u->detach = true;
			break;
		}
		rc = perform_action(u, action, err);
		if (rc == 0)
			rc = load_node(u, err);
	}
	if (rc < 0)
		reopen_node(u);
	return rc;
}

/* Continue in a detached process, which holds the lock as well. */
static int run_detached(void *arg, struct tessera_error *err)
{
	struct update *u = arg;

	u->run.by_slurmd = false;
	u->register_s = REGISTER_DETACHED_S;
	if (perform_action(u, u->pending, err) == 0)
		return run_update(u, err);
	reopen_node(u);
	return -1;
}

int counts_update(const struct node *node, const struct tessera_health_verdict *verdict,
		  struct tessera_error *err)
{
	struct update u = {.node = node};
	int lock, rc = -1;

	if (geteuid() != 0)
		return tessera_error_set(err, TESSERA_ERR_DENIED,
					 "must be root to update the counts in slurmctld; tessera "
					 "doctor shows whether they differ");
	lock = statefile_lock(node->dir, LOCK, err);
	if (lock < 0)
		return -1;
	slurm_init(NULL);
	u.run.by_slurmd = counts_run_by_slurmd();
	if (prepare_update(&u, verdict, true, err) == 0)
		rc = run_update(&u, err);
	if (u.detach && (rc = counts_detach(run_detached, &u, err)) < 0)
		reopen_node(&u);
	counts_node_free(&u.now);
	free(u.configured);
	close(lock);
	return rc;
}

int counts_compare(const struct node *node, const struct tessera_health_verdict *verdict,
		   struct counts_gap *gap, struct tessera_error *err)
{
	struct update u = {.node = node};
	int rc = -1;

	*gap = (struct counts_gap){0};
	if (prepare_update(&u, verdict, false, err) == 0 && load_node(&u, err) == 0) {
		gap->told = u.c.counted;
		gap->wanted = u.c.wanted;
		gap->used = u.c.used;
		snprintf(gap->because, sizeof(gap->because), "%s", u.described);
		rc = tessera_gres_counts_differ(&u.c) ? 1 : 0;
	}
	counts_node_free(&u.now);
	free(u.configured);
	return rc;
}
