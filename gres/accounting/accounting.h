/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs from slurmdbd, as records for lib/account/usage.h. An ordinary user gets the jobs that Slurm
 * lets that user see.
 *
 * A long period is queried in pieces, so that neither slurmdbd nor this program holds more than
 * some ten thousand jobs at once.
 */
#ifndef TESSERA_ACCOUNTING_H
#define TESSERA_ACCOUNTING_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "lib/account/usage.h"
#include "lib/conf/conf.h"
#include "lib/util/error.h"

/* Which jobs to query. Lists are separated by commas; NULL is all. */
struct accounting_query {
	time_t start, end;
	const char *users; /* names or uids */
	const char *accounts;
	const char *partitions;
	/* 12, 12_3 (a task of an array), 12+1 (a component); 12 has all its tasks or components */
	const char *jobs;
	bool nodes; /* the records need the names of their nodes */
};

/* Damaged records. They are passed on, with the damaged part as unknown. */
struct accounting_trouble {
	size_t comments; /* jobs with a damaged usage summary in their AdminComment */
	size_t tres;     /* jobs whose allocated TRES cannot be parsed */
	char job[64];    /* the first of either */
	char text[256];  /* what is wrong with it */
};

struct accounting; /* a connection to slurmdbd */

/*
 * Connect. CONF must outlive the connection, which accounting_close() closes. Returns NULL with ERR
 * (TESSERA_ERR_UNAVAILABLE) if there is no slurmdbd or it does not answer. slurm_init() must have
 * been called.
 */
struct accounting *accounting_open(const struct tessera_conf *conf, struct tessera_error *err);
void accounting_close(struct accounting *acc);

/*
 * Called once for each run of a job that may have held something in the query's period. Returns 0,
 * or -1 with ERR to end the query.
 */
typedef int (*accounting_each)(const struct tessera_usage_record *record, void *arg,
			       struct tessera_error *err);

/*
 * Query the jobs. Returns 0, or -1 with ERR: TESSERA_ERR_INPUT for a user, account or job that does
 * not exist, TESSERA_ERR_UNAVAILABLE when slurmdbd fails, TESSERA_ERR_DENIED when it refuses, or
 * EACH's error. After a failure EACH has seen only some of the jobs.
 */
int accounting_read(struct accounting *acc, const struct accounting_query *query,
		    accounting_each each, void *arg, struct tessera_error *err);

/* The damaged records so far. Owned by ACC. */
const struct accounting_trouble *accounting_trouble(const struct accounting *acc);

/*
 * Does slurmdbd hide other users' jobs (PrivateData) from the user who runs this? Then sums cover
 * only that user's jobs.
 */
bool accounting_is_private(struct accounting *acc);

#endif /* TESSERA_ACCOUNTING_H */
