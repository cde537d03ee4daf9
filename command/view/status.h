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
 * Print one node: a map of its tiles or of its pool, and a table that explains the map. HEALTH
 * tells which tools have no current result. Returns 0, or -1 with ERR.
 */
int status_print_node(const struct occupancy *s, const struct node *node,
		      const struct health_view *health, const struct cli_options *c,
		      struct tessera_error *err);

/* Print all nodes: a bar for each, and a table. Returns as above. */
int status_print_cluster(const struct occupancy *s, const struct tessera_conf *conf,
			 const struct cli_options *c, struct tessera_error *err);

/*
 * Print a table of what JOB holds; STATE is that of occupancy_job(). In plain form, a message names
 * the nodes whose tile numbers are not known here. Returns as above.
 */
int status_print_job(const struct occupancy *s, const struct tessera_conf *conf,
		     const struct cli_options *c, uint32_t job, const char *state,
		     struct tessera_error *err);

/* Print only the table, with all items of S. CLUSTER: S has several nodes. Returns as above. */
int status_print_table(const struct occupancy *s, const struct tessera_conf *conf,
		       const struct cli_options *c, bool cluster, struct tessera_error *err);

/*
 * The character of item N of S in the map, and its colour: a letter for each job, ! withheld, X
 * bad, ? free but not known to be good, . free.
 */
char status_mark(const struct occupancy *s, size_t n);
int status_mark_colour(const struct occupancy *s, size_t n);

#endif /* TESSERA_STATUS_H */
