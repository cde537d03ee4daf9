/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <string.h>

#include "lib/request/gres_counts.h"

static bool differs(const struct gres_sum *counted, const struct gres_sum *wanted)
{
	return wanted->given && counted->count != wanted->count;
}

static bool is_less(const struct gres_sum *wanted, const struct gres_sum *counted)
{
	return wanted->given && wanted->count < counted->count;
}

/* Raise WANTED to LEAST, or to SOUND if that is less. Returns whether it was below LEAST. */
static bool raise_to(struct gres_sum *wanted, const struct gres_sum *sound, unsigned least)
{
	if (wanted->count >= least || sound->count == 0)
		return false;
	wanted->count = sound->count < least ? sound->count : least;
	return true;
}

void tessera_gres_counts_plan(const struct tessera_platform *p, const struct tessera_counts *limit,
			      const struct tessera_gres_counts_excluded *excluded,
			      struct tessera_gres_counts_case *c)
{
	unsigned part = p->tiles_per_gres != 0 ? p->tiles_per_gres : p->tiles_per_rdu;
	struct tessera_tileset out = excluded->bad;

	c->bad = !tessera_tileset_empty(&out);
	c->none = tessera_tileset_count(&out) >= tessera_platform_tiles(p);
	tessera_gres_counts_of(p, &out, &c->sound);
	tessera_gres_counts_limit(&c->sound, limit);
	tessera_tileset_or(&out, &excluded->unknown);
	tessera_tileset_or(&out, &excluded->withheld);
	tessera_gres_counts_of(p, &out, &c->wanted);
	tessera_gres_counts_limit(&c->wanted, limit);
	/* A job that requests an RDU requests its tiles as well. */
	raise_to(&c->wanted.tile, &c->sound.tile,
		 raise_to(&c->wanted.rdu, &c->sound.rdu, 1) ? part : 1);
}

enum tessera_gres_counts_node
tessera_gres_counts_classify(const struct tessera_gres_counts_seen *seen)
{
	bool ours = tessera_gres_counts_is_ours(seen->reason) ||
		    tessera_gres_counts_is_slurms(seen->reason);
	bool left = seen->reason != NULL && strcmp(seen->reason, TESSERA_GRES_COUNTS_RESUMED) == 0;

	if (seen->gone)
		return TESSERA_GRES_COUNTS_AWAY;
	if (seen->registering)
		return TESSERA_GRES_COUNTS_REGISTERING;
	if (seen->refused)
		return ours || left ? TESSERA_GRES_COUNTS_INVALID : TESSERA_GRES_COUNTS_AWAY;
	if (seen->drained)
		return ours ? TESSERA_GRES_COUNTS_DRAINED : TESSERA_GRES_COUNTS_FOREIGN;
	return TESSERA_GRES_COUNTS_OPEN;
}

/*
 * slurmctld could start jobs for bad tiles, which the prolog would not allocate. For withheld or
 * unknown tiles jobs may wait: neither a process that a user left behind nor a failing vendor tool
 * drains a node.
 */
bool tessera_gres_counts_drain_lasts(const struct tessera_gres_counts_case *c)
{
	bool less = is_less(&c->sound.rdu, &c->counted.rdu) ||
		    is_less(&c->sound.tile, &c->counted.tile);

	return c->bad && (c->none || (less && c->used));
}

/* With no tile left the node is drained, not counted down: its jobs wait, and are not refused. */
bool tessera_gres_counts_differ(const struct tessera_gres_counts_case *c)
{
	return (differs(&c->counted.rdu, &c->wanted.rdu) ||
		differs(&c->counted.tile, &c->wanted.tile)) &&
	       !c->none;
}

/*
 * Jobs hold the count that the node last registered with, which most likely is the one wanted now.
 */
static enum tessera_gres_counts_action decide_invalid(const struct tessera_gres_counts_run *run,
						      bool differ)
{
	if (run->registered)
		return TESSERA_GRES_COUNTS_BLOCKED;
	return differ ? TESSERA_GRES_COUNTS_UPDATE : TESSERA_GRES_COUNTS_REGISTER;
}

/* End our drain, after a registration where this Slurm needs that. */
static enum tessera_gres_counts_action end_drain(const struct tessera_gres_counts_run *run)
{
	return run->settled ? TESSERA_GRES_COUNTS_RESUME : TESSERA_GRES_COUNTS_SETTLE;
}

static enum tessera_gres_counts_action decide_drained(const struct tessera_gres_counts_run *run,
						      const struct tessera_gres_counts_case *c,
						      bool differ)
{
	if (run->resumed)
		return TESSERA_GRES_COUNTS_STUCK;
	if (tessera_gres_counts_drain_lasts(c))
		return c->current ? TESSERA_GRES_COUNTS_DONE : TESSERA_GRES_COUNTS_DRAIN;
	if (differ && !c->used)
		return TESSERA_GRES_COUNTS_UPDATE;
	return end_drain(run);
}

/*
 * slurmd registers within seconds, and only then the node's state is known. A drain that is no
 * longer needed ends without that: the node opens when it registers.
 */
static enum tessera_gres_counts_action decide_registering(const struct tessera_gres_counts_run *run,
							  const struct tessera_gres_counts_case *c,
							  bool needed)
{
	if (!needed)
		return c->drained ? end_drain(run) : TESSERA_GRES_COUNTS_DONE;
	return run->waited ? TESSERA_GRES_COUNTS_BLOCKED : TESSERA_GRES_COUNTS_AWAIT;
}

/*
 * When slurmd starts, it runs the update before it registers: until then the node is away, and no
 * other update may follow.
 */
static enum tessera_gres_counts_action decide_away(const struct tessera_gres_counts_run *run,
						   const struct tessera_gres_counts_case *c,
						   bool needed)
{
	if (!needed)
		return TESSERA_GRES_COUNTS_DONE;
	return run->by_slurmd && c->silent && !run->waited ? TESSERA_GRES_COUNTS_AWAIT
							   : TESSERA_GRES_COUNTS_BLOCKED;
}

static enum tessera_gres_counts_action decide(const struct tessera_gres_counts_run *run,
					      const struct tessera_gres_counts_case *c)
{
	bool differ = tessera_gres_counts_differ(c), lasts = tessera_gres_counts_drain_lasts(c);
	bool needed = differ || lasts || c->refused;

	switch (c->node) {
	case TESSERA_GRES_COUNTS_OPEN:
		if (run->resumed)
			break;
		if (lasts || (differ && !c->used))
			return TESSERA_GRES_COUNTS_DRAIN;
		break;
	case TESSERA_GRES_COUNTS_DRAINED:
		return decide_drained(run, c, differ);
	case TESSERA_GRES_COUNTS_FOREIGN:
		if (differ && !c->used)
			return TESSERA_GRES_COUNTS_UPDATE;
		break;
	case TESSERA_GRES_COUNTS_INVALID:
		return decide_invalid(run, differ);
	case TESSERA_GRES_COUNTS_REGISTERING:
		/* A resume requests a registration: that is the end of the update. */
		if (run->resumed && c->drained)
			return TESSERA_GRES_COUNTS_STUCK;
		if (run->resumed)
			break;
		return decide_registering(run, c, needed);
	case TESSERA_GRES_COUNTS_AWAY:
		return decide_away(run, c, needed);
	}
	return differ ? TESSERA_GRES_COUNTS_WAIT : TESSERA_GRES_COUNTS_DONE;
}

enum tessera_gres_counts_action
tessera_gres_counts_advance(struct tessera_gres_counts_run *run,
			    const struct tessera_gres_counts_case *now)
{
	enum tessera_gres_counts_action action = decide(run, now);

	if (action < TESSERA_GRES_COUNTS_DONE && run->steps >= TESSERA_GRES_COUNTS_STEPS)
		return TESSERA_GRES_COUNTS_UNSTABLE;
	run->steps++;
	if (action == TESSERA_GRES_COUNTS_DRAIN) {
		run->drained = true;
		run->was_open |= now->node == TESSERA_GRES_COUNTS_OPEN;
	}
	run->registered |= action == TESSERA_GRES_COUNTS_REGISTER;
	run->waited |= action == TESSERA_GRES_COUNTS_AWAIT;
	run->settled |= action == TESSERA_GRES_COUNTS_SETTLE;
	run->resumed |= action == TESSERA_GRES_COUNTS_RESUME;
	return action;
}

bool tessera_gres_counts_must_reopen(const struct tessera_gres_counts_run *run,
				     const struct tessera_gres_counts_case *now)
{
	return run->was_open && now->node == TESSERA_GRES_COUNTS_DRAINED && now->temporary;
}
