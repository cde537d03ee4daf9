/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The time of a placement, tessera_place() and tessera_split() into 16 tasks on a node of 64 tiles,
 * over many states of the node. Fails only if a placement is wrong or allocates memory.
 */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/tessera.h"

#define GOAL_NS 2000.0
#define TASKS   16
#define STATES  1000
#define BATCHES 15
#define ROUNDS  20

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#endif

static unsigned long allocations;

#ifndef SANITIZED
/*
 * An allocator that counts every allocation. Freed memory is not reused, which is enough for stdio.
 * A sanitizer has its own allocator, and then nothing is counted.
 */
static union {
	max_align_t align;
	unsigned char byte[1 << 20];
} arena;
static size_t arena_used;

void *malloc(size_t size)
{
	size_t need = sizeof(max_align_t) +
		      (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
	unsigned char *start = arena.byte + arena_used;

	allocations++;
	if (size > sizeof(arena) / 2 || need > sizeof(arena) - arena_used)
		return NULL;
	memcpy(start, &size, sizeof(size));
	arena_used += need;
	return start + sizeof(max_align_t);
}

void free(void *ptr)
{
	(void)ptr;
}

void *calloc(size_t count, size_t size)
{
	/* The arena starts as zeros and is never reused. */
	return size != 0 && count > SIZE_MAX / size ? NULL : malloc(count * size);
}

void *realloc(void *ptr, size_t size)
{
	void *new = malloc(size);
	size_t old;

	if (ptr == NULL || new == NULL)
		return new;
	memcpy(&old, (unsigned char *)ptr - sizeof(max_align_t), sizeof(old));
	return memcpy(new, ptr, old < size ? old : size);
}
#endif

struct state {
	struct tessera_tileset free;
	unsigned cost[8];
};

struct row {
	const char *what;
	struct tessera_shape shape;
	unsigned tiles_per_task;
	enum tessera_bind bind;
	bool empty; /* only an empty node has room */
};

static const struct row rows[] = {
	{"16 tasks of 4 tiles, 8 whole RDUs, block", {8, 0, 0}, 4, TESSERA_BIND_BLOCK, true},
	{"16 tasks of 4 tiles, 16 blocks, block", {0, 16, 4}, 4, TESSERA_BIND_BLOCK, true},
	{"16 tasks of 4 tiles, 16 blocks, cyclic", {0, 16, 4}, 4, TESSERA_BIND_CYCLIC, true},
	{"16 tasks of 4 tiles, 16 blocks, closest", {0, 16, 4}, 4, TESSERA_BIND_CLOSEST, true},
	{"16 tasks of 2 tiles, partly filled node", {0, 16, 2}, 2, TESSERA_BIND_BLOCK, false},
	{"16 tasks of 1 tile, partly filled node", {0, 16, 1}, 1, TESSERA_BIND_BLOCK, false},
};

/* Knuth's MMIX generator; the low bits are weak and not used. */
static unsigned draw(uint64_t *state, unsigned below)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)((*state >> 33) % below);
}

/* A node after some jobs have started and some of them have ended. */
static void make_state(const struct tessera_platform *p, uint64_t *rng, struct state *s)
{
	struct tessera_tileset job;

	tessera_tileset_all(p, &s->free);
	for (unsigned rdu = 0; rdu < 8; rdu++)
		s->cost[rdu] = draw(rng, 3);
	for (unsigned i = 0; i < 12; i++) {
		struct tessera_place in = {.platform = p, .free = &s->free};

		in.shape.whole = draw(rng, 4) == 0;
		in.shape.block = 1u << draw(rng, 3);
		in.shape.blocks = !in.shape.whole;
		if (tessera_place(&in, &job, NULL) == 0 && draw(rng, 2) == 0)
			tessera_tileset_minus(&s->free, &job);
	}
}

static int run(const struct tessera_platform *p, const struct row *row, const struct state *s,
	       struct tessera_tileset *each)
{
	static const unsigned near[TASKS * 8];
	struct tessera_tileset tiles;
	struct tessera_place place = {
		.platform = p, .free = &s->free, .shape = row->shape, .cost = s->cost};
	struct tessera_split split = {.platform = p,
				      .tiles = &tiles,
				      .tasks = TASKS,
				      .bind = row->bind,
				      .tiles_per_task = row->tiles_per_task,
				      .cost = near};

	if (tessera_place(&place, &tiles, NULL) < 0)
		return -1;
	return tessera_split(&split, each, NULL);
}

static bool right(const struct row *row, const struct state *s, const struct tessera_tileset *each)
{
	struct tessera_tileset left = s->free;

	for (unsigned task = 0; task < TASKS; task++) {
		if (!tessera_tileset_subset(&each[task], &left) ||
		    tessera_tileset_count(&each[task]) != row->tiles_per_task)
			return false;
		tessera_tileset_minus(&left, &each[task]);
	}
	return true;
}

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/*
 * The time of a placement in nanoseconds, or a negative number if one was wrong: the median of
 * several means over all states, since the machine does other work too. BEST is the lowest mean.
 */
static double measure(const struct tessera_platform *p, const struct row *row, struct state *states,
		      double *best)
{
	struct tessera_tileset each[TASKS];
	double mean[BATCHES];
	uint64_t rng = 30;

	for (unsigned i = 0; i < STATES; i++) {
		do {
			make_state(p, &rng, &states[i]);
			if (row->empty)
				tessera_tileset_all(p, &states[i].free);
		} while (run(p, row, &states[i], each) < 0);
		if (!right(row, &states[i], each))
			return -1;
	}
	for (unsigned batch = 0; batch < BATCHES; batch++) {
		double start = now_ns();

		for (unsigned round = 0; round < ROUNDS; round++)
			for (unsigned i = 0; i < STATES; i++)
				if (run(p, row, &states[i], each) < 0)
					return -1;
		mean[batch] = (now_ns() - start) / ROUNDS / STATES;
	}
	qsort(mean, BATCHES, sizeof(mean[0]), compare);
	*best = mean[0];
	return mean[BATCHES / 2];
}

int main(void)
{
	static struct state states[STATES];
	const struct tessera_platform *p = tessera_platform_find_builtin("sn30-8");
	unsigned long before = allocations, made = 0;
	double worst = 0;

	printf("%-44s %10s %10s\n", "placement and split on a node of sn30-8", "ns", "best ns");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double ns, best = 0;

		before = allocations;
		ns = measure(p, &rows[i], states, &best);
		made += allocations - before;
		if (ns < 0) {
			printf("%s: a placement is wrong\n", rows[i].what);
			return EXIT_FAILURE;
		}
		printf("%-44s %10.0f %10.0f\n", rows[i].what, ns, best);
		worst = ns > worst ? ns : worst;
	}
	printf("goal: the slowest under %.0f ns: %s\n", GOAL_NS,
	       worst < GOAL_NS ? "met" : "not met");
#ifdef SANITIZED
	printf("allocations: not counted in a sanitizer's build\n");
#else
	printf("allocations: %lu\n", made);
#endif
	return made == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
