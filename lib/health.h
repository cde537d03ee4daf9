/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which of a node's tiles are bad. Tools are asked out of band (tessera health); what they said is kept with its time in
 * DIR/health, and the admin's own word in MARKS/marks (tessera mark). A job's launch only reads these two files.
 *
 *   tessera-health 1 sn30-8
 *   source snfadm time 1731750000 known 0-63 bad 29 text 3.5 is Present, Offline
 *   source snconfig time 0 known - bad - text it did not answer within 60 seconds
 *   end 2
 *
 * For a host of IPUs, which hang off a fabric and are not ours to place, it is told and no more:
 *
 *   tessera-health 1 pod64
 *   ipus gcipuinfo time 1731750000 seen 64 bad 1 text 10.1.5.10: device 2
 *   end 1
 *
 *   tessera-marks 1 sn30-8
 *   bad 29 time 1731750000 uid 0 text hung since Tuesday
 *   end 1
 *
 * The last line counts the rows: a file that was cut is known for it, and is an error.
 */
#ifndef TESSERA_HEALTH_H
#define TESSERA_HEALTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf.h"
#include "error.h"
#include "platform.h"
#include "tileset.h"

#define TESSERA_SOURCES_MAX 8

/* What one tool said last. */
struct tessera_health_source {
	char name[TESSERA_NAME_MAX];
	int64_t time;                                         /* of its last answer; 0: it never gave one */
	struct tessera_tileset known;                         /* tiles that it told of */
	struct tessera_tileset bad;                           /* those of them that it calls bad */
	char text[sizeof(((struct tessera_error *)0)->text)]; /* why, or why it gave no answer; "" if all is well */
};

/* The same of IPUs, in numbers. */
struct tessera_health_ipus {
	char name[TESSERA_NAME_MAX]; /* "": there is no such source */
	int64_t time;
	unsigned seen; /* IPUs that it told of; 0: it does not say how many there are */
	unsigned bad;
	char text[sizeof(((struct tessera_error *)0)->text)];
};

struct tessera_health {
	struct tessera_health_source sources[TESSERA_SOURCES_MAX]; /* only of a node with tiles */
	size_t count;
	struct tessera_health_ipus ipus; /* only of a host of IPUs */
};

/* What the admin says of one tile. */
struct tessera_mark {
	unsigned tile;
	int64_t time;
	uint32_t uid; /* who said so */
	char text[sizeof(((struct tessera_error *)0)->text)];
};

struct tessera_marks {
	struct tessera_mark *list; /* in the order of tiles, each at most once */
	size_t count;
};

/*
 * Read DIR/health, or DIR/marks. A missing file or directory is an empty one: nothing is known, nothing is marked.
 * Returns 0, or -1 with ERR and nothing read: TESSERA_ERR_DENIED when directory or file is not to be trusted,
 * TESSERA_ERR_MISSING when it cannot be read, TESSERA_ERR_INPUT when it is damaged or of another platform. Marks are to
 * be freed with tessera_marks_free() in either case.
 */
int tessera_health_read(const char *dir, const struct tessera_platform *p, struct tessera_health *health,
			struct tessera_error *err);
int tessera_marks_read(const char *dir, const struct tessera_platform *p, struct tessera_marks *marks,
		       struct tessera_error *err);
void tessera_marks_free(struct tessera_marks *marks);

/* Replace the file as a whole, by rename; DIR is made if it is missing (its parents must exist). Returns 0, or -1 with ERR. */
int tessera_health_write(const char *dir, const struct tessera_platform *p, const struct tessera_health *health,
			 struct tessera_error *err);
int tessera_marks_write(const char *dir, const struct tessera_platform *p, const struct tessera_marks *marks,
			struct tessera_error *err);

/* The one rule for what the words of all sources and of the admin mean together, at the time NOW (seconds since 1970). */
struct tessera_health_verdict {
	struct tessera_tileset bad;     /* marked, or called bad by a source whose answer is not too old */
	struct tessera_tileset unknown; /* not bad, and no such source told of it */
	struct tessera_tileset
		unusable; /* what is not to be handed out: bad, and unknown if tessera.conf says so */
};

/*
 * Does an answer of that time count: not 0, not in the future by more than a minute, not more than conf->max seconds
 * ago (unless that is 0)?
 */
bool tessera_health_counts(const struct tessera_health_conf *conf, int64_t when, int64_t now);

/*
 * Is it of a time yet to come? The clock was set back, and how old the answer is, is not known: what it called good may be
 * bad by now, but what it called bad has not become good by that, and still counts.
 */
bool tessera_health_is_ahead(int64_t when, int64_t now);

/*
 * MARKS may be NULL: nothing is marked. A source whose time does not count says nothing, but for the bad tiles of one that is
 * ahead. Where tessera.conf names no source at all nothing is unknown: nobody wants to know.
 */
void tessera_health_judge(const struct tessera_platform *p, const struct tessera_health_conf *conf,
			  const struct tessera_health *health, const struct tessera_marks *marks, int64_t now,
			  struct tessera_health_verdict *verdict);

/*
 * All of the above for a node: what is in its files now. A damaged file makes its word unknown, not nothing: ERR says why
 * and -1 is returned, but VERDICT is set all the same, from what could be read. Where the admin's word cannot be read
 * every tile that is not bad is unknown, whatever tools say; if both are damaged ERR is of the admin's word, which no
 * tool will give anew. Returns 0 otherwise.
 */
int tessera_health_of_node(const struct tessera_conf *conf, const char *node, const struct tessera_platform *p,
			   struct tessera_health_verdict *verdict, struct tessera_error *err);

#endif /* TESSERA_HEALTH_H */
