/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks slurmctld's job descriptor, and completes its GRES and licenses for the scheduler. */
#ifndef TESSERA_JOB_DESC_H
#define TESSERA_JOB_DESC_H

#include <stdbool.h>

#include "lib/conf/conf.h"
#include "lib/request/unasked.h"
#include "lib/slurm/compat.h"
#include "lib/util/error.h"

/*
 * Does DESC request an accelerator? OLD is the job that DESC changes, or NULL. Cheap. CONF is NULL
 * if tessera.conf cannot be read: then any option of tessera's is a request.
 */
bool job_desc_asks(const struct tessera_conf *conf, const job_desc_msg_t *desc,
		   const job_desc_msg_t *old);

/* Does a change have GRES, licenses, partition, nodes or tasks? */
bool job_desc_touches(const job_desc_msg_t *desc);

/* Does a change have GRES, or a partition, whose Unasked then applies? */
bool job_desc_moves(const job_desc_msg_t *desc);

/*
 * Apply Unasked of the partition to a job that requests no tiles. If that adds the partition's
 * Default, it is in DESC's GRES as if typed, for job_desc_check(). OLD and DEFAULT_PARTITION as
 * there. Returns 0 with *DECISION, or -1 with ERR and DESC unchanged.
 */
int job_desc_unasked(const struct tessera_conf *conf, job_desc_msg_t *desc,
		     const job_desc_msg_t *old, const char *default_partition,
		     struct unasked_decision *decision, struct tessera_error *err);

/*
 * Limit the size of all that the other functions read. Call it before them, without a lock. Returns
 * 0, or -1 with ERR (TESSERA_ERR_INPUT): a text is longer than GRES_TEXT_MAX, or there are too
 * many.
 */
int job_desc_check_sizes(const job_desc_msg_t *desc, struct tessera_error *err);

/*
 * Check the request of DESC, as a change of OLD (NULL: a new job), and rewrite its GRES and
 * licenses. A new job also gets options for the counts in its GRES and licenses, which its nodes
 * read. DEFAULT_PARTITION is for a job that names none; NULL if it is not known. Returns 0 with
 * ADVICE for the user, of ADVICE_LEN bytes, "" if there is none; or -1 with ERR and DESC unchanged.
 */
int job_desc_check(const struct tessera_conf *conf, job_desc_msg_t *desc, const job_desc_msg_t *old,
		   const char *default_partition, char *advice, size_t advice_len,
		   struct tessera_error *err);

#endif /* TESSERA_JOB_DESC_H */
