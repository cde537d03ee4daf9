/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What jobs used, from the node's notes to slurmdbd, once they have ended.
 */
#ifndef TESSERA_DELIVER_H
#define TESSERA_DELIVER_H

#include "lib/error.h"
#include "lib/used.h"
#include "plugin/node.h"

enum deliver_what {
	DELIVER_DONE = 1, /* slurmdbd has it, and the note is gone */
	DELIVER_WRITTEN =
		2, /* slurmdbd has it; the next time sees whether that lasted, since other nodes write as well */
	DELIVER_LOST = 3,   /* nobody wants it any more: the job was run again since, or slurmdbd never knew it */
	DELIVER_LATER = 4,  /* slurmdbd has not heard all of the job yet: the note stays */
	DELIVER_FAILED = 5, /* the note stays; the error says why */
};

/* Called for each job whose note was dealt with. ARG is the caller's. */
typedef void (*deliver_fn)(const struct tessera_used *used, enum deliver_what what, const struct tessera_error *err,
			   void *arg);

/*
 * Merge what the node knows of each job that has left it and has ended into the job's AdminComment, beside what others
 * wrote there, and forget it when that succeeded. What does not succeed is kept for the next time. Nothing is asked of
 * slurmdbd if there is nothing to deliver. Returns 0, or -1 with ERR: slurmctld or slurmdbd does not answer, or a note
 * cannot be read.
 */
int deliver_ended(const struct node *node, deliver_fn tell, void *arg, struct tessera_error *err);

#endif /* TESSERA_DELIVER_H */
