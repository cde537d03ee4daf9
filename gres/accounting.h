/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What slurmdbd has kept of jobs, as records for lib/usage.h. It shows an ordinary user what Slurm lets that user see.
 *
 * A long time is asked for in pieces, so that neither slurmdbd nor this program ever holds more than some ten thousand
 * jobs at once.
 */
#ifndef TESSERA_ACCOUNTING_H
#define TESSERA_ACCOUNTING_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "lib/conf.h"
#include "lib/error.h"
#include "lib/usage.h"

/* Which jobs. Lists are joined by commas; NULL is all. */
struct accounting_query {
	time_t start, end;
	const char *users; /* names or numbers */
	const char *accounts;
	const char *partitions;
	const char
		*jobs; /* 12, 12_3 (a task of an array), 12+1 (a component); 12 is all of its tasks or components */
	bool nodes;    /* records shall have their nodes */
};

/* What was wrong with records, which were handed on with what is unknown of them as unknown. */
struct accounting_trouble {
	size_t comments; /* jobs whose AdminComment has a damaged summary of ours */
	size_t tres;     /* jobs whose allocation cannot be read */
	char job[64];    /* the first of either */
	char text[256];  /* and what is wrong with it */
};

struct accounting; /* a connection */

/*
 * CONF must outlive it. Returns NULL with ERR (TESSERA_ERR_MISSING) if there is no slurmdbd, or it does not answer. To be
 * closed with accounting_close(). slurm_init() must have been called.
 */
struct accounting *accounting_open(const struct tessera_conf *conf, struct tessera_error *err);
void accounting_close(struct accounting *acc);

/* Gets each run of a job that may have held something in the query's time, once. Returns 0, or -1 with ERR to end it. */
typedef int (*accounting_each)(const struct usage_record *record, void *arg, struct tessera_error *err);

/*
 * Ask for QUERY's jobs. Returns 0, or -1 with ERR: TESSERA_ERR_INPUT for a user, account or job that is none,
 * TESSERA_ERR_MISSING when slurmdbd fails, TESSERA_ERR_DENIED when it refuses, or what EACH returned. What EACH got
 * before a failure is not all.
 */
int accounting_read(struct accounting *acc, const struct accounting_query *query, accounting_each each, void *arg,
		    struct tessera_error *err);

/* What was wrong so far. Owned by ACC. */
const struct accounting_trouble *accounting_trouble(const struct accounting *acc);

/* Does slurmdbd keep other people's jobs from ordinary users, and is this one? Then sums are of one's own jobs. */
bool accounting_is_private(struct accounting *acc);

#endif /* TESSERA_ACCOUNTING_H */
