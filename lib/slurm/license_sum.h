/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The number of licenses of a name. A hierarchical resource (resources.yaml, from 25.05 on) has a
 * record for each of its layers, all of one name.
 */
#ifndef TESSERA_LICENSE_SUM_H
#define TESSERA_LICENSE_SUM_H

#include <stdbool.h>

#include "lib/slurm/compat.h"

struct license_sum {
	bool found;
	unsigned total;
	unsigned in_use;
};

/*
 * Add up the licenses NAME of MSG, which may be NULL. If SERVERS, NAME@SERVER counts as well.
 *
 * A job takes its units from one layer in mode 1, so the layers add up. In modes 2 and 3 it takes
 * them from each layer that has its nodes: there only the widest layers count, those that have no
 * node in common with a layer of more nodes. Layers without a count (-1 in resources.yaml) are left
 * out there; in mode 1, or if no layer has a count, the total is INFINITE.
 */
struct license_sum license_sum(const license_info_msg_t *msg, const char *name, bool servers);

/*
 * Is NAME a resource of mode 3? Slurm counts a request for it once for each node of the job. MSG
 * may be NULL.
 */
bool license_is_per_node(const license_info_msg_t *msg, const char *name);

/* Is record I of MSG the first with its name? For lists with a row for each name. */
bool license_is_first(const license_info_msg_t *msg, uint32_t i);

#endif /* TESSERA_LICENSE_SUM_H */
