/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/request/gres_counts.h"
#include "test/unit/request/counts_unit.h"

#define USED      1    /* jobs hold some */
#define BAD       2    /* tiles are bad */
#define NONE      4    /* no tile is left */
#define STALE     8    /* the Reason of our drain is not the one it would have now */
#define CASES     16   /* of the above */
#define REFUSED   16   /* slurmctld refuses its registration */
#define ASKED     32   /* the run has made slurmd register */
#define WAITED    64   /* the run has waited for its registration */
#define RESUMED   128  /* the run has resumed the node */
#define UNSETTLED 256  /* the node must register before it is resumed */
#define HELD      512  /* drained by us, whatever the node's state is */
#define SILENT    1024 /* the node does not respond */
#define SLURMD    2048 /* slurmd runs the update */

static struct tessera_gres_counts_case make(enum tessera_gres_counts_node node, unsigned counted,
					    unsigned wanted, unsigned how)
{
	return (struct tessera_gres_counts_case){
		.node = node,
		.used = (how & USED) != 0,
		.bad = (how & BAD) != 0,
		.none = (how & NONE) != 0,
		.refused = (how & REFUSED) != 0,
		.drained = (how & HELD) != 0 || node == TESSERA_GRES_COUNTS_DRAINED,
		.silent = (how & SILENT) != 0,
		.current = (how & STALE) == 0,
		.counted = {{true, counted / 8}, {true, counted}},
		.sound = {{true, wanted / 8}, {true, wanted}},
		.wanted = {{true, wanted / 8}, {true, wanted}},
	};
}

static struct tessera_gres_counts_run make_run(unsigned how)
{
	return (struct tessera_gres_counts_run){
		.registered = (how & ASKED) != 0,
		.waited = (how & WAITED) != 0,
		.resumed = (how & RESUMED) != 0,
		.settled = (how & UNSETTLED) == 0,
		.by_slurmd = (how & SLURMD) != 0,
	};
}

/* The first action of a run. */
static enum tessera_gres_counts_action first(const struct tessera_gres_counts_case *c, unsigned how)
{
	struct tessera_gres_counts_run run = make_run(how);

	return tessera_gres_counts_advance(&run, c);
}

#define OPEN        TESSERA_GRES_COUNTS_OPEN
#define DRAINED     TESSERA_GRES_COUNTS_DRAINED
#define FOREIGN     TESSERA_GRES_COUNTS_FOREIGN
#define AWAY        TESSERA_GRES_COUNTS_AWAY
#define INVALID     TESSERA_GRES_COUNTS_INVALID
#define REGISTERING TESSERA_GRES_COUNTS_REGISTERING

#define DRAIN    TESSERA_GRES_COUNTS_DRAIN
#define UPDATE   TESSERA_GRES_COUNTS_UPDATE
#define REGISTER TESSERA_GRES_COUNTS_REGISTER
#define AWAIT    TESSERA_GRES_COUNTS_AWAIT
#define SETTLE   TESSERA_GRES_COUNTS_SETTLE
#define RESUME   TESSERA_GRES_COUNTS_RESUME
#define DONE     TESSERA_GRES_COUNTS_DONE
#define WAIT     TESSERA_GRES_COUNTS_WAIT
#define BLOCKED  TESSERA_GRES_COUNTS_BLOCKED
#define STUCK    TESSERA_GRES_COUNTS_STUCK
#define UNSTABLE TESSERA_GRES_COUNTS_UNSTABLE

static const struct {
	enum tessera_gres_counts_node node;
	unsigned counted, wanted, how;
	enum tessera_gres_counts_action want;
} rows[] = {
	/* Nothing to do. */
	{OPEN, 64, 64, 0, DONE},
	{OPEN, 64, 64, USED, DONE},
	{OPEN, 63, 63, BAD, DONE},
	/* a job holds the bad tile, but the counts already exclude it */
	{OPEN, 63, 63, BAD | USED, DONE},
	/* Fewer, without jobs: a temporary drain. */
	{OPEN, 64, 63, BAD, DRAIN},
	{DRAINED, 64, 63, BAD, UPDATE},
	{DRAINED, 63, 63, BAD, RESUME},
	/* Fewer, while jobs run. */
	{OPEN, 64, 63, BAD | USED, DRAIN},
	{DRAINED, 64, 63, BAD | USED, DONE},
	{DRAINED, 64, 62, BAD | USED | STALE, DRAIN}, /* another one is bad: the reason says so */
	/* More again. */
	{OPEN, 63, 64, 0, DRAIN},
	{DRAINED, 63, 64, 0, UPDATE},
	{OPEN, 63, 64, USED, WAIT},
	{DRAINED, 63, 64, USED, RESUME},
	{DRAINED, 63, 64, BAD | USED, RESUME},
	/* Good again before its jobs had ended. */
	{DRAINED, 64, 64, USED, RESUME},
	/* All tiles bad: drained, and not counted down. */
	{OPEN, 64, 0, BAD | NONE, DRAIN},
	{OPEN, 64, 0, BAD | NONE | USED, DRAIN},
	{DRAINED, 64, 0, BAD | NONE, DONE},
	{DRAINED, 64, 0, BAD | NONE | STALE, DRAIN},
	{DRAINED, 0, 0, BAD | NONE, DONE},
	{FOREIGN, 64, 0, BAD | NONE, DONE},
	{AWAY, 64, 0, BAD | NONE, BLOCKED},
	/* An administrator's drain stays; the counts are updated under it. */
	{FOREIGN, 64, 64, 0, DONE},
	{FOREIGN, 64, 63, BAD, UPDATE},
	{FOREIGN, 64, 63, BAD | USED, WAIT},
	{FOREIGN, 63, 64, 0, UPDATE},
	{FOREIGN, 63, 64, USED, WAIT},
	/* A node that is down. */
	{AWAY, 64, 64, 0, DONE},
	{AWAY, 64, 63, BAD, BLOCKED},
	{AWAY, 64, 63, BAD | USED, BLOCKED},
	{AWAY, 63, 64, 0, BLOCKED},
	{AWAY, 64, 64, REFUSED, BLOCKED}, /* never silently */
	{AWAY, 63, 63, BAD | USED | REFUSED, BLOCKED},
	/* A starting slurmd registers after its health check, which is waited for once. */
	{AWAY, 64, 63, BAD | SLURMD | SILENT, AWAIT},
	{AWAY, 64, 64, REFUSED | SLURMD | SILENT, AWAIT},
	{AWAY, 64, 63, BAD | SLURMD | SILENT | WAITED, BLOCKED},
	{AWAY, 64, 64, SLURMD | SILENT, DONE},
	{AWAY, 64, 63, BAD | SLURMD, BLOCKED},
	{AWAY, 64, 63, BAD | SILENT, BLOCKED},
	/* A node that was just resumed: wait once for its registration, if there is work to do. */
	{REGISTERING, 64, 64, 0, DONE},
	{REGISTERING, 63, 63, BAD | USED, DONE},
	{REGISTERING, 63, 64, 0, AWAIT},
	{REGISTERING, 63, 64, USED, AWAIT},
	{REGISTERING, 64, 63, BAD | USED, AWAIT},
	{REGISTERING, 64, 0, BAD | NONE, AWAIT},
	{REGISTERING, 64, 64, REFUSED, AWAIT},
	{REGISTERING, 63, 64, WAITED, BLOCKED},
	{REGISTERING, 64, 0, BAD | NONE | WAITED, BLOCKED},
	{REGISTERING, 64, 64, REFUSED | WAITED, BLOCKED},
	{REGISTERING, 64, 64, WAITED, DONE},
	/* Our drain ends, whether it registers in time or not. */
	{REGISTERING, 63, 63, BAD | HELD | UNSETTLED, SETTLE},
	{REGISTERING, 63, 63, BAD | HELD, RESUME},
	{REGISTERING, 64, 63, BAD | HELD, AWAIT},
	{REGISTERING, 64, 63, BAD | USED | HELD, AWAIT},
	/* slurmctld refused the registration: restore the counts, register, treat as our drain. */
	{INVALID, 64, 63, BAD | USED, UPDATE},
	{INVALID, 63, 63, BAD | USED, REGISTER},
	{INVALID, 63, 63, BAD | USED | ASKED, BLOCKED},
	{INVALID, 64, 63, BAD | USED | ASKED, BLOCKED},
	{INVALID, 64, 64, USED, REGISTER},
	{INVALID, 64, 64, 0, REGISTER},
	/* Where a resume opens the node before it has registered, it registers drained. */
	{DRAINED, 63, 63, BAD | UNSETTLED, SETTLE},
	{DRAINED, 63, 64, USED | UNSETTLED, SETTLE},
	{DRAINED, 64, 63, BAD | UNSETTLED, UPDATE}, /* with the new counts */
	{DRAINED, 64, 63, BAD | USED | UNSETTLED, DONE},
	/* slurmctld is queried after the resume: only that shows whether it was applied. */
	{OPEN, 63, 63, BAD | RESUMED, DONE},
	{OPEN, 63, 64, USED | RESUMED, WAIT},
	{OPEN, 64, 63, BAD | USED | RESUMED, WAIT}, /* the next run drains it */
	{REGISTERING, 63, 63, BAD | RESUMED, DONE},
	{REGISTERING, 63, 64, USED | RESUMED, WAIT},
	{REGISTERING, 63, 63, BAD | REFUSED | RESUMED, DONE},
	{FOREIGN, 63, 63, BAD | RESUMED, DONE},
	{AWAY, 63, 63, BAD | RESUMED, DONE},
	{AWAY, 63, 64, RESUMED, BLOCKED},
	{DRAINED, 63, 63, BAD | RESUMED, STUCK},
	{REGISTERING, 63, 63, BAD | HELD | RESUMED, STUCK},
	{DRAINED, 63, 64, USED | RESUMED, STUCK},
	{DRAINED, 63, 64, RESUMED, STUCK},
};

START_TEST(one_step)
{
	struct tessera_gres_counts_case c =
		make(rows[_i].node, rows[_i].counted, rows[_i].wanted, rows[_i].how);

	ck_assert_int_eq(first(&c, rows[_i].how), rows[_i].want);
	/* A drain that is left as it is lasts; one for an update, or that is ended, does not. */
	if (rows[_i].node == DRAINED)
		ck_assert(tessera_gres_counts_drain_lasts(&c) ==
			  (rows[_i].want == DONE || rows[_i].want == DRAIN));
}
END_TEST

/* SOUND tiles are not bad, and some of them are withheld. */
static const struct {
	enum tessera_gres_counts_node node;
	unsigned counted, sound, wanted, how;
	enum tessera_gres_counts_action want;
} withheld[] = {
	/* Alone they cause only a temporary drain. */
	{OPEN, 64, 64, 56, 0, DRAIN},
	{OPEN, 64, 64, 56, USED, WAIT},
	{DRAINED, 64, 64, 56, USED, RESUME},
	{DRAINED, 64, 64, 56, 0, UPDATE},
	/* Nor do they if the bad tiles are already excluded from the counts. */
	{OPEN, 63, 63, 55, BAD | USED, WAIT},
	{DRAINED, 63, 63, 55, BAD | USED, RESUME},
	{OPEN, 56, 63, 55, BAD | USED, WAIT},
	{OPEN, 63, 63, 55, BAD, DRAIN},
	{DRAINED, 63, 63, 55, BAD, UPDATE},
	{FOREIGN, 63, 63, 55, BAD | USED, WAIT},
	/* Bad tiles cause a lasting drain. */
	{OPEN, 64, 63, 55, BAD | USED, DRAIN},
	{DRAINED, 64, 63, 55, BAD | USED, DONE},
};

START_TEST(withheld_tiles_drain_nothing)
{
	struct tessera_gres_counts_case c = make(withheld[_i].node, withheld[_i].counted,
						 withheld[_i].wanted, withheld[_i].how);

	c.sound =
		(struct tessera_counts){{true, withheld[_i].sound / 8}, {true, withheld[_i].sound}};
	ck_assert_int_eq(first(&c, withheld[_i].how), withheld[_i].want);
}
END_TEST

/* Of 8 RDUs with 64 tiles. */
static const struct {
	const char *bad, *unknown, *withheld;
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
	/* Withheld or unknown tiles never lower a count to 0; the other count is not raised. */
	{"", "rdu0-7", "", 8, 64, 1, 8, 0}, /* a job for an RDU requests 8 tiles */
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
	/* No RDU has all its tiles: bad tiles may lower the count to 0. */
	{"0.0,1.0,2.0,3.0,4.0,5.0,6.0,7.0", "", "rdu1", 0, 56, 0, 49, BAD},
	/* no job can request an RDU */
	{"0.0,1.0,2.0,3.0,4.0,5.0,6.0,7.0", "", "rdu0-7", 0, 56, 0, 1, BAD},
};

START_TEST(wanted_counts)
{
	const struct tessera_platform *p = tessera_platform_find_builtin("sn30-8");
	const struct tessera_counts limit = {{true, 8}, {true, 64}};
	struct tessera_gres_counts_excluded excluded = {
		tiles(p, plans[_i].bad), tiles(p, plans[_i].unknown), tiles(p, plans[_i].withheld)};
	struct tessera_gres_counts_case c = {0};

	tessera_gres_counts_plan(p, &limit, &excluded, &c);
	ck_assert_uint_eq(c.sound.rdu.count, plans[_i].rdus);
	ck_assert_uint_eq(c.sound.tile.count, plans[_i].tiles);
	ck_assert_uint_eq(c.wanted.rdu.count, plans[_i].wanted_rdus);
	ck_assert_uint_eq(c.wanted.tile.count, plans[_i].wanted_tiles);
	ck_assert(c.bad == ((plans[_i].how & BAD) != 0));
	ck_assert(c.none == ((plans[_i].how & NONE) != 0));
}
END_TEST

/*
 * A count that slurm.conf does not give is not one that came to nothing; one that it gives less of
 * is.
 */
START_TEST(wanted_counts_within_slurm_conf)
{
	const struct tessera_platform *p = tessera_platform_find_builtin("sn30-8");
	struct tessera_counts limit = {{false, 0}, {true, 10}};
	struct tessera_gres_counts_excluded excluded = {
		.withheld = tiles(p, "0.0,1.0,2.0,3.0,4.0,5.0,6.0,7.0")};
	struct tessera_gres_counts_case c = {0};

	tessera_gres_counts_plan(p, &limit, &excluded, &c);
	ck_assert(!c.wanted.rdu.given && !c.sound.rdu.given);
	ck_assert_uint_eq(c.wanted.tile.count, 10);
	ck_assert_uint_eq(c.sound.tile.count, 10);
	limit.rdu = (struct gres_sum){true, 2};
	tessera_gres_counts_plan(p, &limit, &excluded, &c);
	ck_assert_uint_eq(c.sound.rdu.count, 2);
	ck_assert_uint_eq(c.wanted.rdu.count, 1);
	ck_assert_uint_eq(c.wanted.tile.count, 10);
	limit.tile.count = 4; /* less than an RDU */
	excluded.withheld = tiles(p, "rdu0-7");
	tessera_gres_counts_plan(p, &limit, &excluded, &c);
	ck_assert_uint_eq(c.wanted.rdu.count, 1);
	ck_assert_uint_eq(c.wanted.tile.count, 4);
	limit.tile.given = false;
	tessera_gres_counts_plan(p, &limit, &excluded, &c);
	ck_assert_uint_eq(c.wanted.rdu.count, 1);
	limit.rdu.count = 0;
	tessera_gres_counts_plan(p, &limit, &excluded, &c);
	ck_assert_uint_eq(c.wanted.rdu.count, 0);
}
END_TEST

#define LEFT   TESSERA_GRES_COUNTS_RESUMED
#define SLURMS "gres/rdu count changed and jobs are using them (8 != 7)"

static const struct {
	bool gone, refused, drained;
	const char *reason;
	enum tessera_gres_counts_node want;
} states[] = {
	{false, false, false, NULL, OPEN},
	{false, false, false, "", OPEN},
	{false, false, false, "tessera: 3.5 bad", OPEN},
	/* left from a drain that has ended */
	{false, false, false, "new fan", OPEN},
	{false, false, false, SLURMS, OPEN},
	{false, false, false, LEFT, OPEN},
	{false, false, true, "tessera: 3.5 bad", DRAINED},
	{false, false, true, SLURMS, DRAINED},
	{false, false, true, "new fan", FOREIGN},
	{false, false, true, "", FOREIGN},
	{false, false, true, NULL, FOREIGN},
	/* slurmctld has drained it and kept the old Reason */
	{false, false, true, LEFT, FOREIGN},
	{false, true, true, LEFT, INVALID},
	/* The Reason is of the first drain. */
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

START_TEST(classified_states)
{
	struct tessera_gres_counts_seen seen = {.gone = states[_i].gone,
						.refused = states[_i].refused,
						.drained = states[_i].drained,
						.reason = states[_i].reason};

	ck_assert_int_eq(tessera_gres_counts_classify(&seen), states[_i].want);
	/*
	 * The state is known after the node has registered; a node that is down does not register.
	 */
	seen.registering = true;
	ck_assert_int_eq(tessera_gres_counts_classify(&seen), seen.gone ? AWAY : REGISTERING);
}
END_TEST

/* Each count alone suffices; one that is not given is ignored. */
START_TEST(either_count)
{
	struct tessera_gres_counts_case c = make(OPEN, 64, 64, BAD);

	c.wanted.tile.count = 63;
	ck_assert_int_eq(first(&c, 0), DRAIN);
	c.wanted.tile.given = false;
	ck_assert_int_eq(first(&c, 0), DONE);
	c = make(OPEN, 64, 64, BAD);
	c.wanted.rdu.count = 7;
	ck_assert_int_eq(first(&c, 0), DRAIN);
	c.wanted.rdu.given = false;
	ck_assert_int_eq(first(&c, 0), DONE);
	/* One up and one down counts as down. */
	c = make(OPEN, 64, 64, BAD | USED);
	c.counted.rdu.count = 6;
	c.sound.tile.count = c.wanted.tile.count = 63;
	ck_assert_int_eq(first(&c, 0), DRAIN);
}
END_TEST

/* What an update would change; not what a drain stands for. */
START_TEST(differences)
{
	struct tessera_gres_counts_case c = make(OPEN, 64, 63, BAD | USED);

	ck_assert(tessera_gres_counts_differ(&c));
	c = make(AWAY, 63, 64, 0);
	ck_assert(tessera_gres_counts_differ(&c));
	c = make(OPEN, 63, 63, BAD);
	ck_assert(!tessera_gres_counts_differ(&c));
	c = make(DRAINED, 64, 0, BAD | NONE);
	ck_assert(!tessera_gres_counts_differ(&c));
	c = make(FOREIGN, 64, 0, BAD | NONE);
	ck_assert(!tessera_gres_counts_differ(&c));
}
END_TEST

/* slurmctld drops the drain, every time: the run ends all the same, with a failure. */
START_TEST(too_many_steps)
{
	struct tessera_gres_counts_case c = make(OPEN, 64, 63, BAD);
	struct tessera_gres_counts_run run = make_run(0);

	for (unsigned i = 0; i < TESSERA_GRES_COUNTS_STEPS; i++)
		ck_assert_int_eq(tessera_gres_counts_advance(&run, &c), DRAIN);
	ck_assert_int_eq(tessera_gres_counts_advance(&run, &c), UNSTABLE);
	ck_assert_int_eq(tessera_gres_counts_advance(&run, &c), UNSTABLE);
	/* A final action is returned even after the last step. */
	c = make(OPEN, 63, 63, BAD);
	ck_assert_int_eq(tessera_gres_counts_advance(&run, &c), DONE);
}
END_TEST

/* Only the drain of this run, for the moment of an update, of a node that was open. */
START_TEST(must_reopen)
{
	struct tessera_gres_counts_case c = make(OPEN, 64, 63, BAD);
	struct tessera_gres_counts_run run = make_run(0);

	ck_assert_int_eq(tessera_gres_counts_advance(&run, &c), DRAIN);
	ck_assert(!tessera_gres_counts_must_reopen(&run, &c)); /* slurmctld dropped it */
	c.node = DRAINED;
	ck_assert(!tessera_gres_counts_must_reopen(&run, &c)); /* with a Reason that lasts */
	c.temporary = true;
	ck_assert(tessera_gres_counts_must_reopen(&run, &c));
	c.node = FOREIGN; /* an administrator has drained it since */
	ck_assert(!tessera_gres_counts_must_reopen(&run, &c));
	c.node = AWAY;
	ck_assert(!tessera_gres_counts_must_reopen(&run, &c));
	/* It was drained before: by a run that was killed, or until jobs have ended. */
	run = make_run(0);
	c = make(DRAINED, 64, 63, BAD | USED | STALE);
	c.temporary = true;
	ck_assert_int_eq(tessera_gres_counts_advance(&run, &c), DRAIN);
	ck_assert(run.drained && !run.was_open);
	ck_assert(!tessera_gres_counts_must_reopen(&run, &c));
}
END_TEST

static bool is_counted(const struct tessera_gres_counts_case *c)
{
	return c->counted.tile.count == c->wanted.tile.count;
}

/* How slurmctld behaves: it accepts a registration; it requests one after a resume. */
struct behaviour {
	bool accepts, requests;
};

/* Simulate slurmctld after ACTION, which does not end the run. */
static void apply(struct tessera_gres_counts_case *c, const struct tessera_gres_counts_run *run,
		  enum tessera_gres_counts_action action, struct behaviour how)
{
	switch (action) {
	case DRAIN:
		/* Only our drain, and never a node that is down. */
		ck_assert(c->node == OPEN || c->node == DRAINED);
		c->node = DRAINED;
		c->drained = true;
		c->current = true;
		break;
	case UPDATE:
		/*
		 * Never while jobs hold some, unless it restores the count that they hold; never
		 * while jobs may start.
		 */
		ck_assert(c->node == INVALID ||
			  ((c->node == DRAINED || c->node == FOREIGN) && !c->used));
		c->counted = c->wanted;
		break;
	case REGISTER:
		ck_assert(c->node == INVALID && (is_counted(c) || c->none));
		c->current = false;
		c->node = how.accepts ? DRAINED : INVALID;
		c->drained = true;
		break;
	case AWAIT:
		ck_assert(c->node == REGISTERING);
		if (how.accepts)
			c->node = c->drained ? DRAINED : OPEN;
		break;
	case SETTLE:
		ck_assert(c->drained && (is_counted(c) || c->used || c->none));
		ck_assert(c->node == DRAINED || c->node == REGISTERING);
		if (how.accepts)
			c->node = DRAINED;
		break;
	default:
		ck_assert_int_eq(action, RESUME);
		ck_assert(c->drained && run->settled);
		ck_assert(c->node == DRAINED || c->node == REGISTERING);
		c->drained = false;
		c->node = how.requests ? REGISTERING : OPEN;
	}
}

/* Returns the action that ends the run, which is RUN then. */
static enum tessera_gres_counts_action finish(struct tessera_gres_counts_case *c,
					      struct tessera_gres_counts_run *run,
					      struct behaviour how)
{
	enum tessera_gres_counts_action action;

	while ((action = tessera_gres_counts_advance(run, c)) < DONE)
		apply(c, run, action, how);
	ck_assert(action != UNSTABLE && action != STUCK);
	if (action == WAIT)
		ck_assert(c->used && tessera_gres_counts_differ(c));
	if (action == BLOCKED)
		ck_assert(c->node == AWAY || c->node == INVALID || c->node == REGISTERING);
	return action;
}

static void run_case(struct tessera_gres_counts_case c, bool settled, struct behaviour how)
{
	const struct tessera_gres_counts_case old = c;
	struct tessera_gres_counts_run run = {.settled = settled};
	bool less = c.wanted.tile.count < c.counted.tile.count;
	enum tessera_gres_counts_action last = finish(&c, &run, how);

	/* A node that needed no update is unchanged. */
	if (c.node == REGISTERING && !run.resumed) {
		ck_assert(old.node == REGISTERING);
		ck_assert(last == BLOCKED ? !how.accepts : !tessera_gres_counts_differ(&c));
		return;
	}
	if (old.node == AWAY || old.node == FOREIGN || (old.node == INVALID && !how.accepts))
		ck_assert_int_eq(c.node, old.node);
	else if (c.bad && (c.none || (c.used && less && old.node != INVALID)))
		ck_assert_int_eq(c.node, DRAINED);
	else
		ck_assert(c.node == OPEN || (run.resumed && how.requests));
	/* No job there, and tiles left: the counts are right. */
	if (!c.used && old.node != AWAY && !c.none)
		ck_assert(is_counted(&c));
}

/* From every case, the run ends within the steps allowed, in a consistent state. */
START_TEST(every_run_ends)
{
	for (unsigned how = 0; how < CASES; how++)
		for (unsigned counted = 48; counted <= 64; counted += 8)
			for (unsigned wanted = 48; wanted <= 64; wanted += 8)
				for (unsigned slurm = 0; slurm < 16; slurm++)
					run_case(make(_i, counted, how & NONE ? 0 : wanted,
						      how | (slurm & 8 && _i == REGISTERING ? HELD
											    : 0)),
						 (slurm & 4) != 0,
						 (struct behaviour){(slurm & 1) != 0,
								    (slurm & 2) != 0});
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_loop_test(tcase, one_step, 0, sizeof(rows) / sizeof(rows[0]));
	tcase_add_loop_test(tcase, withheld_tiles_drain_nothing, 0,
			    sizeof(withheld) / sizeof(withheld[0]));
	tcase_add_loop_test(tcase, wanted_counts, 0, sizeof(plans) / sizeof(plans[0]));
	tcase_add_test(tcase, wanted_counts_within_slurm_conf);
	tcase_add_loop_test(tcase, classified_states, 0, sizeof(states) / sizeof(states[0]));
	tcase_add_test(tcase, either_count);
	tcase_add_test(tcase, differences);
	tcase_add_test(tcase, too_many_steps);
	tcase_add_test(tcase, must_reopen);
	tcase_add_loop_test(tcase, every_run_ends, OPEN, REGISTERING + 1);
}

UNIT_MAIN("gres_counts_plan", add_tests)
