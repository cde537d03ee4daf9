/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gres/counts.h"
#include "gres/counts_parts.h"
#include "gres/slurm_nodes.h"
#include "lib/counts.h"
#include "lib/ledger.h"
#include "lib/record.h"
#include "plugin/slurm_compat.h"
#include "plugin/slurm_file.h"
#include "plugin/stale.h"

#define LOCK      "counts.lock"
#define STEPS_MAX 8 /* the longest way: await, register, drain, tell, settle, resume */
#define GRES_MAX  4096

/* All that is known while a node's counts are brought to follow. */
struct following {
	const struct node *node;
	const struct counts_wish *wish;
	struct tessera_counts_why why;
	char because[TESSERA_COUNTS_REASON_MAX];         /* the counts are such */
	char drained_because[TESSERA_COUNTS_REASON_MAX]; /* and the node so */
	char reason[TESSERA_COUNTS_REASON_MAX];          /* of that drain, if it is to last */
	char for_now[TESSERA_COUNTS_REASON_MAX];         /* and if not: no lasting one has this */
	char *configured;                                /* slurm.conf's Gres of the node */
	struct counts_node now;
	struct tessera_counts_case c;
	bool drained; /* by us, in this run */
	bool settled; /* it has registered, or was given the time to */
	bool moment;  /* it was open before */
};

/*
 * Tiles of jobs that have ended, which the ledger keeps back. It is prologs who see that they need not be any more, and where
 * nothing is counted none comes: so this looks, too.
 */
static int find_kept(const struct following *f, struct tessera_tileset *kept, struct tessera_error *err)
{
	const struct node *node = f->node;
	struct tessera_ledger *ledger = NULL;

	if (!f->wish->dry_run)
		stale_review(node);
	if (tessera_ledger_read(node->dir, node->platform, &ledger, err) < 0)
		return -1;
	tessera_ledger_kept_tiles(ledger, kept);
	tessera_ledger_close(ledger);
	return 0;
}

/*
 * What slurm.conf gives the node is the most that slurmd will register with, and what it does not name slurmctld does not
 * count. A node that came without a line there has what its platform has.
 */
static int find_configured(struct following *f, struct tessera_counts *limit, struct tessera_error *err)
{
	const struct tessera_platform *p = f->node->platform;
	struct slurm_file file = {0};
	char path[1024], usual[64];
	int rc = -1;

	if (slurm_file_find(path, sizeof(path)) < 0) {
		tessera_error_set(err, TESSERA_ERR_MISSING, "there is no %s; SLURM_CONF can name another", path);
	} else if (slurm_file_read(&file, path, err) == 0) {
		snprintf(usual, sizeof(usual), "rdu:%u,rdu_tile:%u", tessera_platform_gres(p),
			 tessera_platform_tiles(p));
		if (slurm_nodes_find(&file, f->node->name, &f->configured) == NULL)
			f->configured = strdup(usual);
		rc = tessera_counts_read(f->configured, limit, err);
		if (rc < 0)
			tessera_error_prefix(err, "%s: node %s", path, f->node->name);
	}
	slurm_file_free(&file);
	return rc;
}

/* What is wanted, which slurmctld has no part in. */
static int prepare(struct following *f, const struct tessera_health_verdict *verdict, struct tessera_error *err)
{
	const struct tessera_platform *p = f->node->platform;
	struct tessera_counts limit;
	struct tessera_counts_why drain;

	f->why.bad = verdict->bad;
	f->why.unknown = verdict->unusable;
	tessera_tileset_minus(&f->why.unknown, &verdict->bad);
	if (find_kept(f, &f->why.kept, err) < 0 || find_configured(f, &limit, err) < 0)
		return -1;
	f->c.may_drain = !f->wish->open;
	tessera_counts_plan(p, &limit, &f->why, &f->c);
	tessera_counts_because(p, &f->why, f->because);
	/* What is unknown or kept back drains nothing, and comes and goes. */
	drain = f->why;
	tessera_tileset_clear(&drain.unknown);
	tessera_tileset_clear(&drain.kept);
	tessera_counts_because(p, &drain, f->drained_because);
	tessera_counts_reason(p, &drain, f->reason);
	tessera_counts_reason(p, &(struct tessera_counts_why){0}, f->for_now);
	return 0;
}

/* Jobs have some of what is counted. Who does not say how much is in use is not taken for one with nothing in use. */
static bool is_used(const struct gres_sum *used, const struct gres_sum *counted)
{
	return counted->given && (!used->given || used->count > 0);
}

static int look(struct following *f, struct tessera_error *err)
{
	counts_node_free(&f->now);
	if (counts_node_load(f->node->name, &f->now, err) < 0)
		return -1;
	f->c.node = f->now.stands;
	f->c.told = f->now.told;
	f->c.refused = f->now.refused;
	f->c.used = is_used(&f->now.used.rdu, &f->c.wanted.rdu) || is_used(&f->now.used.tile, &f->c.wanted.tile);
	f->c.reason_now = strcmp(f->now.reason, f->reason) == 0;
	return 0;
}

/* "rdu 8 -> 7, rdu_tile 64 -> 63", of what differs. */
static const char *difference(const struct tessera_counts_case *c, char *buf, size_t len)
{
	size_t used = 0;

	buf[0] = '\0';
	if (c->wanted.rdu.given && c->wanted.rdu.count != c->told.rdu.count)
		used = (size_t)snprintf(buf, len, "rdu %u -> %u", c->told.rdu.count, c->wanted.rdu.count);
	if (c->wanted.tile.given && c->wanted.tile.count != c->told.tile.count && used < len)
		snprintf(buf + used, len - used, "%srdu_tile %u -> %u", used > 0 ? ", " : "", c->told.tile.count,
			 c->wanted.tile.count);
	return buf;
}

/* A line for what is done, or would be; and why, if WHY says so. */
static void say(const struct following *f, const char *done, const char *undone, const char *more, const char *why)
{
	bool given = why[0] != '\0';

	printf("%s: %s%s%s%s%s\n", f->node->name, f->wish->dry_run ? undone : done, more, given ? " (" : "", why,
	       given ? ")" : "");
}

/* Returns -1 with ERR: what was not updated, and why. */
static int not_updated(const struct following *f, const char *why, struct tessera_error *err)
{
	char what[128];
	bool any = difference(&f->c, what, sizeof(what))[0] != '\0';

	return tessera_error_set(err, TESSERA_ERR_MISSING, "node %s: counts not updated%s%s%s: %s", f->node->name,
				 any ? " (" : "", what, any ? ")" : "", why);
}

/* What must wait for jobs to end waits; anything else is a failure, although the next run may succeed. Returns as take() does. */
static int put_off(const struct following *f, struct tessera_error *err)
{
	const char *name = f->node->name;
	char what[128];

	if (f->c.node == TESSERA_COUNTS_AWAY)
		return not_updated(f, f->now.away, err);
	if (f->c.node == TESSERA_COUNTS_REGISTERING) {
		snprintf(what, sizeof(what),
			 "the node did not register with slurmctld within %d s; the next run tries again",
			 COUNTS_REGISTER_S);
		return not_updated(f, what, err);
	}
	if (f->c.node == TESSERA_COUNTS_INVALID)
		return tessera_error_set(
			err, TESSERA_ERR_MISSING,
			"slurmctld refuses the registration of node %s (%s): the next run tries again; if it still "
			"does when the node's jobs have ended, see slurmctld's log",
			name, f->now.reason);
	fprintf(stderr, "tessera: node %s: %s must wait until no job has rdu or rdu_tile of it\n", name,
		difference(&f->c, what, sizeof(what)));
	return 0;
}

static void say_released(uint32_t job)
{
	printf("job %u: waits again\n", job);
}

/* What slurmctld accepts it need not take, so it is looked at before anything is said. */
static int tell_slurmctld(struct following *f, const char *gres, struct tessera_error *err)
{
	if (f->wish->dry_run)
		return 0;
	if (counts_node_tell(f->node->name, gres, err) < 0 || look(f, err) < 0)
		return -1;
	if (tessera_counts_differ(&f->c))
		return not_updated(f, "slurmctld accepted them and still has the old ones; see slurmctld's log",
				   err);
	return 0;
}

static int tell(struct following *f, struct tessera_error *err)
{
	bool more = f->c.wanted.rdu.count > f->c.told.rdu.count || f->c.wanted.tile.count > f->c.told.tile.count;
	char gres[GRES_MAX], what[128];

	if (tessera_counts_write(f->now.gres, f->configured, &f->c.wanted, gres, sizeof(gres), err) < 0)
		return -1;
	difference(&f->c, what, sizeof(what));
	if (tell_slurmctld(f, gres, err) < 0)
		return -1;
	say(f, "", "would become ", what, f->because);
	if (more && !f->wish->dry_run && counts_release_jobs(say_released, err) < 0)
		return -1;
	return 0;
}

/*
 * While it is drained slurmctld keeps no trace of what it would have drained it for itself, as for a failed epilog; so an
 * admin may want to look first. In the moment that it takes to tell hardly anything can come of that; nor is it his where
 * that moment's end failed. Returns as take() does.
 */
static int resume(struct following *f, struct tessera_error *err)
{
	const char *name = f->node->name;

	if (f->wish->keep && !f->moment && strcmp(f->now.reason, f->for_now) != 0) {
		fprintf(stderr,
			"tessera: node %s: its drain (%s) is needed no more: scontrol update nodename=%s "
			"state=resume "
			"ends it\n",
			name, f->now.reason, name);
		return 0;
	}
	if (TESSERA_RESUME_MAY_OPEN_EARLY && !f->wish->dry_run && !f->settled) {
		f->settled = true;
		return counts_node_settle(name, f->now.reason, err) < 0 ? -1 : 1;
	}
	if (!f->wish->dry_run && counts_node_resume(name, err) < 0)
		return -1;
	if (!f->drained)
		say(f, "resumed", "would be resumed", "", "");
	return 0;
}

static int drain_node(const struct following *f, struct tessera_error *err)
{
	return counts_node_drain(f->node->name, tessera_counts_lasts(&f->c) ? f->reason : f->for_now, err);
}

/* Returns 1 if slurmctld is to be looked at again, 0 at the end, or -1 with ERR. */
static int take(struct following *f, enum tessera_counts_step step, struct tessera_error *err)
{
	bool real = !f->wish->dry_run;

	switch (step) {
	case TESSERA_COUNTS_NOTHING:
		if (f->drained)
			say(f, "drained", "would be drained", "", f->drained_because);
		return 0;
	case TESSERA_COUNTS_LATER:
		return put_off(f, err);
	case TESSERA_COUNTS_DRAIN:
		f->drained = true;
		f->moment |= f->c.node == TESSERA_COUNTS_OPEN;
		return real && drain_node(f, err) < 0 ? -1 : 1;
	case TESSERA_COUNTS_TELL:
		return tell(f, err) < 0 ? -1 : 1;
	case TESSERA_COUNTS_REGISTER:
		f->c.registered = true;
		say(f, "registers again", "would register again", "", "");
		return real && counts_node_register(f->node->name, err) < 0 ? -1 : real;
	case TESSERA_COUNTS_AWAIT:
		f->c.waited = true;
		return counts_node_await(f->node->name, err) < 0 ? -1 : 1;
	case TESSERA_COUNTS_RESUME:
		return resume(f, err);
	}
	return 0;
}

/* What slurmctld would say after a step that was not taken. */
static void imagine(struct following *f, enum tessera_counts_step step)
{
	if (step == TESSERA_COUNTS_TELL)
		f->c.told = f->c.wanted;
	if (step == TESSERA_COUNTS_DRAIN) {
		f->c.node = TESSERA_COUNTS_DRAINED;
		f->c.reason_now = true;
	}
}

/* What was drained only to tell shall not stay so because that failed; unless somebody came between. */
static void open_again(struct following *f)
{
	if (f->moment && !f->wish->dry_run && look(f, NULL) == 0 && f->c.node == TESSERA_COUNTS_DRAINED &&
	    strcmp(f->now.reason, f->for_now) == 0)
		counts_node_resume(f->node->name, NULL);
}

/* Each step comes right after the look that it is decided on: nothing that takes time may come between. */
static int follow(struct following *f, struct tessera_error *err)
{
	int rc = look(f, err);

	for (unsigned steps = 0; rc == 0 && steps < STEPS_MAX; steps++) {
		enum tessera_counts_step step = tessera_counts_decide(&f->c);

		rc = take(f, step, err);
		if (rc < 0 && step == TESSERA_COUNTS_TELL)
			open_again(f);
		if (rc <= 0)
			return rc;
		rc = 0;
		if (f->wish->dry_run && step != TESSERA_COUNTS_AWAIT)
			imagine(f, step);
		else
			rc = look(f, err);
	}
	if (rc == 0) {
		rc = not_updated(f, "the node's state in slurmctld keeps changing; the next run tries again", err);
		open_again(f);
	}
	return rc;
}

int counts_update(const struct node *node, const struct tessera_health_verdict *verdict,
		  const struct counts_wish *wish, struct tessera_error *err)
{
	struct following f = {.node = node, .wish = wish};
	int lock = -1, rc = -1;

	if (geteuid() != 0 && !wish->dry_run)
		return tessera_error_set(err, TESSERA_ERR_DENIED,
					 "only root may tell slurmctld; --dry-run says what would be told");
	if (!wish->dry_run && (lock = record_lock(node->dir, LOCK, err)) < 0)
		return -1;
	slurm_init(NULL);
	if (prepare(&f, verdict, err) == 0)
		rc = follow(&f, err);
	counts_node_free(&f.now);
	free(f.configured);
	if (lock >= 0)
		close(lock);
	return rc;
}

int counts_compare(const struct node *node, const struct tessera_health_verdict *verdict, struct counts_gap *gap,
		   struct tessera_error *err)
{
	static const struct counts_wish wish = {.dry_run = true};
	struct following f = {.node = node, .wish = &wish};
	int rc = -1;

	*gap = (struct counts_gap){0};
	if (prepare(&f, verdict, err) == 0 && look(&f, err) == 0) {
		gap->told = f.c.told;
		gap->wanted = f.c.wanted;
		gap->used = f.c.used;
		snprintf(gap->because, sizeof(gap->because), "%s", f.because);
		rc = tessera_counts_differ(&f.c) ? 1 : 0;
	}
	counts_node_free(&f.now);
	free(f.configured);
	return rc;
}
