/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The texts of health.h's two files. Not installed: for libtessera, its tests and fuzzers.
 */
#ifndef TESSERA_HEALTH_PARTS_H
#define TESSERA_HEALTH_PARTS_H

#include <stdio.h>

#include "health.h"
#include "reader.h"

#define HEALTH_FILE "health"
#define MARKS_FILE  "marks"

#define HEALTH_TIME_MAX UINT64_C(253402300799) /* the last second of the year 9999 */
#define HEALTH_WORD_MAX 4096                   /* 1024 tiles in pairs need 3414 */

/* Either file as text, to be freed; NULL when out of memory. */
char *health_format(const struct tessera_platform *p, const struct tessera_health *health);
char *marks_format(const struct tessera_platform *p, const struct tessera_marks *marks);

/*
 * Read LEN bytes of TEXT, which have a NUL after them; NAME is the file's, for sentences. Nothing but what is written by the
 * functions above is accepted. Returns 0, or -1 with ERR (TESSERA_ERR_INPUT, TESSERA_ERR_MISSING when out of memory).
 */
int health_parse(const struct tessera_platform *p, const char *name, const char *text, size_t len,
		 struct tessera_health *health, struct tessera_error *err);
int marks_parse(const struct tessera_platform *p, const char *name, const char *text, size_t len,
		struct tessera_marks *marks, struct tessera_error *err);

/*
 * Write BEFORE and a set, "-" for the empty one; BEFORE and a text, "-" for "", with ? for control characters and for bytes
 * that are no UTF-8: it ends in JSON.
 */
void health_put_tiles(FILE *fp, const char *before, const struct tessera_platform *p,
		      const struct tessera_tileset *tiles);
void health_put_text(FILE *fp, const char *before, const char *text);

/* How much of TEXT, which has LEN bytes, there is in MAX bytes without a part of a character. */
size_t health_cut(const char *text, size_t len, size_t max);

/* Close FP, which open_memstream() opened for TEXT. Returns TEXT, or NULL after freeing it if something was not written. */
char *health_end_text(FILE *fp, char **text);

/* Read a set as it was written, and in no other way. */
void health_get_tiles(struct reader *r, const char *before, const struct tessera_platform *p,
		      struct tessera_tileset *tiles);

/* The same of " text " and a text, to the end of the line. */
void health_get_text(struct reader *r, char *buf, size_t len);

/* R, which reads TEXT, has come to a wrong place, or to none that is an end: say where. Returns -1 with ERR. */
int health_damaged(const struct reader *r, const char *name, const char *text, const char *what,
		   struct tessera_error *err);

#endif /* TESSERA_HEALTH_PARTS_H */
