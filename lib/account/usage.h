/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accounting: how many accelerators were held for how long, by user, account, job, day or node.
 * Does not call Slurm.
 *
 * The input is a record for each run of a job: each task of an array and each component of a
 * heterogeneous job is a job of its own, and a requeued job has a record for each run. The output
 * is rows with sums.
 *
 * A job holds its allocation from its start to its end, even while it is suspended, because no
 * other job can use it then. sreport counts in the same way; sacct's Elapsed omits the time in
 * which a job was suspended.
 *
 * A sum is unknown (TESSERA_UNKNOWN) if one of its parts is, or if it does not fit into 64 bits: a
 * partial sum is never shown as a whole one.
 */
#ifndef TESSERA_USAGE_H
#define TESSERA_USAGE_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "../conf/pool.h"
#include "../util/error.h"
#include "usage_summary.h"

/* Accelerators, as counts or as seconds held. Each may be TESSERA_UNKNOWN. */
struct tessera_usage_held {
	uint64_t rdus;
	uint64_t tiles; /* including those of whole RDUs */
	uint64_t ipus;
	uint64_t pools[TESSERA_POOLS_MAX]; /* in tessera.conf's order */
};

/* One run of a job. The strings and the node list belong to the caller; NULL is unknown. */
struct tessera_usage_record {
	const char *user;
	const char *account;
	const char *job;          /* as sacct prints it: 12, 12_3, 12+1 */
	const char *const *nodes; /* needed for rows by node only; NULL: unknown */
	size_t node_count;
	time_t eligible; /* 0: unknown */
	time_t start;    /* 0: it has not started */
	time_t end;      /* 0: it is running */
	struct tessera_usage_held counts;
	/* Seconds of the whole run on all its nodes, by samples; each may be TESSERA_UNKNOWN. */
	uint64_t used_tiles;
	uint64_t used_ipus;
	uint64_t outside;
	uint64_t seen; /* seconds that samples covered, summed over its nodes */
};

enum tessera_usage_by {
	TESSERA_USAGE_BY_USER = 1,
	TESSERA_USAGE_BY_ACCOUNT,
	TESSERA_USAGE_BY_JOB,
	TESSERA_USAGE_BY_DAY, /* local days, whatever their length */
	TESSERA_USAGE_BY_NODE,
};

/*
 * A job that is in several rows (days, nodes) counts in each of them, with its wait. So the seconds
 * of rows can be added up; their jobs and wait cannot.
 */
struct tessera_usage_row {
	/* NULL: rows are not by this. "": unknown. */
	const char *user;
	const char *account;
	const char *job;
	const char *day; /* 2026-11-16 */
	const char *node;
	uint64_t jobs; /* runs that held something */
	struct tessera_usage_held seconds;
	uint64_t used_tiles; /* seconds; unknown unless known for every job of the row */
	uint64_t used_ipus;
	/*
	 * Of the jobs whose use is known: seconds held while they were sampled, and seconds used.
	 * used / held is the efficiency.
	 */
	uint64_t known_tiles;
	uint64_t known_used_tiles;
	uint64_t known_ipus;
	uint64_t known_used_ipus;
	uint64_t outside; /* tile-seconds outside the allocation, of the jobs with known use */
	uint64_t outside_known; /* the number of these jobs; 0: outside is meaningless */
	uint64_t wait;          /* from eligible to start, summed over jobs */
};

struct tessera_usage; /* sums in progress */

/*
 * Start sums over [START, END), with rows by BY. Runs without an end last until NOW. Returns NULL
 * with ERR: TESSERA_ERR_INPUT if END is not after START, or by day if there are more than 100000
 * days; TESSERA_ERR_NOMEM. To be freed with tessera_usage_free().
 */
struct tessera_usage *tessera_usage_new(enum tessera_usage_by by, time_t start, time_t end,
					time_t now, struct tessera_error *err);

/*
 * Add a run. One that has not started, is outside the window, or held no accelerators adds nothing,
 * except for its use outside an allocation, which is added without counting a job. By node, all its
 * nodes have the same share, because Slurm allocates --gres per node and licenses have no node; the
 * first nodes get the remainder, so that the sum is exact. The use of a run on several nodes is
 * known as a total only. Returns 1 if it was added, 0 if not, or -1 with ERR (TESSERA_ERR_NOMEM).
 */
int tessera_usage_add(struct tessera_usage *usage, const struct tessera_usage_record *record,
		      struct tessera_error *err);

/*
 * The rows, in natural order (job 9 before job 10). *ROWS is an array of *COUNT pointers, to be
 * freed with free(); the rows belong to USAGE. Returns 0, or -1 with ERR.
 */
int tessera_usage_rows(const struct tessera_usage *usage, const struct tessera_usage_row ***rows,
		       size_t *count, struct tessera_error *err);

/* The sum over all records, each counted once. Its strings are NULL. */
const struct tessera_usage_row *tessera_usage_total(const struct tessera_usage *usage);

/* USAGE may be NULL. */
void tessera_usage_free(struct tessera_usage *usage);

/*
 * Sum and product. The result is TESSERA_UNKNOWN if an operand is, or on overflow; but 0 times
 * TESSERA_UNKNOWN is 0.
 */
uint64_t tessera_usage_plus(uint64_t a, uint64_t b);
uint64_t tessera_usage_times(uint64_t a, uint64_t b);

/*
 * When local days begin: the first second of the day of START and of each later day, until one that
 * is not before END. Returns *COUNT times, to be freed; or NULL with ERR as tessera_usage_new().
 */
time_t *tessera_usage_days(time_t start, time_t end, size_t *count, struct tessera_error *err);

#endif /* TESSERA_USAGE_H */
