/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many `rdu` and `rdu_tile` slurmctld must count on a node while some tiles are not allocated,
 * how a node's Gres text states it, and the steps that bring slurmctld's counts there. Rules only:
 * gres/counts/update.c queries and updates slurmctld. Not installed.
 *
 * A count must not change while jobs hold some of it: slurmctld refuses the node's next
 * registration and takes the node out of service. Nor may a job start between the update and that
 * registration. So a count is updated while the node is drained and no job holds any, and the node
 * registers before it is resumed.
 */
#ifndef TESSERA_GRES_COUNTS_H
#define TESSERA_GRES_COUNTS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/conf/gres_list.h"
#include "lib/tile/platform.h"
#include "lib/tile/tileset.h"
#include "lib/util/error.h"

struct tessera_counts {
	struct gres_sum rdu;
	struct gres_sum tile;
};

/*
 * The counts of a node of P while the tiles of OUT are not allocated. A counted `rdu` has all its
 * tiles. Both counts are given.
 */
void tessera_gres_counts_of(const struct tessera_platform *p, const struct tessera_tileset *out,
			    struct tessera_counts *counts);

/* Lower COUNTS to LIMIT; a count that LIMIT does not give is not given. */
void tessera_gres_counts_limit(struct tessera_counts *counts, const struct tessera_counts *limit);

/*
 * Read a Gres text of slurm.conf or slurmctld: "rdu:8(S:0-1),rdu_tile:1K". An absent name is not
 * given; in slurmctld's text that means a count of 0. GRES may be NULL. Returns 0, or -1 with ERR
 * (TESSERA_ERR_INPUT) if it cannot be parsed or has a name twice (as two types).
 */
int tessera_gres_counts_read(const char *gres, struct tessera_counts *counts,
			     struct tessera_error *err);

/*
 * Write PRESENT, slurmctld's text, with the counts that COUNTS gives and everything else unchanged.
 * A name that PRESENT lacks, because its count was 0, is written as in CONFIGURED, which must have
 * every name that COUNTS gives. Returns 0, or -1 with ERR (TESSERA_ERR_INPUT): a text cannot be
 * parsed, or the result is longer than LEN.
 */
int tessera_gres_counts_write(const char *present, const char *configured,
			      const struct tessera_counts *counts, char *buf, size_t len,
			      struct tessera_error *err);

/*
 * Is REASON, which may be NULL, of a drain by tessera; or of a drain by slurmctld because a count
 * changed while jobs held some of it?
 */
bool tessera_gres_counts_is_ours(const char *reason);
bool tessera_gres_counts_is_slurms(const char *reason);

/* Why tiles are not allocated. A tile in several sets counts for the first. */
struct tessera_gres_counts_excluded {
	struct tessera_tileset bad;
	struct tessera_tileset unknown;
	struct tessera_tileset withheld; /* processes of ended jobs still use them */
};

/*
 * "tessera: 3.5 bad, rdu0 unknown": a Reason for sinfo -R, which truncates it: tiles come first,
 * and only the first of many. Without tiles it is the Reason of the drain for the moment that an
 * update takes. tessera_gres_counts_describe() is the same without the prefix, and "" without
 * tiles.
 */
#define TESSERA_GRES_COUNTS_REASON_MAX 256
void tessera_gres_counts_reason(const struct tessera_platform *p,
				const struct tessera_gres_counts_excluded *excluded,
				char buf[TESSERA_GRES_COUNTS_REASON_MAX]);
void tessera_gres_counts_describe(const struct tessera_platform *p,
				  const struct tessera_gres_counts_excluded *excluded,
				  char buf[TESSERA_GRES_COUNTS_REASON_MAX]);

/*
 * The bad tiles that REASON, which may be NULL, names. Returns how many, 0 if it is not ours or
 * names none. BAD is empty if the reason had no room for all of them.
 */
unsigned tessera_gres_counts_reason_bad(const struct tessera_platform *p, const char *reason,
					struct tessera_tileset *bad);

/*
 * The Reason that a resume of ours leaves, where a resume does not remove it: from 23.11 to 25.11
 * without accounting storage. There slurmctld's own drains keep it as well, so it must not be the
 * Reason of a drain of ours, which the next update would end.
 */
#define TESSERA_GRES_COUNTS_RESUMED "resumed by tessera"

/*
 * The node's state in slurmctld. The Reason of a drain that is not ours is an administrator's and
 * stays. That of an open node is left from an earlier drain and means nothing.
 */
enum tessera_gres_counts_node {
	TESSERA_GRES_COUNTS_OPEN = 1,    /* jobs may start */
	TESSERA_GRES_COUNTS_DRAINED = 2, /* drained by us */
	TESSERA_GRES_COUNTS_FOREIGN = 3, /* drained by an administrator */
	/* down, not responding, powered down; or refused with an administrator's Reason */
	TESSERA_GRES_COUNTS_AWAY = 4,
	/* slurmctld took it out of service because a count changed under jobs */
	TESSERA_GRES_COUNTS_INVALID = 5,
	/* slurmctld has requested a registration (after a resume) and waits for it */
	TESSERA_GRES_COUNTS_REGISTERING = 6,
};

/* What slurmctld reports about a node. */
struct tessera_gres_counts_seen {
	bool gone;        /* down or not responding, or about to be */
	bool registering; /* a registration is requested; the node is up otherwise */
	bool refused;     /* slurmctld refuses the registration */
	bool drained;
	const char *reason; /* NULL: none */
};

/*
 * A node that was drained before slurmctld refused its registration keeps that Reason: so ours
 * stands for Slurm's there.
 */
enum tessera_gres_counts_node
tessera_gres_counts_classify(const struct tessera_gres_counts_seen *seen);

/* What is known of a node at one moment: the event that tessera_gres_counts_advance() takes. */
struct tessera_gres_counts_case {
	enum tessera_gres_counts_node node;
	bool drained;   /* by us; also while NODE says that it registers */
	bool silent;    /* does not respond: a node that is away returns when slurmd registers */
	bool used;      /* jobs hold some of the counted GRES, or slurmctld does not report it */
	bool bad;       /* tiles are bad; not only unknown or withheld */
	bool none;      /* all tiles are bad */
	bool refused;   /* slurmctld refuses the registration */
	bool current;   /* the Reason of our drain is the one it would have now */
	bool temporary; /* the Reason is that of the drain for the moment of an update */
	struct tessera_counts counted; /* by slurmctld */
	struct tessera_counts sound;   /* wanted if only bad tiles were left out */
	struct tessera_counts wanted;
};

/*
 * Fill in C what follows from the node's tiles: bad, none, sound, wanted; LIMIT is slurm.conf's
 * counts. Withheld and unknown tiles become usable again by themselves, so they never lower a count
 * to 0, for which slurmctld would refuse jobs that can wait, but to one `rdu` (with its tiles) or
 * tile. The other count stays as it is: a higher one would only send jobs to a node that cannot
 * serve them.
 */
void tessera_gres_counts_plan(const struct tessera_platform *p, const struct tessera_counts *limit,
			      const struct tessera_gres_counts_excluded *excluded,
			      struct tessera_gres_counts_case *c);

/*
 * Must a drain last until jobs have ended or tiles are good again? If not, it is for the moment
 * that an update takes.
 */
bool tessera_gres_counts_drain_lasts(const struct tessera_gres_counts_case *c);

/* Do slurmctld's counts differ from those wanted? Not if all tiles are bad: then a drain stands. */
bool tessera_gres_counts_differ(const struct tessera_gres_counts_case *c);

/*
 * The actions of an update. After those above the line, query slurmctld and advance again; those
 * below end the update.
 */
enum tessera_gres_counts_action {
	TESSERA_GRES_COUNTS_DRAIN = 1,    /* drain it, or change the Reason of our drain */
	TESSERA_GRES_COUNTS_UPDATE = 2,   /* update the counts */
	TESSERA_GRES_COUNTS_REGISTER = 3, /* make slurmd register */
	TESSERA_GRES_COUNTS_AWAIT = 4,    /* wait, with a deadline, until it has registered */
	TESSERA_GRES_COUNTS_SETTLE = 5,   /* make it register while drained, before the resume */
	TESSERA_GRES_COUNTS_RESUME = 6,   /* end our drain */
	/* ---- */
	TESSERA_GRES_COUNTS_DONE = 7,      /* the node is as wanted */
	TESSERA_GRES_COUNTS_WAIT = 8,      /* jobs hold the GRES: a later update succeeds */
	TESSERA_GRES_COUNTS_BLOCKED = 9,   /* failure: the node's state does not allow it */
	TESSERA_GRES_COUNTS_STUCK = 10,    /* failure: still drained after the resume */
	TESSERA_GRES_COUNTS_UNSTABLE = 11, /* failure: no end after TESSERA_GRES_COUNTS_STEPS */
};

/* The longest way is await, register, drain, update, settle, resume, done. */
#define TESSERA_GRES_COUNTS_STEPS 8

/*
 * The state of one update: what it has done so far. Begins zeroed, but for BY_SLURMD and SETTLED.
 */
struct tessera_gres_counts_run {
	unsigned steps;
	bool by_slurmd;  /* slurmd runs the update as a health check, and if it starts, registers */
	bool registered; /* made slurmd register */
	bool waited;     /* waited for a registration */
	bool settled;    /* registered while drained, or this Slurm does not need that */
	bool drained;    /* drained the node, or changed its Reason */
	bool was_open;   /* and it was open before */
	bool resumed;
};

/* One transition: RUN and the node as slurmctld reports it NOW give the action and the next RUN. */
enum tessera_gres_counts_action
tessera_gres_counts_advance(struct tessera_gres_counts_run *run,
			    const struct tessera_gres_counts_case *now);

/*
 * After a failure, with the node as slurmctld reports it NOW: must the drain that RUN made for the
 * moment of an update be undone? Not if an administrator has changed it since.
 */
bool tessera_gres_counts_must_reopen(const struct tessera_gres_counts_run *run,
				     const struct tessera_gres_counts_case *now);

#endif /* TESSERA_GRES_COUNTS_H */
