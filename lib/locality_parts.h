/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a table of closeness is made of. Not installed: for libtessera, and for who makes one (topology.h).
 */
#ifndef TESSERA_LOCALITY_PARTS_H
#define TESSERA_LOCALITY_PARTS_H

#include <stdio.h>

#include "locality.h"
#include "tileset.h"

#define LOCALITY_DISTANCE_MAX 65535
#define LOCALITY_NUMBER_MAX   65535 /* of a NUMA node */

/* A NUMA node with cores. */
struct locality_numa {
	unsigned number; /* the kernel's */
	struct tessera_cpuset cores;
	struct tessera_cpuset cpus;
};

/* Large: not for the stack. */
struct tessera_locality {
	char platform[TESSERA_NAME_MAX];
	char boot[TESSERA_BOOT_MAX];
	unsigned numas;
	struct locality_numa numa[TESSERA_NUMAS_MAX]; /* by their numbers */
	struct tessera_tileset rdus;                  /* those of which something is known: RDUs, not tiles */
	uint16_t distance[TESSERA_TILES_MAX][TESSERA_NUMAS_MAX];
};

/* Read a table, LEN bytes with a NUL after them. Only what locality_format() writes is accepted. Returns 0 or -1. */
int locality_parse(const char *text, size_t len, struct tessera_locality *l);

/* The text of a table and its length; to be freed. NULL when out of memory. */
char *locality_format(const struct tessera_locality *l, size_t *len);

/* Numbers as in a table: "0-63,128". */
void locality_print_set(FILE *out, const struct tessera_cpuset *set);

/* Write or replace DIR/locality. Returns 0, or -1 with ERR and the old one in place. */
int locality_write(const char *dir, const struct tessera_locality *l, struct tessera_error *err);

#endif /* TESSERA_LOCALITY_PARTS_H */
