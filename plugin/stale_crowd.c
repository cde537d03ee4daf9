/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugin/process_job.h"
#include "plugin/slurm_compat.h"
#include "plugin/stale_crowd.h"

void stale_crowd_free(struct stale_crowd *crowd)
{
	free(crowd->list);
	free(crowd->owner);
	*crowd = (struct stale_crowd){0};
}

static uint32_t ask_owner(const struct node *node, pid_t pid, struct tessera_error *err)
{
	uint32_t job = STALE_OWNER_NONE;
	int rc = process_job(node, pid, &job, err);

	return rc < 0 ? STALE_OWNER_UNKNOWN : rc > 0 ? job : STALE_OWNER_NONE;
}

static int find(const struct node *node, struct stale_crowd *crowd)
{
	char pattern[2 * TESSERA_PATH_MAX];
	bool silent = false;

	if (tessera_conf_for_node("DeviceFiles", tessera_conf_stale(node->conf)->devices, node->name, pattern,
				  sizeof(pattern), &crowd->err) < 0)
		return -1;
	crowd->count = holders_find("/proc", pattern, crowd->uid, &crowd->list, &crowd->err);
	if (crowd->count <= 0)
		return crowd->count;
	crowd->owner = calloc((size_t)crowd->count, sizeof(*crowd->owner));
	if (crowd->owner == NULL)
		return tessera_error_set(&crowd->err, TESSERA_ERR_MISSING, "out of memory for %d processes",
					 crowd->count);
	/* Who gives no answer for one process gives none for the next, and each may cost a time-out. */
	for (int i = 0; i < crowd->count; i++) {
		crowd->owner[i] = silent ? STALE_OWNER_UNKNOWN : ask_owner(node, crowd->list[i].pid, &crowd->err);
		silent = crowd->owner[i] == STALE_OWNER_UNKNOWN;
	}
	return crowd->count;
}

static void look(const struct node *node, struct stale_crowd *crowd, uint32_t uid)
{
	if (crowd->looked && crowd->uid == uid)
		return;
	stale_crowd_free(crowd);
	crowd->looked = true;
	crowd->uid = uid;
	crowd->count = find(node, crowd);
}

static bool runs(uint32_t owner, uint32_t ended)
{
	return owner != STALE_OWNER_NONE && owner != STALE_OWNER_UNKNOWN && owner != ended;
}

static bool is_stale(const struct stale_crowd *crowd, int i, const struct tessera_row *row, uint32_t ended)
{
	return crowd->list[i].start >= row->since && !runs(crowd->owner[i], ended);
}

bool stale_held(const struct node *node, struct stale_crowd *crowd, const struct tessera_row *row, uint32_t ended,
		char *text, size_t len)
{
	const struct holder *first = NULL;
	char others[32] = "";
	int count = 0;

	if (tessera_conf_stale(node->conf)->devices[0] == '\0' || tessera_tileset_empty(&row->tiles))
		return false;
	look(node, crowd, row->uid);
	if (crowd->count < 0) {
		snprintf(text, len, "it is not known who holds the device: %.400s", crowd->err.text);
		return true;
	}
	for (int i = crowd->count - 1; i >= 0; i--) {
		if (!is_stale(crowd, i, row, ended))
			continue;
		first = &crowd->list[i];
		count++;
	}
	if (count == 0)
		return false;
	if (count > 1)
		snprintf(others, sizeof(others), " and %d other%s", count - 1, count > 2 ? "s" : "");
	snprintf(text, len, "process %jd (%s)%s of uid %u still hold%s %s", (intmax_t)first->pid, first->command,
		 others, row->uid, count > 1 ? "" : "s", first->file);
	return true;
}

void stale_signal(const struct node *node, const struct stale_crowd *crowd, const struct tessera_row *row,
		  uint32_t ended, int signal)
{
	for (int i = 0; i < crowd->count; i++) {
		const struct holder *h = &crowd->list[i];
		struct tessera_error err = {0};
		uint32_t owner;

		if (h->uid == 0 || !is_stale(crowd, i, row, ended))
			continue;
		owner = ask_owner(node, h->pid, &err);
		if (runs(owner, ended))
			continue;
		if (owner == STALE_OWNER_NONE && holders_look_owned("/proc", h->pid, ended)) {
			tessera_error_set(&err, TESSERA_ERR_DENIED,
					  "slurmd knows no job of it, but it looks like a step's");
			owner = STALE_OWNER_UNKNOWN;
		}
		/* One that is stopped must run to hear it. */
		if (owner != STALE_OWNER_UNKNOWN && holders_signal(h, signal, &err) == 0 &&
		    (signal != SIGTERM || holders_signal(h, SIGCONT, &err) == 0))
			slurm_info("tessera: job %u has ended: sent %s to its process %jd (%s) of uid %u, which "
				   "holds %s",
				   row->job, signal == SIGTERM ? "SIGTERM" : "SIGKILL", (intmax_t)h->pid,
				   h->command, h->uid, h->file);
		else if (signal == SIGTERM) /* once is enough */
			slurm_error("tessera: job %u has ended, but its process %jd (%s) of uid %u is let be: %s",
				    row->job, (intmax_t)h->pid, h->command, h->uid, err.text);
	}
}
