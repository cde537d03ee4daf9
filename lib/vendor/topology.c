/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "lib/vendor/topology_internal.h"

static int set_load_error(const struct topology_source *from, struct tessera_error *why)
{
	const char *name = from->xml != NULL ? from->xml : from->synthetic;

	return tessera_error_set(why, TESSERA_ERR_INPUT, "hwloc cannot read %s%.200s: %s",
				 from->synthetic != NULL ? "the synthetic topology " : "",
				 name != NULL ? name : "this machine's topology", strerror(errno));
}

/*
 * Load the machine as Slurm sees it: with the cores that this process may not use, so that numbers
 * agree. Caches are left out to save time.
 */
static int load_topology(struct view *v, const struct topology_source *from,
			 struct tessera_error *why)
{
	if (hwloc_topology_init(&v->topology) < 0)
		return tessera_error_set(why, TESSERA_ERR_UNAVAILABLE, "cannot initialize hwloc");
	hwloc_topology_set_flags(v->topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
	hwloc_topology_set_cache_types_filter(v->topology, HWLOC_TYPE_FILTER_KEEP_NONE);
	if (v->platform != NULL && v->platform->pci_id[0] != '\0')
		hwloc_topology_set_type_filter(v->topology, HWLOC_OBJ_PCI_DEVICE,
					       HWLOC_TYPE_FILTER_KEEP_ALL);
	errno = EINVAL;
	if ((from->xml != NULL && hwloc_topology_set_xml(v->topology, from->xml) < 0) ||
	    (from->synthetic != NULL &&
	     hwloc_topology_set_synthetic(v->topology, from->synthetic) < 0) ||
	    hwloc_topology_load(v->topology) < 0)
		return set_load_error(from, why);
	return 0;
}

static void unload_topology(struct view *v)
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

/*
 * Add a core and its CPUs to NUMA. The caller adds each core to one NUMA node only.
 */
static int add_core(struct locality_numa *numa, hwloc_obj_t core, struct tessera_error *why)
{
	int cpu;

	if (core->logical_index >= TESSERA_CPUS_MAX ||
	    hwloc_bitmap_last(core->cpuset) >= TESSERA_CPUS_MAX)
		return tessera_error_set(
			why, TESSERA_ERR_INPUT,
			"the machine has more than %d CPUs, which is the maximum supported",
			TESSERA_CPUS_MAX);
	tessera_cpuset_add(&numa->cores, core->logical_index);
	hwloc_bitmap_foreach_begin(cpu, core->cpuset)
	{
		tessera_cpuset_add(&numa->cpus, (unsigned)cpu);
	}
	hwloc_bitmap_foreach_end();
	return 0;
}

/*
 * Add the cores of NODE that are not in TAKEN, and add them to TAKEN. A NUMA node without such
 * cores gets no line.
 */
static int add_numa(struct view *v, hwloc_obj_t node, hwloc_bitmap_t taken,
		    struct tessera_error *why)
{
	/* Some virtual machines report no cores: then each CPU counts as one. */
	bool cores = hwloc_get_nbobjs_by_type(v->topology, HWLOC_OBJ_CORE) > 0;
	struct locality_numa *numa = &v->table->numa[v->table->numas];
	hwloc_obj_t core = NULL;
	bool any = false;

	while ((core = hwloc_get_next_obj_by_type(
			v->topology, cores ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU, core)) != NULL) {
		if (!hwloc_bitmap_intersects(core->cpuset, node->cpuset) ||
		    hwloc_bitmap_intersects(core->cpuset, taken))
			continue;
		if (v->table->numas == TESSERA_NUMAS_MAX || node->os_index > LOCALITY_NUMBER_MAX)
			return tessera_error_set(why, TESSERA_ERR_INPUT,
						 "the machine has more than %d NUMA nodes, which "
						 "is the maximum supported",
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
		return tessera_error_nomem(why);
	hwloc_bitmap_foreach_begin(number, hwloc_topology_get_topology_nodeset(v->topology))
	{
		hwloc_obj_t node = hwloc_get_numanode_obj_by_os_index(v->topology, number);

		if (rc == 0 && node != NULL)
			rc = add_numa(v, node, taken, why);
	}
	hwloc_bitmap_foreach_end();
	hwloc_bitmap_free(taken);
	if (rc == 0 && v->table->numas == 0)
		rc = tessera_error_set(why, TESSERA_ERR_INPUT,
				       "the topology has no NUMA node with CPUs");
	return rc;
}

int topology_read(const struct topology_source *from, const struct tessera_platform *p,
		  struct tessera_locality *l, struct tessera_error *why)
{
	struct view v = {.platform = p, .table = l};
	int rc;

	memset(l, 0, sizeof(*l));
	memcpy(l->platform, p->name, sizeof(l->platform));
	rc = load_topology(&v, from, why);
	if (rc == 0)
		rc = add_numas(&v, why);
	if (rc == 0) {
		find_distances(&v);
		rc = topology_put_rdus(&v, why);
	}
	if (rc != 0)
		tessera_tileset_clear(&l->rdus);
	unload_topology(&v);
	return rc;
}

static unsigned count_objects(const struct view *v, hwloc_obj_type_t type)
{
	int n = hwloc_get_nbobjs_by_type(v->topology, type);

	return n > 0 ? (unsigned)n : 0;
}

int topology_shape(const struct topology_source *from, struct topology_shape *shape)
{
	unsigned sockets = 0, cores = 0, threads = 0;
	struct view v = {0};

	if (load_topology(&v, from, NULL) == 0) {
		sockets = count_objects(&v, HWLOC_OBJ_PACKAGE);
		cores = count_objects(&v, HWLOC_OBJ_CORE);
		threads = count_objects(&v, HWLOC_OBJ_PU);
	}
	unload_topology(&v);
	if (sockets == 0 || cores == 0 || cores % sockets != 0 || threads % cores != 0)
		return -1;
	*shape = (struct topology_shape){
		.sockets = sockets, .cores = cores / sockets, .threads = threads / cores};
	return 0;
}
