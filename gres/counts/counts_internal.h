/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The queries and updates that tessera health --update sends to slurmctld and slurmd. Each function
 * returns 0, or -1 with ERR (TESSERA_ERR_UNAVAILABLE unless it says more).
 */
#ifndef TESSERA_COUNTS_INTERNAL_H
#define TESSERA_COUNTS_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/request/gres_counts.h"
#include "lib/util/error.h"

/* A node as slurmctld has it. */
struct counts_node {
	enum tessera_gres_counts_node state;
	bool refused;                  /* slurmctld refuses its registration */
	bool awaited;                  /* slurmctld requested a registration, and waits for it */
	bool silent;                   /* it does not respond, or not yet after a reboot */
	bool drained;                  /* by us */
	char *gres;                    /* its Gres; may be NULL */
	struct tessera_counts counted; /* in that */
	struct tessera_counts used;    /* by jobs */
	char reason[TESSERA_GRES_COUNTS_REASON_MAX];
	const char *blocked; /* why it cannot be updated, if its state does not allow it */
};

/*
 * Query slurmctld about NODE. Call counts_node_free() in either case. TESSERA_ERR_INPUT: its Gres
 * cannot be parsed.
 */
int counts_node_load(const char *node, struct counts_node *out, struct tessera_error *err);
void counts_node_free(struct counts_node *n);

int counts_node_drain(const char *node, const char *reason, struct tessera_error *err);
int counts_node_resume(const char *node, struct tessera_error *err);
int counts_node_update(const char *node, const char *gres, struct tessera_error *err);

/*
 * Make NODE's slurmd, which must run on this machine, read its configuration again and register, as
 * scontrol reconfigure does. Then wait some seconds until slurmctld has accepted that; 0 does not
 * mean that it has.
 */
int counts_node_register(const char *node, struct tessera_error *err);

/*
 * Wait until NODE has registered, as slurmctld requested or because its slurmd starts, for SECONDS
 * at most. 0 does not mean that it has.
 */
int counts_node_await(const char *node, unsigned seconds, struct tessera_error *err);

/*
 * Make NODE, which is drained for REASON, register before it is resumed: slurmctld requests a
 * registration when a drain ends, so resume it and drain it again at once. Then wait some seconds
 * for the registration; 0 does not mean that it has come.
 */
int counts_node_settle(const char *node, const char *reason, struct tessera_error *err);

/*
 * slurmctld holds jobs that no node can run by its counts, and does not release them when the
 * counts change: release those that request RDUs or tiles. Calls REPORT for each.
 */
int counts_release_jobs(void (*report)(uint32_t job), struct tessera_error *err);

/*
 * Does slurmd run this process, as HealthCheckProgram or below it? slurmd then waits for it: when
 * slurmd starts, it neither registers nor answers before this process has ended.
 */
bool counts_run_by_slurmd(void);

/*
 * Call WORK with ARG in a process of its own, which slurmd does not wait for and does not end. It
 * has no standard output, and reports a failure to syslog. Returns 0, or -1 with ERR.
 */
int counts_detach(int (*work)(void *arg, struct tessera_error *err), void *arg,
		  struct tessera_error *err);

#endif /* TESSERA_COUNTS_INTERNAL_H */
