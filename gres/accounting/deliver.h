/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sending the node's sample records of ended jobs to slurmdbd. */
#ifndef TESSERA_DELIVER_H
#define TESSERA_DELIVER_H

#include "lib/node/node.h"
#include "lib/state/sample_record.h"
#include "lib/util/error.h"

enum deliver_what {
	DELIVER_DONE = 1, /* slurmdbd has it, and the record was dropped */
	/* written; the record stays until the next call has verified it: others may overwrite it */
	DELIVER_WRITTEN = 2,
	/* dropped: the job has run again since, or slurmdbd never knew it */
	DELIVER_LOST = 3,
	/*
	 * the record stays: slurmdbd does not know the end of the job yet, or it is the turn of
	 * another node of the job (turn.h)
	 */
	DELIVER_LATER = 4,
	DELIVER_FAILED = 5, /* the record stays; the error says why */
};

/* Called for each sample record that was processed. ARG is the caller's. */
typedef void (*deliver_fn)(const struct tessera_sample_record *used, enum deliver_what what,
			   const struct tessera_error *err, void *arg);

/*
 * Merge the sample record of each ended job into the job's AdminComment, beside the text of others,
 * and drop the record when that succeeded; otherwise it stays for the next call. Does not connect
 * to slurmdbd if there is nothing to deliver. Returns 0, or -1 with ERR: slurmctld or slurmdbd does
 * not answer, or a record cannot be read.
 */
int deliver_ended(const struct node *node, deliver_fn report, void *arg, struct tessera_error *err);

#endif /* TESSERA_DELIVER_H */
