/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many `rdu` and `rdu_tile` slurmctld shall count on a node some of whose tiles are not handed out, how a node's Gres
 * text says so, and what is to be done about it. The rules only: who asks slurmctld is gres/counts.c. Not installed.
 *
 * slurmctld must not be told another count while jobs have some of it: when the node registers the next time it takes it
 * out for that. Nor may a job come between the telling and that registration. So a count is told while the node is drained
 * and no job has any, and to resume the node makes it register first.
 */
#ifndef TESSERA_COUNTS_H
#define TESSERA_COUNTS_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "gres.h"
#include "platform.h"
#include "tileset.h"

struct tessera_counts {
	struct gres_sum rdu;
	struct gres_sum tile;
};

/* What a node of P has while the tiles of OUT are not handed out: a counted `rdu` is whole or none. Both are given. */
void tessera_counts_of(const struct tessera_platform *p, const struct tessera_tileset *out,
		       struct tessera_counts *counts);

/* COUNTS becomes no more than LIMIT, and given where LIMIT is. */
void tessera_counts_limit(struct tessera_counts *counts, const struct tessera_counts *limit);

/*
 * Read a Gres text of slurm.conf, or one that slurmctld wrote: "rdu:8(S:0-1),rdu_tile:1K". A name that is not there is not
 * given: of slurmctld's, its count is 0. GRES may be NULL. Returns 0, or -1 with ERR (TESSERA_ERR_INPUT) when it is not
 * understood, or has a name twice (as two types).
 */
int tessera_counts_read(const char *gres, struct tessera_counts *counts, struct tessera_error *err);

/*
 * Write PRESENT, which slurmctld wrote, with COUNTS where they are given, and all else as it is. A name that PRESENT lacks,
 * since its count was 0, is written as CONFIGURED has it, which must have all that COUNTS gives. Returns 0, or -1 with ERR
 * (TESSERA_ERR_INPUT): a text is not understood, or the new one does not fit LEN.
 */
int tessera_counts_write(const char *present, const char *configured, const struct tessera_counts *counts,
			 char *buf, size_t len, struct tessera_error *err);

/* Does REASON, which may be NULL, say that we drained the node; or that slurmctld did, since a count changed under jobs? */
bool tessera_counts_is_ours(const char *reason);
bool tessera_counts_is_slurms(const char *reason);

/* Why tiles are not handed out. A tile may be in several; then the first counts. */
struct tessera_counts_why {
	struct tessera_tileset bad;
	struct tessera_tileset unknown;
	struct tessera_tileset kept; /* back, since processes of jobs that ended still have them */
};

/*
 * "tessera: 3.5 bad, rdu0 unknown": a reason for sinfo -R, which cuts it: tiles come first, and of many only the first ones.
 * Without tiles it only says that counts change, which is the reason of no drain that lasts. tessera_counts_because() is
 * the same without what makes it ours, and "" without tiles.
 */
#define TESSERA_COUNTS_REASON_MAX 256
void tessera_counts_reason(const struct tessera_platform *p, const struct tessera_counts_why *why,
			   char buf[TESSERA_COUNTS_REASON_MAX]);
void tessera_counts_because(const struct tessera_platform *p, const struct tessera_counts_why *why,
			    char buf[TESSERA_COUNTS_REASON_MAX]);

/*
 * The bad tiles that REASON, which may be NULL, names. Returns how many, 0 if it is not ours or names none. BAD is empty where
 * the reason had no room for all of them.
 */
unsigned tessera_counts_reason_bad(const struct tessera_platform *p, const char *reason,
				   struct tessera_tileset *bad);

/* How a node stands with slurmctld. A reason that is not ours is somebody's, who shall find it again. */
enum tessera_counts_node {
	TESSERA_COUNTS_OPEN = 1,    /* jobs may start */
	TESSERA_COUNTS_DRAINED = 2, /* we drained it */
	TESSERA_COUNTS_FOREIGN = 3, /* somebody else did */
	TESSERA_COUNTS_AWAY = 4,    /* down, silent, powered down: or somebody's reason stands on an open node */
	TESSERA_COUNTS_INVALID = 5, /* slurmctld took it out, since a count changed while jobs had some of it */
	TESSERA_COUNTS_REGISTERING = 6, /* slurmctld asked it to register (after a resume) and waits for that */
};

/* What slurmctld says of a node. */
struct tessera_counts_seen {
	bool gone;        /* down, silent, or on its way there */
	bool registering; /* it has asked the node to register; the node is up otherwise */
	bool refused;     /* it does not take the registration */
	bool drained;
	const char *reason; /* NULL is none */
};

/* A node that is drained already keeps that reason when slurmctld refuses it: then ours says what Slurm's would. */
enum tessera_counts_node tessera_counts_stands(const struct tessera_counts_seen *seen);

/* What is to be done next. */
enum tessera_counts_step {
	TESSERA_COUNTS_NOTHING = 1,  /* it is as it shall be */
	TESSERA_COUNTS_LATER = 2,    /* it is not, but nothing can be done now */
	TESSERA_COUNTS_DRAIN = 3,    /* drain it, or give our drain its reason; then look again */
	TESSERA_COUNTS_TELL = 4,     /* tell the counts; then look again */
	TESSERA_COUNTS_RESUME = 5,   /* end our drain */
	TESSERA_COUNTS_REGISTER = 6, /* make the node register; then look again */
	TESSERA_COUNTS_AWAIT = 7,    /* wait, with a deadline, until it has registered; then look again */
};

struct tessera_counts_case {
	enum tessera_counts_node node;
	bool used;       /* jobs have some of the counted, or slurmctld does not say */
	bool bad;        /* tiles are bad; not only unknown or kept back */
	bool none;       /* all tiles are bad */
	bool refused;    /* slurmctld does not take the registration */
	bool may_drain;  /* for longer than it takes to tell */
	bool registered; /* we have made it register already */
	bool waited;     /* we have waited for its registration already */
	bool reason_now; /* the reason of our drain is what it would be now */
	struct tessera_counts told;
	struct tessera_counts sound; /* what would be wanted if only bad ones were left out */
	struct tessera_counts wanted;
};

/*
 * Fill what C says of the node's tiles: bad, none, sound, wanted, where LIMIT is what slurm.conf has. Tiles that are
 * kept back, and those that nobody tells of, come back by themselves: they never bring a count to nothing, for which
 * jobs would be refused that could wait, but to one `rdu` (with its tiles) or tile. The other count stays what it is:
 * more would only call jobs to a node that cannot serve them.
 */
void tessera_counts_plan(const struct tessera_platform *p, const struct tessera_counts *limit,
			 const struct tessera_counts_why *why, struct tessera_counts_case *c);

/* Is a drain for this to last until jobs have ended, or tiles are good? If not it is for the moment that telling takes. */
bool tessera_counts_lasts(const struct tessera_counts_case *c);

/* Do slurmctld's counts differ from those wanted? Not where a drain stands for them, since no tile is good. */
bool tessera_counts_differ(const struct tessera_counts_case *c);

/* The one rule. After a step that says so, what slurmctld says then is the next case; it comes to one that does not. */
enum tessera_counts_step tessera_counts_decide(const struct tessera_counts_case *c);

#endif /* TESSERA_COUNTS_H */
