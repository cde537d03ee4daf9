/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether the tiles of an ended job are released or withheld, which leftover processes get a
 * signal, and how long to wait for them. Rules only, without I/O: leftover.c inspects processes,
 * release.c changes the ledger, release_wait.c waits.
 */
#ifndef TESSERA_RELEASE_RULE_H
#define TESSERA_RELEASE_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/conf/conf.h"
#include "lib/state/ledger.h"

/* The owner of a process, if it is not a job ID. */
#define LEFTOVER_OWNER_NONE    0                /* slurmd knows no job of it */
#define LEFTOVER_OWNER_UNASKED (UINT32_MAX - 1) /* slurmd was not queried yet */
#define LEFTOVER_OWNER_UNKNOWN UINT32_MAX       /* slurmd did not answer, or the time was up */

enum device_use {
	DEVICE_FREE,
	DEVICE_IN_USE,  /* by a process that belongs to no running job */
	DEVICE_UNKNOWN, /* slurmd or /proc did not answer, or the time was up */
};

/* The run of a job whose tiles are to be released. Times are clock ticks after boot. */
struct ended_run {
	uint32_t job;
	uint32_t ended; /* job ID to treat as ended even if slurmd names it, 0 = none */
	uint64_t since; /* a process that started earlier is not the job's; 0 = not known */
	uint64_t again; /* when a later run of the job started on this node; 0 = not known */
};

/*
 * The use of the device by one process that has it open, started at START and belongs to OWNER: a
 * job ID or LEFTOVER_OWNER_*, but not LEFTOVER_OWNER_UNASKED. A process of the ended run or of no
 * job makes the tiles DEVICE_IN_USE; a process of a running job does not.
 */
enum device_use release_rule_use(const struct ended_run *run, uint32_t owner, uint64_t start);

/* What to do about one process of the user that has the device open. */
enum release_signal {
	RELEASE_SIGNAL_SKIP, /* a running job's */
	RELEASE_SIGNAL_SEND,
	RELEASE_SIGNAL_UNKNOWN, /* do not send: slurmd did not name the owner */
	RELEASE_SIGNAL_STEP,    /* do not send: it looks like a process of a job step */
};

/*
 * OWNER and START as for release_rule_use(), OWNER queried just now. IN_STEP: the process looks
 * like one of a job step (device_users_look_owned()), of which slurmd may have lost track; it
 * counts only if slurmd names no job.
 */
enum release_signal release_rule_signal(const struct ended_run *run, uint32_t owner, uint64_t start,
					bool in_step);

/* What happened to the tiles of an ended job. */
enum release_result {
	RELEASE_DONE,     /* they are free */
	RELEASE_WITHHELD, /* a process uses them */
	RELEASE_UNKNOWN,  /* withheld because the use is not known: do not wait, review it later */
	RELEASE_GONE,     /* the ledger no longer has the row: another process released them */
};

/* What to do with the row in the ledger. */
enum release_action {
	RELEASE_ACTION_LEAVE,    /* the row already says so: no lock is needed */
	RELEASE_ACTION_DROP,     /* release the tiles: drop the job's ordinary row */
	RELEASE_ACTION_RELEASE,  /* release the tiles: drop the withheld row */
	RELEASE_ACTION_WITHHOLD, /* turn the job's ordinary row into a withheld one */
	RELEASE_ACTION_REWORD,   /* replace the text of the withheld row */
};

struct release_decision {
	enum release_action action;
	enum release_result result; /* once the action is carried out */
};

/*
 * Decide about a row of STATE whose tiles are in USE. SAME_TEXT: the row's text already says why
 * they are withheld.
 */
struct release_decision release_rule_row(enum tessera_row_state state, enum device_use use,
					 bool same_text);

/* Were the tiles withheld, for whatever reason? RESULT: an enum release_result, or -1. */
bool release_is_withheld(int result);

/* Were they neither released nor withheld for an unknown use, so that waiting may release them? */
bool release_is_worth_waiting(int result);

#define RELEASE_KILL_MS  2000 /* after the deadline of a wait, for SIGKILL */
#define RELEASE_LOOK_MS  500  /* for the inspection that begins at a deadline */
#define RELEASE_PAUSE_MS 200  /* between two inspections */
#define RELEASE_KILLS    2    /* a process may have forked while the first were sent */

enum release_step_kind {
	RELEASE_STEP_END,
	RELEASE_STEP_WAIT, /* pause, but not past pause_until, and inspect again */
	RELEASE_STEP_TERM, /* inspect, and send SIGTERM to the processes that still use tiles */
	RELEASE_STEP_KILL, /* the same with SIGKILL */
};

/* Times as deadline.h counts them. */
struct release_step {
	enum release_step_kind kind;
	int64_t pause_until;
	int64_t inspect_until; /* when to give up inspecting */
};

/* A wait for leftover processes. The caller sets the first three; the rest starts as 0. */
struct release_run {
	enum tessera_leftover_policy policy;
	int64_t end;   /* when to stop waiting for processes to end by themselves or by SIGTERM */
	bool may_kill; /* processes that are left at END may be killed, if the policy says so */
	bool terminated;
	unsigned kills;
};

/*
 * The next step of RUN at NOW, with ROWS rows left that are worth waiting for; the step counts as
 * taken. Quarantine ends at once; wait pauses until END; kill sends SIGTERM, pauses until END, and
 * then sends SIGKILL RELEASE_KILLS times within RELEASE_KILL_MS.
 */
struct release_step release_rule_step(struct release_run *run, size_t rows, int64_t now);

#endif /* TESSERA_RELEASE_RULE_H */
