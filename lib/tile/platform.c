/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <string.h>

#include "lib/tile/platform.h"
#include "lib/util/scan.h"
#include "lib/util/strbuf.h"

#define IPUS_MAX 65536 /* far above any existing pool; keeps sums of IPUs from overflowing */
#define NUMA_MAX 65535 /* far above any NUMA node number */

#define RDU_ROW(row_name, row_title, xrdu_count, tile_count, bits)                        \
	{                                                                                 \
		.name = (row_name), .title = (row_title), .kind = TESSERA_KIND_RDU,       \
		.xrdus = (xrdu_count), .rdus_per_xrdu = 2, .tiles_per_rdu = (tile_count), \
		.tiles_per_gres = (tile_count), .mask_bits = (bits)                       \
	}

#define IPU_ROW(row_name, row_title, ipu_count, domain)                                 \
	{                                                                               \
		.name = (row_name), .title = (row_title), .kind = TESSERA_KIND_IPU,     \
		.ipus = (ipu_count), .ipus_per_machine = 4, .ipus_per_domain = (domain) \
	}

static const struct tessera_platform builtin[] = {
	RDU_ROW("sn10-8", "DataScale SN10-8", 4, 4, 32),
	RDU_ROW("sn30-8", "DataScale SN30-8", 4, 8, 64),
	/* The number of tiles in this RDU is not published. */
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

static bool is_complete(const struct tessera_platform *p)
{
	return p->kind == TESSERA_KIND_RDU && p->tiles_per_rdu > 0;
}

static unsigned tiles_per_gres(const struct tessera_platform *p)
{
	return p->tiles_per_gres > 0 ? p->tiles_per_gres : p->tiles_per_rdu;
}

unsigned tessera_platform_rdus(const struct tessera_platform *p)
{
	return is_complete(p) ? p->xrdus * p->rdus_per_xrdu : 0;
}

unsigned tessera_platform_tiles(const struct tessera_platform *p)
{
	return tessera_platform_rdus(p) * p->tiles_per_rdu;
}

unsigned tessera_platform_gres(const struct tessera_platform *p)
{
	return is_complete(p) ? tessera_platform_tiles(p) / tiles_per_gres(p) : 0;
}

static int check_counts(const struct tessera_platform *p, struct tessera_error *err)
{
	if (p->tiles_per_rdu == 0)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "the number of tiles in an RDU of %s is unknown: set it "
					 "in tessera.conf with \"platform %s { TilesPerRdu = N }\"",
					 p->name, p->name);
	if (p->xrdus == 0 || p->rdus_per_xrdu == 0)
		return tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"platform %s has %u XRDUs of %u RDUs each, but needs at least one of each: "
			"set Xrdus and RdusPerXrdu in tessera.conf",
			p->name, p->xrdus, p->rdus_per_xrdu);
	/* Divide, because the product could overflow. */
	if (p->xrdus > TESSERA_TILES_MAX || p->rdus_per_xrdu > TESSERA_TILES_MAX / p->xrdus ||
	    p->tiles_per_rdu > TESSERA_TILES_MAX / (p->xrdus * p->rdus_per_xrdu))
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "platform %s has too many tiles: %u XRDUs of %u RDUs with "
					 "%u tiles each, but a node can have at most %d tiles",
					 p->name, p->xrdus, p->rdus_per_xrdu, p->tiles_per_rdu,
					 TESSERA_TILES_MAX);
	return 0;
}

/* The count of numbers in TEXT, 0 if it is not a list of numbers. *VALUE is set to number INDEX. */
static unsigned read_numa(const char *text, unsigned index, unsigned *value)
{
	struct scan r = {.at = text};
	unsigned count = 0;

	do {
		unsigned number = (unsigned)scan_number(&r, count > 0 ? "," : "", NUMA_MAX);

		if (count++ == index)
			*value = number;
	} while (scan_follows(&r, ","));
	return r.failed || *r.at != '\0' ? 0 : count;
}

int tessera_platform_numa(const struct tessera_platform *p, unsigned rdu)
{
	unsigned rdus = tessera_platform_rdus(p), count, value = 0;

	if (p->numa[0] == '\0' || rdu >= rdus)
		return -1;
	count = read_numa(p->numa, 0, &value);
	if (count == 0 || rdus % count != 0)
		return -1;
	read_numa(p->numa, rdu / (rdus / count), &value);
	return (int)value;
}

/* The value of the four hexadecimal digits at TEXT, or -1. */
static int read_hex(const char *text)
{
	int value = 0;

	for (int i = 0; i < 4; i++) {
		static const char digits[] = "0123456789abcdefABCDEF";
		const char *at = text[i] != '\0' ? strchr(digits, text[i]) : NULL;

		if (at == NULL)
			return -1;
		value = value * 16 + (int)(at - digits) - (at - digits > 15 ? 6 : 0);
	}
	return value;
}

static bool read_pci(const char *text, int *vendor, int *device)
{
	size_t len = strlen(text);

	*vendor = read_hex(text);
	*device = -1;
	if (*vendor < 0 || len == 4)
		return *vendor >= 0;
	if (len != 9 || text[4] != ':')
		return false;
	*device = read_hex(text + 5);
	return *device >= 0;
}

bool tessera_platform_pci(const struct tessera_platform *p, unsigned *vendor, int *device)
{
	int number;

	if (!read_pci(p->pci_id, &number, device))
		return false;
	*vendor = (unsigned)number;
	return true;
}

/* P must have passed check_counts(). */
static int check_location(const struct tessera_platform *p, struct tessera_error *err)
{
	unsigned rdus = tessera_platform_rdus(p), count, value;
	int vendor, device;

	if (p->numa[0] != '\0') {
		count = read_numa(p->numa, 0, &value);
		if (count == 0)
			return tessera_error_set(
				err, TESSERA_ERR_INPUT,
				"platform %s has Numa = \"%.80s\", which is not a list of NUMA "
				"nodes: write their numbers separated by commas, such as \"0,1\"",
				p->name, p->numa);
		if (rdus % count != 0)
			return tessera_error_set(
				err, TESSERA_ERR_INPUT,
				"platform %s has %u numbers in Numa, which do not divide its %u "
				"RDUs evenly: write one for each RDU, or for each group of equal "
				"size",
				p->name, count, rdus);
	}
	if (p->pci_id[0] != '\0' && !read_pci(p->pci_id, &vendor, &device))
		return tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"platform %s has PciId = \"%s\", which is not a PCI ID: write vendor or "
			"vendor:device with four hexadecimal digits each, as lspci -n prints them",
			p->name, p->pci_id);
	return 0;
}

static int check_rdu(const struct tessera_platform *p, struct tessera_error *err)
{
	if (check_counts(p, err) < 0)
		return -1;
	if (p->mask_bits == 0 || p->mask_bits % 4 != 0 || p->mask_bits > TESSERA_TILES_MAX)
		return tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"platform %s has MaskBits = %u, which must be a multiple of 4 from 4 to %d",
			p->name, p->mask_bits, TESSERA_TILES_MAX);
	if (tessera_platform_tiles(p) > p->mask_bits)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "the %u tiles of platform %s do not fit its mask of %u "
					 "bits: correct TilesPerRdu or MaskBits in tessera.conf",
					 tessera_platform_tiles(p), p->name, p->mask_bits);
	if (p->tiles_per_rdu % tiles_per_gres(p) != 0)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "platform %s has TilesPerGres = %u, which does not divide "
					 "the %u tiles of an RDU: set it to a number that does",
					 p->name, p->tiles_per_gres, p->tiles_per_rdu);
	return check_location(p, err);
}

static bool is_power_of_two(unsigned n)
{
	return n > 0 && (n & (n - 1)) == 0;
}

static int check_ipu(const struct tessera_platform *p, struct tessera_error *err)
{
	if (!is_power_of_two(p->ipus) || p->ipus > IPUS_MAX)
		return tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"platform %s has Ipus = %u, which must be a power of two from 1 to %d",
			p->name, p->ipus, IPUS_MAX);
	if (p->ipus_per_domain == 0 || p->ipus % p->ipus_per_domain != 0)
		return tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"platform %s has IpusPerDomain = %u, which must divide its %u IPUs",
			p->name, p->ipus_per_domain, p->ipus);
	if (p->ipus_per_machine == 0 || p->ipus_per_domain % p->ipus_per_machine != 0)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "platform %s has IpusPerMachine = %u, which must divide "
					 "the %u IPUs of a domain",
					 p->name, p->ipus_per_machine, p->ipus_per_domain);
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
		"platform %s has no Kind: set Kind = rdu or Kind = ipu in tessera.conf", p->name);
}

bool tessera_platform_block_ok(const struct tessera_platform *p, unsigned tiles)
{
	if (!is_complete(p) || tiles == 0 || tiles > tessera_platform_tiles(p))
		return false;
	return p->tiles_per_rdu % tiles == 0 || tiles % p->tiles_per_rdu == 0;
}

void tessera_platform_block_sizes(const struct tessera_platform *p, char *buf, size_t len)
{
	struct strbuf s = strbuf_start(buf, len);

	if (!is_complete(p))
		return;
	if (p->tiles_per_rdu == 1) {
		strbuf_put(&s, "any number");
		return;
	}
	for (unsigned part = 1; part < p->tiles_per_rdu; part++)
		if (p->tiles_per_rdu % part == 0)
			strbuf_put(&s, "%s%u", part > 1 ? ", " : "", part);
	strbuf_put(&s, " or %s%u", tessera_platform_rdus(p) > 1 ? "a multiple of " : "",
		   p->tiles_per_rdu);
}
