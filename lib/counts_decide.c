/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/counts.h"

static bool differs(const struct gres_sum *told, const struct gres_sum *wanted)
{
	return wanted->given && told->count != wanted->count;
}

static bool is_less(const struct gres_sum *wanted, const struct gres_sum *told)
{
	return wanted->given && wanted->count < told->count;
}

/* WANTED becomes LEAST, if so many are not bad. Returns whether it was less. */
static bool raise_to(struct gres_sum *wanted, const struct gres_sum *sound, unsigned least)
{
	if (wanted->count >= least || sound->count == 0)
		return false;
	wanted->count = sound->count < least ? sound->count : least;
	return true;
}

void tessera_counts_plan(const struct tessera_platform *p, const struct tessera_counts *limit,
			 const struct tessera_counts_why *why, struct tessera_counts_case *c)
{
	unsigned part = p->tiles_per_gres != 0 ? p->tiles_per_gres : p->tiles_per_rdu;
	struct tessera_tileset out = why->bad;

	c->bad = !tessera_tileset_empty(&out);
	c->none = tessera_tileset_count(&out) >= tessera_platform_tiles(p);
	tessera_counts_of(p, &out, &c->sound);
	tessera_counts_limit(&c->sound, limit);
	tessera_tileset_or(&out, &why->unknown);
	tessera_tileset_or(&out, &why->kept);
	tessera_counts_of(p, &out, &c->wanted);
	tessera_counts_limit(&c->wanted, limit);
	/* Who asks for an RDU asks for its tiles as well. */
	raise_to(&c->wanted.tile, &c->sound.tile, raise_to(&c->wanted.rdu, &c->sound.rdu, 1) ? part : 1);
}

enum tessera_counts_node tessera_counts_stands(const struct tessera_counts_seen *seen)
{
	bool any = seen->reason != NULL && seen->reason[0] != '\0';
	bool ours = tessera_counts_is_ours(seen->reason), slurms = tessera_counts_is_slurms(seen->reason);

	if (seen->gone)
		return TESSERA_COUNTS_AWAY;
	if (seen->registering)
		return TESSERA_COUNTS_REGISTERING;
	if (seen->refused)
		return ours || slurms ? TESSERA_COUNTS_INVALID : TESSERA_COUNTS_AWAY;
	if (seen->drained)
		return ours || slurms ? TESSERA_COUNTS_DRAINED : TESSERA_COUNTS_FOREIGN;
	return any && !ours ? TESSERA_COUNTS_AWAY : TESSERA_COUNTS_OPEN;
}

/*
 * Jobs that come now could be let in for bad tiles, which they will not get. For tiles that are kept back or of
 * which nothing is known they may wait: no process that a user left behind takes a node out, and no tool that is silent.
 */
bool tessera_counts_lasts(const struct tessera_counts_case *c)
{
	bool less = is_less(&c->sound.rdu, &c->told.rdu) || is_less(&c->sound.tile, &c->told.tile);

	return c->may_drain && c->bad && (c->none || (less && c->used));
}

/* Jobs have the count that the node registered with the last time, which is most likely what it shall be now. */
static enum tessera_counts_step decide_invalid(const struct tessera_counts_case *c, bool other)
{
	if (c->registered)
		return TESSERA_COUNTS_LATER;
	return other ? TESSERA_COUNTS_TELL : TESSERA_COUNTS_REGISTER;
}

/* With no tile left the node is drained, not counted down: its jobs shall wait for it, not be refused. */
bool tessera_counts_differ(const struct tessera_counts_case *c)
{
	return (differs(&c->told.rdu, &c->wanted.rdu) || differs(&c->told.tile, &c->wanted.tile)) &&
	       !(c->none && tessera_counts_lasts(c));
}

enum tessera_counts_step tessera_counts_decide(const struct tessera_counts_case *c)
{
	bool other = tessera_counts_differ(c);
	bool stay = tessera_counts_lasts(c);

	switch (c->node) {
	case TESSERA_COUNTS_OPEN:
		if (stay || (other && !c->used))
			return TESSERA_COUNTS_DRAIN;
		break;
	case TESSERA_COUNTS_DRAINED:
		if (stay)
			return c->reason_now ? TESSERA_COUNTS_NOTHING : TESSERA_COUNTS_DRAIN;
		return other && !c->used ? TESSERA_COUNTS_TELL : TESSERA_COUNTS_RESUME;
	case TESSERA_COUNTS_FOREIGN:
		if (other && !c->used)
			return TESSERA_COUNTS_TELL;
		break;
	case TESSERA_COUNTS_INVALID:
		return decide_invalid(c, other);
	case TESSERA_COUNTS_REGISTERING:
		/* It answers within seconds, and what is to be done then depends on how it stands. */
		if (!c->waited && (other || stay || c->refused))
			return TESSERA_COUNTS_AWAIT;
		other |= stay || c->refused;
		break;
	case TESSERA_COUNTS_AWAY:
		other |= stay || c->refused;
		break;
	}
	return other ? TESSERA_COUNTS_LATER : TESSERA_COUNTS_NOTHING;
}
