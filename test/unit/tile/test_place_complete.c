/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Placement against brute force: on platforms small enough to try every choice, tessera_place()
 * finds a placement exactly when one exists, and its placements obey the rules. The search below
 * shares no code with the placement.
 */
#include "config.h"

#include <inttypes.h>

#include "lib/tile/place.h"
#include "test/unit/unit.h"

#define SEED UINT64_C(0x7e55e7a)

/* Knuth's MMIX generator; the low bits are weak and not used. */
static unsigned draw(uint64_t *state, unsigned below)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)((*state >> 33) % below);
}

static struct tessera_platform make_platform(unsigned xrdus, unsigned rdus, unsigned tiles)
{
	struct tessera_platform p = {
		.name = "small",
		.title = "small",
		.kind = TESSERA_KIND_RDU,
		.xrdus = xrdus,
		.rdus_per_xrdu = rdus,
		.tiles_per_rdu = tiles,
		.tiles_per_gres = tiles,
		.mask_bits = 64,
	};
	struct tessera_error err = {0};

	ck_assert_msg(tessera_platform_check(&p, &err) == 0, "invalid test platform: %s", err.text);
	return p;
}

static struct tessera_tileset from_bits(uint64_t bits)
{
	struct tessera_tileset set = {{bits}};

	return set;
}

static uint64_t part_bits(unsigned first, unsigned count)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < count; i++)
		bits |= UINT64_C(1) << (first + i);
	return bits;
}

/* Can COUNT aligned parts of SIZE tiles be found at tile FROM or later? */
static bool try_parts(uint64_t avail, unsigned tiles, unsigned from, unsigned size, unsigned count)
{
	if (count == 0)
		return true;
	for (unsigned t = from; t < tiles; t += size) {
		uint64_t part = part_bits(t, size);

		if ((avail & part) == part &&
		    try_parts(avail & ~part, tiles, t + size, size, count - 1))
			return true;
	}
	return false;
}

/* Try every choice of whole RDUs, and for each of them every choice of blocks. */
static bool try_all(const struct tessera_platform *p, uint64_t avail, unsigned from,
		    const struct tessera_shape *s, unsigned whole)
{
	unsigned tiles = tessera_platform_tiles(p), size = p->tiles_per_rdu;

	if (whole == 0)
		return s->blocks == 0 || try_parts(avail, tiles, 0, s->block, s->blocks);
	for (unsigned t = from; t < tiles; t += size) {
		uint64_t part = part_bits(t, size);

		if ((avail & part) == part && try_all(p, avail & ~part, t + size, s, whole - 1))
			return true;
	}
	return false;
}

struct test_case {
	const struct tessera_platform *p;
	uint64_t free, bad;
	struct tessera_shape shape;
	const unsigned *cost;
};

#define CASE_FMT                                                                                  \
	"%ux%ux%u free 0x%" PRIx64 " bad 0x%" PRIx64 " whole %u blocks %u of %u (seed 0x%" PRIx64 \
	")"
#define CASE_ARGS(c)                                                                      \
	(c)->p->xrdus, (c)->p->rdus_per_xrdu, (c)->p->tiles_per_rdu, (c)->free, (c)->bad, \
		(c)->shape.whole, (c)->shape.blocks, (c)->shape.block, SEED
#define CHECK_CASE(c, cond, what) ck_assert_msg(cond, "%s: " CASE_FMT, what, CASE_ARGS(c))

/*
 * Blocks may break a whole RDU only if no other RDU had room, and a second one only when the first
 * is full.
 */
static void check_breaking(const struct test_case *c, uint64_t got)
{
	uint64_t avail = c->free & ~c->bad;
	unsigned size = c->p->tiles_per_rdu, touched = 0, partly = 0;
	bool room = false;

	for (unsigned rdu = 0; rdu < tessera_platform_rdus(c->p); rdu++) {
		uint64_t all = part_bits(rdu * size, size);

		if ((avail & all) == all) {
			touched += (got & all) != 0;
			partly += (got & all) != 0 && (got & all) != all;
		} else if (c->shape.blocks > 0) {
			room |= try_parts(avail & ~got & all, (rdu + 1) * size, rdu * size,
					  c->shape.block, 1);
		}
	}
	CHECK_CASE(c, touched <= c->shape.whole || !room,
		   "a whole RDU was broken while another one had room");
	CHECK_CASE(c, partly <= 1, "two whole RDUs were broken where one was enough");
}

static void check_placement(const struct test_case *c, uint64_t got)
{
	unsigned need = c->shape.whole * c->p->tiles_per_rdu + c->shape.blocks * c->shape.block;

	CHECK_CASE(c, (got & ~(c->free & ~c->bad)) == 0, "a tile that is not free or is bad");
	CHECK_CASE(c, (unsigned)__builtin_popcountll(got) == need,
		   "not the requested number of tiles");
	CHECK_CASE(c, try_all(c->p, got, 0, &c->shape, c->shape.whole),
		   "not whole RDUs and aligned blocks");
	check_breaking(c, got);
}

static bool check_case(const struct test_case *c)
{
	struct tessera_tileset free = from_bits(c->free), bad = from_bits(c->bad), got, again;
	struct tessera_place in = {
		.platform = c->p, .free = &free, .bad = &bad, .shape = c->shape, .cost = c->cost};
	struct tessera_error err = {0};
	bool placed = tessera_place(&in, &got, &err) == 0;

	CHECK_CASE(c, placed == try_all(c->p, c->free & ~c->bad, 0, &c->shape, c->shape.whole),
		   "brute force does not agree");
	if (placed) {
		CHECK_CASE(c,
			   tessera_place(&in, &again, NULL) == 0 &&
				   tessera_tileset_equal(&got, &again),
			   "the same input gave two placements");
		check_placement(c, got.word[0]);
	} else {
		uint64_t empty = part_bits(0, tessera_platform_tiles(c->p));
		bool ever = try_all(c->p, empty, 0, &c->shape, c->shape.whole);

		CHECK_CASE(c, err.code == (ever ? TESSERA_ERR_SHORTAGE : TESSERA_ERR_INPUT),
			   err.text);
	}
	return placed;
}

static const unsigned tiny[][3] = {{1, 1, 6}, {1, 2, 2}, {1, 2, 4}, {3, 1, 2}};

/* Every state of every tile (free, allocated, bad), and every shape up to one more than fits. */
START_TEST(agrees_in_every_state)
{
	struct tessera_platform p = make_platform(tiny[_i][0], tiny[_i][1], tiny[_i][2]);
	unsigned all = tessera_platform_tiles(&p), size = p.tiles_per_rdu, states = 1;
	struct test_case c = {.p = &p};

	for (unsigned i = 0; i < all; i++)
		states *= 3;
	for (unsigned state = 0; state < states; state++) {
		c.free = c.bad = 0;
		for (unsigned i = 0, rest = state; i < all; i++, rest /= 3) {
			c.free |= (uint64_t)(rest % 3 != 1) << i;
			c.bad |= (uint64_t)(rest % 3 == 2) << i;
		}
		for (c.shape.whole = 0; c.shape.whole <= tessera_platform_rdus(&p) + 1;
		     c.shape.whole++)
			for (c.shape.block = 1; c.shape.block < size; c.shape.block++) {
				if (size % c.shape.block != 0)
					continue;
				c.shape.blocks = c.shape.whole == 0;
				for (; c.shape.blocks <= all / c.shape.block + 1; c.shape.blocks++)
					check_case(&c);
			}
	}
}
END_TEST

/*
 * Draw a set with runs of tiles, single tiles and whole RDUs, as jobs leave them. Independent draws
 * for each tile would rarely give such a set.
 */
static uint64_t draw_tiles(uint64_t *rng, const struct tessera_platform *p)
{
	unsigned size = p->tiles_per_rdu, grain;
	uint64_t bits = 0;

	for (unsigned first = 0; first < tessera_platform_tiles(p); first += size) {
		switch (draw(rng, 4)) {
		case 0:
			bits |= part_bits(first, size);
			break;
		case 1:
			break;
		default:
			grain = 1 + draw(rng, size / 2);
			for (unsigned t = 0; t < size; t++)
				if (t % grain == 0 ? draw(rng, 2) == 0
						   : (bits >> (first + t - 1) & 1) != 0)
					bits |= UINT64_C(1) << (first + t);
		}
	}
	return bits;
}

static const unsigned shapes[][3] = {{2, 2, 4}, {1, 3, 6}, {2, 1, 8},
				     {1, 4, 4}, {4, 1, 4}, {2, 3, 3}};

START_TEST(agrees_in_random_states)
{
	struct tessera_platform p = make_platform(shapes[_i][0], shapes[_i][1], shapes[_i][2]);
	unsigned size = p.tiles_per_rdu, placed = 0, cost[8];
	uint64_t rng = SEED + (uint64_t)_i;
	const unsigned cases = 20000;

	for (unsigned i = 0; i < cases; i++) {
		struct test_case c = {.p = &p, .free = draw_tiles(&rng, &p)};

		if (draw(&rng, 3) == 0)
			c.bad = draw_tiles(&rng, &p) & draw_tiles(&rng, &p);
		for (unsigned rdu = 0; rdu < tessera_platform_rdus(&p); rdu++)
			cost[rdu] = draw(&rng, 3);
		c.cost = draw(&rng, 2) == 0 ? cost : NULL;
		c.shape.whole = draw(&rng, 3);
		do
			c.shape.block = 1 + draw(&rng, size - 1);
		while (size % c.shape.block != 0);
		c.shape.blocks = (c.shape.whole == 0) + draw(&rng, 2 * size / c.shape.block);
		placed += check_case(&c);
	}
	/* The test is meaningful only if both results are frequent. */
	ck_assert_uint_gt(placed, cases / 10);
	ck_assert_uint_lt(placed, cases * 9 / 10);
}
END_TEST

#define JOBS 64

/* Jobs start and end many times; no tile may have two owners, or be the bad one. */
START_TEST(never_allocates_a_tile_twice)
{
	const struct tessera_platform *p = tessera_platform_find_builtin("sn30-8");
	struct tessera_tileset free, job[JOBS], bad = from_bits(UINT64_C(1) << 13);
	unsigned owner[64] = {0}, placed = 0, refused = 0;
	uint64_t rng = SEED;

	tessera_tileset_all(p, &free);
	memset(job, 0, sizeof(job));
	for (unsigned step = 0; step < 50000; step++) {
		unsigned j = draw(&rng, JOBS), kind = draw(&rng, 5);
		struct tessera_place in = {.platform = p, .free = &free, .bad = &bad};

		if (!tessera_tileset_empty(&job[j])) {
			for (unsigned t = 0; t < 64; t++)
				if (owner[t] == j + 1)
					owner[t] = 0;
			tessera_tileset_or(&free, &job[j]);
			tessera_tileset_clear(&job[j]);
			continue;
		}
		in.shape.whole = kind == 0 ? 1 + draw(&rng, 3) : 0;
		in.shape.block = kind == 0 ? 0 : 1u << draw(&rng, 3);
		in.shape.blocks = kind == 0 ? 0 : 1 + draw(&rng, 3);
		if (tessera_place(&in, &job[j], NULL) < 0) {
			refused++;
			continue;
		}
		placed++;
		tessera_tileset_minus(&free, &job[j]);
		for (unsigned t = 0; t < 64; t++) {
			if (!tessera_tileset_has(&job[j], t))
				continue;
			ck_assert_msg(owner[t] == 0 && t != 13,
				      "step %u: tile %u went to jobs %u and %u", step, t, owner[t],
				      j + 1);
			owner[t] = j + 1;
		}
	}
	ck_assert_uint_gt(placed, 1000);
	ck_assert_uint_gt(refused, 1000);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_loop_test(tcase, agrees_in_every_state, 0, sizeof(tiny) / sizeof(tiny[0]));
	tcase_add_loop_test(tcase, agrees_in_random_states, 0, sizeof(shapes) / sizeof(shapes[0]));
	tcase_add_test(tcase, never_allocates_a_tile_twice);
}

UNIT_MAIN("place_complete", add_tests)
