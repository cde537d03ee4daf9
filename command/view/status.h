/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The output of tessera status.
 */
#ifndef TESSERA_STATUS_H
#define TESSERA_STATUS_H

#include "command/view/cli_options.h"
#include "command/view/health_view.h"
#include "command/view/occupancy.h"

/*
 * One node: a map of its tiles or of its pool, and a table as legend. HEALTH: for tools whose
 * results are too old. Returns 0, or -1 with ERR.
 */
int status_print_node(const struct occupancy *s, const struct node *node,
		      const struct health_view *health, const struct cli_options *c,
		      struct tessera_error *err);

/* All nodes: a bar for each, and a table. */
int status_print_cluster(const struct occupancy *s, const struct tessera_conf *conf,
			 const struct cli_options *c, struct tessera_error *err);

/*
 * What JOB has, as a table; STATE as occupancy_job() has it. Below it, for a person, what is not
 * known here.
 */
int status_print_job(const struct occupancy *s, const struct tessera_conf *conf,
		     const struct cli_options *c, uint32_t job, const char *state,
		     struct tessera_error *err);

/* Only the table, of all items of S. CLUSTER: of several nodes. */
int status_print_table(const struct occupancy *s, const struct tessera_conf *conf,
		       const struct cli_options *c, bool cluster, struct tessera_error *err);

/*
 * The mark of item N of S in the map, and its colour: a letter for each job, ! withheld, X bad, ?
 * free but not known to be good, . free.
 */
char status_mark(const struct occupancy *s, size_t n);
int status_mark_colour(const struct occupancy *s, size_t n);

#endif /* TESSERA_STATUS_H */
