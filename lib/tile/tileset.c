/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <string.h>

#include "lib/tile/tileset.h"

#define WORD_BITS 64u

/* The tile after the last one of the range, at most TESSERA_TILES_MAX. */
static unsigned range_end(unsigned first, unsigned count)
{
	if (first >= TESSERA_TILES_MAX)
		return first;
	return count < TESSERA_TILES_MAX - first ? first + count : TESSERA_TILES_MAX;
}

/* The bits of tiles FIRST to END - 1 within FIRST's word. */
static uint64_t range_bits(unsigned first, unsigned end)
{
	unsigned low = first % WORD_BITS;
	unsigned count = end - first;
	uint64_t ones = count < WORD_BITS ? (UINT64_C(1) << count) - 1 : UINT64_MAX;

	return ones << low;
}

/* The first tile of the next word. */
static unsigned next_word(unsigned tile)
{
	return (tile / WORD_BITS + 1) * WORD_BITS;
}

void tessera_tileset_clear(struct tessera_tileset *set)
{
	memset(set, 0, sizeof(*set));
}

void tessera_tileset_add(struct tessera_tileset *set, unsigned tile)
{
	if (tile < TESSERA_TILES_MAX)
		set->word[tile / WORD_BITS] |= UINT64_C(1) << tile % WORD_BITS;
}

void tessera_tileset_add_range(struct tessera_tileset *set, unsigned first, unsigned count)
{
	unsigned end = range_end(first, count);

	for (unsigned t = first; t < end; t = next_word(t))
		set->word[t / WORD_BITS] |= range_bits(t, end);
}

bool tessera_tileset_has(const struct tessera_tileset *set, unsigned tile)
{
	return tile < TESSERA_TILES_MAX &&
	       (set->word[tile / WORD_BITS] >> tile % WORD_BITS & 1) != 0;
}

bool tessera_tileset_has_range(const struct tessera_tileset *set, unsigned first, unsigned count)
{
	unsigned end = range_end(first, count);

	if (end - first != count)
		return false;
	for (unsigned t = first; t < end; t = next_word(t)) {
		uint64_t bits = range_bits(t, end);

		if ((set->word[t / WORD_BITS] & bits) != bits)
			return false;
	}
	return true;
}

unsigned tessera_tileset_count(const struct tessera_tileset *set)
{
	return tessera_tileset_count_range(set, 0, TESSERA_TILES_MAX);
}

unsigned tessera_tileset_count_range(const struct tessera_tileset *set, unsigned first,
				     unsigned count)
{
	unsigned end = range_end(first, count);
	unsigned sum = 0;

	for (unsigned t = first; t < end; t = next_word(t))
		sum += (unsigned)__builtin_popcountll(set->word[t / WORD_BITS] &
						      range_bits(t, end));
	return sum;
}

bool tessera_tileset_empty(const struct tessera_tileset *set)
{
	for (size_t i = 0; i < TESSERA_TILESET_WORDS; i++)
		if (set->word[i] != 0)
			return false;
	return true;
}

bool tessera_tileset_equal(const struct tessera_tileset *a, const struct tessera_tileset *b)
{
	return memcmp(a->word, b->word, sizeof(a->word)) == 0;
}

bool tessera_tileset_subset(const struct tessera_tileset *inner,
			    const struct tessera_tileset *outer)
{
	for (size_t i = 0; i < TESSERA_TILESET_WORDS; i++)
		if ((inner->word[i] & ~outer->word[i]) != 0)
			return false;
	return true;
}

bool tessera_tileset_overlap(const struct tessera_tileset *a, const struct tessera_tileset *b)
{
	for (size_t i = 0; i < TESSERA_TILESET_WORDS; i++)
		if ((a->word[i] & b->word[i]) != 0)
			return true;
	return false;
}

void tessera_tileset_or(struct tessera_tileset *set, const struct tessera_tileset *other)
{
	for (size_t i = 0; i < TESSERA_TILESET_WORDS; i++)
		set->word[i] |= other->word[i];
}

void tessera_tileset_and(struct tessera_tileset *set, const struct tessera_tileset *other)
{
	for (size_t i = 0; i < TESSERA_TILESET_WORDS; i++)
		set->word[i] &= other->word[i];
}

void tessera_tileset_minus(struct tessera_tileset *set, const struct tessera_tileset *other)
{
	for (size_t i = 0; i < TESSERA_TILESET_WORDS; i++)
		set->word[i] &= ~other->word[i];
}

unsigned tessera_tileset_next(const struct tessera_tileset *set, unsigned from)
{
	for (unsigned t = from; t < TESSERA_TILES_MAX; t = next_word(t)) {
		uint64_t rest = set->word[t / WORD_BITS] >> t % WORD_BITS;

		if (rest != 0)
			return t + (unsigned)__builtin_ctzll(rest);
	}
	return TESSERA_TILES_MAX;
}

void tessera_tileset_all(const struct tessera_platform *p, struct tessera_tileset *set)
{
	tessera_tileset_clear(set);
	tessera_tileset_add_range(set, 0, tessera_platform_tiles(p));
}
