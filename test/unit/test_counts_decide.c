/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/counts.h"
#include "test/unit/counts_unit.h"

#define USED    1   /* jobs have some */
#define BAD     2   /* tiles are bad */
#define NONE    4   /* no tile is left */
#define OPEN_UP 8   /* the node shall stay open */
#define STALE   16  /* our drain has another reason than it would have now */
#define ASKED   32  /* the node was made to register */
#define REFUSED 64  /* slurmctld does not take its registration */
#define WAITED  128 /* we have waited for its registration */

static struct tessera_counts_case make(enum tessera_counts_node node, unsigned told, unsigned wanted, unsigned how)
{
	return (struct tessera_counts_case){
		.node = node,
		.used = (how & USED) != 0,
		.bad = (how & BAD) != 0,
		.none = (how & NONE) != 0,
		.may_drain = (how & OPEN_UP) == 0,
		.registered = (how & ASKED) != 0,
		.waited = (how & WAITED) != 0,
		.reason_now = (how & STALE) == 0,
		.told = {{true, told / 8}, {true, told}},
		.refused = (how & REFUSED) != 0,
		.sound = {{true, wanted / 8}, {true, wanted}},
		.wanted = {{true, wanted / 8}, {true, wanted}},
	};
}

#define OPEN        TESSERA_COUNTS_OPEN
#define DRAINED     TESSERA_COUNTS_DRAINED
#define FOREIGN     TESSERA_COUNTS_FOREIGN
#define AWAY        TESSERA_COUNTS_AWAY
#define INVALID     TESSERA_COUNTS_INVALID
#define REGISTERING TESSERA_COUNTS_REGISTERING

#define NOTHING  TESSERA_COUNTS_NOTHING
#define LATER    TESSERA_COUNTS_LATER
#define DRAIN    TESSERA_COUNTS_DRAIN
#define TELL     TESSERA_COUNTS_TELL
#define RESUME   TESSERA_COUNTS_RESUME
#define REGISTER TESSERA_COUNTS_REGISTER
#define AWAIT    TESSERA_COUNTS_AWAIT

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
	{AWAY, 64, 64, REFUSED, LATER}, /* never silently */
	{AWAY, 63, 63, BAD | USED | REFUSED, LATER},
	/* A node that was just resumed: it is waited for, once, if there is something to do. */
	{REGISTERING, 64, 64, 0, NOTHING},
	{REGISTERING, 63, 63, BAD | USED, NOTHING},
	{REGISTERING, 63, 64, 0, AWAIT},
	{REGISTERING, 63, 64, USED, AWAIT},
	{REGISTERING, 64, 63, BAD | USED, AWAIT},
	{REGISTERING, 64, 63, BAD | OPEN_UP, AWAIT},
	{REGISTERING, 64, 0, BAD | NONE, AWAIT},
	{REGISTERING, 64, 64, REFUSED, AWAIT},
	{REGISTERING, 63, 64, WAITED, LATER},
	{REGISTERING, 64, 0, BAD | NONE | WAITED, LATER},
	{REGISTERING, 64, 64, REFUSED | WAITED, LATER},
	{REGISTERING, 64, 64, WAITED, NOTHING},
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
	/* What is drained and left so is to last; what is told of then, or resumed, is not. */
	if (rows[_i].node == DRAINED)
		ck_assert(tessera_counts_lasts(&c) == (rows[_i].want == NOTHING || rows[_i].want == DRAIN));
}
END_TEST

/* SOUND tiles are not bad, and some of them are kept back. */
static const struct {
	enum tessera_counts_node node;
	unsigned told, sound, wanted, how;
	enum tessera_counts_step want;
} kept[] = {
	/* Alone they drain nothing but for the moment. */
	{OPEN, 64, 64, 56, 0, DRAIN},
	{OPEN, 64, 64, 56, USED, LATER},
	{DRAINED, 64, 64, 56, USED, RESUME},
	{DRAINED, 64, 64, 56, 0, TELL},
	/* Nor do they where others are bad that are counted no more. */
	{OPEN, 63, 63, 55, BAD | USED, LATER},
	{DRAINED, 63, 63, 55, BAD | USED, RESUME},
	{OPEN, 56, 63, 55, BAD | USED, LATER},
	{OPEN, 63, 63, 55, BAD, DRAIN},
	{DRAINED, 63, 63, 55, BAD, TELL},
	{FOREIGN, 63, 63, 55, BAD | USED, LATER},
	/* What is bad does. */
	{OPEN, 64, 63, 55, BAD | USED, DRAIN},
	{DRAINED, 64, 63, 55, BAD | USED, NOTHING},
	{OPEN, 64, 63, 55, BAD | USED | OPEN_UP, LATER},
};

START_TEST(kept_back_drains_nothing)
{
	struct tessera_counts_case c = make(kept[_i].node, kept[_i].told, kept[_i].wanted, kept[_i].how);

	c.sound = (struct tessera_counts){{true, kept[_i].sound / 8}, {true, kept[_i].sound}};
	ck_assert_int_eq(tessera_counts_decide(&c), kept[_i].want);
}
END_TEST

/* Of 8 RDUs with 64 tiles. */
static const struct {
	const char *bad, *unknown, *kept;
	unsigned rdus, tiles; /* sound */
	unsigned wanted_rdus, wanted_tiles;
	unsigned how;
} plans[] = {
	{"", "", "", 8, 64, 8, 64, 0},
	{"3.5", "", "", 7, 63, 7, 63, BAD},
	{"", "3.5", "", 8, 64, 7, 63, 0},
	{"3.5", "rdu0", "", 7, 63, 6, 55, BAD},
	{"", "", "rdu3", 8, 64, 7, 56, 0},
	{"3.5", "", "rdu3", 7, 63, 7, 56, BAD},
	{"3.5", "", "rdu4", 7, 63, 6, 55, BAD},
	{"rdu0-7", "", "", 0, 0, 0, 0, BAD | NONE},
	{"rdu0-7", "", "rdu3", 0, 0, 0, 0, BAD | NONE},
	/* Never to nothing for what is kept back, or what no tool tells of; and the other count stays true. */
	{"", "rdu0-7", "", 8, 64, 1, 8, 0}, /* who asks for an RDU asks for 8 tiles */
	{"rdu0-3", "rdu4-7", "", 4, 32, 1, 8, BAD},
	{"rdu0-3", "rdu4", "rdu5-7", 4, 32, 1, 8, BAD},
	{"", "", "rdu0-7", 8, 64, 1, 8, 0},
	{"3.5", "", "rdu0-7", 7, 63, 1, 8, BAD},
	{"rdu0-6", "", "rdu7", 1, 8, 1, 8, BAD},
	{"rdu0-6", "", "7.0", 1, 8, 1, 8, BAD},
	{"rdu0-5", "", "6.0,7.0", 2, 16, 1, 14, BAD},
	{"", "", "0.0,1.0,2.0,3.0,4.0,5.0,6.0,7.0", 8, 64, 1, 56, 0},
	{"", "0.0,1.0,2.0,3.0", "4.0,5.0,6.0,7.0", 8, 64, 1, 56, 0},
	{"0.0-6", "1.0,2.0,3.0,4.0,5.0,6.0,7.0", "", 7, 57, 1, 50, BAD},
	/* No RDU is whole anyway: what is bad may bring it to nothing. */
	{"0.0,1.0,2.0,3.0,4.0,5.0,6.0,7.0", "", "rdu1", 0, 56, 0, 49, BAD},
	{"0.0,1.0,2.0,3.0,4.0,5.0,6.0,7.0", "", "rdu0-7", 0, 56, 0, 1, BAD}, /* nobody can ask for an RDU */
};

START_TEST(what_is_wanted)
{
	const struct tessera_platform *p = tessera_platform_find_builtin("sn30-8");
	const struct tessera_counts limit = {{true, 8}, {true, 64}};
	struct tessera_counts_why why = {tiles(p, plans[_i].bad), tiles(p, plans[_i].unknown),
					 tiles(p, plans[_i].kept)};
	struct tessera_counts_case c = {0};

	tessera_counts_plan(p, &limit, &why, &c);
	ck_assert_uint_eq(c.sound.rdu.count, plans[_i].rdus);
	ck_assert_uint_eq(c.sound.tile.count, plans[_i].tiles);
	ck_assert_uint_eq(c.wanted.rdu.count, plans[_i].wanted_rdus);
	ck_assert_uint_eq(c.wanted.tile.count, plans[_i].wanted_tiles);
	ck_assert(c.bad == ((plans[_i].how & BAD) != 0));
	ck_assert(c.none == ((plans[_i].how & NONE) != 0));
}
END_TEST

/* A count that slurm.conf does not give is not one that came to nothing; one that it gives less of is. */
START_TEST(what_is_wanted_of_slurm_conf)
{
	const struct tessera_platform *p = tessera_platform_find_builtin("sn30-8");
	struct tessera_counts limit = {{false, 0}, {true, 10}};
	struct tessera_counts_why why = {.kept = tiles(p, "0.0,1.0,2.0,3.0,4.0,5.0,6.0,7.0")};
	struct tessera_counts_case c = {0};

	tessera_counts_plan(p, &limit, &why, &c);
	ck_assert(!c.wanted.rdu.given && !c.sound.rdu.given);
	ck_assert_uint_eq(c.wanted.tile.count, 10);
	ck_assert_uint_eq(c.sound.tile.count, 10);
	limit.rdu = (struct gres_sum){true, 2};
	tessera_counts_plan(p, &limit, &why, &c);
	ck_assert_uint_eq(c.sound.rdu.count, 2);
	ck_assert_uint_eq(c.wanted.rdu.count, 1);
	ck_assert_uint_eq(c.wanted.tile.count, 10);
	limit.tile.count = 4; /* less than an RDU */
	why.kept = tiles(p, "rdu0-7");
	tessera_counts_plan(p, &limit, &why, &c);
	ck_assert_uint_eq(c.wanted.rdu.count, 1);
	ck_assert_uint_eq(c.wanted.tile.count, 4);
	limit.tile.given = false;
	tessera_counts_plan(p, &limit, &why, &c);
	ck_assert_uint_eq(c.wanted.rdu.count, 1);
	limit.rdu.count = 0;
	tessera_counts_plan(p, &limit, &why, &c);
	ck_assert_uint_eq(c.wanted.rdu.count, 0);
}
END_TEST

#define SLURMS "gres/rdu count changed and jobs are using them (8 != 7)"

static const struct {
	bool gone, refused, drained;
	const char *reason;
	enum tessera_counts_node want;
} stands[] = {
	{false, false, false, NULL, OPEN},
	{false, false, false, "", OPEN},
	{false, false, false, "tessera: 3.5 bad", OPEN},
	{false, false, false, "new fan", AWAY},
	{false, false, false, SLURMS, AWAY},
	{false, false, true, "tessera: 3.5 bad", DRAINED},
	{false, false, true, SLURMS, DRAINED},
	{false, false, true, "new fan", FOREIGN},
	{false, false, true, "", FOREIGN},
	{false, false, true, NULL, FOREIGN},
	/* Whoever drained it first has the reason. */
	{false, true, true, SLURMS, INVALID},
	{false, true, true, "tessera: 3.5 bad", INVALID},
	{false, true, false, "tessera: 3.5 bad", INVALID},
	{false, true, true, "new fan", AWAY},
	{false, true, true, "gres/rdu count reported lower than configured (6 < 8)", AWAY},
	{false, true, false, "", AWAY},
	{true, false, false, "", AWAY},
	{true, false, true, "tessera: 3.5 bad", AWAY},
	{true, true, true, SLURMS, AWAY},
};

START_TEST(how_it_stands)
{
	struct tessera_counts_seen seen = {.gone = stands[_i].gone,
					   .refused = stands[_i].refused,
					   .drained = stands[_i].drained,
					   .reason = stands[_i].reason};

	ck_assert_int_eq(tessera_counts_stands(&seen), stands[_i].want);
	/* Whatever it is, it will be seen when it has registered; a node that is gone does not register. */
	seen.registering = true;
	ck_assert_int_eq(tessera_counts_stands(&seen), seen.gone ? AWAY : REGISTERING);
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
	c.sound.tile.count = c.wanted.tile.count = 63;
	ck_assert_int_eq(tessera_counts_decide(&c), DRAIN);
}
END_TEST

/* What an update would change, or a drain stands for. */
START_TEST(a_difference)
{
	struct tessera_counts_case c = make(OPEN, 64, 63, BAD | USED);

	ck_assert(tessera_counts_differ(&c));
	c = make(AWAY, 63, 64, 0);
	ck_assert(tessera_counts_differ(&c));
	c = make(OPEN, 63, 63, BAD);
	ck_assert(!tessera_counts_differ(&c));
	c = make(DRAINED, 64, 0, BAD | NONE);
	ck_assert(!tessera_counts_differ(&c));
	c.may_drain = false;
	ck_assert(tessera_counts_differ(&c));
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
	case AWAIT:
		ck_assert(c->node == REGISTERING && !c->waited);
		c->waited = true;
		c->node = heals ? OPEN : REGISTERING;
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
		ck_assert_uint_le(++steps, 5);
	/* One that had nothing to wait for is as it was. */
	if (c.node == REGISTERING) {
		ck_assert(node == REGISTERING && (!heals || !tessera_counts_differ(&c)));
		return;
	}
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
	tcase_add_loop_test(tcase, kept_back_drains_nothing, 0, sizeof(kept) / sizeof(kept[0]));
	tcase_add_loop_test(tcase, what_is_wanted, 0, sizeof(plans) / sizeof(plans[0]));
	tcase_add_test(tcase, what_is_wanted_of_slurm_conf);
	tcase_add_loop_test(tcase, how_it_stands, 0, sizeof(stands) / sizeof(stands[0]));
	tcase_add_test(tcase, either_count);
	tcase_add_test(tcase, a_difference);
	tcase_add_loop_test(tcase, it_ends, OPEN, REGISTERING + 1);
}

UNIT_MAIN("counts_decide", add_tests)
