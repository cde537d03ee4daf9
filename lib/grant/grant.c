/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/grant/grant.h"
#include "lib/grant/grant_claim.h"
#include "lib/grant/grant_munge.h"

#define LIST_MAX 160 /* bytes of a list of tiles in a message */

char *tessera_grant_encode(const struct tessera_grant *grant, const char *socket,
			   struct tessera_error *err)
{
	char text[TESSERA_GRANT_TEXT_MAX];

	tessera_grant_format(grant, text, sizeof(text));
	return grant_munge_encode(text, socket, err);
}

/* Read the grant in CREDENTIAL, which root must have created. */
static int read_credential(const char *credential, const char *socket, struct tessera_grant *grant,
			   struct tessera_error *err)
{
	uint32_t creator = UINT32_MAX;
	char *text = NULL;
	int rc;

	if (credential == NULL || credential[0] == '\0')
		return tessera_error_set(err, TESSERA_ERR_UNGRANTED,
					 "there is no grant: %s is not set; jobs that request "
					 "tiles or IPUs get one, unless "
					 "tessera.conf has Grants = no or munged did not respond",
					 TESSERA_GRANT_VARIABLE);
	if (grant_munge_decode(credential, socket, &text, &creator, err) < 0)
		return -1;
	if (creator != 0)
		rc = tessera_error_set(err, TESSERA_ERR_FORGED,
				       "the grant was created by uid %" PRIu32 ", must be root",
				       creator);
	else
		rc = tessera_grant_parse(text, grant, err);
	free(text);
	return rc;
}

static int check_name(const char *what, const char *granted, const char *claimed,
		      struct tessera_error *err)
{
	if (claimed == NULL || strcmp(granted, claimed) == 0)
		return 0;
	return tessera_error_set(err, TESSERA_ERR_FOREIGN,
				 "the grant is for %s %s, but this is %.80s", what, granted,
				 claimed);
}

static int check_owner(const struct tessera_grant *grant, const struct tessera_grant_claim *claim,
		       struct tessera_error *err)
{
	if (check_name("cluster", grant->cluster, claim->cluster, err) < 0 ||
	    check_name("node", grant->node, claim->node, err) < 0)
		return -1;
	if (grant->uid == claim->uid)
		return 0;
	return tessera_error_set(err, TESSERA_ERR_FOREIGN,
				 "the grant is for uid %" PRIu32
				 ", but this process has uid %" PRIu32,
				 grant->uid, claim->uid);
}

/*
 * The vendor documents masks of 0x and hex digits only. tessera_tileset_parse() also accepts sets
 * such as 10 or 8-9, which the runtime ignores or reads differently.
 */
static bool is_mask(const char *text)
{
	return text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

static int check_masked(const struct tessera_platform *p, const char *mask,
			const struct tessera_tileset *tiles, struct tessera_error *err)
{
	char named[LIST_MAX], granted[LIST_MAX];
	struct tessera_tileset wanted;
	struct tessera_error bad;

	if (!is_mask(mask))
		return tessera_error_set(err, TESSERA_ERR_OUTSIDE,
					 "SF_RNT_TILE_AFFINITY=%.80s is not a mask, and the "
					 "vendor's runtime accepts only masks such as 0xf: "
					 "tessera mask converts a set of tiles to a mask",
					 mask);
	if (tessera_tileset_parse(p, mask, &wanted, &bad) < 0)
		return tessera_error_set(err, TESSERA_ERR_OUTSIDE, "SF_RNT_TILE_AFFINITY: %s",
					 bad.text);
	if (tessera_tileset_subset(&wanted, tiles))
		return 0;
	tessera_tileset_minus(&wanted, tiles);
	tessera_tileset_format(p, &wanted, TESSERA_FORM_RDUS, named, sizeof(named));
	tessera_tileset_format(p, tiles, TESSERA_FORM_RDUS, granted, sizeof(granted));
	return tessera_error_set(
		err, TESSERA_ERR_OUTSIDE,
		"SF_RNT_TILE_AFFINITY=%.80s names tiles that were not granted: %s; granted were %s",
		mask, named, granted);
}

/* Without a mask the vendor's runtime uses any tile. */
static int check_unmasked(const struct tessera_platform *p, const struct tessera_tileset *tiles,
			  struct tessera_error *err)
{
	struct tessera_tileset all;
	char granted[LIST_MAX];

	tessera_tileset_all(p, &all);
	if (tessera_tileset_subset(&all, tiles))
		return 0;
	tessera_tileset_format(p, tiles, TESSERA_FORM_RDUS, granted, sizeof(granted));
	return tessera_error_set(err, TESSERA_ERR_OUTSIDE,
				 "SF_RNT_TILE_AFFINITY is not set, and without it the runtime uses "
				 "any tile; granted were %s",
				 granted);
}

static int check_mask(const struct tessera_grant *grant, const struct tessera_grant_claim *claim,
		      struct tessera_error *err)
{
	bool masked = claim->mask != NULL && claim->mask[0] != '\0';

	if (claim->platform == NULL)
		return 0;
	if (tessera_tileset_empty(&grant->tiles)) {
		if (!masked)
			return 0;
		return tessera_error_set(err, TESSERA_ERR_OUTSIDE,
					 "SF_RNT_TILE_AFFINITY=%.80s, but no tiles were granted",
					 claim->mask);
	}
	/* A tile number means another tile on another platform. */
	if (strcmp(grant->platform, claim->platform->name) != 0)
		return tessera_error_set(
			err, TESSERA_ERR_OUTSIDE,
			"tiles of platform %s were granted, but this node is %s in tessera.conf",
			grant->platform, claim->platform->name);
	return masked ? check_masked(claim->platform, claim->mask, &grant->tiles, err)
		      : check_unmasked(claim->platform, &grant->tiles, err);
}

static int check_partition(const struct tessera_grant *grant,
			   const struct tessera_grant_claim *claim, struct tessera_error *err)
{
	if (claim->partition != NULL && strcmp(grant->partition, claim->partition) != 0)
		return tessera_error_set(
			err, TESSERA_ERR_OUTSIDE,
			"IPUOF_VIPU_API_PARTITION_ID=%.80s was not granted; %s%s", claim->partition,
			grant->partition[0] != '\0' ? "granted was " : "no partition was",
			grant->partition);
	/* A login script may set it: harmless in a job without a partition. */
	if (claim->config_path == NULL || claim->config_path[0] == '\0' ||
	    grant->partition[0] == '\0')
		return 0;
	return tessera_error_set(err, TESSERA_ERR_OUTSIDE,
				 "IPUOF_CONFIG_PATH=%.80s can direct the runtime to another "
				 "partition; granted was %s: unset it",
				 claim->config_path, grant->partition);
}

int grant_check_claim(const struct tessera_grant *grant, const struct tessera_grant_claim *claim,
		      struct tessera_error *err)
{
	return check_mask(grant, claim, err) < 0 ? -1 : check_partition(grant, claim, err);
}

static int check_running(const struct tessera_grant *grant, const struct tessera_grant_claim *claim,
			 struct tessera_error *err)
{
	struct tessera_error why = {0};
	int running;

	if (claim->is_running == NULL)
		return 0;
	running = claim->is_running(grant, claim->arg, &why);
	if (running > 0)
		return 0;
	if (running < 0 && why.code == TESSERA_OK)
		return tessera_error_set(
			err, TESSERA_ERR_UNAVAILABLE,
			"cannot determine whether job %" PRIu32 " is still running", grant->job);
	if (running < 0)
		return tessera_error_set(err, why.code, "%s", why.text);
	return tessera_error_set(err, TESSERA_ERR_OUTLIVED,
				 "the grant is for job %" PRIu32
				 ", which has ended on this node or was requeued",
				 grant->job);
}

/* An incomplete claim would pass the checks. */
static int check_usage(const struct tessera_grant_claim *claim, struct tessera_error *err)
{
	if (claim == NULL)
		return tessera_error_set(err, TESSERA_ERR_USAGE,
					 "no claim to check the grant against");
	if (claim->platform == NULL && claim->mask != NULL && claim->mask[0] != '\0')
		return tessera_error_set(err, TESSERA_ERR_USAGE,
					 "the claim has SF_RNT_TILE_AFFINITY=%.80s but no "
					 "platform: set the node's platform, or no mask on a node "
					 "without tiles",
					 claim->mask);
	return 0;
}

int tessera_grant_verify(const char *credential, const struct tessera_grant_claim *claim,
			 struct tessera_grant *grant, struct tessera_error *err)
{
	struct tessera_grant unwanted;

	if (grant == NULL)
		grant = &unwanted;
	memset(grant, 0, sizeof(*grant));
	if (check_usage(claim, err) < 0)
		return -1;
	if (read_credential(credential, claim->socket, grant, err) < 0 ||
	    check_owner(grant, claim, err) < 0 || grant_check_claim(grant, claim, err) < 0)
		return -1;
	return check_running(grant, claim, err);
}
