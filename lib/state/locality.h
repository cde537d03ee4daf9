/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The NUMA distance of each RDU to each core. tessera topology --write queries hwloc once per boot;
 * a launch only reads the small table that it wrote, DIR/locality. Without a table, locality is
 * ignored.
 *
 *   tessera-locality 1 sn30-8
 *   boot 0c7f5c1e-4f0e-4c0f-9d4e-1f2a3b4c5d6e
 *   numa 0 cores 0-63 cpus 0-63,128-191
 *   numa 1 cores 64-127 cpus 64-127,192-255
 *   rdu 0-3 distances 10,21
 *   rdu 4-7 distances 21,10
 *   end 4
 *
 * Cores are numbered as hwloc (logically) and Slurm do, CPUs and NUMA nodes as the kernel does.
 * Distances are to the NUMA nodes in the order of their lines. A NUMA node without cores has no
 * line, nor has an RDU whose distances are unknown.
 */
#ifndef TESSERA_LOCALITY_H
#define TESSERA_LOCALITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../tile/platform.h"
#include "../util/error.h"

#define TESSERA_CPUS_MAX  4096
#define TESSERA_NUMAS_MAX 64
#define TESSERA_BOOT_MAX  64 /* bytes of a boot ID, with the final NUL */

/* A set of cores or CPUs, copied by assignment. Numbers from TESSERA_CPUS_MAX on are ignored. */
struct tessera_cpuset {
	/* as in the kernel: n is bit n % 64 of word n / 64 */
	uint64_t word[TESSERA_CPUS_MAX / 64];
};

void tessera_cpuset_add(struct tessera_cpuset *set, unsigned n);
bool tessera_cpuset_has(const struct tessera_cpuset *set, unsigned n);
unsigned tessera_cpuset_count(const struct tessera_cpuset *set);

struct tessera_locality; /* a table */

/*
 * Read DIR/locality. *LOCALITY is set to the table, which the caller frees with
 * tessera_locality_free(); or to NULL if there is none, or it is of another boot than BOOT (this
 * one's ID) or of another platform, or lacks an RDU. Returns 0, or -1 with ERR and *LOCALITY NULL
 * if the file is damaged or its owner or mode is not safe.
 */
int tessera_locality_read(const char *dir, const struct tessera_platform *p, const char *boot,
			  struct tessera_locality **locality, struct tessera_error *err);
void tessera_locality_free(struct tessera_locality *locality);

/*
 * The ID of this boot, which the kernel generates anew at each boot. Returns 0, or -1 with ERR and
 * BUF empty.
 */
int tessera_locality_boot(char buf[TESSERA_BOOT_MAX], struct tessera_error *err);

/* The number of cores in the table. */
unsigned tessera_locality_cores(const struct tessera_locality *locality);

/*
 * Set COST, which has room for each RDU, to the mean distance of each RDU to the cores in SET
 * (BY_CPUS: to the CPUs in SET), times 16. Returns false, with COST undefined, if the table has
 * none of them; or if SET has all of the table's, because then locality does not matter.
 */
bool tessera_locality_cost(const struct tessera_locality *locality,
			   const struct tessera_cpuset *set, bool by_cpus, unsigned *cost);

#endif /* TESSERA_LOCALITY_H */
