/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Placement: which tiles a job gets on a node, and which of them each task gets.
 *
 * The rules. A whole RDU is a whole RDU. A block (fewer tiles than an RDU) lies inside one RDU, aligned to its
 * size. Several RDUs prefer to share an XRDU. Blocks fill RDUs that are broken already (by jobs or by bad tiles)
 * before they break a whole one, and leave the largest aligned gaps. Then the nearest RDU, then what leaves most to
 * others (the fullest RDU for a block, the XRDU with fewest whole RDUs), then the lowest number: the same input
 * always gives the same output. If any placement obeys the rules, one is found. Nothing here allocates memory.
 */
#ifndef TESSERA_PLACE_H
#define TESSERA_PLACE_H

#include "error.h"
#include "platform.h"
#include "tileset.h"

/*
 * What is to be found on a node: WHOLE RDUs, and BLOCKS blocks of BLOCK tiles each (BLOCK divides an RDU; a block
 * of all its tiles is one more whole RDU).
 */
struct tessera_shape {
	unsigned whole;
	unsigned blocks;
	unsigned block; /* 0 if there are no blocks */
};

/* How a job's tiles are shared out among the tasks of a step. */
enum tessera_bind {
	TESSERA_BIND_NONE = 1,    /* every task has them all */
	TESSERA_BIND_BLOCK = 2,   /* task 0 the first, task 1 the next, ... */
	TESSERA_BIND_CYCLIC = 3,  /* task 0 in the first RDU, task 1 in the second, ...; or XRDUs, see below */
	TESSERA_BIND_CLOSEST = 4, /* each task, in order, the nearest RDU with room; block if nothing is known */
	TESSERA_BIND_MAP = 5,     /* as a list says; a list shorter than the tasks starts again */
};

/* Who holds a tile, for a sentence: writes e.g. "job 4711 (ann)" into BUF. ARG is the caller's. */
typedef void (*tessera_holder_fn)(unsigned tile, char *buf, size_t len, void *arg);

struct tessera_place {
	const struct tessera_platform *platform; /* must pass tessera_platform_check() */
	const struct tessera_tileset *free;      /* tiles that nobody holds */
	const struct tessera_tileset *bad;       /* tiles that must not be handed out, free or not; NULL: none */
	const struct tessera_tileset *unknown; /* the same, since nobody knows whether they are good; NULL: none */
	const struct tessera_tileset *kept;    /* back, so not free either: for the sentence; NULL: none */
	struct tessera_shape shape;            /* unused when there is a wish */
	const struct tessera_tileset *wish;    /* NULL, or exactly these tiles and no others */
	const unsigned *cost;                  /* a distance for each RDU, or NULL: all alike */
	tessera_holder_fn holder;              /* NULL: holders are not named */
	void *holder_arg;
};

/*
 * Find the job's tiles. Returns 0 with *TILES set, or -1 with ERR and *TILES untouched: TESSERA_ERR_SHORTAGE when
 * it could fit an empty healthy node (the sentence says what is free, or which tile of a wish is held by whom),
 * TESSERA_ERR_INPUT when it never can, or when a tile of the wish is bad: who waits for that waits in vain.
 */
int tessera_place(const struct tessera_place *in, struct tessera_tileset *tiles, struct tessera_error *err);

struct tessera_split {
	const struct tessera_platform *platform;
	const struct tessera_tileset *tiles; /* what is to be shared out */
	unsigned tasks;                      /* 1 or more */
	enum tessera_bind bind;
	unsigned tiles_per_task;           /* 0: an equal part of all (not looked at by none and map) */
	const struct tessera_tileset *map; /* TESSERA_BIND_MAP: MAP_LEN sets, each within TILES */
	unsigned map_len;
	const unsigned *cost; /* TESSERA_BIND_CLOSEST: cost[task * rdus + rdu], or NULL */
};

/*
 * Share tiles out among tasks: EACH has room for in->tasks sets. Except for none and map no two tasks share a tile,
 * each has tiles_per_task, a part of an RDU is aligned inside one RDU, and more is whole RDUs. A task of several
 * RDUs prefers one XRDU with closest and cyclic, which then goes round the XRDUs; block takes them as they come.
 * Returns 0, or -1 with ERR (TESSERA_ERR_INPUT): the tiles do not suffice or do not divide, or a map leaves them.
 */
int tessera_split(const struct tessera_split *in, struct tessera_tileset *each, struct tessera_error *err);

#endif /* TESSERA_PLACE_H */
