/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/vipu/partition_steps.h"
#include "test/unit/unit.h"

/* The columns of the tables: all events, in their order. */
static const char *const event_names[PARTITION_EVENTS] = {
	"OK",     "UNSENT",       "NO_ANSWER", "UNAVAILABLE", "REFUSED",  "INVALID",
	"DENIED", "INCOMPATIBLE", "ABSENT",    "PRESENT",     "REUSABLE", "PENDING",
	"ACTIVE", "REMOVED",      "ERROR",     "TIME_UP",
};

#define CREATING   MAKE_CREATING
#define FINDING    MAKE_FINDING
#define FINDING_L  MAKE_FINDING_LASTING
#define RESETTING  MAKE_RESETTING
#define REMOVING_L MAKE_REMOVING_LEFTOVER
#define RECREATING MAKE_RECREATING
#define QUERYING   MAKE_QUERYING
#define CONFIRMING MAKE_CONFIRMING
#define REMOVING_F MAKE_REMOVING_FAILED
#define PAUSING_Q  MAKE_PAUSING_QUERY
#define PAUSING_C  MAKE_PAUSING_CREATE
#define DONE       MAKE_DONE
#define xx         MAKE_FAILED

/* clang-format off */
static const enum partition_make_state make_table[MAKE_STATES][PARTITION_EVENTS] = {
[CREATING] = {
	QUERYING, PAUSING_C, PAUSING_C, FINDING, FINDING, FINDING_L, FINDING_L, xx,
	xx, xx, xx, xx, xx, xx, xx, xx},
[FINDING] = {
	xx, PAUSING_C, PAUSING_C, PAUSING_C, PAUSING_C, PAUSING_C, PAUSING_C, PAUSING_C,
	PAUSING_C, REMOVING_L, RESETTING, xx, xx, xx, xx, xx},
[FINDING_L] = {
	xx, xx, xx, xx, xx, xx, xx, xx,
	xx, REMOVING_L, RESETTING, xx, xx, xx, xx, xx},
[RESETTING] = {
	QUERYING, REMOVING_L, REMOVING_L, REMOVING_L, REMOVING_L, REMOVING_L, REMOVING_L,
	REMOVING_L,
	xx, xx, xx, xx, xx, xx, xx, xx},
[REMOVING_L] = {
	RECREATING, PAUSING_C, PAUSING_C, PAUSING_C, PAUSING_C, xx, xx, xx,
	xx, xx, xx, xx, xx, xx, xx, xx},
[RECREATING] = {
	QUERYING, PAUSING_C, PAUSING_C, PAUSING_C, PAUSING_C, xx, xx, xx,
	xx, xx, xx, xx, xx, xx, xx, xx},
[QUERYING] = {
	xx, PAUSING_Q, PAUSING_Q, CONFIRMING, CONFIRMING, CONFIRMING, xx, xx,
	xx, xx, xx, PAUSING_Q, DONE, PAUSING_C, REMOVING_F, xx},
[CONFIRMING] = {
	xx, PAUSING_Q, PAUSING_Q, PAUSING_Q, PAUSING_Q, PAUSING_Q, PAUSING_Q, PAUSING_Q,
	PAUSING_C, PAUSING_Q, PAUSING_Q, xx, xx, xx, xx, xx},
[REMOVING_F] = {
	PAUSING_C, PAUSING_C, PAUSING_C, PAUSING_C, PAUSING_C, xx, xx, xx,
	xx, xx, xx, xx, xx, xx, xx, xx},
[PAUSING_Q] = {
	QUERYING, xx, xx, xx, xx, xx, xx, xx,
	xx, xx, xx, xx, xx, xx, xx, xx},
[PAUSING_C] = {
	CREATING, xx, xx, xx, xx, xx, xx, xx,
	xx, xx, xx, xx, xx, xx, xx, xx},
[DONE] = {
	xx, xx, xx, xx, xx, xx, xx, xx,
	xx, xx, xx, xx, xx, xx, xx, xx},
[xx] = {
	xx, xx, xx, xx, xx, xx, xx, xx,
	xx, xx, xx, xx, xx, xx, xx, xx},
};
/* clang-format on */

static const enum partition_make_action make_actions[MAKE_STATES] = {
	[CREATING] = MAKE_CREATE,
	[FINDING] = MAKE_FIND,
	[FINDING_L] = MAKE_FIND,
	[RESETTING] = MAKE_RESET,
	[REMOVING_L] = MAKE_REMOVE,
	[RECREATING] = MAKE_CREATE,
	[QUERYING] = MAKE_QUERY,
	[CONFIRMING] = MAKE_CONFIRM,
	[REMOVING_F] = MAKE_REMOVE,
	[PAUSING_Q] = MAKE_PAUSE_QUERY,
	[PAUSING_C] = MAKE_PAUSE_CREATE,
	[DONE] = MAKE_SUCCEED,
	[xx] = MAKE_FAIL,
};

START_TEST(every_state_and_event_of_making)
{
	for (unsigned state = 0; state < MAKE_STATES; state++) {
		for (unsigned event = 0; event < PARTITION_EVENTS; event++) {
			struct partition_make run = {.state = state};
			enum partition_make_state want = make_table[state][event];
			enum partition_make_action action =
				partition_make_advance(&run, (enum partition_event)event);

			ck_assert_msg(run.state == want && action == make_actions[want],
				      "state %u, event %s: state %u and action %u, not %u and %u",
				      state, event_names[event], run.state, action, want,
				      make_actions[want]);
		}
	}
}
END_TEST

/* Whether a failure has something to remove: before and after the event. */
static const struct {
	enum partition_make_state state;
	enum partition_event event;
	bool before, after;
} may_exist_rows[] = {
	{CREATING, PARTITION_OK, false, true},
	{CREATING, PARTITION_NO_ANSWER, false, true},
	{CREATING, PARTITION_UNAVAILABLE, false, true},
	{CREATING, PARTITION_REFUSED, false, true},
	/* These cannot have made one; but an earlier request may have. */
	{CREATING, PARTITION_UNSENT, false, false},
	{CREATING, PARTITION_INVALID, false, false},
	{CREATING, PARTITION_DENIED, false, false},
	{CREATING, PARTITION_INCOMPATIBLE, false, false},
	{CREATING, PARTITION_UNSENT, true, true},
	{CREATING, PARTITION_INVALID, true, true},
	{CREATING, PARTITION_DENIED, true, true},
	{CREATING, PARTITION_INCOMPATIBLE, true, true},
	/* The list says so. */
	{FINDING, PARTITION_ABSENT, true, false},
	{FINDING_L, PARTITION_ABSENT, true, false},
	{FINDING, PARTITION_NO_ANSWER, true, true},
	{FINDING, PARTITION_PRESENT, true, true},
	{FINDING_L, PARTITION_PRESENT, false, true},
	{FINDING_L, PARTITION_REUSABLE, false, true},
	/* A request follows the removal of a leftover. */
	{REMOVING_L, PARTITION_OK, false, true},
	{REMOVING_L, PARTITION_REFUSED, false, false},
	{REMOVING_L, PARTITION_TIME_UP, true, true},
	{RECREATING, PARTITION_UNSENT, true, true},
	{RECREATING, PARTITION_INVALID, true, true},
	/* The partition failed. */
	{REMOVING_F, PARTITION_OK, true, false},
	{REMOVING_F, PARTITION_REFUSED, true, true},
	{REMOVING_F, PARTITION_TIME_UP, true, true},
	/* The others leave it as it is. */
	{RESETTING, PARTITION_OK, true, true},
	{QUERYING, PARTITION_REMOVED, true, true},
	{QUERYING, PARTITION_ACTIVE, true, true},
	{CONFIRMING, PARTITION_ABSENT, true, true},
	{PAUSING_Q, PARTITION_TIME_UP, true, true},
	{PAUSING_C, PARTITION_TIME_UP, false, false},
};

START_TEST(what_a_failure_must_remove)
{
	for (size_t i = 0; i < sizeof(may_exist_rows) / sizeof(may_exist_rows[0]); i++) {
		struct partition_make run = {.state = may_exist_rows[i].state,
					     .may_exist = may_exist_rows[i].before};

		partition_make_advance(&run, may_exist_rows[i].event);
		ck_assert_msg(run.may_exist == may_exist_rows[i].after, "row %zu", i);
	}
}
END_TEST

#undef DONE
#undef xx

#define FORCED   1 /* bits of the flags of a removal */
#define ACCEPTED 2
#define DENIED   4
#define ALL      8 /* their combinations */

#define REQUESTING REMOVE_REQUESTING
#define CHECKING   REMOVE_CHECKING
#define PAUSING    REMOVE_PAUSING
#define ESCALATING REMOVE_ESCALATING
#define DONE       REMOVE_DONE
#define xx         REMOVE_FAILED

/* clang-format off */
static const struct {
	enum partition_remove_state state;
	unsigned flags, mask; /* a row holds for flags that are FLAGS within MASK */
	enum partition_remove_state want[PARTITION_EVENTS];
} remove_table[] = {
{REQUESTING, 0, 0, {
	CHECKING, PAUSING, PAUSING, PAUSING, CHECKING, CHECKING, CHECKING, xx,
	xx, xx, xx, xx, xx, xx, xx, xx}},
/* plain, and refused: that stays so */
{CHECKING, 0, FORCED | ACCEPTED | DENIED, {
	xx, ESCALATING, ESCALATING, ESCALATING, ESCALATING, ESCALATING, xx, xx,
	DONE, ESCALATING, ESCALATING, xx, xx, xx, xx, xx}},
/* plain, and denied: force would be denied as well */
{CHECKING, DENIED, FORCED | ACCEPTED | DENIED, {
	xx, ESCALATING, ESCALATING, ESCALATING, ESCALATING, ESCALATING, xx, xx,
	DONE, xx, xx, xx, xx, xx, xx, xx}},
/* plain, and accepted: until the deadline */
{CHECKING, ACCEPTED, FORCED | ACCEPTED, {
	xx, PAUSING, PAUSING, PAUSING, PAUSING, ESCALATING, xx, xx,
	DONE, PAUSING, PAUSING, xx, xx, xx, xx, xx}},
/* by force, accepted or not: until the deadline */
{CHECKING, FORCED, FORCED, {
	xx, PAUSING, PAUSING, PAUSING, PAUSING, xx, xx, xx,
	DONE, PAUSING, PAUSING, xx, xx, xx, xx, xx}},
{PAUSING, 0, FORCED | ACCEPTED, {
	REQUESTING, xx, xx, xx, xx, xx, xx, xx,
	xx, xx, xx, xx, xx, xx, xx, ESCALATING}},
{PAUSING, ACCEPTED, FORCED | ACCEPTED, {
	CHECKING, xx, xx, xx, xx, xx, xx, xx,
	xx, xx, xx, xx, xx, xx, xx, ESCALATING}},
{PAUSING, FORCED, FORCED | ACCEPTED, {
	REQUESTING, xx, xx, xx, xx, xx, xx, xx,
	xx, xx, xx, xx, xx, xx, xx, xx}},
{PAUSING, FORCED | ACCEPTED, FORCED | ACCEPTED, {
	CHECKING, xx, xx, xx, xx, xx, xx, xx,
	xx, xx, xx, xx, xx, xx, xx, xx}},
{ESCALATING, 0, 0, {
	REQUESTING, xx, xx, xx, xx, xx, xx, xx,
	xx, xx, xx, xx, xx, xx, xx, xx}},
{DONE, 0, 0, {
	xx, xx, xx, xx, xx, xx, xx, xx,
	xx, xx, xx, xx, xx, xx, xx, xx}},
{xx, 0, 0, {
	xx, xx, xx, xx, xx, xx, xx, xx,
	xx, xx, xx, xx, xx, xx, xx, xx}},
};
/* clang-format on */

static const enum partition_remove_action remove_actions[REMOVE_STATES] = {
	[REQUESTING] = REMOVE_REQUEST,  [CHECKING] = REMOVE_CHECK, [PAUSING] = REMOVE_PAUSE,
	[ESCALATING] = REMOVE_ESCALATE, [DONE] = REMOVE_SUCCEED,   [xx] = REMOVE_FAIL,
};

static struct partition_remove make_removal(enum partition_remove_state state, unsigned flags)
{
	return (struct partition_remove){
		.state = state,
		.forced = (flags & FORCED) != 0,
		.accepted = (flags & ACCEPTED) != 0,
		.denied = (flags & DENIED) != 0,
	};
}

static const enum partition_remove_state *find_row(enum partition_remove_state state,
						   unsigned flags)
{
	for (size_t i = 0; i < sizeof(remove_table) / sizeof(remove_table[0]); i++)
		if (remove_table[i].state == state &&
		    (flags & remove_table[i].mask) == remove_table[i].flags)
			return remove_table[i].want;
	ck_abort_msg("no row for state %u with flags %u", state, flags);
	return NULL;
}

START_TEST(every_state_and_event_of_removing)
{
	for (unsigned i = 0; i < REMOVE_STATES * ALL * PARTITION_EVENTS; i++) {
		enum partition_remove_state state = i / (ALL * PARTITION_EVENTS);
		unsigned flags = i / PARTITION_EVENTS % ALL, event = i % PARTITION_EVENTS;
		struct partition_remove run = make_removal(state, flags);
		enum partition_remove_state want = find_row(state, flags)[event];
		enum partition_remove_action action =
			partition_remove_advance(&run, (enum partition_event)event);

		ck_assert_msg(run.state == want && action == remove_actions[want],
			      "state %u, flags %u, event %s: state %u and action %u, not %u", state,
			      flags, event_names[event], run.state, action, want);
	}
}
END_TEST

/* Flags follow the answer to a request; force starts without an answer. */
START_TEST(flags_of_removing)
{
	struct partition_remove run = make_removal(REQUESTING, 0);

	partition_remove_advance(&run, PARTITION_DENIED);
	ck_assert(run.denied && !run.accepted && !run.forced);
	run = make_removal(REQUESTING, DENIED);
	partition_remove_advance(&run, PARTITION_REFUSED);
	ck_assert(!run.denied && !run.accepted);
	run = make_removal(REQUESTING, 0);
	partition_remove_advance(&run, PARTITION_OK);
	ck_assert(run.accepted && !run.denied && !run.forced);
	partition_remove_advance(&run, PARTITION_PRESENT);
	ck_assert(run.accepted);
	partition_remove_advance(&run, PARTITION_TIME_UP);
	ck_assert(run.forced && !run.accepted && !run.denied);
	partition_remove_advance(&run, PARTITION_OK);
	ck_assert_int_eq(run.state, REMOVE_REQUESTING);
	ck_assert(run.forced);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_test(tcase, every_state_and_event_of_making);
	tcase_add_test(tcase, what_a_failure_must_remove);
	tcase_add_test(tcase, every_state_and_event_of_removing);
	tcase_add_test(tcase, flags_of_removing);
}

UNIT_MAIN("partition_steps", add_tests)
