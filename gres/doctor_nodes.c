/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes: whom tessera.conf and slurm.conf know, and how much slurm.conf and gres.conf give them.
 */
#include "config.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "gres/doctor.h"
#include "gres/slurm_nodes.h"
#include "lib/counts.h"
#include "lib/gres.h"
#include "lib/hostlist.h"

/* gres.conf's own count of one line: Count=, or so many as File= names. */
static unsigned line_count(const char *text)
{
	char *count = slurm_line_value(text, "Count"), *file = slurm_line_value(text, "File");
	unsigned number = 1;

	if (count != NULL) {
		unsigned long value = strtoul(count, NULL, 10);

		number = value < UINT_MAX ? (unsigned)value : UINT_MAX;
	} else if (file != NULL) {
		tessera_slurm_hostlist files = slurm_hostlist_create(file);

		number = files != NULL ? (unsigned)slurm_hostlist_count(files) : 0;
		if (files != NULL)
			slurm_hostlist_destroy(files);
	}
	free(count);
	free(file);
	return number;
}

/* How many of NAME gres.conf gives NODE. A line without nodes is for all. */
static unsigned count_in_gres_conf(const struct slurm_file *f, const char *node, const char *name)
{
	unsigned sum = 0;

	for (size_t i = 0; i < f->count; i++) {
		char *names = slurm_line_value(f->lines[i].text, "NodeName");
		char *what = slurm_line_value(f->lines[i].text, "Name");

		if (what != NULL && strcasecmp(what, name) == 0 &&
		    (names == NULL || tessera_hostlist_has(names, node)))
			sum += line_count(f->lines[i].text);
		free(names);
		free(what);
	}
	return sum;
}

/* What a node must have, and has where. */
struct counts {
	unsigned rdus, tiles;
};

static bool equal(const struct counts *a, const struct counts *b)
{
	return a->rdus == b->rdus && a->tiles == b->tiles;
}

static void tell_counts(struct doctor *d, const char *path, const char *node, const struct tessera_platform *p,
			const struct counts *has, const struct counts *wanted, bool gres_conf)
{
	struct finding *f =
		doctor_find(d, DOCTOR_ERROR, "counts", path,
			    "node %s has rdu:%u,rdu_tile:%u there, but a node of %s has rdu:%u,rdu_tile:%u", node,
			    has->rdus, has->tiles, p->name, wanted->rdus, wanted->tiles);

	if (!gres_conf)
		doctor_write(f, "NodeName=%s ... Gres=rdu:%u,rdu_tile:%u", node, wanted->rdus, wanted->tiles);
	else if (has->rdus != wanted->rdus)
		doctor_write(f, "NodeName=%s Name=rdu Count=%u", node, wanted->rdus);
	else
		doctor_write(f, "NodeName=%s Name=rdu_tile Count=%u", node, wanted->tiles);
}

static void check_counts(struct doctor *d, const struct slurm_file *gres_conf, const char *gres_path,
			 const char *node, const struct tessera_platform *p, const char *gres)
{
	struct counts wanted = {tessera_platform_gres(p), tessera_platform_tiles(p)};
	struct counts written;
	struct gres_sum rdu = {0}, tile = {0};
	struct tessera_error err = {0};

	if (p->kind != TESSERA_KIND_RDU)
		return;
	if (gres_total(gres, GRES_LIST_GRES, GRES_RDU, "Gres", &rdu, &err) < 0 ||
	    gres_total(gres, GRES_LIST_GRES, GRES_RDU_TILE, "Gres", &tile, &err) < 0) {
		doctor_find(d, DOCTOR_ERROR, "counts", d->slurm_path, "node %s: %s", node, err.text);
		return;
	}
	written = (struct counts){rdu.count, tile.count};
	if (!equal(&written, &wanted))
		tell_counts(d, d->slurm_path, node, p, &written, &wanted, false);
	if (gres_conf == NULL)
		return;
	written = (struct counts){count_in_gres_conf(gres_conf, node, GRES_RDU),
				  count_in_gres_conf(gres_conf, node, GRES_RDU_TILE)};
	if (!equal(&written, &wanted))
		tell_counts(d, gres_path, node, p, &written, &wanted, true);
}

static void check_node(struct doctor *d, const struct slurm_file *gres_conf, const char *gres_path,
		       const char *node, const struct tessera_platform *p)
{
	char *gres;

	if (slurm_nodes_find(&d->slurm, node, &gres) == NULL) {
		struct finding *f = doctor_find(d, DOCTOR_WARNING, "unknown_node", d->conf_path,
						"node %s is not in slurm.conf: jobs will never run there", node);

		doctor_write(f, "NodeName=%s ... in slurm.conf, or take it out of tessera.conf", node);
	} else {
		check_counts(d, gres_conf, gres_path, node, p, gres);
	}
	free(gres);
}

/* Each node of a partition must be what tessera.conf says of the partition. The first that is not is told. */
static void check_partition(struct doctor *d, const char *name, const struct tessera_platform *p, const char *nodes)
{
	tessera_slurm_hostlist list = slurm_hostlist_create(nodes);
	bool told = false;
	char *node;

	while (list != NULL && (node = slurm_hostlist_shift(list)) != NULL) {
		const struct tessera_platform *other = tessera_conf_node_platform(d->conf, node);

		if (other != p && !told) {
			struct finding *f =
				doctor_find(d, DOCTOR_ERROR, "partition_platform", d->conf_path,
					    "partition %s is of %s, but its node %s is of %s: requests are "
					    "turned into tiles by the partition's",
					    name, p->name, node, other != NULL ? other->name : "none");

			doctor_write(f, "node \"%s\" { Platform = %s }", node, p->name);
			told = true;
		}
		free(node);
	}
	if (list != NULL)
		slurm_hostlist_destroy(list);
}

/* The nodes of a partition in slurm.conf, to be freed; NULL if there is no such partition. "": all nodes. */
static char *find_partition(const struct doctor *d, const char *name)
{
	for (size_t i = 0; i < d->slurm.count; i++) {
		char *title = slurm_line_value(d->slurm.lines[i].text, "PartitionName");
		bool found = title != NULL && strcmp(title, name) == 0;
		char *nodes = found ? slurm_line_value(d->slurm.lines[i].text, "Nodes") : NULL;

		free(title);
		if (found && nodes != NULL && strcasecmp(nodes, "ALL") != 0)
			return nodes;
		free(nodes);
		if (found)
			return strdup("");
	}
	return NULL;
}

static void check_partitions(struct doctor *d)
{
	const struct tessera_platform *p;
	const char *name;

	for (size_t i = 0; (p = tessera_conf_partition_at(d->conf, i, &name)) != NULL; i++) {
		char *nodes = find_partition(d, name);

		if (nodes == NULL) {
			struct finding *f = doctor_find(d, DOCTOR_WARNING, "unknown_partition", d->conf_path,
							"partition %s is not in slurm.conf", name);

			doctor_write(f, "PartitionName=%s ... in slurm.conf, or take it out of tessera.conf", name);
		} else if (nodes[0] != '\0') {
			check_partition(d, name, p, nodes);
		}
		free(nodes);
	}
}

/*
 * slurmctld takes a node out whose slurmd reports fewer than slurm.conf has, and one whose count is another while jobs have
 * some of it. Fewer than slurm.conf has are nothing to find, as long as slurmctld knows: tessera health --update does that.
 */
static void check_taken_out(struct doctor *d)
{
	for (uint32_t i = 0; d->nodes != NULL && i < d->nodes->record_count; i++) {
		const node_info_t *info = &d->nodes->node_array[i];
		bool changed = tessera_counts_is_slurms(info->reason);
		struct finding *f;

		if (info->name == NULL || info->reason == NULL || strncmp(info->reason, "gres/rdu", 8) != 0 ||
		    tessera_conf_node_platform(d->conf, info->name) == NULL)
			continue;
		f = doctor_find(d, DOCTOR_ERROR, "node_gres", info->name,
				"slurmctld has taken the node out: %s. %s", info->reason,
				changed ? "Somebody changed its counts, or scontrol reconfigure did"
					: "Its gres.conf has other counts than slurm.conf");
		if (changed)
			doctor_run(f, "tessera health --update on %s", info->name);
		else
			doctor_run(f, "systemctl restart slurmd on %s, when gres.conf is right", info->name);
	}
}

/* A node of this machine to which no job comes: here it can be mended. */
static void check_down(struct doctor *d)
{
	for (uint32_t i = 0; d->nodes != NULL && i < d->nodes->record_count; i++) {
		const node_info_t *info = &d->nodes->node_array[i];
		bool silent = (info->node_state & NODE_STATE_NO_RESPOND) != 0;
		bool reason = info->reason != NULL && info->reason[0] != '\0';
		const struct tessera_platform *p;
		struct finding *f;

		if ((!silent && (info->node_state & NODE_STATE_BASE) != NODE_STATE_DOWN) ||
		    doctor_local_node(d, i, &p) == NULL)
			continue;
		f = doctor_find(d, DOCTOR_WARNING, "node_down", info->name,
				"slurmctld %s, and no job starts there%s%s",
				silent ? "gets no answer from it" : "calls it down", reason ? ": " : "",
				reason ? info->reason : "");
		if (silent)
			doctor_run(f, "systemctl restart slurmd");
		else
			doctor_run(f, "scontrol update NodeName=%s State=RESUME, when that is mended", info->name);
	}
}

void doctor_check_nodes(struct doctor *d)
{
	const char *slash = strrchr(d->slurm_path, '/');
	struct slurm_file gres_conf = {0};
	const struct tessera_platform *p;
	struct tessera_error err = {0};
	char path[sizeof(d->slurm_path) + 16];
	const char *title;
	bool readable;
	char *node;

	snprintf(path, sizeof(path), "%.*s/gres.conf", (int)(slash - d->slurm_path), d->slurm_path);
	readable = slurm_file_read(&gres_conf, path, &err) == 0;
	if (!readable && d->rdus)
		doctor_write(doctor_find(d, DOCTOR_ERROR, "gres_conf", path, "%s", err.text),
			     "what tessera conf --platform=P --nodes=LIST prints for gres.conf");
	for (size_t i = 0; (p = tessera_conf_node_at(d->conf, i, &title)) != NULL; i++) {
		tessera_slurm_hostlist list = slurm_hostlist_create(title);

		while (list != NULL && (node = slurm_hostlist_shift(list)) != NULL) {
			check_node(d, readable ? &gres_conf : NULL, path, node, p);
			free(node);
		}
		if (list != NULL)
			slurm_hostlist_destroy(list);
	}
	slurm_file_free(&gres_conf);
	check_partitions(d);
	check_taken_out(d);
	check_down(d);
}
