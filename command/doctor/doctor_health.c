/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks of health: the vendor tools are installed and have current results, the marks can be
 * read, and slurmctld's counts match the node's health.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command/doctor/doctor.h"
#include "command/observe/health_poll.h"
#include "command/view/health_view.h"
#include "gres/counts/update.h"
#include "lib/slurm/conf_nodes.h"
#include "lib/state/health.h"

/* A vendor tool. It is searched for once, for all nodes of this machine. */
struct tool {
	const char *name, *key, *command;
	enum tessera_kind kind;
	bool checked, missing;
};

static void check_program(struct doctor *d, struct tool *tool)
{
	char path[TESSERA_COMMAND_MAX];

	if (tool->checked)
		return;
	tool->checked = true;
	snprintf(path, sizeof(path), "%.*s", (int)strcspn(tool->command, " \t"), tool->command);
	/* A path with the node's name in it is not checked: tessera health reports its failure. */
	if (strstr(path, "%n") != NULL || access(path, X_OK) == 0)
		return;
	tool->missing = true;
	doctor_write(doctor_find(d, DOCTOR_WARNING, "health_tool", d->conf_path, "%s: %s: %s",
				 tool->key, path, strerror(errno)),
		     "%s = \"PATH\" of the installed tool, or \"\"", tool->key);
}

/* WHEN and TEXT: time and message of TOOL's last result for NODE. Returns whether it is current. */
static bool check_result(struct doctor *d, const struct tool *tool, const char *node, int64_t when,
			 const char *text)
{
	const struct tessera_health_conf *conf = tessera_conf_health(d->conf);
	const char *problem = "has no result newer than HealthMax";
	int64_t now = time(NULL);
	char enable[DOCTOR_TEXT_MAX / 2];
	struct finding *f;

	if (tessera_health_counts(conf, when, now))
		return true;
	if (when == 0)
		problem = "has not been queried successfully yet";
	else if (tessera_health_is_ahead(when, now))
		problem = "has a result with a time in the future, of which only bad tiles count";
	f = doctor_find(d, DOCTOR_WARNING, "health", node, "%s %s%s%s", tool->name, problem,
			text[0] != '\0' ? ": " : "", text);
	doctor_run(f, "%s on %s, or tessera health",
		   doctor_enable(TESSERA_UNIT_DIR, "tessera-health", enable, sizeof(enable)), node);
	return false;
}

/* Without its marks a node may allocate tiles that are marked bad. Returns whether it has them. */
static bool check_marks(struct doctor *d, const char *node, const struct tessera_platform *p)
{
	struct tessera_marks marks = {0};
	struct tessera_error err = {0};
	char dir[512] = "";

	bool readable = true;

	if (p->kind != TESSERA_KIND_RDU)
		return true;
	if (tessera_conf_marks_dir(d->conf, node, dir, sizeof(dir), &err) < 0 ||
	    tessera_marks_read(dir, p, &marks, &err) < 0) {
		struct finding *f = doctor_find(d, DOCTOR_ERROR, "marks", node, "%s", err.text);

		readable = false;
		if (err.code == TESSERA_ERR_INPUT && dir[0] != '\0')
			doctor_run(f,
				   "rm %s/marks, then tessera mark --node=%s TILES bad for all bad "
				   "tiles",
				   dir, node);
	}
	tessera_marks_free(&marks);
	return readable;
}

/* Does slurm.conf have the full counts of the platform? If not, doctor_check_nodes() reports it. */
static bool has_full_counts(const struct doctor *d, const char *node,
			    const struct tessera_platform *p)
{
	struct tessera_counts limit = {0};
	char *gres = NULL;
	bool whole = conf_file_find_node(&d->slurm, node, &gres) != NULL &&
		     tessera_gres_counts_read(gres, &limit, NULL) == 0 &&
		     limit.rdu.count == tessera_platform_gres(p) &&
		     limit.tile.count == tessera_platform_tiles(p);

	free(gres);
	return whole;
}

static void report_gap(struct doctor *d, const char *node, const struct counts_gap *gap)
{
	bool because = gap->because[0] != '\0';
	struct finding *f = doctor_find(d, DOCTOR_WARNING, "health_counts", node,
					"slurmctld counts rdu:%u,rdu_tile:%u, but the node's "
					"health allows rdu:%u,rdu_tile:%u%s%s%s",
					gap->told.rdu.count, gap->told.tile.count,
					gap->wanted.rdu.count, gap->wanted.tile.count,
					because ? " (" : "", gap->because, because ? ")" : "");

	doctor_run(f, "tessera health --update on %s%s", node,
		   gap->used ? ", once no job there holds rdu or rdu_tile" : "");
}

/* slurmctld's counts must match the node's health, which is known. */
static void check_counts(struct doctor *d, const char *name, const struct tessera_platform *p)
{
	struct tessera_error err = {0};
	struct health_view view = {0};
	struct counts_gap gap;
	struct node node;

	if (p->kind != TESSERA_KIND_RDU || !has_full_counts(d, name, p))
		return;
	/* Other checks report what cannot be read. */
	if (node_open(&node, name, d->conf_path, NULL, &err) == 0 && node.platform != NULL &&
	    health_view_read(&view, &node, &err) == 0 &&
	    counts_compare(&node, &view.verdict, &gap, &err) > 0)
		report_gap(d, name, &gap);
	health_view_free(&view);
	node_close(&node);
}

/* Returns whether all tools have current results. */
static bool check_node(struct doctor *d, struct tool *tools, size_t count, const char *node,
		       const struct tessera_platform *p)
{
	bool known = true;
	struct tessera_health health = {0};
	struct tessera_error err = {0};
	char dir[512];

	if (!doctor_state_dir(d, node, dir, sizeof(dir)))
		return false;
	if (tessera_health_read(dir, p, &health, &err) < 0) {
		doctor_run(doctor_find(d, DOCTOR_WARNING, "health", node, "%s", err.text),
			   "tessera health");
		return false;
	}
	for (size_t i = 0; i < count; i++) {
		const struct tessera_health_source *last = NULL;

		if (tools[i].command[0] == '\0' || tools[i].kind != p->kind)
			continue;
		check_program(d, &tools[i]);
		known &= !tools[i].missing;
		if (tools[i].missing)
			continue;
		for (size_t k = 0; k < health.count && last == NULL; k++)
			if (strcmp(health.sources[k].name, tools[i].name) == 0)
				last = &health.sources[k];
		if (p->kind == TESSERA_KIND_IPU)
			known &= check_result(d, &tools[i], node, health.ipus.time,
					      health.ipus.text);
		else
			known &= check_result(d, &tools[i], node, last != NULL ? last->time : 0,
					      last != NULL ? last->text : "");
	}
	return known;
}

void doctor_check_health(struct doctor *d)
{
	const struct tessera_health_conf *conf = tessera_conf_health(d->conf);
	struct tool tools[] = {
		{HEALTH_SNFADM, "SnfadmCommand", conf->snfadm, TESSERA_KIND_RDU, false, false},
		{HEALTH_SNCONFIG, "SnconfigCommand", conf->snconfig, TESSERA_KIND_RDU, false,
		 false},
		{HEALTH_GCIPUINFO, "IpuHealthCommand", conf->ipus, TESSERA_KIND_IPU, false, false},
	};
	const struct tessera_platform *p;
	const char *name;
	bool known;

	for (uint32_t i = 0; d->nodes != NULL && i < d->nodes->record_count; i++) {
		if ((name = doctor_local_node(d, i, &p)) == NULL)
			continue;
		known = check_node(d, tools, sizeof(tools) / sizeof(tools[0]), name, p);
		if (check_marks(d, name, p) && known)
			check_counts(d, name, p);
	}
}
