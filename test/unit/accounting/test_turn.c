/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "gres/accounting/turn.h"
#include "test/unit/unit.h"

#define NODES_MAX 5

/* Some parts are in the comment: bit N of SET stands for node N. */
static void set_parts(unsigned set, bool has_part[NODES_MAX])
{
	for (unsigned n = 0; n < NODES_MAX; n++)
		has_part[n] = (set >> n & 1) != 0;
}

/* The node that may write, -1 if none; fails if there are two. */
static int find_writer(time_t since, const bool *has_part, size_t count)
{
	int writer = -1;

	for (size_t n = 0; n < count; n++) {
		if (!turn_allows(since, has_part, count, n))
			continue;
		ck_assert_msg(writer < 0, "nodes %d and %zu write at %ld", writer, n, (long)since);
		writer = (int)n;
	}
	return writer;
}

/* Never two nodes, with any parts in the comment, and if clocks differ by twice the guard. */
START_TEST(one_writer)
{
	size_t count = (size_t)_i;
	time_t end = (time_t)(4 * count * TURN_WINDOW_S);
	bool has_part[NODES_MAX];

	for (unsigned set = 0; set < 1U << count; set++) {
		int early[2 * TURN_GUARD_S + 1] = {0}; /* writers by clocks that are behind */
		size_t size = sizeof(early) / sizeof(early[0]);

		set_parts(set, has_part);
		for (time_t now = 0; now < end; now++) {
			int writer = find_writer(now, has_part, count);

			early[(size_t)now % size] = writer;
			for (size_t n = 0; n < size && now >= (time_t)size && writer >= 0; n++)
				ck_assert_msg(early[n] < 0 || early[n] == writer,
					      "nodes %d and %d of %zu write at %ld", early[n],
					      writer, count, (long)now);
		}
	}
}
END_TEST

/*
 * No node waits for ever: with any parts in the comment, each node can write for most of a window.
 */
START_TEST(each_node_in_time)
{
	size_t count = (size_t)_i;
	bool has_part[NODES_MAX];

	for (unsigned set = 0; set < 1U << count; set++)
		for (size_t self = 0; self < count; self++) {
			/* Later if it replaces its part. */
			size_t rounds = (set >> self & 1) != 0 ? 2 : 1;
			time_t end = (time_t)(rounds * count * TURN_WINDOW_S), seconds = 0;

			set_parts(set, has_part);
			for (time_t now = 0; now < end; now++)
				seconds += turn_allows(now, has_part, count, self);
			ck_assert_msg(seconds >= TURN_WINDOW_S - 2 * TURN_GUARD_S,
				      "node %zu of %zu has %ld seconds with %x", self, count,
				      (long)seconds, set);
		}
}
END_TEST

/* The nodes of a job write one after the other, without waiting for another window. */
START_TEST(all_in_first_window)
{
	bool has_part[NODES_MAX] = {false};

	for (int n = 0; n < NODES_MAX; n++) {
		ck_assert_int_eq(find_writer(-30, has_part, NODES_MAX), n);
		ck_assert_int_eq(find_writer(0, has_part, NODES_MAX), n);
		ck_assert_int_eq(find_writer(79, has_part, NODES_MAX), n);
		ck_assert_int_eq(find_writer(80, has_part, NODES_MAX), -1);
		has_part[n] = true;
	}
	ck_assert_int_eq(find_writer(0, has_part, NODES_MAX), -1);
}
END_TEST

/* A node without samples holds up the later ones until one of them owns a window. */
START_TEST(node_without_samples)
{
	bool has_part[NODES_MAX] = {true, false, false, true, false};

	ck_assert_int_eq(find_writer(20, has_part, NODES_MAX), 1);
	ck_assert_int_eq(find_writer(TURN_WINDOW_S + 9, has_part, NODES_MAX), -1);
	ck_assert_int_eq(find_writer(TURN_WINDOW_S + 10, has_part, NODES_MAX), 1);
	ck_assert_int_eq(find_writer(2 * TURN_WINDOW_S + 20, has_part, NODES_MAX), 2);
	has_part[2] = true;
	ck_assert_int_eq(find_writer(2 * TURN_WINDOW_S + 20, has_part, NODES_MAX), 4);
	has_part[4] = true;
	ck_assert_int_eq(find_writer(2 * TURN_WINDOW_S + 20, has_part, NODES_MAX), 1);
}
END_TEST

/* The only node of a job can always write. */
START_TEST(single_node)
{
	bool has_part = _i == 1;

	for (time_t now = -5; now < 3 * TURN_WINDOW_S; now++)
		ck_assert(turn_allows(now, &has_part, 1, 0));
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_loop_test(tcase, one_writer, 2, NODES_MAX + 1);
	tcase_add_loop_test(tcase, each_node_in_time, 2, NODES_MAX + 1);
	tcase_add_test(tcase, all_in_first_window);
	tcase_add_test(tcase, node_without_samples);
	tcase_add_loop_test(tcase, single_node, 0, 2);
}

UNIT_MAIN("turn", add_tests)
