/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What tessera conf says of the cores that RDUs are near.
 */
#ifndef TESSERA_CONF_CORES_H
#define TESSERA_CONF_CORES_H

#include <stdbool.h>

#include "lib/error.h"
#include "lib/platform.h"

struct conf_cores; /* what hwloc says of this machine */

/* To be freed with free(). NULL when nothing can be said. WHY says why it is not known where the RDUs are; code 0: it is. */
struct conf_cores *conf_cores_find(const struct tessera_platform *p, struct tessera_error *why);

/* Is it known where the RDUs are, and are they not all at the same place? */
bool conf_cores_known(const struct conf_cores *c);

/* Has the machine several NUMA nodes, and nobody says at which the RDUs are? */
bool conf_cores_missing(const struct conf_cores *c);

/*
 * " Sockets=2 CoresPerSocket=64 ThreadsPerCore=1", without which a core's number means something else to Slurm. Returns
 * false if that cannot be said.
 */
bool conf_cores_print_shape(const struct conf_cores *c);

/*
 * The lines of gres.conf with Cores=, for NODES. Slurm 22.05 looks at Cores= only where there is a File=, of which each
 * RDU and each tile needs one of its own: these are DIR/rdu0 and DIR/tile0.
 */
void conf_cores_print_gres(const struct conf_cores *c, const char *nodes, const char *dir);

/* The same for a person to read. */
void conf_cores_print_comment(const struct conf_cores *c);

#endif /* TESSERA_CONF_CORES_H */
