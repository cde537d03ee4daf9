/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Check the grant in the environment of a process: lib/grant/grant.h verifies the credential, and
 * slurmctld knows whether the job is still running.
 */
#ifndef TESSERA_GRANT_CHECK_H
#define TESSERA_GRANT_CHECK_H

#include <stdint.h>

#include "command/observe/process_env.h"
#include "lib/grant/grant.h"
#include "lib/node/node.h"
#include "lib/util/error.h"

/* Variables in the environment of a process; NULL: not set. */
struct grant_shown {
	const char *credential;
	const char *mask;
	const char *partition;
	const char *config_path;
	uint32_t uid; /* of the process */
};

/* The result points into ENV. */
struct grant_shown grant_shown_in(const struct process_env *env, uint32_t uid);

/* As tessera_grant_verify(), on NODE of CLUSTER. */
int grant_check(const struct node *node, const char *cluster, const struct grant_shown *shown,
		struct tessera_grant *grant, struct tessera_error *err);

/*
 * The verdict: "granted", "none", "forged", ...; "unknown" if the grant could not be checked. The
 * words are a stable interface.
 */
const char *grant_verdict(enum tessera_errcode code);

#endif /* TESSERA_GRANT_CHECK_H */
