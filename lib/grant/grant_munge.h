/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Credentials by libmunge, for libtessera, tessera_grant.so and the command.
 */
#ifndef TESSERA_GRANT_MUNGE_H
#define TESSERA_GRANT_MUNGE_H

#include <stdint.h>

#include "lib/util/error.h"

#define GRANT_CREDENTIAL_MAX 65536 /* bytes; grants are far shorter */

/*
 * Returns a credential of TEXT and the caller's uid, which the caller frees; or NULL with ERR
 * (TESSERA_ERR_UNAVAILABLE) if munged at SOCKET does not respond.
 */
char *grant_munge_encode(const char *text, const char *socket, struct tessera_error *err);

/*
 * Set *TEXT to the text in CREDENTIAL, which the caller frees, and *UID to the uid that created it.
 * Returns 0, or -1 with ERR: TESSERA_ERR_FORGED if it is not a credential, TESSERA_ERR_ALTERED, or
 * TESSERA_ERR_UNAVAILABLE if munged does not respond.
 */
int grant_munge_decode(const char *credential, const char *socket, char **text, uint32_t *uid,
		       struct tessera_error *err);

#endif /* TESSERA_GRANT_MUNGE_H */
