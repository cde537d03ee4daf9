/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of the two files of health.h. Not installed: for libtessera, its tests and fuzzers.
 */
#ifndef TESSERA_HEALTH_INTERNAL_H
#define TESSERA_HEALTH_INTERNAL_H

#include <stdio.h>

#include "lib/state/health.h"
#include "lib/util/scan.h"

#define HEALTH_FILE "health"
#define MARKS_FILE  "marks"

#define HEALTH_TIME_MAX UINT64_C(253402300799) /* the last second of the year 9999 */
#define HEALTH_WORD_MAX 4096                   /* 1024 tiles in pairs need 3414 */

/* Either file as text, which the caller frees; NULL when out of memory. */
char *health_format(const struct tessera_platform *p, const struct tessera_health *health);
char *marks_format(const struct tessera_platform *p, const struct tessera_marks *marks);

/*
 * Parse LEN bytes of TEXT, followed by a NUL; NAME is the file's name for messages. Only what the
 * functions above write is accepted. Returns 0, or -1 with ERR (TESSERA_ERR_INPUT,
 * TESSERA_ERR_UNAVAILABLE when out of memory).
 */
int health_parse(const struct tessera_platform *p, const char *name, const char *text, size_t len,
		 struct tessera_health *health, struct tessera_error *err);
int marks_parse(const struct tessera_platform *p, const char *name, const char *text, size_t len,
		struct tessera_marks *marks, struct tessera_error *err);

/*
 * Write BEFORE and a set, "-" if it is empty; or BEFORE and a text, "-" for "", with ? for control
 * characters and bytes that are not UTF-8, because the text is shown and printed as JSON.
 */
void health_put_tiles(FILE *fp, const char *before, const struct tessera_platform *p,
		      const struct tessera_tileset *tiles);
void health_put_text(FILE *fp, const char *before, const char *text);

/*
 * Close FP, which open_memstream() opened for TEXT. Returns TEXT; or frees it and returns NULL if a
 * write failed.
 */
char *health_end_text(FILE *fp, char **text);

/* Read a set exactly as health_put_tiles() writes it. */
void health_get_tiles(struct scan *r, const char *before, const struct tessera_platform *p,
		      struct tessera_tileset *tiles);

/* Read " text " and a text, to the end of the line. */
void health_get_text(struct scan *r, char *buf, size_t len);

/* Set ERR to "NAME:LINE: WHAT", where LINE is the one of TEXT that R has reached. Returns -1. */
int health_damaged(const struct scan *r, const char *name, const char *text, const char *what,
		   struct tessera_error *err);

#endif /* TESSERA_HEALTH_INTERNAL_H */
