/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/counts.h"
#include "test/unit/unit.h"

#define USED    1  /* jobs have some */
#define BAD     2  /* tiles are bad */
#define NONE    4  /* no tile is left */
#define OPEN_UP 8  /* the node shall stay open */
#define STALE   16 /* our drain has another reason than it would have now */
#define ASKED   32 /* the node was made to register */

static struct tessera_counts_case make(enum tessera_counts_node node, unsigned told, unsigned wanted, unsigned how)
{
	return (struct tessera_counts_case){
		.node = node,
		.used = (how & USED) != 0,
		.bad = (how & BAD) != 0,
		.none = (how & NONE) != 0,
		.may_drain = (how & OPEN_UP) == 0,
		.registered = (how & ASKED) != 0,
		.reason_now = (how & STALE) == 0,
		.told = {{true, told / 8}, {true, told}},
		.wanted = {{true, wanted / 8}, {true, wanted}},
	};
}

#define OPEN    TESSERA_COUNTS_OPEN
#define DRAINED TESSERA_COUNTS_DRAINED
#define FOREIGN TESSERA_COUNTS_FOREIGN
#define AWAY    TESSERA_COUNTS_AWAY
#define INVALID TESSERA_COUNTS_INVALID

#define NOTHING  TESSERA_COUNTS_NOTHING
#define LATER    TESSERA_COUNTS_LATER
#define DRAIN    TESSERA_COUNTS_DRAIN
#define TELL     TESSERA_COUNTS_TELL
#define RESUME   TESSERA_COUNTS_RESUME
#define REGISTER TESSERA_COUNTS_REGISTER

static const struct {
	enum tessera_counts_node node;
	unsigned told, wanted, how;
	enum tessera_counts_step want;
} rows[] = {
	/* All is well. */
	{OPEN, 64, 64, 0, NOTHING},
	{OPEN, 64, 64, USED, NOTHING},
	{OPEN, 63, 63, BAD, NOTHING},
	{OPEN, 63, 63, BAD | USED, NOTHING}, /* a job has a bad tile, but no other is let in for it */
	/* Fewer, and nobody there: drained for a moment. */
	{OPEN, 64, 63, BAD, DRAIN},
	{OPEN, 64, 63, BAD | OPEN_UP, DRAIN},
	{DRAINED, 64, 63, BAD, TELL},
	{DRAINED, 63, 63, BAD, RESUME},
	/* Fewer, while jobs run. */
	{OPEN, 64, 63, BAD | USED, DRAIN},
	{DRAINED, 64, 63, BAD | USED, NOTHING},
	{DRAINED, 64, 62, BAD | USED | STALE, DRAIN}, /* another one is bad: the reason says so */
	{OPEN, 64, 63, BAD | USED | OPEN_UP, LATER},
	{DRAINED, 64, 63, BAD | USED | OPEN_UP, RESUME},
	/* Tiles that are only kept back drain nothing. */
	{OPEN, 64, 56, 0, DRAIN},
	{OPEN, 64, 56, USED, LATER},
	{DRAINED, 64, 56, USED, RESUME},
	{OPEN, 64, 0, NONE | USED, LATER},
	{DRAINED, 64, 0, NONE, TELL},
	/* More again. */
	{OPEN, 63, 64, 0, DRAIN},
	{DRAINED, 63, 64, 0, TELL},
	{OPEN, 63, 64, USED, LATER},
	{DRAINED, 63, 64, USED, RESUME},
	{DRAINED, 63, 64, BAD | USED, RESUME},
	/* Good again before its jobs had ended. */
	{DRAINED, 64, 64, USED, RESUME},
	/* Nothing left: drained, and not counted down. */
	{OPEN, 64, 0, BAD | NONE, DRAIN},
	{OPEN, 64, 0, BAD | NONE | USED, DRAIN},
	{DRAINED, 64, 0, BAD | NONE, NOTHING},
	{DRAINED, 64, 0, BAD | NONE | STALE, DRAIN},
	{DRAINED, 0, 0, BAD | NONE, NOTHING},
	{FOREIGN, 64, 0, BAD | NONE, NOTHING},
	{AWAY, 64, 0, BAD | NONE, LATER},
	{OPEN, 64, 0, BAD | NONE | OPEN_UP, DRAIN},
	{DRAINED, 64, 0, BAD | NONE | OPEN_UP, TELL},
	/* Somebody else's drain stays as it is; the counts follow below it. */
	{FOREIGN, 64, 64, 0, NOTHING},
	{FOREIGN, 64, 63, BAD, TELL},
	{FOREIGN, 64, 63, BAD | USED, LATER},
	{FOREIGN, 63, 64, 0, TELL},
	{FOREIGN, 63, 64, USED, LATER},
	/* A node that is not there. */
	{AWAY, 64, 64, 0, NOTHING},
	{AWAY, 64, 63, BAD, LATER},
	{AWAY, 64, 63, BAD | USED, LATER},
	{AWAY, 63, 64, 0, LATER},
	/* slurmctld took it out: the old counts, a registration, and it is as drained by us. */
	{INVALID, 64, 63, BAD | USED, TELL},
	{INVALID, 63, 63, BAD | USED, REGISTER},
	{INVALID, 63, 63, BAD | USED | ASKED, LATER},
	{INVALID, 64, 63, BAD | USED | ASKED, LATER},
	{INVALID, 64, 64, USED, REGISTER},
	{INVALID, 64, 64, 0, REGISTER},
};

START_TEST(one_step)
{
	struct tessera_counts_case c = make(rows[_i].node, rows[_i].told, rows[_i].wanted, rows[_i].how);

	ck_assert_int_eq(tessera_counts_decide(&c), rows[_i].want);
}
END_TEST

/* Each count alone is enough; one that is not given is not looked at. */
START_TEST(either_count)
{
	struct tessera_counts_case c = make(OPEN, 64, 64, BAD);

	c.wanted.tile.count = 63;
	ck_assert_int_eq(tessera_counts_decide(&c), DRAIN);
	c.wanted.tile.given = false;
	ck_assert_int_eq(tessera_counts_decide(&c), NOTHING);
	c = make(OPEN, 64, 64, BAD);
	c.wanted.rdu.count = 7;
	ck_assert_int_eq(tessera_counts_decide(&c), DRAIN);
	c.wanted.rdu.given = false;
	ck_assert_int_eq(tessera_counts_decide(&c), NOTHING);
	/* One up, one down is down. */
	c = make(OPEN, 64, 64, BAD | USED);
	c.told.rdu.count = 6;
	c.wanted.tile.count = 63;
	ck_assert_int_eq(tessera_counts_decide(&c), DRAIN);
}
END_TEST

static bool is_told(const struct tessera_counts_case *c)
{
	return c->told.tile.count == c->wanted.tile.count;
}

/* What slurmctld makes of a step. HEALS: the registration is taken. Returns false at the end. */
static bool happens(struct tessera_counts_case *c, enum tessera_counts_step step, bool heals)
{
	switch (step) {
	case DRAIN:
		/* Only ours, and never a node that is not there. */
		ck_assert(c->node == OPEN || c->node == DRAINED);
		c->node = DRAINED;
		c->reason_now = true;
		return true;
	case TELL:
		/* Never while jobs have some, unless that is what they had; never while others may come. */
		ck_assert(c->node == INVALID || ((c->node == DRAINED || c->node == FOREIGN) && !c->used));
		c->told = c->wanted;
		return true;
	case REGISTER:
		ck_assert(c->node == INVALID && (is_told(c) || c->none));
		c->registered = true;
		c->reason_now = false;
		c->node = heals ? DRAINED : INVALID;
		return true;
	case RESUME:
		ck_assert(c->node == DRAINED);
		c->node = OPEN;
		return false;
	case NOTHING:
	case LATER:
		return false;
	}
	return false;
}

static void run_case(enum tessera_counts_node node, unsigned told, unsigned wanted, unsigned how, bool heals)
{
	struct tessera_counts_case c = make(node, told, wanted, how);
	unsigned steps = 0;

	while (happens(&c, tessera_counts_decide(&c), heals))
		ck_assert_uint_le(++steps, 4);
	if (node == AWAY || node == FOREIGN || (node == INVALID && !heals))
		ck_assert_int_eq(c.node, node);
	else if (c.bad && c.may_drain && (c.none || (c.used && wanted < told && node != INVALID)))
		ck_assert_int_eq(c.node, DRAINED);
	else
		ck_assert_int_eq(c.node, OPEN);
	/* Nobody there, and something left: the counts are right. */
	if (!c.used && node != AWAY && !c.none)
		ck_assert(is_told(&c));
}

/* From every case on: it ends soon, and well. */
START_TEST(it_ends)
{
	for (unsigned how = 0; how < ASKED; how++)
		for (unsigned told = 48; told <= 64; told += 8)
			for (unsigned wanted = 48; wanted <= 64; wanted += 8)
				for (int heals = 0; heals < 2; heals++)
					run_case(_i, told, how & NONE ? 0 : wanted, how, heals);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_loop_test(tcase, one_step, 0, sizeof(rows) / sizeof(rows[0]));
	tcase_add_test(tcase, either_count);
	tcase_add_loop_test(tcase, it_ends, OPEN, INVALID + 1);
}

UNIT_MAIN("counts_decide", add_tests)
