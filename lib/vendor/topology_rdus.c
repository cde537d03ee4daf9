/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>

#include "lib/vendor/topology_internal.h"

/* Distances if the firmware does not report them: to the same NUMA node, and to another one. */
#define DISTANCE_LOCAL  10
#define DISTANCE_REMOTE 20

/* The index of a NUMA node in the matrix, or -1. */
static int find_index(const struct hwloc_distances_s *d, unsigned number)
{
	for (unsigned i = 0; i < d->nbobjs; i++)
		if (d->objs[i] != NULL && d->objs[i]->os_index == number)
			return (int)i;
	return -1;
}

static unsigned get_distance(const struct view *v, unsigned from, unsigned to)
{
	int a = v->distances != NULL ? find_index(v->distances, from) : -1;
	int b = v->distances != NULL ? find_index(v->distances, to) : -1;
	uint64_t value =
		a >= 0 && b >= 0
			? v->distances->values[(unsigned)a * v->distances->nbobjs + (unsigned)b]
			: 0;

	if (value > 0 && value <= LOCALITY_DISTANCE_MAX)
		return (unsigned)value;
	return from == to ? DISTANCE_LOCAL : DISTANCE_REMOTE;
}

/* Add an RDU that is at all of NODES: its distances are the means of theirs. */
static void add_rdu(struct view *v, unsigned rdu, hwloc_const_bitmap_t nodes)
{
	int count = hwloc_bitmap_weight(nodes);
	unsigned node;

	for (unsigned i = 0; i < v->table->numas && count > 0; i++) {
		uint64_t sum = 0;

		hwloc_bitmap_foreach_begin(node, nodes)
		{
			sum += get_distance(v, node, v->table->numa[i].number);
		}
		hwloc_bitmap_foreach_end();
		v->table->distance[rdu][i] =
			(uint16_t)((sum + (unsigned)count / 2) / (unsigned)count);
	}
	if (count > 0)
		tessera_tileset_add(&v->table->rdus, rdu);
}

static int add_by_numa(struct view *v, struct tessera_error *why)
{
	const struct tessera_platform *p = v->platform;
	hwloc_bitmap_t node = hwloc_bitmap_alloc();
	int rc = 0;

	if (node == NULL)
		return tessera_error_nomem(why);
	for (unsigned rdu = 0; rdu < tessera_platform_rdus(p) && rc == 0; rdu++) {
		unsigned number = (unsigned)tessera_platform_numa(p, rdu);

		if (hwloc_get_numanode_obj_by_os_index(v->topology, number) == NULL) {
			tessera_error_set(why, TESSERA_ERR_INPUT,
					  "platform %s has Numa = \"%.80s\", but the machine has "
					  "no NUMA node %u: correct it in tessera.conf",
					  p->name, p->numa, number);
			rc = 1;
		}
		hwloc_bitmap_only(node, number);
		add_rdu(v, rdu, node);
	}
	hwloc_bitmap_free(node);
	return rc;
}

static int compare_bus(const void *a, const void *b)
{
	const struct hwloc_pcidev_attr_s *x = &(*(const hwloc_obj_t *)a)->attr->pcidev;
	const struct hwloc_pcidev_attr_s *y = &(*(const hwloc_obj_t *)b)->attr->pcidev;
	uint64_t left = (uint64_t)x->domain << 24 | (uint64_t)x->bus << 16 | (uint64_t)x->dev << 8 |
			x->func;
	uint64_t right = (uint64_t)y->domain << 24 | (uint64_t)y->bus << 16 |
			 (uint64_t)y->dev << 8 | y->func;

	return left < right ? -1 : left > right;
}

/*
 * The matching devices, sorted by bus; to be freed. *COUNT is 0, and the result may be NULL, if
 * none.
 */
static hwloc_obj_t *find_devices(const struct view *v, unsigned vendor, int device, unsigned *count)
{
	int all = hwloc_get_nbobjs_by_type(v->topology, HWLOC_OBJ_PCI_DEVICE);
	hwloc_obj_t *found = all > 0 ? calloc((size_t)all, sizeof(hwloc_obj_t)) : NULL;
	hwloc_obj_t obj = NULL;

	*count = 0;
	while (found != NULL && (obj = hwloc_get_next_pcidev(v->topology, obj)) != NULL)
		if (obj->attr->pcidev.vendor_id == vendor &&
		    (device < 0 || obj->attr->pcidev.device_id == device))
			found[(*count)++] = obj;
	if (*count > 0)
		qsort(found, *count, sizeof(hwloc_obj_t), compare_bus);
	return found;
}

/* Assign the devices FOUND evenly, in order, to UNITS RDUs or XRDUs. */
static int assign_devices(struct view *v, const hwloc_obj_t *found, unsigned count, unsigned units,
			  struct tessera_error *why)
{
	unsigned rdus = tessera_platform_rdus(v->platform), each = count / units;
	hwloc_bitmap_t nodes = hwloc_bitmap_alloc();

	if (nodes == NULL)
		return tessera_error_nomem(why);
	for (unsigned rdu = 0; rdu < rdus; rdu++) {
		unsigned first = rdu / (rdus / units) * each;

		hwloc_bitmap_zero(nodes);
		for (unsigned i = first; i < first + each; i++) {
			hwloc_obj_t parent = hwloc_get_non_io_ancestor_obj(v->topology, found[i]);

			if (parent != NULL)
				hwloc_bitmap_or(nodes, nodes, parent->nodeset);
		}
		add_rdu(v, rdu, nodes);
	}
	hwloc_bitmap_free(nodes);
	return 0;
}

/* One device for each XRDU, or one or several for each RDU. */
static int add_by_devices(struct view *v, struct tessera_error *why)
{
	const struct tessera_platform *p = v->platform;
	unsigned rdus = tessera_platform_rdus(p), vendor = 0, count, units;
	hwloc_obj_t *found;
	int device = -1, rc;

	tessera_platform_pci(p, &vendor, &device);
	found = find_devices(v, vendor, device, &count);
	units = count == p->xrdus ? p->xrdus : rdus;
	if (count > 0 && count % units == 0) {
		rc = assign_devices(v, found, count, units, why);
	} else {
		rc = 1;
		tessera_error_set(
			why, TESSERA_ERR_INPUT,
			"the machine has %u PCI devices %s, which cannot be divided evenly "
			"among the %u RDUs of platform %s or its %u XRDUs: correct PciId "
			"in tessera.conf, or set Numa",
			count, p->pci_id, rdus, p->name, p->xrdus);
	}
	free(found);
	return rc;
}

/* All RDUs are at the only NUMA node. */
static int add_at_only_node(struct view *v)
{
	hwloc_const_bitmap_t node = hwloc_topology_get_topology_nodeset(v->topology);

	for (unsigned rdu = 0; rdu < tessera_platform_rdus(v->platform); rdu++)
		add_rdu(v, rdu, node);
	return 0;
}

int topology_put_rdus(struct view *v, struct tessera_error *why)
{
	const struct tessera_platform *p = v->platform;

	if (p->numa[0] != '\0')
		return add_by_numa(v, why);
	if (hwloc_get_nbobjs_by_type(v->topology, HWLOC_OBJ_NUMANODE) == 1)
		return add_at_only_node(v);
	if (p->pci_id[0] != '\0')
		return add_by_devices(v, why);
	tessera_error_set(
		why, TESSERA_ERR_UNAVAILABLE,
		"the NUMA nodes of the RDUs are unknown: set Numa or PciId in platform %s in "
		"tessera.conf",
		p->name);
	return 1;
}
