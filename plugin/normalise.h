/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From what was asked for to what the scheduler shall hear, for client and controller alike.
 */
#ifndef TESSERA_NORMALISE_H
#define TESSERA_NORMALISE_H

#include "lib/request.h"

struct normalised {
	struct tessera_request req;
	char *gres; /* "" if there is nothing to ask for; so are licences */
	char *licenses;
};

/*
 * Check OPT on PLATFORM (which may be NULL) and write it in the scheduler's terms. Returns what is to be freed with
 * normalised_free(), or NULL with ERR: the sentence for the user.
 */
struct normalised *normalise(const struct tessera_conf *conf, const struct tessera_platform *platform,
			     const struct tessera_options *opt, struct tessera_error *err);

/* NULL is fine. */
void normalised_free(struct normalised *normal);

/* Does A say something else than B? NULL is "". */
bool normalised_differs(const char *a, const char *b);

#endif /* TESSERA_NORMALISE_H */
