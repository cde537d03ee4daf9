/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of grants: what needs libmunge, and what may be claimed by one. Not installed: for libtessera, for
 * tessera_grant.so and for the command.
 */
#ifndef TESSERA_GRANT_PARTS_H
#define TESSERA_GRANT_PARTS_H

#include <stdint.h>

#include "lib/error.h"
#include "lib/grant.h"

#define GRANT_CREDENTIAL_MAX 65536 /* far more than any of ours has; what is longer is none */

/*
 * A credential with TEXT in it, to be freed. It says that whoever calls this made it. NULL with ERR
 * (TESSERA_ERR_MISSING) when munged at SOCKET gives none.
 */
char *grant_munge_encode(const char *text, const char *socket, struct tessera_error *err);

/*
 * *TEXT becomes what is in CREDENTIAL, to be freed, and *UID who made it. Returns 0, or -1 with ERR: TESSERA_ERR_FORGED
 * when it is none, TESSERA_ERR_ALTERED, or TESSERA_ERR_MISSING when munged gives no answer.
 */
int grant_munge_decode(const char *credential, const char *socket, char **text, uint32_t *uid,
		       struct tessera_error *err);

/*
 * Is what CLAIM has of masks and partitions within what GRANT gives? The rest of both is not looked at. Returns 0, or -1 with
 * ERR (TESSERA_ERR_OUTSIDE).
 */
int grant_check_claim(const struct tessera_grant *grant, const struct tessera_grant_claim *claim,
		      struct tessera_error *err);

#endif /* TESSERA_GRANT_PARTS_H */
