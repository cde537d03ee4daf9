/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Error values. Library code never prints, exits or reads the environment: a function that can fail
 * takes a struct tessera_error, fills it, and returns a negative number. The caller decides what
 * the user sees.
 */
#ifndef TESSERA_ERROR_H
#define TESSERA_ERROR_H

/*
 * The kind of an error. The numbers are a stable interface; tessera_error_exit() maps them to exit
 * codes.
 */
enum tessera_errcode {
	TESSERA_OK = 0, /* no error */
	TESSERA_ERR_INPUT =
		1, /* the request or the input is wrong, and its author can correct it */
	TESSERA_ERR_USAGE = 2, /* a command or function was called incorrectly */
	/* a daemon, controller or program failed, timed out, or sent an unusable reply */
	TESSERA_ERR_UNAVAILABLE = 3,
	TESSERA_ERR_DENIED = 4, /* not permitted */
	/* a valid request that does not fit now, but may fit later */
	TESSERA_ERR_SHORTAGE = 5,
	TESSERA_ERR_IO = 6,    /* a file cannot be read or written, or is damaged */
	TESSERA_ERR_NOMEM = 7, /* out of memory */
	/* A grant (grant.h) does not verify: */
	TESSERA_ERR_UNGRANTED = 10, /* there is no grant */
	TESSERA_ERR_FORGED = 11,    /* not a credential, or not made by root */
	TESSERA_ERR_ALTERED = 12,   /* changed after it was made */
	TESSERA_ERR_FOREIGN = 13,   /* issued for another user, node or cluster */
	TESSERA_ERR_OUTSIDE = 14,   /* issued for other tiles, or another V-IPU partition */
	TESSERA_ERR_OUTLIVED = 15,  /* issued for a job that has ended */
};

struct tessera_error {
	enum tessera_errcode code;
	/*
	 * One message without a final full stop or newline: what is wrong, what is allowed, what to
	 * do.
	 */
	char text[512];
};

/*
 * Set ERR to CODE and the formatted text. The text is cut to fit, and each byte of a control
 * character or of invalid UTF-8 becomes a question mark. ERR may be NULL. Always returns -1, so
 * that a function can end with: return tessera_error_set(err, ...);
 */
int tessera_error_set(struct tessera_error *err, enum tessera_errcode code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Insert the formatted text and ": " before the text of ERR; the code stays. For a caller that
 * knows where the error is: the file and line, or the option. ERR may be NULL. Always returns -1.
 */
int tessera_error_prefix(struct tessera_error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Set ERR to TESSERA_ERR_NOMEM. ERR may be NULL. Always returns -1. */
int tessera_error_nomem(struct tessera_error *err);

/*
 * The exit code of a program that fails with ERR: the code of ERR, except that _IO and _NOMEM exit
 * like _UNAVAILABLE, with 3.
 */
int tessera_error_exit(const struct tessera_error *err);

/* Reset ERR to TESSERA_OK and "". ERR may be NULL. */
void tessera_error_clear(struct tessera_error *err);

#endif /* TESSERA_ERROR_H */
