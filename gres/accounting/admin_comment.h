/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A job's AdminComment in slurmdbd, which sacct shows and which an ended job can still get. */
#ifndef TESSERA_ADMIN_COMMENT_H
#define TESSERA_ADMIN_COMMENT_H

#include <stdint.h>
#include <time.h>

#include "lib/util/error.h"

struct admin_comments; /* a connection to slurmdbd */

/* The last run of a job in slurmdbd. */
struct comment {
	char *text; /* AdminComment; NULL if there is none */
	time_t start;
	time_t end;      /* 0 = slurmdbd does not know that it has ended */
	uint32_t nodes;  /* number of nodes; 0 = slurmdbd does not know that it has started */
	char *node_list; /* host list; NULL if there is none */
	/*
	 * Selects this job alone: the job ID and the task of an array or the component of a het
	 * job, NO_VAL if it is neither.
	 */
	uint32_t number, task, component;
};

/*
 * Connect. Returns NULL with ERR (TESSERA_ERR_UNAVAILABLE) if slurmctld or slurmdbd does not
 * answer. slurm_init() must have been called.
 */
struct admin_comments *admin_comments_open(struct tessera_error *err);
void admin_comments_close(struct admin_comments *comments);

/*
 * Read the current comment of JOB, of this cluster. Returns 0, and *COMMENT must be freed with
 * admin_comment_free(); 1 if slurmdbd does not know the job; or -1 with ERR
 * (TESSERA_ERR_UNAVAILABLE).
 */
int admin_comment_read(struct admin_comments *comments, uint32_t job, struct comment *comment,
		       struct tessera_error *err);
void admin_comment_free(struct comment *comment);

/*
 * Replace the comment by TEXT. Only one node of a job may call this at a time (turn.h). Returns 0,
 * or -1 with ERR (TESSERA_ERR_UNAVAILABLE, or TESSERA_ERR_DENIED if slurmdbd refuses).
 */
int admin_comment_write(struct admin_comments *comments, const struct comment *comment,
			const char *text, struct tessera_error *err);

#endif /* TESSERA_ADMIN_COMMENT_H */
