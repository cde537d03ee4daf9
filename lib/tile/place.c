/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdint.h>
#include <stdio.h>

#include "lib/tile/place.h"

#define NONE      TESSERA_TILES_MAX /* not an RDU or XRDU */
#define NO_SLOT   UINT64_MAX
#define SIZES_MAX 32 /* no number up to TESSERA_TILES_MAX has more divisors */

/* A node during a placement. On the stack although it is large: no function here allocates. */
struct node {
	const struct tessera_platform *platform;
	const unsigned *cost;
	unsigned rdus;
	unsigned per_rdu;  /* tiles */
	unsigned per_xrdu; /* RDUs */
	/* tiles that are free, known to be good, not withheld, and not taken yet */
	struct tessera_tileset avail;
	unsigned total;       /* available tiles */
	unsigned bad;         /* bad tiles */
	unsigned unknown;     /* tiles of unknown health that are not bad */
	unsigned withheld;    /* withheld tiles that are neither bad nor unknown */
	unsigned whole_total; /* RDUs with all tiles available */
	unsigned count[NONE]; /* available tiles of each RDU */
	unsigned whole[NONE]; /* whole RDUs of each XRDU */
	unsigned block;       /* tiles of a block */
	/* sizes of aligned parts between a block and an RDU, descending; ends with 0 */
	unsigned sizes[SIZES_MAX + 1];
	unsigned slot[NONE]; /* first tile of the best slot for a block in each RDU */
	/* of that slot: lowest is best; NO_SLOT: the RDU has no room */
	uint64_t rank[NONE];
};

static unsigned cost_of(const struct node *n, unsigned rdu)
{
	return n->cost != NULL ? n->cost[rdu] : 0;
}

static bool is_whole(const struct node *n, unsigned rdu)
{
	return n->count[rdu] == n->per_rdu;
}

/* Are COUNT tiles, at least one, available? */
static bool is_free(const struct node *n, unsigned first, unsigned count)
{
	/*
	 * Called so often that tessera_tileset_has_range() would take half of the time of a
	 * placement; the tiles are nearly always in one word.
	 */
	if (first % 64 + count <= 64)
		return (~(n->avail.word[first / 64] >> first % 64) & UINT64_MAX >> (64 - count)) ==
		       0;
	return tessera_tileset_has_range(&n->avail, first, count);
}

/* Remove OUT, which may be NULL, from SET. Returns how many tiles were removed. */
static unsigned remove_tiles(struct tessera_tileset *set, const struct tessera_tileset *out)
{
	unsigned before = tessera_tileset_count(set);

	if (out != NULL)
		tessera_tileset_minus(set, out);
	return before - tessera_tileset_count(set);
}

static void init_node(struct node *n, const struct tessera_place *in)
{
	const struct tessera_platform *p = in->platform;

	n->platform = p;
	n->cost = in->cost;
	n->rdus = tessera_platform_rdus(p);
	n->per_rdu = p->tiles_per_rdu;
	n->per_xrdu = p->rdus_per_xrdu;
	tessera_tileset_all(p, &n->avail);
	n->bad = remove_tiles(&n->avail, in->bad);
	n->unknown = remove_tiles(&n->avail, in->unknown);
	n->withheld = remove_tiles(&n->avail, in->kept);
	tessera_tileset_and(&n->avail, in->free);

	n->total = 0;
	n->whole_total = 0;
	for (unsigned rdu = 0; rdu < n->rdus; rdu++) {
		n->count[rdu] =
			tessera_tileset_count_range(&n->avail, rdu * n->per_rdu, n->per_rdu);
		n->total += n->count[rdu];
		if (rdu % n->per_xrdu == 0)
			n->whole[rdu / n->per_xrdu] = 0;
		if (is_whole(n, rdu)) {
			n->whole[rdu / n->per_xrdu]++;
			n->whole_total++;
		}
	}
}

static void take_tiles(struct node *n, unsigned first, unsigned count,
		       struct tessera_tileset *tiles)
{
	unsigned rdu = first / n->per_rdu;

	if (is_whole(n, rdu))
		n->whole[rdu / n->per_xrdu]--;
	n->count[rdu] -= count;
	tessera_tileset_add_range(tiles, first, count);
	/* Cheaper than tessera_tileset_minus() for a few tiles. */
	for (unsigned t = first; t < first + count; t++)
		n->avail.word[t / 64] &= ~(UINT64_C(1) << t % 64);
}

/*
 * The whole RDU of an XRDU that follows AFTER in the order of cost, then number; NONE if there is
 * no more. The first one if AFTER is NONE.
 */
static unsigned next_closest(const struct node *n, unsigned xrdu, unsigned after)
{
	unsigned best = NONE;

	for (unsigned rdu = xrdu * n->per_xrdu; rdu < (xrdu + 1) * n->per_xrdu; rdu++) {
		unsigned cost = cost_of(n, rdu);

		if (!is_whole(n, rdu))
			continue;
		if (after != NONE &&
		    (cost < cost_of(n, after) || (cost == cost_of(n, after) && rdu <= after)))
			continue;
		if (best == NONE || cost < cost_of(n, best))
			best = rdu;
	}
	return best;
}

/* The total cost of the COUNT closest whole RDUs of an XRDU. */
static uint64_t xrdu_cost(const struct node *n, unsigned xrdu, unsigned count)
{
	uint64_t sum = 0;
	unsigned rdu = NONE;

	if (n->cost == NULL)
		return 0;
	while (count-- > 0) {
		rdu = next_closest(n, xrdu, rdu);
		sum += cost_of(n, rdu);
	}
	return sum;
}

/*
 * The XRDU to take whole RDUs from: the one with most of the NEED, so that they share an XRDU; then
 * the closest; then the one with the fewest whole RDUs, to keep larger groups for later jobs; then
 * the lowest.
 */
static unsigned find_xrdu(const struct node *n, unsigned need)
{
	unsigned best = NONE, best_usable = 0;
	uint64_t best_cost = 0;

	for (unsigned x = 0; x < n->rdus / n->per_xrdu; x++) {
		unsigned usable = n->whole[x] < need ? n->whole[x] : need;
		uint64_t cost;

		if (usable == 0 || usable < best_usable)
			continue;
		cost = xrdu_cost(n, x, usable);
		if (usable == best_usable &&
		    (cost > best_cost || (cost == best_cost && n->whole[x] >= n->whole[best])))
			continue;
		best = x;
		best_usable = usable;
		best_cost = cost;
	}
	return best;
}

static void take_whole(struct node *n, unsigned need, struct tessera_tileset *tiles)
{
	while (need > 0) {
		unsigned xrdu = find_xrdu(n, need);

		/* A taken RDU is no longer whole, so this finds another one each time. */
		for (; need > 0 && n->whole[xrdu] > 0; need--)
			take_tiles(n, next_closest(n, xrdu, NONE) * n->per_rdu, n->per_rdu, tiles);
	}
}

static void find_sizes(struct node *n, unsigned block)
{
	unsigned count = 0;

	n->block = block;
	for (unsigned size = n->per_rdu / 2; size > block; size--)
		if (n->per_rdu % size == 0)
			n->sizes[count++] = size;
	n->sizes[count] = 0;
}

/*
 * The size of the largest free aligned part that a block at FIRST, in an RDU that is not whole,
 * would break. A block can overlap two parts if their sizes do not divide each other, such as 2 and
 * 3 in an RDU of 6.
 */
static unsigned find_gap(const struct node *n, unsigned base, unsigned first)
{
	for (const unsigned *size = n->sizes; *size != 0; size++) {
		unsigned low = base + (first - base) / *size * *size;
		unsigned high = base + (first + n->block - 1 - base) / *size * *size;

		if (is_free(n, low, *size) || (high != low && is_free(n, high, *size)))
			return *size;
	}
	return n->block;
}

/*
 * The slot of an RDU that is not whole that breaks the smallest gap. Returns the size of the gap, 0
 * if there is no slot.
 */
static unsigned find_slot(const struct node *n, unsigned base, unsigned *slot)
{
	unsigned best = 0;

	for (unsigned t = base; t < base + n->per_rdu && best != n->block; t += n->block) {
		unsigned gap;

		if (!is_free(n, t, n->block))
			continue;
		gap = find_gap(n, base, t);
		if (best == 0 || gap < best) {
			best = gap;
			*slot = t;
		}
	}
	return best;
}

/*
 * Find and rank an RDU's slot for a block. First by the gap: the smallest one breaks the fewest
 * larger parts, and that of a whole RDU is the largest, so that other RDUs are filled first. Then
 * by cost, then by the RDU's available tiles, then by the whole RDUs of its XRDU. One number (10,
 * 32, 10 and 11 bits), because ranks are compared often.
 */
static void rank_rdu(struct node *n, unsigned rdu)
{
	unsigned gap = n->per_rdu;

	n->rank[rdu] = NO_SLOT;
	n->slot[rdu] = rdu * n->per_rdu;
	if (n->count[rdu] < n->block)
		return;
	if (!is_whole(n, rdu))
		gap = find_slot(n, rdu * n->per_rdu, &n->slot[rdu]);
	if (gap > 0)
		n->rank[rdu] = (uint64_t)(gap - 1) << 53 | (uint64_t)cost_of(n, rdu) << 21 |
			       (uint64_t)(n->count[rdu] - 1) << 11 | n->whole[rdu / n->per_xrdu];
}

static void take_blocks(struct node *n, unsigned need, struct tessera_tileset *tiles)
{
	for (unsigned rdu = 0; rdu < n->rdus; rdu++)
		rank_rdu(n, rdu);
	for (; need > 0; need--) {
		unsigned best = 0, first, last;

		for (unsigned rdu = 1; rdu < n->rdus; rdu++)
			if (n->rank[rdu] < n->rank[best])
				best = rdu;
		/* Breaking a whole RDU also changes the ranks of the others in its XRDU. */
		first = last = best;
		if (is_whole(n, best)) {
			first = best / n->per_xrdu * n->per_xrdu;
			last = first + n->per_xrdu - 1;
		}
		take_tiles(n, n->slot[best], n->block, tiles);
		for (unsigned rdu = first; rdu <= last; rdu++)
			rank_rdu(n, rdu);
	}
}

/* The number of blocks that fit the available tiles. */
static unsigned count_slots(const struct node *n, unsigned block)
{
	unsigned count = 0;

	for (unsigned rdu = 0; rdu < n->rdus; rdu++) {
		unsigned base = rdu * n->per_rdu;

		if (is_whole(n, rdu))
			count += n->per_rdu / block;
		else if (n->count[rdu] >= block)
			for (unsigned t = base; t < base + n->per_rdu; t += block)
				count += is_free(n, t, block);
	}
	return count;
}

/* "2 whole RDUs and 1 block of 4 tiles" */
static void format_shape(const struct tessera_shape *s, char *buf, size_t len)
{
	char whole[64] = "", blocks[64] = "";

	if (s->whole > 0)
		snprintf(whole, sizeof(whole), "%u whole RDU%s", s->whole,
			 s->whole == 1 ? "" : "s");
	if (s->blocks > 0)
		snprintf(blocks, sizeof(blocks), "%u block%s of %u tile%s", s->blocks,
			 s->blocks == 1 ? "" : "s", s->block, s->block == 1 ? "" : "s");
	snprintf(buf, len, "%s%s%s", whole, s->whole > 0 && s->blocks > 0 ? " and " : "", blocks);
}

/* SLOTS is the result of count_slots(), 0 if no blocks are needed. */
static int report_shortage(const struct node *n, const struct tessera_shape *need, unsigned slots,
			   struct tessera_error *err)
{
	unsigned all = n->rdus * n->per_rdu,
		 tiles = need->whole * n->per_rdu + need->blocks * need->block, count;
	struct tessera_shape has = *need;
	char needed[160], found[160], bad[64] = "", unknown[64] = "", withheld[64] = "";

	has.whole = n->whole_total < need->whole ? n->whole_total : need->whole;
	if (need->blocks > 0)
		has.blocks = slots - has.whole * (n->per_rdu / need->block);
	count = has.whole + has.blocks;
	format_shape(need, needed, sizeof(needed));
	format_shape(&has, found, sizeof(found));
	if (count == 0)
		snprintf(found, sizeof(found), "none");
	else if (need->whole == 0 || need->blocks == 0)
		snprintf(found, sizeof(found), "%u", count);
	if (n->bad > 0)
		snprintf(bad, sizeof(bad), ", %u marked bad", n->bad);
	if (n->unknown > 0)
		snprintf(unknown, sizeof(unknown), ", %u not known to be good", n->unknown);
	if (n->withheld > 0)
		snprintf(withheld, sizeof(withheld), ", %u withheld", n->withheld);

	return tessera_error_set(err, TESSERA_ERR_SHORTAGE,
				 "%s needed, %s free (%u of %u tiles free%s%s%s%s)", needed, found,
				 n->total, all, n->total >= tiles ? " but fragmented" : "", bad,
				 unknown, withheld);
}

/*
 * Reject a shape that is empty or does not fit any node of the platform. Blocks as large as an RDU
 * are changed to whole RDUs.
 */
static int check_shape(const struct tessera_platform *p, struct tessera_shape *s,
		       struct tessera_error *err)
{
	unsigned rdus = tessera_platform_rdus(p);
	char needed[160];

	if (rdus == 0)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "platform %s has no tiles to place a job on", p->name);
	if (s->blocks > 0 && (s->block == 0 || p->tiles_per_rdu % s->block != 0))
		return tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"a block of %u tiles does not divide an RDU of %s, which has %u tiles",
			s->block, p->name, p->tiles_per_rdu);
	if (s->whole == 0 && s->blocks == 0)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "no tiles requested: ask for at least one");

	if (s->whole <= rdus && s->blocks > 0 && s->block == p->tiles_per_rdu &&
	    s->blocks <= rdus - s->whole) {
		s->whole += s->blocks;
		s->blocks = 0;
	}
	if (s->whole <= rdus &&
	    (s->blocks == 0 || s->blocks <= (rdus - s->whole) * (p->tiles_per_rdu / s->block)))
		return 0;
	format_shape(s, needed, sizeof(needed));
	return tessera_error_set(err, TESSERA_ERR_INPUT,
				 "%s needed, but a node of %s has %u RDUs of %u tiles", needed,
				 p->name, rdus, p->tiles_per_rdu);
}

static int place_shape(const struct tessera_place *in, struct tessera_tileset *tiles,
		       struct tessera_error *err)
{
	struct tessera_shape need = in->shape;
	struct tessera_tileset taken;
	struct node n;
	unsigned slots = 0;

	if (check_shape(in->platform, &need, err) < 0)
		return -1;
	init_node(&n, in);
	if (need.blocks > 0)
		slots = count_slots(&n, need.block);
	/* Blocks have one size and do not overlap, so counting slots decides whether they fit. */
	if (n.whole_total < need.whole ||
	    (need.blocks > 0 && slots - need.whole * (n.per_rdu / need.block) < need.blocks))
		return report_shortage(&n, &need, slots, err);

	tessera_tileset_clear(&taken);
	take_whole(&n, need.whole, &taken);
	if (need.blocks > 0) {
		find_sizes(&n, need.block);
		take_blocks(&n, need.blocks, &taken);
	}
	*tiles = taken;
	return 0;
}

/* Write the tile to BUF as RDU.TILE: "3.5". Returns BUF. */
static const char *format_tile(const struct tessera_place *in, unsigned tile, char buf[32])
{
	unsigned per_rdu = in->platform->tiles_per_rdu;

	snprintf(buf, 32, "%u.%u", tile / per_rdu, tile % per_rdu);
	return buf;
}

/*
 * Write the lowest tile that is in both the wish and SET to BUF. Returns BUF, or NULL if there is
 * none. SET may be NULL.
 */
static const char *find_wished(const struct tessera_place *in, const struct tessera_tileset *set,
			       char buf[32])
{
	struct tessera_tileset both = *in->wish;

	if (set == NULL || !tessera_tileset_overlap(&both, set))
		return NULL;
	tessera_tileset_and(&both, set);
	return format_tile(in, tessera_tileset_next(&both, 0), buf);
}

static int report_owner(const struct tessera_place *in, unsigned tile, struct tessera_error *err)
{
	char owner[128] = "", name[32];

	if (in->owner != NULL)
		in->owner(tile, owner, sizeof(owner), in->owner_arg);
	owner[sizeof(owner) - 1] = '\0';
	return tessera_error_set(
		err, TESSERA_ERR_SHORTAGE, "tile %s is held by %s: ask for other tiles or wait",
		format_tile(in, tile, name), owner[0] != '\0' ? owner : "another job");
}

static int place_wish(const struct tessera_place *in, struct tessera_tileset *tiles,
		      struct tessera_error *err)
{
	struct tessera_tileset rest = *in->wish, all;
	unsigned count = tessera_platform_tiles(in->platform);
	char name[32];

	if (tessera_tileset_empty(in->wish))
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "no tiles requested: name at least one");
	tessera_tileset_all(in->platform, &all);
	if (!tessera_tileset_subset(in->wish, &all))
		return tessera_error_set(
			err, TESSERA_ERR_INPUT, "tile %u does not exist: a node of %s has %u tiles",
			tessera_tileset_next(in->wish, count), in->platform->name, count);

	/* Bad tiles first: waiting does not help. */
	if (find_wished(in, in->bad, name) != NULL)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "tile %s is marked bad: ask for other tiles", name);
	if (find_wished(in, in->unknown, name) != NULL)
		return tessera_error_set(
			err, TESSERA_ERR_SHORTAGE,
			"tile %s is not known to be good: ask for other tiles or wait", name);
	tessera_tileset_minus(&rest, in->free);
	if (!tessera_tileset_empty(&rest))
		return report_owner(in, tessera_tileset_next(&rest, 0), err);
	*tiles = *in->wish;
	return 0;
}

int tessera_place(const struct tessera_place *in, struct tessera_tileset *tiles,
		  struct tessera_error *err)
{
	return in->wish != NULL ? place_wish(in, tiles, err) : place_shape(in, tiles, err);
}
