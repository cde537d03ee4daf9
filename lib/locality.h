/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How near each RDU is to each core. hwloc is asked once per boot (tessera topology --write); a launch only reads the small
 * table that was left in DIR/locality. Nothing known changes nothing.
 *
 *   tessera-locality 1 sn30-8
 *   boot 0c7f5c1e-4f0e-4c0f-9d4e-1f2a3b4c5d6e
 *   numa 0 cores 0-63 cpus 0-63,128-191
 *   numa 1 cores 64-127 cpus 64-127,192-255
 *   rdu 0-3 distances 10,21
 *   rdu 4-7 distances 21,10
 *   end 4
 *
 * Cores are numbered as hwloc (logically) and Slurm do, CPUs and NUMA nodes as the kernel does. Distances are to the
 * NUMA nodes in the order of their lines. A NUMA node without cores has no line. Where nothing is known of the RDUs
 * they have no lines.
 */
#ifndef TESSERA_LOCALITY_H
#define TESSERA_LOCALITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "platform.h"

#define TESSERA_CPUS_MAX  4096
#define TESSERA_NUMAS_MAX 64
#define TESSERA_BOOT_MAX  64 /* an id of a boot, with the final NUL */

/* A set of cores or CPUs; plain, copied by assignment. Numbers from TESSERA_CPUS_MAX on are not in it. */
struct tessera_cpuset {
	uint64_t word[TESSERA_CPUS_MAX / 64]; /* as the kernel's own: n is bit n % 64 of word n / 64 */
};

void tessera_cpuset_add(struct tessera_cpuset *set, unsigned n);
bool tessera_cpuset_has(const struct tessera_cpuset *set, unsigned n);
unsigned tessera_cpuset_count(const struct tessera_cpuset *set);

struct tessera_locality; /* what a table said */

/*
 * Read DIR/locality. *LOCALITY is set to it, to be freed with tessera_locality_free(), or to NULL when nothing is known:
 * there is none, it is from an earlier boot (BOOT is this one's id), of another platform, or leaves an RDU out. Returns 0,
 * or -1 with ERR and *LOCALITY NULL when it is damaged or not to be trusted.
 */
int tessera_locality_read(const char *dir, const struct tessera_platform *p, const char *boot,
			  struct tessera_locality **locality, struct tessera_error *err);
void tessera_locality_free(struct tessera_locality *locality);

/* The id of this boot, which the kernel makes up anew each time. Returns 0, or -1 with ERR and BUF empty. */
int tessera_locality_boot(char buf[TESSERA_BOOT_MAX], struct tessera_error *err);

/* How many cores the table knows. */
unsigned tessera_locality_cores(const struct tessera_locality *locality);

/*
 * What each RDU of the platform costs for who runs on the cores in SET (BY_CPUS: CPUs): the mean of the distances, times
 * 16. COST has room for each RDU. Returns false, and COST means nothing, when the table knows none of them, and when SET
 * has all that it knows: who may run everywhere is near to all.
 */
bool tessera_locality_cost(const struct tessera_locality *locality, const struct tessera_cpuset *set, bool by_cpus,
			   unsigned *cost);

#endif /* TESSERA_LOCALITY_H */
