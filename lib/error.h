/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Error values. Library code never prints, exits or reads the environment: a function that can fail takes a
 * struct tessera_error, fills it, and returns a negative number. Who called decides what the user sees.
 */
#ifndef TESSERA_ERROR_H
#define TESSERA_ERROR_H

/*
 * What kind of trouble it is. The numbers are the exit codes of the tessera command and never change.
 */
enum tessera_errcode {
	TESSERA_OK = 0,           /* no error */
	TESSERA_ERR_INPUT = 1,    /* the request or the input is wrong: its author can mend it */
	TESSERA_ERR_USAGE = 2,    /* the command, or a function, was called wrongly */
	TESSERA_ERR_MISSING = 3,  /* something it needs is not there: a file, slurmctld, memory */
	TESSERA_ERR_DENIED = 4,   /* not permitted */
	TESSERA_ERR_SHORTAGE = 5, /* a right request that there is no room for now; it may fit later */
	/* What is wrong with a grant (grant.h). */
	TESSERA_ERR_UNGRANTED = 10, /* there is none */
	TESSERA_ERR_FORGED = 11,    /* the scheduler never made it */
	TESSERA_ERR_ALTERED = 12,   /* it did, but not so */
	TESSERA_ERR_FOREIGN = 13,   /* for another user, node or cluster */
	TESSERA_ERR_OUTSIDE = 14,   /* for other tiles, or another partition */
	TESSERA_ERR_OUTLIVED = 15,  /* for a job that has ended */
};

struct tessera_error {
	enum tessera_errcode code;
	/* One sentence without a final full stop or newline: what is wrong, what is allowed, what to do. */
	char text[512];
};

/*
 * Set ERR to CODE and the formatted text, cut to fit, with ? for each byte of a control character and of what is not UTF-8.
 * ERR may be NULL: nothing is kept then. Returns -1 always, so that a function can end with: return tessera_error_set(err, ...);
 */
int tessera_error_set(struct tessera_error *err, enum tessera_errcode code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Put the formatted text and ": " before what ERR says, and leave its code. For a caller that knows where
 * (a file and line, an option) the callee's trouble lies. ERR may be NULL. Returns -1 always.
 */
int tessera_error_prefix(struct tessera_error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Forget what ERR says. ERR may be NULL. */
void tessera_error_clear(struct tessera_error *err);

#endif /* TESSERA_ERROR_H */
