/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/grant.h"
#include "lib/grant_parts.h"

#define LIST_MAX 160 /* of tiles, in a sentence */

char *tessera_grant_encode(const struct tessera_grant *grant, const char *socket, struct tessera_error *err)
{
	char text[TESSERA_GRANT_TEXT_MAX];

	tessera_grant_format(grant, text, sizeof(text));
	return grant_munge_encode(text, socket, err);
}

/* What is in it, if root made it. */
static int open_credential(const char *credential, const char *socket, struct tessera_grant *grant,
			   struct tessera_error *err)
{
	uint32_t maker = UINT32_MAX;
	char *text = NULL;
	int rc;

	if (credential == NULL || credential[0] == '\0')
		return tessera_error_set(
			err, TESSERA_ERR_UNGRANTED,
			"there is no grant: %s is not set; jobs that ask for tiles or IPUs get one, unless "
			"tessera.conf has Grants = no or munged did not answer",
			TESSERA_GRANT_VARIABLE);
	if (grant_munge_decode(credential, socket, &text, &maker, err) < 0)
		return -1;
	if (maker != 0)
		rc = tessera_error_set(err, TESSERA_ERR_FORGED,
				       "the grant was made by user %" PRIu32 ", and only root's count", maker);
	else
		rc = tessera_grant_parse(text, grant, err);
	free(text);
	return rc;
}

/* IS is what the grant says, WANTED what it should. */
static int check_name(const char *what, const char *is, const char *wanted, struct tessera_error *err)
{
	if (wanted == NULL || strcmp(is, wanted) == 0)
		return 0;
	return tessera_error_set(err, TESSERA_ERR_FOREIGN, "it was granted on %s %s, and this is %.80s", what, is,
				 wanted);
}

static int check_whose(const struct tessera_grant *grant, const struct tessera_grant_claim *claim,
		       struct tessera_error *err)
{
	if (check_name("cluster", grant->cluster, claim->cluster, err) < 0 ||
	    check_name("node", grant->node, claim->node, err) < 0)
		return -1;
	if (grant->uid == claim->uid)
		return 0;
	return tessera_error_set(err, TESSERA_ERR_FOREIGN,
				 "it was granted to user %" PRIu32 ", and shown by user %" PRIu32, grant->uid,
				 claim->uid);
}

/* What the vendor documents: 0x and digits. 10 or 8-9 are sets to us, and to the runtime something else, or nothing. */
static bool is_mask(const char *text)
{
	return text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

static int check_masked(const struct tessera_platform *p, const char *mask, const struct tessera_tileset *tiles,
			struct tessera_error *err)
{
	char named[LIST_MAX], granted[LIST_MAX];
	struct tessera_tileset wanted;
	struct tessera_error bad;

	if (!is_mask(mask))
		return tessera_error_set(
			err, TESSERA_ERR_OUTSIDE,
			"SF_RNT_TILE_AFFINITY=%.80s is not a mask, and the vendor's runtime takes nothing else: "
			"write 0xf, say; tessera mask writes one of any set",
			mask);
	if (tessera_tileset_parse(p, mask, &wanted, &bad) < 0)
		return tessera_error_set(err, TESSERA_ERR_OUTSIDE, "SF_RNT_TILE_AFFINITY: %s", bad.text);
	if (tessera_tileset_subset(&wanted, tiles))
		return 0;
	tessera_tileset_minus(&wanted, tiles);
	tessera_tileset_format(p, &wanted, TESSERA_FORM_RDUS, named, sizeof(named));
	tessera_tileset_format(p, tiles, TESSERA_FORM_RDUS, granted, sizeof(granted));
	return tessera_error_set(
		err, TESSERA_ERR_OUTSIDE,
		"SF_RNT_TILE_AFFINITY=%.80s names tiles that were not granted: %s; granted were %s", mask, named,
		granted);
}

/* The vendor's runtime takes any tile then. */
static int check_unmasked(const struct tessera_platform *p, const struct tessera_tileset *tiles,
			  struct tessera_error *err)
{
	struct tessera_tileset all;
	char granted[LIST_MAX];

	tessera_tileset_all(p, &all);
	if (tessera_tileset_subset(&all, tiles))
		return 0;
	tessera_tileset_format(p, tiles, TESSERA_FORM_RDUS, granted, sizeof(granted));
	return tessera_error_set(
		err, TESSERA_ERR_OUTSIDE,
		"SF_RNT_TILE_AFFINITY is not set, and without it any tile is taken; granted were %s", granted);
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
					 "SF_RNT_TILE_AFFINITY=%.80s, but no tiles were granted", claim->mask);
	}
	/* Numbers of tiles mean other tiles on another machine. */
	if (strcmp(grant->platform, claim->platform->name) != 0)
		return tessera_error_set(err, TESSERA_ERR_OUTSIDE,
					 "tiles of platform %s were granted, and this node is %s in tessera.conf",
					 grant->platform, claim->platform->name);
	return masked ? check_masked(claim->platform, claim->mask, &grant->tiles, err)
		      : check_unmasked(claim->platform, &grant->tiles, err);
}

static int check_partition(const struct tessera_grant *grant, const struct tessera_grant_claim *claim,
			   struct tessera_error *err)
{
	if (claim->partition != NULL && strcmp(grant->partition, claim->partition) != 0)
		return tessera_error_set(
			err, TESSERA_ERR_OUTSIDE, "IPUOF_VIPU_API_PARTITION_ID=%.80s was not granted; %s%s",
			claim->partition, grant->partition[0] != '\0' ? "granted was " : "no partition was",
			grant->partition);
	/* Who was granted none may well have it from a login script. */
	if (claim->config_path == NULL || claim->config_path[0] == '\0' || grant->partition[0] == '\0')
		return 0;
	return tessera_error_set(
		err, TESSERA_ERR_OUTSIDE,
		"IPUOF_CONFIG_PATH=%.80s can send the runtime to another partition; granted was %s: unset it",
		claim->config_path, grant->partition);
}

int grant_check_claim(const struct tessera_grant *grant, const struct tessera_grant_claim *claim,
		      struct tessera_error *err)
{
	return check_mask(grant, claim, err) < 0 ? -1 : check_partition(grant, claim, err);
}

static int check_life(const struct tessera_grant *grant, const struct tessera_grant_claim *claim,
		      struct tessera_error *err)
{
	struct tessera_error why = {0};
	int alive;

	if (claim->lives == NULL)
		return 0;
	alive = claim->lives(grant, claim->arg, &why);
	if (alive > 0)
		return 0;
	if (alive < 0 && why.code == TESSERA_OK)
		return tessera_error_set(err, TESSERA_ERR_MISSING,
					 "whether job %" PRIu32
					 " still lives could not be found out, and nobody says why",
					 grant->job);
	if (alive < 0)
		return tessera_error_set(err, why.code, "%s", why.text);
	return tessera_error_set(
		err, TESSERA_ERR_OUTLIVED,
		"it was granted to job %" PRIu32 ", which has ended here, or has been run again since", grant->job);
}

/* A claim that nothing could be held against would pass. */
static int check_call(const struct tessera_grant_claim *claim, struct tessera_error *err)
{
	if (claim == NULL)
		return tessera_error_set(err, TESSERA_ERR_USAGE, "there is no claim to hold the grant against");
	if (claim->platform == NULL && claim->mask != NULL && claim->mask[0] != '\0')
		return tessera_error_set(
			err, TESSERA_ERR_USAGE,
			"the claim has SF_RNT_TILE_AFFINITY=%.80s but no platform: name the node's, or "
			"no mask where it has no tiles",
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
	if (check_call(claim, err) < 0)
		return -1;
	if (open_credential(credential, claim->socket, grant, err) < 0 || check_whose(grant, claim, err) < 0 ||
	    grant_check_claim(grant, claim, err) < 0)
		return -1;
	return check_life(grant, claim, err);
}
