/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A query in slurmdbd's terms, shared by accounting*.c. */
#ifndef TESSERA_ACCOUNTING_INTERNAL_H
#define TESSERA_ACCOUNTING_INTERNAL_H

#include "gres/accounting/accounting.h"
#include "lib/slurm/compat.h"

/*
 * A condition and everything it points to. The type of Slurm's lists differs between releases, so
 * they are void * here.
 */
struct accounting_condition {
	slurmdb_job_cond_t cond;
	void *ended; /* for cond.state_list: every state of a record with an end time */
	char **texts;
	size_t text_count;
	slurm_selected_step_t *jobs;
	size_t job_count;
};

/*
 * Fill it from QUERY. Returns 0, or -1 with ERR as accounting_read(). Call
 * accounting_condition_free() in either case.
 */
int accounting_condition_make(struct accounting_condition *condition,
			      const struct accounting_query *query, struct tessera_error *err);
void accounting_condition_free(struct accounting_condition *condition);

#endif /* TESSERA_ACCOUNTING_INTERNAL_H */
