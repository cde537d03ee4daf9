/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Grants: TESSERA_GRANT in a task's environment is a munge credential that root created on the
 * node. It states which tiles or partition the job has there. munge's time-to-live and its replay
 * detection are ignored: a grant is valid while its job is running.
 *
 *   tessera-grant 1 cluster lab node sn30-r1-h1 job 4711 restarts 0 step 0 uid 1001 time 1731750000
 *   platform sn30-8 tiles 0-15 partition -
 *
 * (in one line). Encoding and verifying need libmunge: they are in libtessera, not in the part of
 * it that the plugin contains.
 */
#ifndef TESSERA_GRANT_H
#define TESSERA_GRANT_H

#include <stdint.h>

#include "../tile/platform.h"
#include "../tile/tileset.h"
#include "../util/error.h"

#define TESSERA_GRANT_VARIABLE "TESSERA_GRANT"
/* bytes of a grant's text, with the final NUL: 1024 tiles in pairs fit */
#define TESSERA_GRANT_TEXT_MAX 8192

struct tessera_grant {
	char cluster[TESSERA_NAME_MAX];
	char node[256];
	uint32_t job;
	uint32_t restarts; /* the job's restart count, which tells its runs apart */
	uint32_t step;     /* Slurm's step ID: the batch script's is 0xfffffffb */
	uint32_t uid;
	int64_t time;                    /* seconds since 1970 */
	char platform[TESSERA_NAME_MAX]; /* "": no tiles */
	struct tessera_tileset tiles;
	char partition[2 * TESSERA_NAME_MAX]; /* of a V-IPU controller; "": none */
};

/*
 * Write GRANT as text. Returns the length as snprintf() does; TESSERA_GRANT_TEXT_MAX is enough. A
 * space in a name becomes ?. Parse the text: only what tessera_grant_format() writes is accepted.
 * Returns 0, or -1 with ERR (TESSERA_ERR_FORGED) and *GRANT zeroed.
 */
size_t tessera_grant_format(const struct tessera_grant *grant, char *buf, size_t len);
int tessera_grant_parse(const char *text, struct tessera_grant *grant, struct tessera_error *err);

/*
 * Encode GRANT by munged at SOCKET (NULL or "": munge's default). Returns the credential, which the
 * caller frees, or NULL with ERR (TESSERA_ERR_UNAVAILABLE). The caller's uid is in the credential:
 * tessera_grant_verify() accepts only root's.
 */
char *tessera_grant_encode(const struct tessera_grant *grant, const char *socket,
			   struct tessera_error *err);

/*
 * What a process claims, to be checked against its grant. A NULL field is not checked. UID always
 * is, and so is MASK if there is a PLATFORM: without a mask the vendor's runtime uses any tile, so
 * that the grant must have all tiles. A MASK without a PLATFORM is an error.
 */
struct tessera_grant_claim {
	const char *cluster;
	const char *node;
	uint32_t uid;                            /* of the process */
	const struct tessera_platform *platform; /* of the node; NULL: it has no tiles */
	const char *mask;      /* SF_RNT_TILE_AFFINITY, 0x...; NULL or "": not set */
	const char *partition; /* IPUOF_VIPU_API_PARTITION_ID */
	/* IPUOF_CONFIG_PATH: must not be set if a partition was granted */
	const char *config_path;
	/*
	 * Is the grant's run of the job still running on this node? Returns 1 if it is, 0 if not,
	 * -1 with ERR (never NULL) if that cannot be determined.
	 */
	int (*is_running)(const struct tessera_grant *grant, void *arg, struct tessera_error *err);
	void *arg;
	const char *socket; /* of munged; NULL or "": munge's default */
};

/*
 * Is CREDENTIAL a valid grant of what CLAIM claims? *GRANT is zeroed, and set once root is known to
 * have created the credential. GRANT and ERR may be NULL. The fields of CLAIM are checked in their
 * order, LIVES last. libmunge waits up to ten seconds for munged. Returns 0, or -1 with ERR:
 *   TESSERA_ERR_USAGE     CLAIM is NULL, or has a mask but no platform; munged was not queried
 *   TESSERA_ERR_UNGRANTED CREDENTIAL is NULL or ""
 *   TESSERA_ERR_FORGED    not a munge credential, not created by root, or not a grant
 *   TESSERA_ERR_ALTERED   altered, or created with another munge key
 *   TESSERA_ERR_FOREIGN   of another user, node or cluster
 *   TESSERA_ERR_OUTSIDE   the mask or the partition was not granted, or IPUOF_CONFIG_PATH may name
 *                         another partition
 *   TESSERA_ERR_OUTLIVED  the job has ended, or was requeued
 *   TESSERA_ERR_UNAVAILABLE   munged does not respond, or LIVES cannot determine the job's state
 */
int tessera_grant_verify(const char *credential, const struct tessera_grant_claim *claim,
			 struct tessera_grant *grant, struct tessera_error *err);

#endif /* TESSERA_GRANT_H */
