/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks of nodes: tessera.conf and slurm.conf have the same nodes and partitions, slurm.conf and
 * gres.conf have the right counts, and slurmctld uses the nodes.
 */
#include "config.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "command/doctor/doctor.h"
#include "lib/conf/gres_list.h"
#include "lib/request/gres_counts.h"
#include "lib/slurm/conf_nodes.h"
#include "lib/tile/hostlist.h"

/* The count of a line of gres.conf: Count=, or the number of files in File=. */
static unsigned read_line_count(const char *text)
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

/* NODE's count of GRES NAME in gres.conf. A line without NodeName is for all nodes. */
static unsigned count_in_gres_conf(const struct conf_file *f, const char *node, const char *name)
{
	unsigned sum = 0;

	for (size_t i = 0; i < f->count; i++) {
		char *names = slurm_line_value(f->lines[i].text, "NodeName");
		char *what = slurm_line_value(f->lines[i].text, "Name");

		if (what != NULL && strcasecmp(what, name) == 0 &&
		    (names == NULL || tessera_hostlist_has(names, node)))
			sum += read_line_count(f->lines[i].text);
		free(names);
		free(what);
	}
	return sum;
}

struct counts {
	unsigned rdus, tiles;
};

static bool are_equal(const struct counts *a, const struct counts *b)
{
	return a->rdus == b->rdus && a->tiles == b->tiles;
}

static void report_counts(struct doctor *d, const char *path, const char *node,
			  const struct tessera_platform *p, const struct counts *has,
			  const struct counts *wanted, bool gres_conf)
{
	struct finding *f = doctor_find(
		d, DOCTOR_ERROR, "counts", path,
		"node %s has rdu:%u,rdu_tile:%u here, but platform %s has rdu:%u,rdu_tile:%u", node,
		has->rdus, has->tiles, p->name, wanted->rdus, wanted->tiles);

	if (!gres_conf)
		doctor_write(f, "NodeName=%s ... Gres=rdu:%u,rdu_tile:%u", node, wanted->rdus,
			     wanted->tiles);
	else if (has->rdus != wanted->rdus)
		doctor_write(f, "NodeName=%s Name=rdu Count=%u", node, wanted->rdus);
	else
		doctor_write(f, "NodeName=%s Name=rdu_tile Count=%u", node, wanted->tiles);
}

static void check_counts(struct doctor *d, const struct conf_file *gres_conf, const char *gres_path,
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
		doctor_find(d, DOCTOR_ERROR, "counts", d->slurm_path, "node %s: %s", node,
			    err.text);
		return;
	}
	written = (struct counts){rdu.count, tile.count};
	if (!are_equal(&written, &wanted))
		report_counts(d, d->slurm_path, node, p, &written, &wanted, false);
	if (gres_conf == NULL)
		return;
	written = (struct counts){count_in_gres_conf(gres_conf, node, GRES_RDU),
				  count_in_gres_conf(gres_conf, node, GRES_RDU_TILE)};
	if (!are_equal(&written, &wanted))
		report_counts(d, gres_path, node, p, &written, &wanted, true);
}

static void check_node(struct doctor *d, const struct conf_file *gres_conf, const char *gres_path,
		       const char *node, const struct tessera_platform *p)
{
	char *gres;

	if (conf_file_find_node(&d->slurm, node, &gres) == NULL) {
		struct finding *f =
			doctor_find(d, DOCTOR_WARNING, "unknown_node", d->conf_path,
				    "node %s is not in slurm.conf: no job can run there", node);

		doctor_write(f, "NodeName=%s ... in slurm.conf, or remove it from tessera.conf",
			     node);
	} else {
		check_counts(d, gres_conf, gres_path, node, p, gres);
	}
	free(gres);
}

/* Each node of a partition must have the partition's platform. Reports the first that has not. */
static void check_partition(struct doctor *d, const char *name, const struct tessera_platform *p,
			    const char *nodes)
{
	tessera_slurm_hostlist list = slurm_hostlist_create(nodes);
	bool reported = false;
	char *node;

	while (list != NULL && (node = slurm_hostlist_shift(list)) != NULL) {
		const struct tessera_platform *other = tessera_conf_node_platform(d->conf, node);

		if (other != p && !reported) {
			struct finding *f = doctor_find(
				d, DOCTOR_ERROR, "partition_platform", d->conf_path,
				"partition %s has platform %s, but its node %s has %s: requests "
				"are "
				"converted to tiles by the partition's platform",
				name, p->name, node, other != NULL ? other->name : "none");

			doctor_write(f, "node \"%s\" { Platform = %s }", node, p->name);
			reported = true;
		}
		free(node);
	}
	if (list != NULL)
		slurm_hostlist_destroy(list);
}

/*
 * The nodes of a partition in slurm.conf, to be freed by the caller; "": all nodes; NULL: no such
 * partition.
 */
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
			struct finding *f =
				doctor_find(d, DOCTOR_WARNING, "unknown_partition", d->conf_path,
					    "partition %s is not in slurm.conf", name);

			doctor_write(f,
				     "PartitionName=%s ... in slurm.conf, or remove it from "
				     "tessera.conf",
				     name);
		} else if (nodes[0] != '\0') {
			check_partition(d, name, p, nodes);
		}
		free(nodes);
	}
}

/*
 * slurmctld drains a node whose slurmd reports fewer units than slurm.conf has, or whose count
 * changes while jobs hold some. Lower counts that tessera health --update set are no problem.
 */
static void check_drained(struct doctor *d)
{
	for (uint32_t i = 0; d->nodes != NULL && i < d->nodes->record_count; i++) {
		const node_info_t *info = &d->nodes->node_array[i];
		bool changed = tessera_gres_counts_is_slurms(info->reason);
		struct finding *f;

		if (info->name == NULL || info->reason == NULL ||
		    strncmp(info->reason, "gres/rdu", 8) != 0 ||
		    tessera_conf_node_platform(d->conf, info->name) == NULL)
			continue;
		f = doctor_find(d, DOCTOR_ERROR, "node_gres", info->name,
				"slurmctld drained the node: %s. %s", info->reason,
				changed ? "An administrator or scontrol reconfigure changed its "
					  "counts"
					: "The counts in its gres.conf and in slurm.conf differ");
		if (changed)
			doctor_run(f, "tessera health --update on %s", info->name);
		else
			doctor_run(f, "systemctl restart slurmd on %s, after correcting gres.conf",
				   info->name);
	}
}

/* Only nodes of this machine: their slurmd can be restarted here. */
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
				"the node is %s in slurmctld, no job starts there%s%s",
				silent ? "not responding" : "down", reason ? ": " : "",
				reason ? info->reason : "");
		if (silent)
			doctor_run(f, "systemctl restart slurmd");
		else
			doctor_run(f, "scontrol update NodeName=%s State=RESUME, after the repair",
				   info->name);
	}
}

void doctor_check_nodes(struct doctor *d)
{
	const char *slash = strrchr(d->slurm_path, '/');
	struct conf_file gres_conf = {0};
	const struct tessera_platform *p;
	struct tessera_error err = {0};
	char path[sizeof(d->slurm_path) + 16];
	const char *title;
	bool readable;
	char *node;

	snprintf(path, sizeof(path), "%.*s/gres.conf", (int)(slash - d->slurm_path), d->slurm_path);
	readable = conf_file_read(&gres_conf, path, &err) == 0;
	if (!readable && d->rdus)
		doctor_write(doctor_find(d, DOCTOR_ERROR, "gres_conf", path, "%s", err.text),
			     "the output of tessera conf --platform=P --nodes=LIST "
			     "--for=gres.conf");
	for (size_t i = 0; (p = tessera_conf_node_at(d->conf, i, &title)) != NULL; i++) {
		tessera_slurm_hostlist list = slurm_hostlist_create(title);

		while (list != NULL && (node = slurm_hostlist_shift(list)) != NULL) {
			check_node(d, readable ? &gres_conf : NULL, path, node, p);
			free(node);
		}
		if (list != NULL)
			slurm_hostlist_destroy(list);
	}
	conf_file_free(&gres_conf);
	check_partitions(d);
	check_drained(d);
	check_down(d);
}
