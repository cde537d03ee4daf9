/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between the files of accounting: a query in slurmdbd's terms.
 */
#ifndef TESSERA_ACCOUNTING_PARTS_H
#define TESSERA_ACCOUNTING_PARTS_H

#include "gres/accounting.h"
#include "plugin/slurm_compat.h"

/* The condition and all it points to. Slurm's lists are of one type or another from release to release: void * fits. */
struct accounting_condition {
	slurmdb_job_cond_t cond;
	void *ended; /* for its state_list: every state in which a record has an end */
	char **texts;
	size_t text_count;
	slurm_selected_step_t *jobs;
	size_t job_count;
};

/* Fill it from QUERY. Returns 0, or -1 with ERR as accounting_read() has it. In either case to be given to _free(). */
int accounting_condition_make(struct accounting_condition *condition, const struct accounting_query *query,
			      struct tessera_error *err);
void accounting_condition_free(struct accounting_condition *condition);

#endif /* TESSERA_ACCOUNTING_PARTS_H */
