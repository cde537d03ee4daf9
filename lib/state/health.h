/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which of a node's tiles are bad. tessera health runs the vendor tools and saves their last
 * results, with the time, in DIR/health; tessera mark saves the administrator's marks in
 * MARKS/marks. A job launch only reads these two files.
 *
 *   tessera-health 1 sn30-8
 *   source snfadm time 1731750000 known 0-63 bad 29 text 3.5 is Present, Offline
 *   source snconfig time 0 known - bad - text timed out after 60 seconds
 *   end 2
 *
 * The IPUs of a host are attached to a fabric and Tessera does not place them, so that their health
 * is only reported:
 *
 *   tessera-health 1 pod64
 *   ipus gcipuinfo time 1731750000 seen 64 bad 1 text 10.1.5.10: device 2
 *   end 1
 *
 *   tessera-marks 1 sn30-8
 *   bad 29 time 1731750000 uid 0 text hung since Tuesday
 *   end 1
 *
 * The last line counts the rows, so that a truncated file is an error.
 */
#ifndef TESSERA_HEALTH_H
#define TESSERA_HEALTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../conf/conf.h"
#include "../tile/platform.h"
#include "../tile/tileset.h"
#include "../util/error.h"

#define TESSERA_SOURCES_MAX 8

/* The last result of one tool. Times are seconds since 1970. */
struct tessera_health_source {
	char name[TESSERA_NAME_MAX];
	int64_t time;                 /* of the result; 0: the tool has never succeeded */
	struct tessera_tileset known; /* tiles that the result covers */
	struct tessera_tileset bad;   /* subset of KNOWN */
	/* why tiles are bad, or why the tool failed; "" if all is well */
	char text[sizeof(((struct tessera_error *)0)->text)];
};

/* The same for IPUs, as counts. */
struct tessera_health_ipus {
	char name[TESSERA_NAME_MAX]; /* "": no such source */
	int64_t time;
	unsigned seen; /* IPUs that the result covers; 0: the tool does not report how many */
	unsigned bad;
	char text[sizeof(((struct tessera_error *)0)->text)];
};

struct tessera_health {
	struct tessera_health_source sources[TESSERA_SOURCES_MAX]; /* nodes with tiles only */
	size_t count;
	struct tessera_health_ipus ipus; /* hosts of IPUs only */
};

/* A tile that the administrator marked bad. */
struct tessera_mark {
	unsigned tile;
	int64_t time;
	uint32_t uid; /* of the administrator */
	char text[sizeof(((struct tessera_error *)0)->text)];
};

struct tessera_marks {
	struct tessera_mark *list; /* in the order of tiles, each at most once */
	size_t count;
};

/*
 * Read DIR/health, or DIR/marks. A missing file or directory has no results and no marks. Returns
 * 0, or -1 with ERR and the same: TESSERA_ERR_DENIED if owner or mode of directory or file is not
 * safe, TESSERA_ERR_IO if it cannot be read, TESSERA_ERR_INPUT if it is damaged or of
 * another platform. The caller frees the marks with tessera_marks_free(), also after an error.
 */
int tessera_health_read(const char *dir, const struct tessera_platform *p,
			struct tessera_health *health, struct tessera_error *err);
int tessera_marks_read(const char *dir, const struct tessera_platform *p,
		       struct tessera_marks *marks, struct tessera_error *err);
void tessera_marks_free(struct tessera_marks *marks);

/*
 * Replace the file as a whole, by rename; DIR is created if it is missing (its parents must exist).
 * Returns 0, or -1 with ERR.
 */
int tessera_health_write(const char *dir, const struct tessera_platform *p,
			 const struct tessera_health *health, struct tessera_error *err);
int tessera_marks_write(const char *dir, const struct tessera_platform *p,
			const struct tessera_marks *marks, struct tessera_error *err);

/* The state of a node's tiles: all sources and marks combined. */
struct tessera_health_verdict {
	struct tessera_tileset bad;      /* marked, or bad in a current result */
	struct tessera_tileset unknown;  /* not bad, and not covered by a current result */
	struct tessera_tileset unusable; /* not allocated: bad; unknown if tessera.conf says so */
};

/*
 * Is a result of time WHEN current: WHEN is not 0, not more than a minute in the future, and not
 * more than conf->max seconds ago (unless conf->max is 0)?
 */
bool tessera_health_counts(const struct tessera_health_conf *conf, int64_t when, int64_t now);

/*
 * Is WHEN in the future? Then the clock was set back and the age of the result is unknown: its good
 * tiles may be bad by now, but its bad tiles remain bad.
 */
bool tessera_health_is_ahead(int64_t when, int64_t now);

/*
 * Judge the tiles of P at the time NOW. MARKS may be NULL: none. Results that are not current are
 * ignored, except the bad tiles of one that is ahead. If tessera.conf names no source, no tile is
 * unknown.
 */
void tessera_health_judge(const struct tessera_platform *p, const struct tessera_health_conf *conf,
			  const struct tessera_health *health, const struct tessera_marks *marks,
			  int64_t now, struct tessera_health_verdict *verdict);

/*
 * Read both files of a node and judge its tiles. Returns 0, or -1 with ERR if a file cannot be
 * read; VERDICT is then set from the other one. Without the marks, every tile that is not bad is
 * unknown, whatever the tools reported. If both files fail, ERR is about the marks, which no tool
 * can restore.
 */
int tessera_health_of_node(const struct tessera_conf *conf, const char *node,
			   const struct tessera_platform *p, struct tessera_health_verdict *verdict,
			   struct tessera_error *err);

#endif /* TESSERA_HEALTH_H */
