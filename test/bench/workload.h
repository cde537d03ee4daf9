/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A synthetic month of jobs for SN30-8 nodes, in the mix that ALCF's user guides show. The same
 * seed always gives the same month.
 */
#ifndef TESSERA_WORKLOAD_H
#define TESSERA_WORKLOAD_H

#include <stddef.h>
#include <stdint.h>

#define WORKLOAD_DAYS    30
#define WORKLOAD_SECONDS (WORKLOAD_DAYS * 86400u)
#define WORKLOAD_KINDS   7

struct workload_kind {
	const char *name;
	unsigned percent; /* of the jobs */
	unsigned tiles;   /* what the job uses, on one node */
};

extern const struct workload_kind workload_kinds[WORKLOAD_KINDS];

/* The kind whose throughput is compared. */
#define WORKLOAD_HALF 0

/* Times are in seconds. */
struct workload_job {
	unsigned arrival;
	unsigned run;   /* run time */
	unsigned limit; /* time limit */
	unsigned kind;  /* index in workload_kinds */
};

/*
 * Create jobs that request LOAD times CAPACITY tiles, in the order of their arrival. Returns an
 * array to be freed with free() and its length in *COUNT, or NULL when out of memory.
 */
struct workload_job *workload_make(uint64_t seed, double load, unsigned capacity, size_t *count);

#endif /* TESSERA_WORKLOAD_H */
