/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Grants: what a task's TESSERA_GRANT proves. It is a munge credential that root made on the node, and says what the job
 * was given there. munge's own time limit and its memory of credentials that were shown before do not matter: a grant is
 * as good as its job is alive.
 *
 *   tessera-grant 1 cluster lab node sn30-r1-h1 job 4711 restarts 0 step 0 uid 1001 time 1731750000
 *   platform sn30-8 tiles 0-15 partition -
 *
 * (in one line). Making and verifying need libmunge: they are in libtessera, not in its core that the plugin carries.
 */
#ifndef TESSERA_GRANT_H
#define TESSERA_GRANT_H

#include <stdint.h>

#include "error.h"
#include "platform.h"
#include "tileset.h"

#define TESSERA_GRANT_VARIABLE "TESSERA_GRANT"
#define TESSERA_GRANT_TEXT_MAX 8192 /* of what is inside, with the final NUL: 1024 tiles in pairs fit */

struct tessera_grant {
	char cluster[TESSERA_NAME_MAX];
	char node[256];
	uint32_t job;
	uint32_t restarts; /* how often the job had been requeued: no clock tells its runs apart as surely */
	uint32_t step;     /* as Slurm numbers them: the batch script's is 0xfffffffb */
	uint32_t uid;
	int64_t time;                    /* seconds since 1970 */
	char platform[TESSERA_NAME_MAX]; /* "": no tiles */
	struct tessera_tileset tiles;
	char partition[2 * TESSERA_NAME_MAX]; /* of a V-IPU controller; "": none */
};

/*
 * What is inside, as text, and back. Returns the length as snprintf() does, and TESSERA_GRANT_TEXT_MAX is enough; a blank
 * in a name becomes ?. Returns 0, or -1 with ERR (TESSERA_ERR_FORGED) and *GRANT zeros: only what format() writes is read.
 */
size_t tessera_grant_format(const struct tessera_grant *grant, char *buf, size_t len);
int tessera_grant_parse(const char *text, struct tessera_grant *grant, struct tessera_error *err);

/*
 * Make a credential of GRANT, to be freed: by munged at SOCKET, NULL or "" for munge's own. NULL with ERR
 * (TESSERA_ERR_MISSING) when munged gives none. Whoever calls it is who made the grant: root, or it is worth nothing.
 */
char *tessera_grant_encode(const struct tessera_grant *grant, const char *socket, struct tessera_error *err);

/*
 * What a grant is held against. NULL in a field: not looked at; but UID always is, and so is MASK where there is a PLATFORM:
 * without a mask the vendor's runtime takes any tile, so if tiles were granted, those must have been all. A MASK without a
 * PLATFORM cannot be looked at, and is refused.
 */
struct tessera_grant_claim {
	const char *cluster;
	const char *node;
	uint32_t uid;                            /* who shows it */
	const struct tessera_platform *platform; /* the node's; NULL: it has no tiles */
	const char *mask;                        /* SF_RNT_TILE_AFFINITY, 0x...; NULL or "": it is not set */
	const char *partition;                   /* IPUOF_VIPU_API_PARTITION_ID */
	const char *config_path; /* IPUOF_CONFIG_PATH: must not be set where a partition was granted */
	/*
	 * Does the job still live here, in the run that began before the grant was made? 1 yes, 0 no, -1 with *ERR:
	 * nobody says. ERR is never NULL.
	 */
	int (*lives)(const struct tessera_grant *grant, void *arg, struct tessera_error *err);
	void *arg;
	const char *socket; /* munged's; NULL or "": munge's own */
};

/*
 * Was CREDENTIAL granted, and is it still good? *GRANT is set once it is known to be root's, and zeros before. GRANT and
 * ERR may be NULL: what was granted, or what is wrong, is not wanted then. The
 * fields of CLAIM are looked at in their order, LIVES last. munge waits ten seconds at most for a munged that does not
 * answer. Returns 0, or -1 with ERR:
 *   TESSERA_ERR_USAGE     CLAIM is NULL, or has a mask but no platform; nobody was asked
 *   TESSERA_ERR_UNGRANTED there is none: CREDENTIAL is NULL or ""
 *   TESSERA_ERR_FORGED    it is no credential, or root did not make it, or it is not a grant
 *   TESSERA_ERR_ALTERED   it was one, and was changed; or it is of another cluster's key
 *   TESSERA_ERR_FOREIGN   it is another user's, node's or cluster's
 *   TESSERA_ERR_OUTSIDE   the mask or the partition is not what was granted, or a file may name another partition
 *   TESSERA_ERR_OUTLIVED  its job has ended, or has begun anew
 *   TESSERA_ERR_MISSING   munged gives no answer, or nobody says whether the job lives
 */
int tessera_grant_verify(const char *credential, const struct tessera_grant_claim *claim,
			 struct tessera_grant *grant, struct tessera_error *err);

#endif /* TESSERA_GRANT_H */
