/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The partition blocks of tessera.conf, for rules about all partitions of a job. Not installed. */
#ifndef TESSERA_CONF_USE_H
#define TESSERA_CONF_USE_H

#include <stdbool.h>

#include "lib/conf/conf.h"

/* A partition or a node block. */
struct use {
	char *title;
	const struct tessera_platform *platform;
	struct tessera_policy policy; /* of a partition */
};

/* Partition block N from 0; NULL after the last. */
const struct use *conf_partition_at(const struct tessera_conf *conf, size_t n);

/* Is NAME in LIST, which is separated by commas? Always true if LIST is NULL or "". */
bool conf_listed(const char *list, const char *name);

/*
 * Compare the blocks of PARTITIONS, a list as above. *FIRST is set to the first one, or to NULL if
 * the file has none of them. Returns the first block for which SAME(*FIRST, block) is false, or
 * NULL.
 */
const struct use *conf_differing(const struct tessera_conf *conf, const char *partitions,
				 bool (*same)(const struct use *, const struct use *),
				 const struct use **first);

#endif /* TESSERA_CONF_USE_H */
