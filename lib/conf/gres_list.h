/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parsing Slurm's lists of GRES and licenses. Not installed.
 *
 *   GRES      [gres:|gres/]name[:type][:count],...     gres:rdu:sn30:2,gpu:1
 *   licenses  name[@server][:count],...                ipu:4,matlab@flex:2
 *             name(nodes):count,...                    ipu(gc-poplar-[02-04]):16 (25.05+)
 *
 * The default count is 1. Slurm also accepts = before a count, ; between licenses, and | between
 * alternative licenses.
 */
#ifndef TESSERA_GRES_LIST_H
#define TESSERA_GRES_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/util/error.h"

#define GRES_RDU      "rdu"
#define GRES_RDU_TILE "rdu_tile"
#define GRES_IPU      "ipu" /* default of IpuName in tessera.conf */

/*
 * Longest list, option or variable that is parsed: bounds the time that slurmctld spends under its
 * locks.
 */
#define GRES_TEXT_MAX 65536

enum gres_list {
	GRES_LIST_GRES = 1,
	GRES_LIST_LICENSES = 2,
};

/* One item of a list. The pointers refer to the text of the list. */
struct gres_item {
	const char *text;
	size_t len;
	size_t prefix_len; /* of "gres:" or "gres/" at the start */
	const char *name;
	size_t name_len;
	const char *count; /* NULL: none, so the count is 1 */
	size_t count_len;
	bool extra; /* too many parts */
	char sep;   /* the separator before it; 0: first item */
};

struct gres_walk {
	const char *pos; /* NULL: at the end */
	enum gres_list list;
	char sep;
};

/* The count of one name in a list, summed over its items and types. */
struct gres_sum {
	bool given; /* the name is in the list, even as name:0 */
	unsigned count;
};

/* TEXT, or NULL if it is "" or "(null)", which Slurm uses for options that are not set. */
const char *gres_given(const char *text);

/* Iterate over a list. TEXT may be NULL. Items that are empty or "(null)" are skipped. */
void gres_walk_start(struct gres_walk *walk, const char *text, enum gres_list list);
bool gres_walk_next(struct gres_walk *walk, struct gres_item *item);

/* Is NAME the item's name? A license matches on any server, unless NAME has one: csx@flex. */
bool gres_item_is(const struct gres_item *item, const char *name);

/* Returns 0 with *COUNT (which may be 0), or -1 with ERR. OPTION is for messages: "--gres". */
int gres_item_count(const struct gres_item *item, const char *option, unsigned *count,
		    struct tessera_error *err);

/* Is TEXT (or NULL) at most GRES_TEXT_MAX long? Returns 0, or -1 with ERR (TESSERA_ERR_INPUT). */
int gres_check_length(const char *option, const char *text, struct tessera_error *err);

/*
 * The count of NAME in a request, as slurmctld counts it. Returns 0 with *SUM, or -1 with ERR: an
 * invalid count, an overflow, a text longer than GRES_TEXT_MAX, or several items that Slurm does
 * not add up. Slurm counts only the last, or some types, of a GRES listed twice; it adds equal
 * licenses, but not those of different servers.
 */
int gres_sum(const char *text, enum gres_list list, const char *name, const char *option,
	     struct gres_sum *sum, struct tessera_error *err);

/* The same for a list in slurm.conf, where each type of a GRES is an item: adds all items. */
int gres_total(const char *text, enum gres_list list, const char *name, const char *option,
	       struct gres_sum *sum, struct tessera_error *err);

/*
 * Does a GRES list request RDUs or tiles? Also true if it cannot be parsed: the parser of the
 * request reports the error. IPUs do not count, since they may be licenses. TEXT may be NULL.
 */
bool gres_asks_tiles(const char *text);

/* Does a GRES list decline RDUs and tiles: none, rdu:0, rdu_tile:0? TEXT may be NULL. */
bool gres_refuses_tiles(const char *text);

/*
 * Parse all LEN bytes of TEXT as a count; messages quote OPTION=SHOWN. Returns 0, or -1 with ERR if
 * it is empty, not a number, negative, too large, or followed by other text. 0 is accepted.
 */
int gres_count(const char *option, const char *shown, size_t shown_len, const char *text,
	       size_t len, unsigned *count, struct tessera_error *err);

/* The same for the value of one of Tessera's options, where 0 is an error. */
int gres_option_count(const char *option, const char *text, unsigned *count,
		      struct tessera_error *err);

#endif /* TESSERA_GRES_LIST_H */
