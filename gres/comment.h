/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job's AdminComment in slurmdbd: the place that sacct shows, and that can still be written when the job has ended.
 */
#ifndef TESSERA_COMMENT_H
#define TESSERA_COMMENT_H

#include <stdint.h>
#include <time.h>

#include "lib/error.h"

struct comments; /* a connection with slurmdbd */

/* What slurmdbd has of a job's last run. */
struct comment {
	char *text; /* of AdminComment; NULL if there is none. To be freed */
	time_t start;
	time_t end;     /* 0: slurmdbd does not know that it has ended */
	uint32_t nodes; /* it ran on so many; 0: slurmdbd does not know yet that it has started */
	/* How slurmdbd finds this job and none of its relatives: a task of an array, a component, or neither (NO_VAL). */
	uint32_t number, task, component;
};

/* Returns NULL with ERR (TESSERA_ERR_MISSING) if slurmctld or slurmdbd does not answer. slurm_init() must have been called. */
struct comments *comments_open(struct tessera_error *err);
void comments_close(struct comments *comments);

/*
 * Read JOB's, of this cluster, as it is now. Returns 0; 1 if slurmdbd does not know the job; or -1 with ERR
 * (TESSERA_ERR_MISSING). text is to be freed when it is 0.
 */
int comment_read(struct comments *comments, uint32_t job, struct comment *comment, struct tessera_error *err);

/* Replace it by TEXT. Returns 0, or -1 with ERR (TESSERA_ERR_MISSING, TESSERA_ERR_DENIED if we may not). */
int comment_write(struct comments *comments, const struct comment *comment, const char *text,
		  struct tessera_error *err);

#endif /* TESSERA_COMMENT_H */
