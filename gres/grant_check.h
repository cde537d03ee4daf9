/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Is what a process shows as its grant good, here and now? lib/grant.h knows what is granted; slurmctld knows who lives.
 */
#ifndef TESSERA_GRANT_CHECK_H
#define TESSERA_GRANT_CHECK_H

#include <stdint.h>

#include "gres/process_env.h"
#include "lib/error.h"
#include "lib/grant.h"
#include "plugin/node.h"

/* What is in the environment of a process; NULL: nothing. */
struct grant_shown {
	const char *credential;
	const char *mask;
	const char *partition;
	const char *config_path;
	uint32_t uid; /* whose process it is */
};

/* ENV stays in use as long as what is returned. */
struct grant_shown grant_shown_in(const struct process_env *env, uint32_t uid);

/* As tessera_grant_verify(), on NODE of CLUSTER. */
int grant_check(const struct node *node, const char *cluster, const struct grant_shown *shown,
		struct tessera_grant *grant, struct tessera_error *err);

/* The word for what was found: "granted", "none", "forged", ...; "unknown" when nobody could say. A promise. */
const char *grant_verdict(enum tessera_errcode code);

/* "4711.0", "4711.batch" in BUF. */
const char *grant_step(const struct tessera_grant *grant, char *buf, size_t len);

#endif /* TESSERA_GRANT_CHECK_H */
