/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job as it comes to slurmctld, checked and written in the scheduler's terms: the work of job_submit_tessera.so.
 */
#ifndef TESSERA_SUBMISSION_H
#define TESSERA_SUBMISSION_H

#include <stdbool.h>

#include "lib/conf.h"
#include "lib/error.h"
#include "lib/unasked.h"
#include "plugin/slurm_compat.h"

/*
 * Does it ask for anything of ours? OLD is the job that DESC changes, or NULL. Cheap. CONF may be NULL, if it cannot be
 * used: then any option of ours asks.
 */
bool submission_asks(const struct tessera_conf *conf, const job_desc_msg_t *desc, const job_desc_msg_t *old);

/* Does a change touch what we look at: GRES, licences, partition, nodes or tasks? */
bool submission_touches(const job_desc_msg_t *desc);

/* Does a change touch what a job asks for, or the partition whose Unasked decides what becomes of it? */
bool submission_moves(const job_desc_msg_t *desc);

/*
 * A job that asks for no tiles becomes what Unasked of its partition makes of it: the partition's Default is added to its
 * GRES as if it had been typed, for submission_check(). OLD and DEFAULT_PARTITION as there. Returns 0 with *DECISION, or
 * -1 with ERR and DESC untouched.
 */
int submission_unasked(const struct tessera_conf *conf, job_desc_msg_t *desc, const job_desc_msg_t *old,
		       const char *default_partition, struct unasked_decision *decision, struct tessera_error *err);

/*
 * Is all that the other functions read of DESC of a size that somebody could mean? To be called before them, and without a
 * lock. Returns 0, or -1 with ERR (TESSERA_ERR_INPUT): a text is longer than GRES_TEXT_MAX, or there are too many.
 */
int submission_check_sizes(const job_desc_msg_t *desc, struct tessera_error *err);

/*
 * Check what DESC asks for, as a change of OLD (NULL: a new job), and rewrite its GRES and licences; a new job also gets
 * the options that say what its GRES and licences ask for, so that its node can read them. DEFAULT_PARTITION is where
 * a job goes that names none; NULL if nobody knows. Returns 0, with ADVICE for the user, of ADVICE_LEN bytes, which
 * becomes "" if there is none; or -1 with ERR and DESC untouched.
 */
int submission_check(const struct tessera_conf *conf, job_desc_msg_t *desc, const job_desc_msg_t *old,
		     const char *default_partition, char *advice, size_t advice_len, struct tessera_error *err);

#endif /* TESSERA_SUBMISSION_H */
