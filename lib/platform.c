/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "lib/platform.h"
#include "lib/platform_parts.h"

#define IPUS_MAX 65536 /* far above any pool that was built; keeps sums of IPUs small */

#define RDU_ROW(row_name, row_title, xrdu_count, tile_count, bits)                                         \
	{                                                                                                  \
		.name = (row_name), .title = (row_title), .kind = TESSERA_KIND_RDU, .xrdus = (xrdu_count), \
		.rdus_per_xrdu = 2, .tiles_per_rdu = (tile_count), .tiles_per_gres = (tile_count),         \
		.mask_bits = (bits)                                                                        \
	}

#define IPU_ROW(row_name, row_title, ipu_count, domain)                                                  \
	{                                                                                                \
		.name = (row_name), .title = (row_title), .kind = TESSERA_KIND_IPU, .ipus = (ipu_count), \
		.ipus_per_machine = 4, .ipus_per_domain = (domain)                                       \
	}

static const struct tessera_platform builtin[] = {
	RDU_ROW("sn10-8", "DataScale SN10-8", 4, 4, 32),
	RDU_ROW("sn30-8", "DataScale SN30-8", 4, 8, 64),
	/* No public document says how many tiles this RDU has. */
	RDU_ROW("sn40l-16", "SambaRack SN40L-16", 8, 0, 64),
	IPU_ROW("pod4", "IPU-POD4", 4, 4),
	IPU_ROW("pod16", "IPU-POD16", 16, 16),
	IPU_ROW("pod64", "IPU-POD64", 64, 64),
	IPU_ROW("pod128", "IPU-POD128", 128, 64),
	IPU_ROW("pod256", "IPU-POD256", 256, 64),
};

#define BUILTIN_COUNT (sizeof(builtin) / sizeof(builtin[0]))

const struct tessera_platform *tessera_platform_builtin(size_t *count)
{
	*count = BUILTIN_COUNT;
	return builtin;
}

const struct tessera_platform *tessera_platform_find_builtin(const char *name)
{
	for (size_t i = 0; i < BUILTIN_COUNT; i++)
		if (strcmp(builtin[i].name, name) == 0)
			return &builtin[i];
	return NULL;
}

static bool complete(const struct tessera_platform *p)
{
	return p->kind == TESSERA_KIND_RDU && p->tiles_per_rdu > 0;
}

static unsigned tiles_per_gres(const struct tessera_platform *p)
{
	return p->tiles_per_gres > 0 ? p->tiles_per_gres : p->tiles_per_rdu;
}

unsigned tessera_platform_rdus(const struct tessera_platform *p)
{
	return complete(p) ? p->xrdus * p->rdus_per_xrdu : 0;
}

unsigned tessera_platform_tiles(const struct tessera_platform *p)
{
	return tessera_platform_rdus(p) * p->tiles_per_rdu;
}

unsigned tessera_platform_gres(const struct tessera_platform *p)
{
	return complete(p) ? tessera_platform_tiles(p) / tiles_per_gres(p) : 0;
}

static int check_counts(const struct tessera_platform *p, struct tessera_error *err)
{
	if (p->tiles_per_rdu == 0)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "it is not known how many tiles an RDU of %s has: write "
					 "\"platform %s { TilesPerRdu = N }\" with the right N into tessera.conf",
					 p->name, p->name);
	if (p->xrdus == 0 || p->rdus_per_xrdu == 0)
		return tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"platform %s has %u XRDUs of %u RDUs each, but needs at least one of both: set Xrdus and "
			"RdusPerXrdu in tessera.conf",
			p->name, p->xrdus, p->rdus_per_xrdu);
	/* Divisions, because the product of three large numbers would wrap round. */
	if (p->xrdus > TESSERA_TILES_MAX || p->rdus_per_xrdu > TESSERA_TILES_MAX / p->xrdus ||
	    p->tiles_per_rdu > TESSERA_TILES_MAX / (p->xrdus * p->rdus_per_xrdu))
		return tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"platform %s has too many tiles: %u XRDUs of %u RDUs with %u tiles each, but a node can "
			"have at most %d tiles",
			p->name, p->xrdus, p->rdus_per_xrdu, p->tiles_per_rdu, TESSERA_TILES_MAX);
	return 0;
}

static int check_rdu(const struct tessera_platform *p, struct tessera_error *err)
{
	if (check_counts(p, err) < 0)
		return -1;
	if (p->mask_bits == 0 || p->mask_bits % 4 != 0 || p->mask_bits > TESSERA_TILES_MAX)
		return tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"platform %s has MaskBits = %u, which must be a multiple of 4 from 4 to %d", p->name,
			p->mask_bits, TESSERA_TILES_MAX);
	if (tessera_platform_tiles(p) > p->mask_bits)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "the %u tiles of platform %s do not fit its mask of %u bits: correct "
					 "TilesPerRdu or MaskBits in tessera.conf",
					 tessera_platform_tiles(p), p->name, p->mask_bits);
	if (p->tiles_per_rdu % tiles_per_gres(p) != 0)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "platform %s has TilesPerGres = %u, which does not divide the %u tiles of "
					 "an RDU: set it to a number that does",
					 p->name, p->tiles_per_gres, p->tiles_per_rdu);
	return platform_check_place(p, err);
}

static bool power_of_two(unsigned n)
{
	return n > 0 && (n & (n - 1)) == 0;
}

static int check_ipu(const struct tessera_platform *p, struct tessera_error *err)
{
	if (!power_of_two(p->ipus) || p->ipus > IPUS_MAX)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "platform %s has Ipus = %u, which must be a power of two from 1 to %d",
					 p->name, p->ipus, IPUS_MAX);
	if (p->ipus_per_domain == 0 || p->ipus % p->ipus_per_domain != 0)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "platform %s has IpusPerDomain = %u, which must divide its %u IPUs",
					 p->name, p->ipus_per_domain, p->ipus);
	if (p->ipus_per_machine == 0 || p->ipus_per_domain % p->ipus_per_machine != 0)
		return tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"platform %s has IpusPerMachine = %u, which must divide the %u IPUs of a domain", p->name,
			p->ipus_per_machine, p->ipus_per_domain);
	return 0;
}

int tessera_platform_check(const struct tessera_platform *p, struct tessera_error *err)
{
	switch (p->kind) {
	case TESSERA_KIND_RDU:
		return check_rdu(p, err);
	case TESSERA_KIND_IPU:
		return check_ipu(p, err);
	}
	return tessera_error_set(
		err, TESSERA_ERR_INPUT,
		"platform %s does not say what it is: set Kind = rdu or Kind = ipu in tessera.conf", p->name);
}

bool tessera_platform_block_ok(const struct tessera_platform *p, unsigned tiles)
{
	if (!complete(p) || tiles == 0 || tiles > tessera_platform_tiles(p))
		return false;
	return p->tiles_per_rdu % tiles == 0 || tiles % p->tiles_per_rdu == 0;
}

void tessera_platform_block_sizes(const struct tessera_platform *p, char *buf, size_t len)
{
	const char *comma = "";
	size_t used = 0;

	if (len == 0)
		return;
	buf[0] = '\0';
	if (!complete(p))
		return;
	for (unsigned part = 1; part < p->tiles_per_rdu && used < len; part++) {
		if (p->tiles_per_rdu % part != 0)
			continue;
		used += (size_t)snprintf(buf + used, len - used, "%s%u", comma, part);
		comma = ", ";
	}
	if (used >= len)
		return;
	if (p->tiles_per_rdu == 1)
		snprintf(buf, len, "any number");
	else
		snprintf(buf + used, len - used, " or %s%u", tessera_platform_rdus(p) > 1 ? "a multiple of " : "",
			 p->tiles_per_rdu);
}
