/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks the claim of a process against a verified grant.
 */
#ifndef TESSERA_GRANT_CLAIM_H
#define TESSERA_GRANT_CLAIM_H

#include "lib/grant/grant.h"

/*
 * Are the mask and the partition of CLAIM within GRANT? Other fields are not checked. Returns 0, or
 * -1 with ERR (TESSERA_ERR_OUTSIDE).
 */
int grant_check_claim(const struct tessera_grant *grant, const struct tessera_grant_claim *claim,
		      struct tessera_error *err);

#endif /* TESSERA_GRANT_CLAIM_H */
