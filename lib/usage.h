/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who held how many accelerators for how long: the arithmetic, without Slurm. Not installed: for the tessera command.
 *
 * What comes in is a record for each run of a job: a task of an array and a component of a heterogeneous job are jobs of
 * their own, and a job that was requeued has a record for each time it ran. What comes out is rows with sums.
 *
 * A job holds what it was given from its start to its end, while it is suspended too: nobody else can have it then. So
 * sreport counts; sacct's Elapsed leaves the time out in which a job was suspended.
 *
 * A sum is unknown (TESSERA_UNKNOWN) as soon as one of its parts is, or when it does not fit 64 bits: half a sum is
 * never shown as a whole one.
 */
#ifndef TESSERA_USAGE_H
#define TESSERA_USAGE_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "error.h"
#include "pool.h"
#include "summary.h"

/* Accelerators, as counts or as seconds held. Each may be TESSERA_UNKNOWN. */
struct usage_held {
	uint64_t rdus;
	uint64_t tiles; /* those of whole RDUs among them */
	uint64_t ipus;
	uint64_t pools[TESSERA_POOLS_MAX]; /* in tessera.conf's order */
};

/* One run of a job. The texts and the list of nodes are the caller's; NULL is unknown. */
struct usage_record {
	const char *user;
	const char *account;
	const char *job;          /* as sacct shows it: 12, 12_3, 12+1 */
	const char *const *nodes; /* needed by node only; NULL: not known by name */
	size_t node_count;
	time_t eligible; /* 0: unknown */
	time_t start;    /* 0: it has not run */
	time_t end;      /* 0: it runs */
	struct usage_held counts;
	/* Of the whole run, as samples saw it on all its nodes; each may be TESSERA_UNKNOWN. */
	uint64_t used_tiles;
	uint64_t used_ipus;
	uint64_t outside;
	uint64_t seen; /* seconds that samples covered, summed over its nodes */
};

enum usage_by {
	USAGE_BY_USER = 1,
	USAGE_BY_ACCOUNT,
	USAGE_BY_JOB,
	USAGE_BY_DAY, /* local days, cut at midnight however long they are */
	USAGE_BY_NODE,
};

/*
 * A job that holds in several rows (days, nodes) counts in each of them, with its wait: jobs and wait are not to be added
 * up over such rows, seconds are.
 */
struct usage_row {
	/* NULL: not what the rows are for. A record's unknown is "". */
	const char *user;
	const char *account;
	const char *job;
	const char *day; /* 2026-11-16 */
	const char *node;
	uint64_t jobs; /* runs that held something */
	struct usage_held seconds;
	uint64_t used_tiles; /* seconds; unknown unless it is known of every job in the row */
	uint64_t used_ipus;
	/* Of the jobs whose use is known: seconds held while samples looked, and used. used / held is the efficiency. */
	uint64_t known_tiles;
	uint64_t known_used_tiles;
	uint64_t known_ipus;
	uint64_t known_used_ipus;
	uint64_t outside;       /* tile-seconds outside the grant, of the jobs of which it is known: */
	uint64_t outside_known; /* so many; of 0, outside says nothing */
	uint64_t wait;          /* from being eligible to the start, summed over jobs */
};

struct usage; /* sums under way */

/*
 * Rows BY something, of what is held in [START, END). Runs that have no end last until NOW. Returns NULL with ERR:
 * TESSERA_ERR_INPUT if the end is not after the start, or if there are more than 100000 days, TESSERA_ERR_MISSING
 * without memory. To be freed with usage_free().
 */
struct usage *usage_new(enum usage_by by, time_t start, time_t end, time_t now, struct tessera_error *err);

/*
 * Add a run. One that did not start, is outside the window, or held no accelerators adds nothing; but if it used what it
 * did not hold, that is added, and it is no job of the row's. By node, all its
 * nodes have the same part: so does Slurm give out --gres, and a licence belongs to no node; seconds that do not
 * divide evenly go to the first nodes, and so the sum stays exact. What several nodes used is known together only.
 * Returns 1 if it was added, 0 if not, or -1 with ERR (TESSERA_ERR_MISSING) without memory.
 */
int usage_add(struct usage *usage, const struct usage_record *record, struct tessera_error *err);

/*
 * The rows, in the natural order of their names. *ROWS is an array of *COUNT pointers, to be freed with free(); the rows
 * belong to USAGE. Returns 0, or -1 with ERR.
 */
int usage_rows(const struct usage *usage, const struct usage_row ***rows, size_t *count, struct tessera_error *err);

/* The sum over all records, in which each counts once. Its texts are NULL. */
const struct usage_row *usage_total(const struct usage *usage);

/* NULL is fine. */
void usage_free(struct usage *usage);

/* Sums and products of which an unknown part, or one too many, makes the whole unknown. Nothing of unknown is nothing. */
uint64_t usage_plus(uint64_t a, uint64_t b);
uint64_t usage_times(uint64_t a, uint64_t b);

/*
 * When local days begin: the first second of the day of START, of each day after it, and of the one that END is in or
 * begins with, so that the last is not before END. Returns them, *COUNT of them, to be freed; or NULL with ERR as
 * usage_new() has it.
 */
time_t *usage_days(time_t start, time_t end, size_t *count, struct tessera_error *err);

#endif /* TESSERA_USAGE_H */
