/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Platforms: what an accelerator machine consists of. A table, one row each; tessera.conf may add rows or override
 * fields of these (conf.h). A new accelerator is one more row.
 *
 * Tiles are numbered through the node: tile = tiles_per_rdu * rdu + tile in the RDU, and
 * rdu = rdus_per_xrdu * xrdu + RDU in the XRDU. The number is also the bit in the runtime's mask.
 */
#ifndef TESSERA_PLATFORM_H
#define TESSERA_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

#define TESSERA_TILES_MAX 1024 /* tiles of one node, at most */
#define TESSERA_NAME_MAX  64   /* names of platforms, partitions, GRES types; with the final NUL */

#define TESSERA_NUMA_MAX 256 /* a platform's list of NUMA nodes, with the final NUL */
#define TESSERA_PCI_MAX  16  /* what names its PCI devices */

enum tessera_kind {
	TESSERA_KIND_RDU = 1, /* tiles of the node itself */
	TESSERA_KIND_IPU = 2, /* a pool that hangs off a fabric */
};

struct tessera_platform {
	char name[TESSERA_NAME_MAX];  /* as tessera.conf and --platform say it: sn30-8 */
	char title[TESSERA_NAME_MAX]; /* as the vendor's tools say it: DataScale SN30-8 */
	enum tessera_kind kind;

	/* TESSERA_KIND_RDU */
	unsigned xrdus;          /* XRDUs in a node */
	unsigned rdus_per_xrdu;  /* RDUs in an XRDU */
	unsigned tiles_per_rdu;  /* 0: nobody has said yet */
	unsigned tiles_per_gres; /* in one counted `rdu`: an RDU's (also if 0), fewer where a site counts parts */
	unsigned mask_bits; /* width of the runtime's mask, a multiple of 4; printed with mask_bits / 4 digits */
	/*
	 * "0,1": the NUMA node of the first half of its RDUs, and of the second; any number that divides them. "": not
	 * known
	 */
	char numa[TESSERA_NUMA_MAX];
	char pci_id[TESSERA_PCI_MAX]; /* "1fed" or "1fed:0001": PCI devices that RDUs are; "": not known */

	/* TESSERA_KIND_IPU */
	unsigned ipus;             /* in the pool */
	unsigned ipus_per_machine; /* in an IPU-Machine */
	unsigned ipus_per_domain;  /* in an IPU-Link domain: a larger partition needs a GCD for each */
};

/*
 * The built-in rows, in the order of the table; *COUNT is set to their number. Static: never NULL, never freed.
 * A row may be incomplete (tiles unknown): tessera_platform_check() says so.
 */
const struct tessera_platform *tessera_platform_builtin(size_t *count);

/* The built-in row of that name, or NULL. NAME may not be NULL. */
const struct tessera_platform *tessera_platform_find_builtin(const char *name);

/*
 * Can this row be used? Returns 0, or -1 with ERR (TESSERA_ERR_INPUT): tiles unknown (the sentence says what to
 * write in tessera.conf), more tiles than TESSERA_TILES_MAX, tiles that do not fit the mask, parts that do not
 * divide an RDU, a Numa or PciId that says nothing, a pool that is not a power of two or not whole machines and domains.
 */
int tessera_platform_check(const struct tessera_platform *p, struct tessera_error *err);

/*
 * What Numa says of an RDU: the number that the kernel gives its NUMA node, or -1 if nobody said. The row must pass
 * tessera_platform_check().
 */
int tessera_platform_numa(const struct tessera_platform *p, unsigned rdu);

/*
 * What PciId says: the vendor's number, and the device's or -1 for all of that vendor. Returns false if nobody said. The
 * row must pass tessera_platform_check().
 */
bool tessera_platform_pci(const struct tessera_platform *p, unsigned *vendor, int *device);

/* RDUs and tiles of a node, and how many `rdu` Slurm counts on it. 0 for a pool or an incomplete row. */
unsigned tessera_platform_rdus(const struct tessera_platform *p);
unsigned tessera_platform_tiles(const struct tessera_platform *p);
unsigned tessera_platform_gres(const struct tessera_platform *p);

/*
 * The one rule for how many tiles can be handed out together: a part that divides an RDU evenly (it will be aligned
 * inside one RDU), or whole RDUs. False for 0.
 */
bool tessera_platform_block_ok(const struct tessera_platform *p, unsigned tiles);

/*
 * The sizes that tessera_platform_block_ok() accepts, for a sentence: "1, 2, 4 or a multiple of 8". Cut to LEN.
 * "" for a pool or an incomplete row.
 */
void tessera_platform_block_sizes(const struct tessera_platform *p, char *buf, size_t len);

#endif /* TESSERA_PLATFORM_H */
