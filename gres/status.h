/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How tessera status shows a survey.
 */
#ifndef TESSERA_STATUS_H
#define TESSERA_STATUS_H

#include "gres/common.h"
#include "gres/health_view.h"
#include "gres/survey.h"

/*
 * One node: a picture of its tiles or of its pool, and a table that is the legend; HEALTH says which answers are too old.
 * Returns 0, or -1 with ERR.
 */
int status_print_node(const struct survey *s, const struct node *node, const struct health_view *health,
		      const struct common *c, struct tessera_error *err);

/* All nodes: a bar for each, and a table. */
int status_print_cluster(const struct survey *s, const struct tessera_conf *conf, const struct common *c,
			 struct tessera_error *err);

/* What JOB has, as a table; STATE as survey_job() has it. Below it, for a person, what is not known here. */
int status_print_job(const struct survey *s, const struct tessera_conf *conf, const struct common *c, uint32_t job,
		     const char *state, struct tessera_error *err);

/* The table alone, of all that S has; NODE_COLUMN: many nodes are in it. */
int status_print_table(const struct survey *s, const struct tessera_conf *conf, const struct common *c,
		       bool cluster, struct tessera_error *err);

/*
 * What stands for item N of S in the picture: a letter for each job, ! for what is kept back, X for what is bad, ? for
 * what would be free if it were known to be good, . for what is free. And its colour.
 */
char status_mark(const struct survey *s, size_t n);
int status_mark_colour(const struct survey *s, size_t n);

#endif /* TESSERA_STATUS_H */
