/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdint.h>

#include "lib/tile/place.h"

/* The tiles, in units: a unit is an aligned part of an RDU, or a whole RDU, for one task. */
struct units {
	const struct tessera_platform *platform;
	const struct tessera_tileset *tiles;
	unsigned rdus;
	unsigned unit;     /* tiles */
	unsigned per_task; /* units */
	/* for each RDU, the tile where the search for its next unit starts */
	unsigned next[TESSERA_TILES_MAX];
};

/* The first unit between FROM, which must be aligned, and END; END if there is none. */
static unsigned next_unit(const struct units *u, unsigned from, unsigned end)
{
	while ((from = tessera_tileset_next(u->tiles, from)) < end) {
		from -= from % u->platform->tiles_per_rdu % u->unit;
		if (tessera_tileset_has_range(u->tiles, from, u->unit))
			return from;
		from += u->unit;
	}
	return end;
}

/* Does the RDU have another unit? Sets u->next[rdu] to it. */
static bool has_unit(struct units *u, unsigned rdu)
{
	unsigned end = (rdu + 1) * u->platform->tiles_per_rdu;

	u->next[rdu] = next_unit(u, u->next[rdu], end);
	return u->next[rdu] < end;
}

/* Assign the unit that has_unit() found to TASK. */
static void take_unit(struct units *u, unsigned rdu, struct tessera_tileset *task)
{
	tessera_tileset_clear(task);
	tessera_tileset_add_range(task, u->next[rdu], u->unit);
	u->next[rdu] += u->unit;
}

static unsigned count_units(const struct units *u)
{
	unsigned end = u->rdus * u->platform->tiles_per_rdu, count = 0;

	for (unsigned t = next_unit(u, 0, end); t < end; t = next_unit(u, t + u->unit, end))
		count++;
	return count;
}

static void split_block(const struct units *u, unsigned tasks, struct tessera_tileset *each)
{
	unsigned end = u->rdus * u->platform->tiles_per_rdu, from = 0;

	for (unsigned task = 0; task < tasks; task++) {
		tessera_tileset_clear(&each[task]);
		for (unsigned i = 0; i < u->per_task; i++) {
			from = next_unit(u, from, end);
			tessera_tileset_add_range(&each[task], from, u->unit);
			from += u->unit;
		}
	}
}

static void split_cyclic(struct units *u, unsigned tasks, struct tessera_tileset *each)
{
	unsigned rdu = 0;

	for (unsigned task = 0; task < tasks; task++) {
		while (!has_unit(u, rdu))
			rdu = rdu + 1 < u->rdus ? rdu + 1 : 0;
		take_unit(u, rdu, &each[task]);
		rdu = rdu + 1 < u->rdus ? rdu + 1 : 0;
	}
}

static void split_closest(struct units *u, unsigned tasks, const unsigned *cost,
			  struct tessera_tileset *each)
{
	for (unsigned task = 0; task < tasks; task++, cost += u->rdus) {
		unsigned best = u->rdus;

		for (unsigned rdu = 0; rdu < u->rdus; rdu++)
			if ((best == u->rdus || cost[rdu] < cost[best]) && has_unit(u, rdu))
				best = rdu;
		if (best == u->rdus) /* cannot happen: the units were counted */
			return;
		take_unit(u, best, &each[task]);
	}
}

/*
 * Tasks of several RDUs: each is a placement in the tiles that earlier tasks left. CYCLIC is done
 * as CLOSEST, with the distance measured in XRDUs from the one after the previous task's first.
 */
static int split_whole(const struct tessera_split *in, unsigned whole, struct tessera_tileset *each,
		       struct tessera_error *err)
{
	unsigned per_xrdu = in->platform->rdus_per_xrdu, xrdus = in->platform->xrdus, turn = 0;
	unsigned rdus = xrdus * per_xrdu, distance[TESSERA_TILES_MAX];
	struct tessera_tileset left = *in->tiles;
	struct tessera_place place = {
		.platform = in->platform, .free = &left, .shape = {.whole = whole}};

	for (unsigned task = 0; task < in->tasks; task++) {
		for (unsigned rdu = 0; rdu < rdus; rdu++)
			distance[rdu] = (rdu / per_xrdu + xrdus - turn) % xrdus;
		place.cost =
			in->bind == TESSERA_BIND_CYCLIC ? distance : &in->cost[(size_t)task * rdus];
		if (tessera_place(&place, &each[task], err) < 0)
			return -1;
		tessera_tileset_minus(&left, &each[task]);
		turn = (tessera_tileset_next(&each[task], 0) /
				(per_xrdu * in->platform->tiles_per_rdu) +
			1) %
		       xrdus;
	}
	return 0;
}

static const char *plural_s(unsigned count)
{
	return count == 1 ? "" : "s";
}

/* The number of tiles for each task; 0 with ERR if there are too few, or it is not valid. */
static unsigned find_tiles_per_task(const struct tessera_split *in, struct tessera_error *err)
{
	unsigned have = tessera_tileset_count(in->tiles);
	unsigned each = in->tiles_per_task;
	char sizes[128];

	if (each == 0 && (have < in->tasks || have % in->tasks != 0)) {
		tessera_error_set(err, TESSERA_ERR_INPUT,
				  "%u tile%s cannot be divided evenly among %u task%s: change the "
				  "number of tasks, or set --tiles-per-task",
				  have, plural_s(have), in->tasks, plural_s(in->tasks));
		return 0;
	}
	if (each == 0)
		each = have / in->tasks;
	if (!tessera_platform_block_ok(in->platform, each)) {
		tessera_platform_block_sizes(in->platform, sizes, sizeof(sizes));
		tessera_error_set(err, TESSERA_ERR_INPUT,
				  "%u tiles per task is not a valid size on %s: use %s", each,
				  in->platform->name, sizes);
		return 0;
	}
	if ((uint64_t)each * in->tasks > have) {
		tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"%u tile%s for each of %u task%s make %llu, but there %s %u tile%s", each,
			plural_s(each), in->tasks, plural_s(in->tasks),
			(unsigned long long)each * in->tasks, have == 1 ? "is" : "are", have,
			plural_s(have));
		return 0;
	}
	return each;
}

static int split_parts(const struct tessera_split *in, struct tessera_tileset *each,
		       struct tessera_error *err)
{
	unsigned size = in->platform->tiles_per_rdu, tiles = find_tiles_per_task(in, err);
	struct units u;

	if (tiles == 0)
		return -1;
	u.platform = in->platform;
	u.tiles = in->tiles;
	u.rdus = tessera_platform_rdus(in->platform);
	u.unit = tiles < size ? tiles : size;
	u.per_task = tiles / u.unit;
	for (unsigned rdu = 0; rdu < u.rdus; rdu++)
		u.next[rdu] = rdu * size;
	/* Units have one size and do not overlap, so counting decides whether they suffice. */
	if (count_units(&u) / u.per_task < in->tasks)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "the tiles to divide do not form %u aligned part%s of %u: "
					 "request other tiles, or another number per task",
					 in->tasks, plural_s(in->tasks), tiles);

	if (in->bind == TESSERA_BIND_BLOCK ||
	    (in->bind == TESSERA_BIND_CLOSEST && in->cost == NULL))
		split_block(&u, in->tasks, each);
	else if (u.per_task > 1)
		return split_whole(in, u.per_task, each, err);
	else if (in->bind == TESSERA_BIND_CYCLIC)
		split_cyclic(&u, in->tasks, each);
	else
		split_closest(&u, in->tasks, in->cost, each);
	return 0;
}

static int split_map(const struct tessera_split *in, struct tessera_tileset *each,
		     struct tessera_error *err)
{
	unsigned size = in->platform->tiles_per_rdu;

	if (in->map_len == 0)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "a map of tiles needs at least one entry");
	for (unsigned i = 0; i < in->map_len; i++) {
		struct tessera_tileset outside = in->map[i];
		unsigned tile;

		if (tessera_tileset_empty(&in->map[i]))
			return tessera_error_set(err, TESSERA_ERR_INPUT,
						 "entry %u of the map names no tiles", i + 1);
		tessera_tileset_minus(&outside, in->tiles);
		tile = tessera_tileset_next(&outside, 0);
		if (tile < TESSERA_TILES_MAX)
			return tessera_error_set(err, TESSERA_ERR_INPUT,
						 "entry %u of the map names tile %u.%u, which is "
						 "not among the %u tiles to divide",
						 i + 1, tile / size, tile % size,
						 tessera_tileset_count(in->tiles));
	}
	for (unsigned task = 0; task < in->tasks; task++)
		each[task] = in->map[task % in->map_len];
	return 0;
}

int tessera_split(const struct tessera_split *in, struct tessera_tileset *each,
		  struct tessera_error *err)
{
	if (tessera_platform_rdus(in->platform) == 0)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "platform %s has no tiles to divide", in->platform->name);
	if (in->tasks == 0)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "there are no tasks to divide tiles among");

	switch (in->bind) {
	case TESSERA_BIND_NONE:
		for (unsigned task = 0; task < in->tasks; task++)
			each[task] = *in->tiles;
		return 0;
	case TESSERA_BIND_MAP:
		return split_map(in, each, err);
	case TESSERA_BIND_BLOCK:
	case TESSERA_BIND_CYCLIC:
	case TESSERA_BIND_CLOSEST:
		return split_parts(in, each, err);
	}
	return tessera_error_set(err, TESSERA_ERR_INPUT, "invalid tile binding %d", (int)in->bind);
}
