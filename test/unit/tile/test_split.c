/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <inttypes.h>
#include <limits.h>

#include "lib/tile/place.h"
#include "test/unit/unit.h"

#define SEED      UINT64_C(0x5eed)
#define TASKS_MAX 64

#define ROW(row_name, xrdu_count, rdu_count, tile_count)                                     \
	{                                                                                    \
		.name = (row_name), .kind = TESSERA_KIND_RDU, .xrdus = (xrdu_count),         \
		.rdus_per_xrdu = (rdu_count), .tiles_per_rdu = (tile_count), .mask_bits = 32 \
	}

/* XRDUs of four RDUs, where two tasks of two RDUs can share an XRDU; and RDUs of six tiles. */
static const struct tessera_platform quad = ROW("quad", 2, 4, 4);
static const struct tessera_platform six = ROW("six", 1, 3, 6);

static const struct tessera_platform *platform(const char *name)
{
	if (strcmp(name, quad.name) == 0)
		return &quad;
	return strcmp(name, six.name) == 0 ? &six : tessera_platform_find_builtin(name);
}

static struct tessera_tileset tiles(const struct tessera_platform *p, const char *text)
{
	struct tessera_tileset set;
	struct tessera_error err;

	tessera_tileset_clear(&set);
	if (text[0] != '\0' && tessera_tileset_parse(p, text, &set, &err) < 0)
		ck_abort_msg("invalid test data: %s: %s", text, err.text);
	return set;
}

/* Tasks 0 and 2 are close to RDUs 3 and 2, tasks 1 and 3 to RDUs 1 and 0, in this order. */
static const unsigned close_by[4 * 8] = {
	9, 9, 2, 1, 9, 9, 9, 9, /* task 0 */
	2, 1, 9, 9, 9, 9, 9, 9, /* task 1 */
	9, 9, 2, 1, 9, 9, 9, 9, /* task 2 */
	2, 1, 9, 9, 9, 9, 9, 9, /* task 3 */
};

static const unsigned equal[4 * 8] = {0};

static const struct shared {
	const char *platform, *tiles;
	enum tessera_bind bind;
	unsigned tasks, each;
	const unsigned *cost;
	const char *want[4]; /* for the first tasks */
} shared[] = {
	{"sn30-8", "rdu0-1", TESSERA_BIND_NONE, 2, 0, NULL, {"rdu0-1", "rdu0-1"}},
	{"sn30-8", "0.3,5.1", TESSERA_BIND_NONE, 3, 7, NULL, {"0.3,5.1", "0.3,5.1", "0.3,5.1"}},

	{"sn30-8", "rdu0-1", TESSERA_BIND_BLOCK, 4, 4, NULL, {"0.0-3", "0.4-7", "1.0-3", "1.4-7"}},
	{"sn30-8", "rdu0-1", TESSERA_BIND_BLOCK, 4, 0, NULL, {"0.0-3", "0.4-7", "1.0-3", "1.4-7"}},
	{"sn30-8", "rdu0-1", TESSERA_BIND_BLOCK, 2, 0, NULL, {"rdu0", "rdu1"}},
	{"sn30-8", "rdu0-1", TESSERA_BIND_BLOCK, 1, 0, NULL, {"rdu0-1"}},
	{"sn30-8",
	 "rdu0-7",
	 TESSERA_BIND_BLOCK,
	 4,
	 0,
	 NULL,
	 {"rdu0-1", "rdu2-3", "rdu4-5", "rdu6-7"}},
	{"sn30-8", "rdu0-7", TESSERA_BIND_BLOCK, 16, 4, NULL, {"0.0-3", "0.4-7", "1.0-3", "1.4-7"}},
	{"sn30-8", "rdu1-4", TESSERA_BIND_BLOCK, 2, 16, NULL, {"rdu1-2", "rdu3-4"}},
	{"sn30-8", "0.4-7,3.0-3", TESSERA_BIND_BLOCK, 2, 0, NULL, {"0.4-7", "3.0-3"}},
	{"sn30-8", "0.1-3,3.0-2", TESSERA_BIND_BLOCK, 2, 2, NULL, {"0.2-3", "3.0-1"}},
	{"sn30-8", "rdu6", TESSERA_BIND_BLOCK, 2, 1, NULL, {"6.0", "6.1"}},
	{"sn30-8", "0.0-3,rdu5", TESSERA_BIND_BLOCK, 1, 8, NULL, {"rdu5"}},
	{"six", "rdu0-2", TESSERA_BIND_BLOCK, 6, 0, NULL, {"0.0-2", "0.3-5", "1.0-2", "1.3-5"}},

	{"sn30-8", "rdu0-1", TESSERA_BIND_CYCLIC, 4, 4, NULL, {"0.0-3", "1.0-3", "0.4-7", "1.4-7"}},
	{"sn30-8", "rdu0-1", TESSERA_BIND_CYCLIC, 2, 4, NULL, {"0.0-3", "1.0-3"}},
	{"sn30-8",
	 "0.4-7,rdu3,6.0-3",
	 TESSERA_BIND_CYCLIC,
	 4,
	 0,
	 NULL,
	 {"0.4-7", "3.0-3", "6.0-3", "3.4-7"}},
	{"sn30-8", "rdu2,rdu5", TESSERA_BIND_CYCLIC, 2, 0, NULL, {"rdu2", "rdu5"}},
	{"sn30-8",
	 "rdu0-7",
	 TESSERA_BIND_CYCLIC,
	 4,
	 16,
	 NULL,
	 {"rdu0-1", "rdu2-3", "rdu4-5", "rdu6-7"}},
	{"quad",
	 "rdu0-7",
	 TESSERA_BIND_CYCLIC,
	 4,
	 8,
	 NULL,
	 {"rdu0-1", "rdu4-5", "rdu2-3", "rdu6-7"}},
	{"sn30-8", "rdu1-4", TESSERA_BIND_CYCLIC, 2, 16, NULL, {"rdu2-3", "rdu1,rdu4"}},

	{"sn30-8",
	 "rdu0-3",
	 TESSERA_BIND_CLOSEST,
	 4,
	 4,
	 NULL,
	 {"0.0-3", "0.4-7", "1.0-3", "1.4-7"}},
	{"sn30-8",
	 "rdu0-3",
	 TESSERA_BIND_CLOSEST,
	 4,
	 4,
	 equal,
	 {"0.0-3", "0.4-7", "1.0-3", "1.4-7"}},
	{"sn30-8",
	 "rdu0-3",
	 TESSERA_BIND_CLOSEST,
	 4,
	 4,
	 close_by,
	 {"3.0-3", "1.0-3", "3.4-7", "1.4-7"}},
	{"sn30-8",
	 "rdu0-3",
	 TESSERA_BIND_CLOSEST,
	 4,
	 0,
	 close_by,
	 {"rdu3", "rdu1", "rdu2", "rdu0"}},
	{"sn30-8",
	 "0.0-3,1.0-3,2.0-3,4.0-3",
	 TESSERA_BIND_CLOSEST,
	 4,
	 4,
	 close_by,
	 {"2.0-3", "1.0-3", "0.0-3", "4.0-3"}},
	{"sn30-8", "rdu0-3", TESSERA_BIND_CLOSEST, 2, 16, close_by, {"rdu2-3", "rdu0-1"}},
	{"sn30-8", "rdu1,rdu3-5", TESSERA_BIND_CLOSEST, 2, 16, close_by, {"rdu4-5", "rdu1,rdu3"}},
};

START_TEST(divides_tiles)
{
	const struct shared *row = &shared[_i];
	const struct tessera_platform *p = platform(row->platform);
	struct tessera_tileset all = tiles(p, row->tiles), each[TASKS_MAX];
	struct tessera_split in = {.platform = p,
				   .tiles = &all,
				   .tasks = row->tasks,
				   .bind = row->bind,
				   .tiles_per_task = row->each,
				   .cost = row->cost};
	struct tessera_error err = {0};

	ck_assert_msg(tessera_split(&in, each, &err) == 0, "row %d: %s", _i, err.text);
	for (unsigned task = 0; task < 4 && row->want[task] != NULL; task++) {
		struct tessera_tileset want = tiles(p, row->want[task]);
		char text[256];

		tessera_tileset_format(p, &each[task], TESSERA_FORM_DOTTED, text, sizeof(text));
		ck_assert_msg(tessera_tileset_equal(&each[task], &want),
			      "row %d task %u: got %s, not %s", _i, task, text, row->want[task]);
	}
}
END_TEST

#define EVENLY "change the number of tasks, or set --tiles-per-task"
#define PARTS  "request other tiles, or another number per task"

static const struct refused {
	const char *platform, *tiles;
	enum tessera_bind bind;
	unsigned tasks, each;
	const char *text;
} refused[] = {
	{"sn30-8", "rdu0", TESSERA_BIND_BLOCK, 3, 0,
	 "8 tiles cannot be divided evenly among 3 tasks: " EVENLY},
	{"sn30-8", "0.0", TESSERA_BIND_CYCLIC, 2, 0,
	 "1 tile cannot be divided evenly among 2 tasks: " EVENLY},
	{"sn30-8", "", TESSERA_BIND_BLOCK, 1, 0,
	 "0 tiles cannot be divided evenly among 1 task: " EVENLY},
	{"sn30-8", "rdu0-2", TESSERA_BIND_CYCLIC, 2, 0,
	 "12 tiles per task is not a valid size on sn30-8: use 1, 2, 4 or a multiple of 8"},
	{"sn30-8", "rdu0", TESSERA_BIND_CLOSEST, 1, 3,
	 "3 tiles per task is not a valid size on sn30-8: use 1, 2, 4 or a multiple of 8"},
	{"sn30-8", "rdu0", TESSERA_BIND_BLOCK, 3, 4,
	 "4 tiles for each of 3 tasks make 12, but there are 8 tiles"},
	{"sn30-8", "rdu0", TESSERA_BIND_BLOCK, UINT_MAX, 4,
	 "4 tiles for each of 4294967295 tasks make 17179869180, but there are 8 tiles"},
	{"sn30-8", "0.2-5", TESSERA_BIND_BLOCK, 1, 4,
	 "the tiles to divide do not form 1 aligned part of 4: " PARTS},
	{"sn30-8", "0.0-3,1.2-5", TESSERA_BIND_CYCLIC, 2, 0,
	 "the tiles to divide do not form 2 aligned parts of 4: " PARTS},
	{"sn30-8", "rdu0,1.0-3,2.0-3", TESSERA_BIND_CLOSEST, 2, 8,
	 "the tiles to divide do not form 2 aligned parts of 8: " PARTS},
	{"sn30-8", "rdu0-2,3.0-3,4.0-3", TESSERA_BIND_CYCLIC, 2, 16,
	 "the tiles to divide do not form 2 aligned parts of 16: " PARTS},
	{"sn30-8", "rdu0", TESSERA_BIND_NONE, 0, 0, "there are no tasks to divide tiles among"},
	{"sn30-8", "rdu0", TESSERA_BIND_MAP, 2, 0, "a map of tiles needs at least one entry"},
	{"sn30-8", "rdu0", (enum tessera_bind)9, 2, 0, "invalid tile binding 9"},
	{"pod4", "", TESSERA_BIND_BLOCK, 2, 0, "platform pod4 has no tiles to divide"},
};

START_TEST(rejects_division)
{
	const struct refused *row = &refused[_i];
	const struct tessera_platform *p = platform(row->platform);
	struct tessera_tileset all = tiles(p, row->tiles), each[TASKS_MAX];
	struct tessera_split in = {.platform = p,
				   .tiles = &all,
				   .tasks = row->tasks,
				   .bind = row->bind,
				   .tiles_per_task = row->each};
	struct tessera_error err = {0};

	ck_assert_int_eq(tessera_split(&in, each, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	ck_assert_str_eq(err.text, row->text);
	ck_assert_int_eq(tessera_split(&in, each, NULL), -1);
}
END_TEST

START_TEST(repeats_map)
{
	const struct tessera_platform *p = platform("sn30-8");
	struct tessera_tileset all = tiles(p, "rdu0-1"), each[5];
	struct tessera_tileset map[3] = {tiles(p, "0.0-3"), tiles(p, "1.7"), tiles(p, "0.2,1.2")};
	struct tessera_split in = {.platform = p,
				   .tiles = &all,
				   .tasks = 5,
				   .bind = TESSERA_BIND_MAP,
				   .tiles_per_task = 99,
				   .map = map,
				   .map_len = 3};

	ck_assert_int_eq(tessera_split(&in, each, NULL), 0);
	for (unsigned task = 0; task < 5; task++)
		ck_assert(tessera_tileset_equal(&each[task], &map[task % 3]));
}
END_TEST

START_TEST(rejects_map_outside_tiles)
{
	const struct tessera_platform *p = platform("sn30-8");
	struct tessera_tileset all = tiles(p, "rdu0-1"), each[1];
	struct tessera_tileset map[2] = {tiles(p, "0.0-3"), tiles(p, "1.7,2.1,3.0")};
	struct tessera_split in = {.platform = p,
				   .tiles = &all,
				   .tasks = 1,
				   .bind = TESSERA_BIND_MAP,
				   .map = map,
				   .map_len = 2};
	struct tessera_error err = {0};

	ck_assert_int_eq(tessera_split(&in, each, &err), -1);
	ck_assert_str_eq(err.text, "entry 2 of the map names tile 2.1, which is not among the 16 "
				   "tiles to divide");
	tessera_tileset_clear(&map[1]);
	ck_assert_int_eq(tessera_split(&in, each, &err), -1);
	ck_assert_str_eq(err.text, "entry 2 of the map names no tiles");
}
END_TEST

/* Knuth's MMIX generator; the low bits are weak and not used. */
static unsigned draw(uint64_t *state, unsigned below)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)((*state >> 33) % below);
}

/* The number of aligned parts of SIZE tiles, at most an RDU, in ALL; counted tile by tile. */
static unsigned count_parts(const struct tessera_platform *p, const struct tessera_tileset *all,
			    unsigned size)
{
	unsigned parts = 0, run = 0;

	for (unsigned t = 0; t < tessera_platform_tiles(p); t++) {
		if (t % p->tiles_per_rdu % size == 0)
			run = 0;
		run += tessera_tileset_has(all, t);
		parts += run == size;
		if (run == size)
			run = 0;
	}
	return parts;
}

static void check_shares(const struct tessera_split *in, const struct tessera_tileset *each,
			 unsigned size, unsigned turn)
{
	const struct tessera_platform *p = in->platform;
	struct tessera_tileset seen;

	tessera_tileset_clear(&seen);
	for (unsigned task = 0; task < in->tasks; task++) {
		unsigned unit = size < p->tiles_per_rdu ? size : p->tiles_per_rdu;

		ck_assert_msg(tessera_tileset_subset(&each[task], in->tiles),
			      "turn %u task %u: tiles outside the set", turn, task);
		ck_assert_msg(!tessera_tileset_overlap(&each[task], &seen),
			      "turn %u task %u: shared tiles", turn, task);
		ck_assert_msg(tessera_tileset_count(&each[task]) == size &&
				      count_parts(p, &each[task], unit) == size / unit,
			      "turn %u task %u: not %u tiles, aligned", turn, task, size);
		tessera_tileset_or(&seen, &each[task]);
	}
}

/* Succeeds exactly when there are enough aligned parts, and obeys the rules. */
START_TEST(agrees_with_model)
{
	static const char *const names[] = {"sn30-8", "sn10-8", "quad", "six"};
	static const enum tessera_bind binds[] = {TESSERA_BIND_BLOCK, TESSERA_BIND_CYCLIC,
						  TESSERA_BIND_CLOSEST};
	const struct tessera_platform *p = platform(names[_i]);
	unsigned rdus = tessera_platform_rdus(p), per_rdu = p->tiles_per_rdu, split = 0;
	struct tessera_tileset each[TASKS_MAX];
	unsigned cost[TASKS_MAX * 8];
	uint64_t rng = SEED + (uint64_t)_i;
	const unsigned turns = 20000;

	for (unsigned turn = 0; turn < turns; turn++) {
		struct tessera_tileset all;
		struct tessera_split in = {
			.platform = p, .tiles = &all, .bind = binds[draw(&rng, 3)], .cost = cost};
		unsigned size, unit;
		bool fits;

		for (size_t i = 0; i < sizeof(cost) / sizeof(cost[0]); i++)
			cost[i] = draw(&rng, 4);
		tessera_tileset_clear(&all);
		for (unsigned rdu = 0; rdu < rdus; rdu++)
			if (draw(&rng, 4) != 0)
				tessera_tileset_add_range(&all, rdu * per_rdu, per_rdu);
			else
				tessera_tileset_add_range(
					&all, rdu * per_rdu + draw(&rng, per_rdu / 2), per_rdu / 2);
		do
			size = 1 + draw(&rng, 3 * per_rdu);
		while (!tessera_platform_block_ok(p, size));
		unit = size < per_rdu ? size : per_rdu;
		in.tasks = 1 + draw(&rng, 1 + rdus * per_rdu / size);
		in.tiles_per_task = size;
		fits = count_parts(p, &all, unit) / (size / unit) >= in.tasks;
		ck_assert_msg((tessera_split(&in, each, NULL) == 0) == fits,
			      "turn %u of %s (seed 0x%" PRIx64 "): %u tasks of %u", turn, names[_i],
			      SEED, in.tasks, size);
		if (fits)
			check_shares(&in, each, size, turn);
		split += fits;
	}
	ck_assert_uint_gt(split, turns / 10);
	ck_assert_uint_lt(split, turns * 9 / 10);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_loop_test(tcase, divides_tiles, 0, sizeof(shared) / sizeof(shared[0]));
	tcase_add_loop_test(tcase, rejects_division, 0, sizeof(refused) / sizeof(refused[0]));
	tcase_add_test(tcase, repeats_map);
	tcase_add_test(tcase, rejects_map_outside_tiles);
	tcase_add_loop_test(tcase, agrees_with_model, 0, 4);
}

UNIT_MAIN("split", add_tests)
