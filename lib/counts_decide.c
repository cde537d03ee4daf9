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

/* Jobs that come now could be let in for tiles that they will not get. */
static bool must_stay_drained(const struct tessera_counts_case *c)
{
	bool less = is_less(&c->wanted.rdu, &c->told.rdu) || is_less(&c->wanted.tile, &c->told.tile);

	return c->may_drain && c->bad && (c->none || (less && c->used));
}

/* Jobs have the count that the node registered with the last time, which is most likely what it shall be now. */
static enum tessera_counts_step decide_invalid(const struct tessera_counts_case *c, bool other)
{
	if (c->registered)
		return TESSERA_COUNTS_LATER;
	return other ? TESSERA_COUNTS_TELL : TESSERA_COUNTS_REGISTER;
}

enum tessera_counts_step tessera_counts_decide(const struct tessera_counts_case *c)
{
	bool other = differs(&c->told.rdu, &c->wanted.rdu) || differs(&c->told.tile, &c->wanted.tile);
	bool stay = must_stay_drained(c);

	/* With no tile left the node is drained, not counted down: its jobs shall wait for it, not be refused. */
	if (stay && c->none)
		other = false;
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
	case TESSERA_COUNTS_AWAY:
		other |= stay;
		break;
	}
	return other ? TESSERA_COUNTS_LATER : TESSERA_COUNTS_NOTHING;
}
