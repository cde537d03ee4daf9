/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A request in the scheduler's terms, the GRES and licenses that slurmctld counts. srun, sbatch and
 * salloc use it, and slurmctld's job_submit plugin. Not installed.
 */
#ifndef TESSERA_REQUEST_TRES_H
#define TESSERA_REQUEST_TRES_H

#include "lib/request/request.h"

struct request_tres {
	struct tessera_request req;
	char *gres;     /* "" if there is nothing to request */
	char *licenses; /* as GRES */
};

/*
 * Check OPT on PLATFORM (which may be NULL) and write it in the scheduler's terms. Returns what the
 * caller frees with request_tres_free(), or NULL with ERR: the message for the user.
 */
struct request_tres *request_tres_new(const struct tessera_conf *conf,
				      const struct tessera_platform *platform,
				      const struct tessera_options *opt, struct tessera_error *err);

/*
 * The same for TEXT, a --tres-per-task that asks for tiles. Each task has req.tiles of its own, as
 * with --tiles-per-task: their number must be one that a task can have. GIVEN is --tiles-per-task,
 * which must be the same number; NULL: not given.
 */
struct request_tres *request_tres_per_task(const struct tessera_conf *conf,
					   const struct tessera_platform *platform,
					   const char *text, const char *given,
					   struct tessera_error *err);

/* TRES may be NULL. */
void request_tres_free(struct request_tres *tres);

/* Do A and B differ? NULL is the same as "". */
bool request_tres_differs(const char *a, const char *b);

#endif /* TESSERA_REQUEST_TRES_H */
