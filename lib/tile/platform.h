/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Platforms: the structure of an accelerator machine. The built-in table has one row for each;
 * tessera.conf may add rows or override fields (conf.h). A new accelerator is one more row.
 *
 * Tiles are numbered consecutively in a node: tile = tiles_per_rdu * rdu + tile in the RDU, and
 * rdu = rdus_per_xrdu * xrdu + RDU in the XRDU. The number is also the bit in the runtime's mask.
 */
#ifndef TESSERA_PLATFORM_H
#define TESSERA_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>

#include "../util/error.h"

#define TESSERA_TILES_MAX 1024 /* tiles of one node, at most */
#define TESSERA_NAME_MAX  64   /* names of platforms, partitions, GRES types; with the final NUL */

#define TESSERA_NUMA_MAX 256 /* a platform's list of NUMA nodes, with the final NUL */
#define TESSERA_PCI_MAX  16  /* a platform's PCI ID, with the final NUL */

enum tessera_kind {
	TESSERA_KIND_RDU = 1, /* tiles in the node itself */
	TESSERA_KIND_IPU = 2, /* a pool of IPUs on a network fabric */
};

struct tessera_platform {
	char name[TESSERA_NAME_MAX];  /* in tessera.conf and --platform: sn30-8 */
	char title[TESSERA_NAME_MAX]; /* in the vendor's tools: DataScale SN30-8 */
	enum tessera_kind kind;

	/* TESSERA_KIND_RDU */
	unsigned xrdus;         /* XRDUs in a node */
	unsigned rdus_per_xrdu; /* RDUs in an XRDU */
	unsigned tiles_per_rdu; /* 0: unknown */
	/* tiles in one GRES `rdu`, if the site counts parts of an RDU; 0: tiles_per_rdu */
	unsigned tiles_per_gres;
	/* width of the runtime's mask, a multiple of 4; printed with mask_bits / 4 digits */
	unsigned mask_bits;
	/*
	 * NUMA nodes of equal groups of RDUs: "0,1" is the node of the first half, and of the
	 * second. "": unknown
	 */
	char numa[TESSERA_NUMA_MAX];
	/* PCI ID of an RDU, vendor or vendor:device: "1fed", "1fed:0001". "": unknown */
	char pci_id[TESSERA_PCI_MAX];

	/* TESSERA_KIND_IPU */
	unsigned ipus;             /* in the pool */
	unsigned ipus_per_machine; /* in an IPU-Machine */
	/* in an IPU-Link domain; a larger V-IPU partition needs one GCD per domain */
	unsigned ipus_per_domain;
};

/*
 * The built-in rows; *COUNT is set to their number. Static: never NULL, never freed. A row may be
 * incomplete (unknown number of tiles): use tessera_platform_check().
 */
const struct tessera_platform *tessera_platform_builtin(size_t *count);

/* The built-in row with that name, or NULL. NAME must not be NULL. */
const struct tessera_platform *tessera_platform_find_builtin(const char *name);

/*
 * Check that a row is complete and consistent. Returns 0, or -1 with ERR (TESSERA_ERR_INPUT): an
 * unknown number of tiles, more tiles than TESSERA_TILES_MAX or than the mask has bits,
 * tiles_per_gres that does not divide an RDU, an invalid Numa or PciId, a pool that is not a power
 * of two or does not consist of whole machines and domains.
 */
int tessera_platform_check(const struct tessera_platform *p, struct tessera_error *err);

/*
 * The NUMA node of an RDU according to Numa, as the kernel numbers it; -1 if unknown. The row must
 * pass tessera_platform_check().
 */
int tessera_platform_numa(const struct tessera_platform *p, unsigned rdu);

/*
 * The PCI IDs in PciId: *VENDOR, and *DEVICE or -1 for all devices of the vendor. Returns false if
 * PciId is not set. The row must pass tessera_platform_check().
 */
bool tessera_platform_pci(const struct tessera_platform *p, unsigned *vendor, int *device);

/* RDUs, tiles, and GRES `rdu` of a node. 0 for a pool or an incomplete row. */
unsigned tessera_platform_rdus(const struct tessera_platform *p);
unsigned tessera_platform_tiles(const struct tessera_platform *p);
unsigned tessera_platform_gres(const struct tessera_platform *p);

/*
 * Can this number of tiles be allocated together? Only a number that divides the tiles of an RDU
 * (the block is then aligned within one RDU), or whole RDUs. False for 0.
 */
bool tessera_platform_block_ok(const struct tessera_platform *p, unsigned tiles);

/*
 * The sizes that tessera_platform_block_ok() accepts, for messages: "1, 2, 4 or a multiple of 8".
 * Cut to LEN. "" for a pool or an incomplete row.
 */
void tessera_platform_block_sizes(const struct tessera_platform *p, char *buf, size_t len);

#endif /* TESSERA_PLATFORM_H */
