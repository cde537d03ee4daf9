/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/deadline.h"
#include "plugin/process_job.h"
#include "plugin/slurm_compat.h"
#include "plugin/stale_crowd.h"

void stale_crowd_renew(struct stale_crowd *crowd)
{
	struct holders_known known = crowd->known;

	free(crowd->list);
	free(crowd->owner);
	holders_tree_free(&crowd->tree);
	*crowd = (struct stale_crowd){.known = known, .again = crowd->again};
}

void stale_crowd_free(struct stale_crowd *crowd)
{
	stale_crowd_renew(crowd);
	holders_known_free(&crowd->known);
}

static uint32_t ask_owner(const struct node *node, pid_t pid, int64_t end, struct tessera_error *err)
{
	uint32_t job = STALE_OWNER_NONE;
	int rc = process_job_until(node, pid, end, &job, err);

	return rc < 0 ? STALE_OWNER_UNKNOWN : rc > 0 ? job : STALE_OWNER_NONE;
}

static int find(const struct node *node, struct stale_crowd *crowd, int64_t end)
{
	/* Half of the time is for what comes then. */
	int64_t until =
		deadline_nearer(deadline_now() + deadline_left(end) / 2, deadline_after(HOLDERS_MAX_SECONDS));
	char pattern[2 * TESSERA_PATH_MAX];
	int count;

	if (tessera_conf_for_node("DeviceFiles", tessera_conf_stale(node->conf)->devices, node->name, pattern,
				  sizeof(pattern), &crowd->err) < 0)
		return -1;
	count = holders_find("/proc", pattern, crowd->uid, until, &crowd->list, &crowd->cut, &crowd->err);
	if (count <= 0)
		return count;
	crowd->owner = malloc((size_t)count * sizeof(*crowd->owner));
	if (crowd->owner == NULL)
		return tessera_error_set(&crowd->err, TESSERA_ERR_MISSING, "out of memory for %d processes", count);
	for (int i = 0; i < count; i++)
		crowd->owner[i] = STALE_OWNER_UNASKED;
	return count;
}

static void look(const struct node *node, struct stale_crowd *crowd, uint32_t uid, int64_t end)
{
	if (crowd->looked && crowd->uid == uid)
		return;
	stale_crowd_renew(crowd);
	crowd->looked = true;
	crowd->uid = uid;
	crowd->count = find(node, crowd, end);
}

/* Who gives no answer for one process gives none for the next, and each may cost a time-out. */
static uint32_t find_owner(const struct node *node, struct stale_crowd *crowd, int i, int64_t end)
{
	struct holder_claim claim;
	uint32_t owner;

	/* To climb from one process to its slurmstepd takes long only if there are thousands of ancestors. */
	if (deadline_left(end) == 0)
		return STALE_OWNER_UNKNOWN;
	holders_claim(&crowd->tree, "/proc", &crowd->list[i], &claim);
	owner = holders_recall(&crowd->known, &claim);
	if (owner != 0)
		return owner;
	if (crowd->silent || crowd->asked >= STALE_QUESTIONS)
		return STALE_OWNER_UNKNOWN;
	crowd->asked++;
	owner = ask_owner(node, claim.pid, end, NULL);
	crowd->silent = owner == STALE_OWNER_UNKNOWN;
	if (owner != STALE_OWNER_NONE && owner != STALE_OWNER_UNKNOWN)
		holders_learn(&crowd->known, &claim, owner);
	return owner;
}

static uint32_t owner_of(const struct node *node, struct stale_crowd *crowd, int i, int64_t end)
{
	if (crowd->owner[i] == STALE_OWNER_UNASKED)
		crowd->owner[i] = find_owner(node, crowd, i, end);
	return crowd->owner[i];
}

/* Is H, which OWNER has, a running job's? An earlier run of the row's JOB has the same number. */
static bool runs(const struct stale_crowd *crowd, const struct holder *h, uint32_t owner, uint32_t job,
		 uint32_t ended)
{
	if (owner == job && h->start < crowd->again)
		return false;
	return owner != STALE_OWNER_NONE && owner < STALE_OWNER_UNASKED && owner != ended;
}

/* The first holder of ROW's tiles that slurmd knows no running job of; if there is none, the first in doubt; or -1. */
static int find_holder(const struct node *node, struct stale_crowd *crowd, const struct tessera_row *row,
		       uint32_t ended, int64_t end, enum stale_hold *hold)
{
	int first = -1;

	*hold = STALE_FREE;
	for (int i = 0; i < crowd->count; i++) {
		uint32_t owner;

		if (crowd->list[i].start < row->since)
			continue;
		owner = owner_of(node, crowd, i, end);
		if (runs(crowd, &crowd->list[i], owner, row->job, ended))
			continue;
		if (owner != STALE_OWNER_UNKNOWN) {
			*hold = STALE_HELD;
			return i;
		}
		*hold = STALE_IN_DOUBT;
		if (first < 0)
			first = i;
	}
	return first;
}

enum stale_hold stale_held(const struct node *node, struct stale_crowd *crowd, const struct tessera_row *row,
			   uint32_t ended, int64_t end, char *text, size_t len)
{
	enum stale_hold hold;
	int i;

	if (tessera_conf_stale(node->conf)->devices[0] == '\0' || tessera_tileset_empty(&row->tiles))
		return STALE_FREE;
	look(node, crowd, row->uid, end);
	i = find_holder(node, crowd, row, ended, end, &hold);
	if (i >= 0) {
		const struct holder *h = &crowd->list[i];

		snprintf(text, len, "process %jd (%s) of uid %u %s %s%s", (intmax_t)h->pid, h->command, row->uid,
			 hold == STALE_HELD ? "still holds" : "holds", h->file,
			 hold == STALE_HELD ? "" : ", and slurmd has not said yet whose it is");
		return hold;
	}
	if (crowd->count >= 0 && !crowd->cut)
		return STALE_FREE;
	snprintf(text, len, "it is not known who holds the device: %.400s", crowd->err.text);
	return STALE_IN_DOUBT;
}

/* May it get a signal? Otherwise ERR says why not. */
static bool may_signal(const struct holder *h, uint32_t owner, uint32_t ended, struct tessera_error *err)
{
	if (owner == STALE_OWNER_UNKNOWN)
		return false;
	if (owner != STALE_OWNER_NONE || !holders_look_owned("/proc", h->pid, ended))
		return true;
	tessera_error_set(err, TESSERA_ERR_DENIED, "slurmd knows no job of it, but it looks like a step's");
	return false;
}

void stale_signal(const struct node *node, struct stale_crowd *crowd, const struct tessera_row *row, uint32_t ended,
		  int64_t end, int signal)
{
	uint32_t owner = STALE_OWNER_NONE;

	/* The rest of those whom slurmd would say nothing of need not be told one by one. */
	for (int i = 0; i < crowd->count && owner != STALE_OWNER_UNKNOWN; i++) {
		const struct holder *h = &crowd->list[i];
		struct tessera_error err = {0};

		if (h->uid == 0 || h->start < row->since ||
		    runs(crowd, h, owner_of(node, crowd, i, end), row->job, ended))
			continue;
		owner = ask_owner(node, h->pid, end, &err);
		if (runs(crowd, h, owner, row->job, ended))
			continue;
		/* One that is stopped must run to hear it. */
		if (may_signal(h, owner, ended, &err) && holders_signal(h, signal, &err) == 0 &&
		    (signal != SIGTERM || holders_signal(h, SIGCONT, &err) == 0))
			slurm_info("%sjob %u has ended: sent %s to its process %jd (%s) of uid %u, which holds %s",
				   node->voice, row->job, signal == SIGTERM ? "SIGTERM" : "SIGKILL",
				   (intmax_t)h->pid, h->command, h->uid, h->file);
		else if (signal == SIGTERM) /* once is enough */
			slurm_error("%sjob %u has ended, but its process %jd (%s) of uid %u is let be: %s",
				    node->voice, row->job, (intmax_t)h->pid, h->command, h->uid, err.text);
	}
}
