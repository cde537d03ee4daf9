/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The locality table. Not installed: for libtessera, and for lib/vendor/topology.h, which fills it.
 */
#ifndef TESSERA_LOCALITY_TABLE_H
#define TESSERA_LOCALITY_TABLE_H

#include <stdio.h>

#include "lib/state/locality.h"
#include "lib/tile/tileset.h"

#define LOCALITY_DISTANCE_MAX 65535
#define LOCALITY_NUMBER_MAX   65535 /* of a NUMA node */

/* A NUMA node with cores. */
struct locality_numa {
	unsigned number; /* in the kernel */
	struct tessera_cpuset cores;
	struct tessera_cpuset cpus;
};

/* Large: not for the stack. */
struct tessera_locality {
	char platform[TESSERA_NAME_MAX];
	char boot[TESSERA_BOOT_MAX];
	unsigned numas;
	struct locality_numa numa[TESSERA_NUMAS_MAX]; /* in ascending order of NUMBER */
	struct tessera_tileset rdus; /* RDUs, not tiles, whose distances are known */
	uint16_t distance[TESSERA_TILES_MAX][TESSERA_NUMAS_MAX];
};

/*
 * Parse LEN bytes of TEXT, followed by a NUL. Only what locality_format() writes is accepted.
 * Returns 0 or -1.
 */
int locality_parse(const char *text, size_t len, struct tessera_locality *l);

/* The text of a table, *LEN bytes, which the caller frees. NULL when out of memory. */
char *locality_format(const struct tessera_locality *l, size_t *len);

/* Print a set as in a table: "0-63,128". */
void locality_print_set(FILE *out, const struct tessera_cpuset *set);

/* Write or replace DIR/locality. Returns 0, or -1 with ERR and the old file in place. */
int locality_write(const char *dir, const struct tessera_locality *l, struct tessera_error *err);

#endif /* TESSERA_LOCALITY_TABLE_H */
