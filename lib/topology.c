/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <hwloc.h>
#include <hwloc/distances.h>
#include <stdlib.h>
#include <string.h>

#include "lib/topology.h"

/* What a NUMA node is from itself and from another, where the firmware does not say. */
#define NEAR 10
#define FAR  20

/* A topology, and what is asked of it again and again. */
struct view {
	hwloc_topology_t topology;
	struct hwloc_distances_s *distances; /* between NUMA nodes; NULL: not known */
	const struct tessera_platform *platform;
	struct tessera_locality *table;
};

static int no_memory(struct tessera_error *why)
{
	return tessera_error_set(why, TESSERA_ERR_MISSING, "out of memory for the topology");
}

static int failed(const struct topology_source *from, struct tessera_error *why)
{
	const char *name = from->xml != NULL ? from->xml : from->synthetic;

	return tessera_error_set(why, TESSERA_ERR_INPUT, "hwloc cannot read %s%.200s: %s",
				 from->synthetic != NULL ? "the synthetic topology " : "",
				 name != NULL ? name : "this machine's topology", strerror(errno));
}

/*
 * As Slurm sees the machine: with the cores that this process may not use, which keep their numbers. Caches would only
 * take time.
 */
static int load(struct view *v, const struct topology_source *from, struct tessera_error *why)
{
	if (hwloc_topology_init(&v->topology) < 0)
		return tessera_error_set(why, TESSERA_ERR_MISSING, "hwloc does not start");
	hwloc_topology_set_flags(v->topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
	hwloc_topology_set_cache_types_filter(v->topology, HWLOC_TYPE_FILTER_KEEP_NONE);
	if (v->platform != NULL && v->platform->pci_id[0] != '\0')
		hwloc_topology_set_type_filter(v->topology, HWLOC_OBJ_PCI_DEVICE, HWLOC_TYPE_FILTER_KEEP_ALL);
	errno = EINVAL;
	if ((from->xml != NULL && hwloc_topology_set_xml(v->topology, from->xml) < 0) ||
	    (from->synthetic != NULL && hwloc_topology_set_synthetic(v->topology, from->synthetic) < 0) ||
	    hwloc_topology_load(v->topology) < 0)
		return failed(from, why);
	return 0;
}

static void unload(struct view *v)
{
	if (v->distances != NULL)
		hwloc_distances_release(v->topology, v->distances);
	if (v->topology != NULL)
		hwloc_topology_destroy(v->topology);
}

static void find_distances(struct view *v)
{
	unsigned count = 1;

	if (hwloc_distances_get_by_type(v->topology, HWLOC_OBJ_NUMANODE, &count, &v->distances,
					HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) < 0 ||
	    count == 0)
		v->distances = NULL;
}

/* The place of a NUMA node in the matrix, or -1. */
static int place_of(const struct hwloc_distances_s *d, unsigned number)
{
	for (unsigned i = 0; i < d->nbobjs; i++)
		if (d->objs[i] != NULL && d->objs[i]->os_index == number)
			return (int)i;
	return -1;
}

static unsigned distance(const struct view *v, unsigned from, unsigned to)
{
	int a = v->distances != NULL ? place_of(v->distances, from) : -1;
	int b = v->distances != NULL ? place_of(v->distances, to) : -1;
	uint64_t value =
		a >= 0 && b >= 0 ? v->distances->values[(unsigned)a * v->distances->nbobjs + (unsigned)b] : 0;

	if (value > 0 && value <= LOCALITY_DISTANCE_MAX)
		return (unsigned)value;
	return from == to ? NEAR : FAR;
}

/* A core that belongs to NUMA, with the CPUs it has. Each belongs to one: memory alone makes no second. */
static int add_core(struct locality_numa *numa, hwloc_obj_t core, struct tessera_error *why)
{
	int cpu;

	if (core->logical_index >= TESSERA_CPUS_MAX || hwloc_bitmap_last(core->cpuset) >= TESSERA_CPUS_MAX)
		return tessera_error_set(why, TESSERA_ERR_INPUT,
					 "the machine has more than %d CPUs, which is the most that can be told of",
					 TESSERA_CPUS_MAX);
	tessera_cpuset_add(&numa->cores, core->logical_index);
	hwloc_bitmap_foreach_begin(cpu, core->cpuset)
	{
		tessera_cpuset_add(&numa->cpus, (unsigned)cpu);
	}
	hwloc_bitmap_foreach_end();
	return 0;
}

/* The cores of a NUMA node that no node before it has; TAKEN grows. A node without any has no line. */
static int add_numa(struct view *v, hwloc_obj_t node, hwloc_bitmap_t taken, struct tessera_error *why)
{
	/* Some virtual machines tell of no cores: then each CPU is one. */
	bool cores = hwloc_get_nbobjs_by_type(v->topology, HWLOC_OBJ_CORE) > 0;
	struct locality_numa *numa = &v->table->numa[v->table->numas];
	hwloc_obj_t core = NULL;
	bool any = false;

	while ((core = hwloc_get_next_obj_by_type(v->topology, cores ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU, core)) !=
	       NULL) {
		if (!hwloc_bitmap_intersects(core->cpuset, node->cpuset) ||
		    hwloc_bitmap_intersects(core->cpuset, taken))
			continue;
		if (v->table->numas == TESSERA_NUMAS_MAX || node->os_index > LOCALITY_NUMBER_MAX)
			return tessera_error_set(
				why, TESSERA_ERR_INPUT,
				"the machine has more than %d NUMA nodes, which is the most that can be told of",
				TESSERA_NUMAS_MAX);
		if (add_core(numa, core, why) < 0)
			return -1;
		hwloc_bitmap_or(taken, taken, core->cpuset);
		any = true;
	}
	numa->number = node->os_index;
	v->table->numas += any ? 1 : 0;
	return 0;
}

static int add_numas(struct view *v, struct tessera_error *why)
{
	hwloc_bitmap_t taken = hwloc_bitmap_alloc();
	unsigned number;
	int rc = 0;

	if (taken == NULL)
		return no_memory(why);
	hwloc_bitmap_foreach_begin(number, hwloc_topology_get_topology_nodeset(v->topology))
	{
		hwloc_obj_t node = hwloc_get_numanode_obj_by_os_index(v->topology, number);

		if (rc == 0 && node != NULL)
			rc = add_numa(v, node, taken, why);
	}
	hwloc_bitmap_foreach_end();
	hwloc_bitmap_free(taken);
	if (rc == 0 && v->table->numas == 0)
		rc = tessera_error_set(why, TESSERA_ERR_INPUT, "the topology has no NUMA node with CPUs");
	return rc;
}

/* The RDU is at all of NODES: its distances are the means of theirs. */
static void put_rdu(struct view *v, unsigned rdu, hwloc_const_bitmap_t nodes)
{
	int count = hwloc_bitmap_weight(nodes);
	unsigned node;

	for (unsigned i = 0; i < v->table->numas && count > 0; i++) {
		uint64_t sum = 0;

		hwloc_bitmap_foreach_begin(node, nodes)
		{
			sum += distance(v, node, v->table->numa[i].number);
		}
		hwloc_bitmap_foreach_end();
		v->table->distance[rdu][i] = (uint16_t)((sum + (unsigned)count / 2) / (unsigned)count);
	}
	if (count > 0)
		tessera_tileset_add(&v->table->rdus, rdu);
}

static int by_list(struct view *v, struct tessera_error *why)
{
	const struct tessera_platform *p = v->platform;
	hwloc_bitmap_t node = hwloc_bitmap_alloc();
	int rc = 0;

	if (node == NULL)
		return no_memory(why);
	for (unsigned rdu = 0; rdu < tessera_platform_rdus(p) && rc == 0; rdu++) {
		unsigned number = (unsigned)tessera_platform_numa(p, rdu);

		if (hwloc_get_numanode_obj_by_os_index(v->topology, number) == NULL) {
			tessera_error_set(why, TESSERA_ERR_INPUT,
					  "platform %s has Numa = \"%.80s\", but the machine has no NUMA node %u: "
					  "correct it in tessera.conf",
					  p->name, p->numa, number);
			rc = 1;
		}
		hwloc_bitmap_only(node, number);
		put_rdu(v, rdu, node);
	}
	hwloc_bitmap_free(node);
	return rc;
}

static int by_bus(const void *a, const void *b)
{
	const struct hwloc_pcidev_attr_s *x = &(*(const hwloc_obj_t *)a)->attr->pcidev;
	const struct hwloc_pcidev_attr_s *y = &(*(const hwloc_obj_t *)b)->attr->pcidev;
	uint64_t left = (uint64_t)x->domain << 24 | (uint64_t)x->bus << 16 | (uint64_t)x->dev << 8 | x->func;
	uint64_t right = (uint64_t)y->domain << 24 | (uint64_t)y->bus << 16 | (uint64_t)y->dev << 8 | y->func;

	return left < right ? -1 : left > right;
}

/* The devices of that kind, sorted; to be freed. NULL with *COUNT 0 if there are none. */
static hwloc_obj_t *find_devices(const struct view *v, unsigned vendor, int device, unsigned *count)
{
	int all = hwloc_get_nbobjs_by_type(v->topology, HWLOC_OBJ_PCI_DEVICE);
	hwloc_obj_t *found = all > 0 ? calloc((size_t)all, sizeof(hwloc_obj_t)) : NULL;
	hwloc_obj_t obj = NULL;

	*count = 0;
	while (found != NULL && (obj = hwloc_get_next_pcidev(v->topology, obj)) != NULL)
		if (obj->attr->pcidev.vendor_id == vendor && (device < 0 || obj->attr->pcidev.device_id == device))
			found[(*count)++] = obj;
	if (*count > 0)
		qsort(found, *count, sizeof(hwloc_obj_t), by_bus);
	return found;
}

/* The first of FOUND are the first RDU's or XRDU's, which are UNITS. */
static int put_devices(struct view *v, const hwloc_obj_t *found, unsigned count, unsigned units,
		       struct tessera_error *why)
{
	unsigned rdus = tessera_platform_rdus(v->platform), each = count / units;
	hwloc_bitmap_t nodes = hwloc_bitmap_alloc();

	if (nodes == NULL)
		return no_memory(why);
	for (unsigned rdu = 0; rdu < rdus; rdu++) {
		unsigned first = rdu / (rdus / units) * each;

		hwloc_bitmap_zero(nodes);
		for (unsigned i = first; i < first + each; i++) {
			hwloc_obj_t near = hwloc_get_non_io_ancestor_obj(v->topology, found[i]);

			if (near != NULL)
				hwloc_bitmap_or(nodes, nodes, near->nodeset);
		}
		put_rdu(v, rdu, nodes);
	}
	hwloc_bitmap_free(nodes);
	return 0;
}

/* One device for each XRDU, or one or several for each RDU. */
static int by_devices(struct view *v, struct tessera_error *why)
{
	const struct tessera_platform *p = v->platform;
	unsigned rdus = tessera_platform_rdus(p), vendor = 0, count, units;
	hwloc_obj_t *found;
	int device = -1, rc;

	tessera_platform_pci(p, &vendor, &device);
	found = find_devices(v, vendor, device, &count);
	units = count == p->xrdus ? p->xrdus : rdus;
	if (count > 0 && count % units == 0) {
		rc = put_devices(v, found, count, units, why);
	} else {
		rc = 1;
		tessera_error_set(why, TESSERA_ERR_INPUT,
				  "the machine has %u PCI devices %s, which do not belong evenly to the %u RDUs of "
				  "platform %s, nor to its %u XRDUs: correct PciId in tessera.conf, or write Numa",
				  count, p->pci_id, rdus, p->name, p->xrdus);
	}
	free(found);
	return rc;
}

/* There is no other place for them. */
static int by_default(struct view *v)
{
	hwloc_const_bitmap_t node = hwloc_topology_get_topology_nodeset(v->topology);

	for (unsigned rdu = 0; rdu < tessera_platform_rdus(v->platform); rdu++)
		put_rdu(v, rdu, node);
	return 0;
}

static int put_rdus(struct view *v, struct tessera_error *why)
{
	const struct tessera_platform *p = v->platform;

	if (p->numa[0] != '\0')
		return by_list(v, why);
	if (hwloc_get_nbobjs_by_type(v->topology, HWLOC_OBJ_NUMANODE) == 1)
		return by_default(v);
	if (p->pci_id[0] != '\0')
		return by_devices(v, why);
	tessera_error_set(why, TESSERA_ERR_MISSING,
			  "nothing says at which NUMA nodes the RDUs are: write Numa or PciId into platform %s in "
			  "tessera.conf",
			  p->name);
	return 1;
}

int topology_read(const struct topology_source *from, const struct tessera_platform *p, struct tessera_locality *l,
		  struct tessera_error *why)
{
	struct view v = {.platform = p, .table = l};
	int rc;

	memset(l, 0, sizeof(*l));
	memcpy(l->platform, p->name, sizeof(l->platform));
	rc = load(&v, from, why);
	if (rc == 0)
		rc = add_numas(&v, why);
	if (rc == 0) {
		find_distances(&v);
		rc = put_rdus(&v, why);
	}
	if (rc != 0)
		tessera_tileset_clear(&l->rdus);
	unload(&v);
	return rc;
}

static unsigned count(const struct view *v, hwloc_obj_type_t type)
{
	int n = hwloc_get_nbobjs_by_type(v->topology, type);

	return n > 0 ? (unsigned)n : 0;
}

int topology_shape(const struct topology_source *from, struct topology_shape *shape)
{
	unsigned sockets = 0, cores = 0, threads = 0;
	struct view v = {0};

	if (load(&v, from, NULL) == 0) {
		sockets = count(&v, HWLOC_OBJ_PACKAGE);
		cores = count(&v, HWLOC_OBJ_CORE);
		threads = count(&v, HWLOC_OBJ_PU);
	}
	unload(&v);
	if (sockets == 0 || cores == 0 || cores % sockets != 0 || threads % cores != 0)
		return -1;
	*shape = (struct topology_shape){.sockets = sockets, .cores = cores / sockets, .threads = threads / cores};
	return 0;
}
