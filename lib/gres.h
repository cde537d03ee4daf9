/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walking Slurm's lists of GRES and licences. Not installed: for libtessera and the plugins.
 *
 *   GRES      [gres:|gres/]name[:type][:count],...     gres:rdu:sn30:2,gpu:1
 *   licences  name[@server][:count],...                ipu:4,matlab@flex:2
 *
 * No count is one. Slurm also reads = before a count, ; between licences, and | between alternative licences.
 */
#ifndef TESSERA_GRES_H
#define TESSERA_GRES_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

#define GRES_RDU      "rdu"
#define GRES_RDU_TILE "rdu_tile"
#define GRES_IPU      "ipu" /* unless tessera.conf says otherwise */

/* Characters of a list, an option or a variable that are read; nobody types more, and slurmctld reads under a lock. */
#define GRES_TEXT_MAX 65536

enum gres_list {
	GRES_LIST_GRES = 1,
	GRES_LIST_LICENSES = 2,
};

/* One item, as pieces of the text it stands in: nothing is copied. */
struct gres_item {
	const char *text;
	size_t len;
	size_t prefix_len; /* of "gres:" or "gres/" at its beginning */
	const char *name;
	size_t name_len;
	const char *count; /* NULL: none, which is one */
	size_t count_len;
	bool extra; /* more parts than there can be */
	char sep;   /* what stands before it; 0: it is the first */
};

struct gres_walk {
	const char *pos; /* NULL: at the end */
	enum gres_list list;
	char sep;
};

/* What a list says of one name, summed over its items and their types. */
struct gres_sum {
	bool given; /* even if only as name:0 */
	unsigned count;
};

/* TEXT, or NULL if nothing was given: Slurm also says that as "" and "(null)". */
const char *gres_given(const char *text);

/* TEXT may be NULL. Empty items, and those that say "(null)", are passed over. */
void gres_walk_start(struct gres_walk *walk, const char *text, enum gres_list list);
bool gres_walk_next(struct gres_walk *walk, struct gres_item *item);

/* NAME may name a licence's server, too: csx@flex; otherwise any will do. */
bool gres_item_is(const struct gres_item *item, const char *name);

/* Returns 0 with *COUNT (which may be 0), or -1 with ERR. OPTION is for the sentence: "--gres". */
int gres_item_count(const struct gres_item *item, const char *option, unsigned *count, struct tessera_error *err);

/* May TEXT, which may be NULL, be read? Returns 0, or -1 with ERR (TESSERA_ERR_INPUT) if it is longer than GRES_TEXT_MAX. */
int gres_check_length(const char *option, const char *text, struct tessera_error *err);

/*
 * How many of NAME a request asks for, as slurmctld counts them. Returns 0 with *SUM, or -1 with ERR: a count that is
 * wrong, too much of it, a text longer than GRES_TEXT_MAX, or a name that Slurm does not add up. Of one GRES that
 * stands twice Slurm counts the last, or only some types; equal licences it adds, but not those of different servers.
 */
int gres_sum(const char *text, enum gres_list list, const char *name, const char *option, struct gres_sum *sum,
	     struct tessera_error *err);

/* The same for a list in slurm.conf, where each type of a node's GRES is an item of its own: all items are added. */
int gres_total(const char *text, enum gres_list list, const char *name, const char *option, struct gres_sum *sum,
	       struct tessera_error *err);

/*
 * Does a GRES text ask for RDUs or tiles? What cannot be read does: who reads it will say what is wrong. IPUs are not
 * looked for: they may be counted by job. TEXT may be NULL.
 */
bool gres_asks_tiles(const char *text);

/* Does a GRES text say that there shall be no RDUs and tiles: none, rdu:0, rdu_tile:0? TEXT may be NULL. */
bool gres_refuses_tiles(const char *text);

/*
 * Read all LEN bytes of TEXT as a count, for the sentence about OPTION=SHOWN. Returns 0, or -1 with ERR: empty,
 * not a number, negative, too large, followed by something else. Zero is the caller's business.
 */
int gres_count(const char *option, const char *shown, size_t shown_len, const char *text, size_t len,
	       unsigned *count, struct tessera_error *err);

/* The same for the value of an option of ours, where zero is refused too. */
int gres_option_count(const char *option, const char *text, unsigned *count, struct tessera_error *err);

#endif /* TESSERA_GRES_H */
