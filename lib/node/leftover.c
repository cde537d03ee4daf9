/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/node/leftover.h"
#include "lib/slurm/compat.h"
#include "lib/slurm/pid_job.h"
#include "lib/util/deadline.h"

void leftovers_renew(struct leftovers *leftovers)
{
	struct device_users_known known = leftovers->known;

	free(leftovers->list);
	free(leftovers->owner);
	device_users_tree_free(&leftovers->tree);
	*leftovers = (struct leftovers){.known = known, .again = leftovers->again};
}

void leftovers_free(struct leftovers *leftovers)
{
	leftovers_renew(leftovers);
	device_users_known_free(&leftovers->known);
}

static struct ended_run make_ended_run(const struct leftovers *leftovers,
				       const struct tessera_row *row, uint32_t ended)
{
	return (struct ended_run){
		.job = row->job,
		.ended = ended,
		.since = row->since,
		.again = leftovers->again,
	};
}

static uint32_t query_owner(pid_t pid, int64_t end, struct tessera_error *err)
{
	uint32_t job = LEFTOVER_OWNER_NONE;
	int rc = pid_job_until(pid, end, &job, err);

	return rc < 0 ? LEFTOVER_OWNER_UNKNOWN : rc > 0 ? job : LEFTOVER_OWNER_NONE;
}

/* Returns the number of processes, or -1 with leftovers->err. */
static int find_processes(const struct node *node, struct leftovers *leftovers, int64_t end)
{
	/* The other half of the time is for the queries to slurmd. */
	int64_t until = deadline_earlier(deadline_now() + deadline_left(end) / 2,
					 deadline_after(DEVICE_USERS_MAX_SECONDS));
	char pattern[2 * TESSERA_PATH_MAX];
	int count;

	if (tessera_conf_for_node("DeviceFiles", tessera_conf_leftover(node->conf)->devices,
				  node->name, pattern, sizeof(pattern), &leftovers->err) < 0)
		return -1;
	count = device_users_find("/proc", pattern, leftovers->uid, until, &leftovers->list,
				  &leftovers->cut, &leftovers->err);
	if (count <= 0)
		return count;
	leftovers->owner = malloc((size_t)count * sizeof(*leftovers->owner));
	if (leftovers->owner == NULL)
		return tessera_error_nomem(&leftovers->err);
	for (int i = 0; i < count; i++)
		leftovers->owner[i] = LEFTOVER_OWNER_UNASKED;
	return count;
}

static void inspect_user(const struct node *node, struct leftovers *leftovers, uint32_t uid,
			 int64_t end)
{
	if (leftovers->inspected && leftovers->uid == uid)
		return;
	leftovers_renew(leftovers);
	leftovers->inspected = true;
	leftovers->uid = uid;
	leftovers->count = find_processes(node, leftovers, end);
}

/* A slurmd that does not answer is not queried again: each query may cost a timeout. */
static uint32_t find_owner(struct leftovers *leftovers, int i, int64_t end)
{
	struct device_user_claim claim;
	uint32_t owner;

	/* device_users_claim() has no deadline: it is slow only with thousands of ancestors. */
	if (deadline_left(end) == 0)
		return LEFTOVER_OWNER_UNKNOWN;
	device_users_claim(&leftovers->tree, "/proc", &leftovers->list[i], &claim);
	owner = device_users_recall(&leftovers->known, &claim);
	if (owner != 0)
		return owner;
	if (leftovers->silent || leftovers->queries >= LEFTOVER_QUERIES)
		return LEFTOVER_OWNER_UNKNOWN;
	leftovers->queries++;
	owner = query_owner(claim.pid, end, NULL);
	leftovers->silent = owner == LEFTOVER_OWNER_UNKNOWN;
	if (owner != LEFTOVER_OWNER_NONE && owner != LEFTOVER_OWNER_UNKNOWN)
		device_users_learn(&leftovers->known, &claim, owner);
	return owner;
}

/* The use by process I. Queries slurmd at most once about it, and not if it started too early. */
static enum device_use find_use(struct leftovers *leftovers, int i, const struct ended_run *run,
				int64_t end)
{
	uint64_t start = leftovers->list[i].start;

	if (start < run->since)
		return DEVICE_FREE;
	if (leftovers->owner[i] == LEFTOVER_OWNER_UNASKED)
		leftovers->owner[i] = find_owner(leftovers, i, end);
	return release_rule_use(run, leftovers->owner[i], start);
}

/*
 * The first process that uses the tiles; without one, the first whose owner is unknown; or -1.
 */
static int find_user(struct leftovers *leftovers, const struct ended_run *run, int64_t end,
		     enum device_use *use)
{
	int first = -1;

	*use = DEVICE_FREE;
	for (int i = 0; i < leftovers->count && *use != DEVICE_IN_USE; i++) {
		enum device_use one = find_use(leftovers, i, run, end);

		if (one == DEVICE_IN_USE || (one == DEVICE_UNKNOWN && first < 0))
			first = i;
		if (one != DEVICE_FREE)
			*use = one;
	}
	return first;
}

enum device_use device_in_use(const struct node *node, struct leftovers *leftovers,
			      const struct tessera_row *row, uint32_t ended, int64_t end,
			      char *text, size_t len)
{
	struct ended_run run = make_ended_run(leftovers, row, ended);
	enum device_use use;
	int i;

	if (tessera_conf_leftover(node->conf)->devices[0] == '\0' ||
	    tessera_tileset_empty(&row->tiles))
		return DEVICE_FREE;
	inspect_user(node, leftovers, row->uid, end);
	i = find_user(leftovers, &run, end, &use);
	if (i >= 0) {
		const struct device_user *user = &leftovers->list[i];

		snprintf(text, len, "process %jd (%s) of uid %u %s %s%s", (intmax_t)user->pid,
			 user->command, row->uid, use == DEVICE_IN_USE ? "still holds" : "holds",
			 user->file,
			 use == DEVICE_IN_USE ? "" : "; slurmd has not reported its job yet");
		return use;
	}
	if (leftovers->count >= 0 && !leftovers->cut)
		return DEVICE_FREE;
	snprintf(text, len, "cannot determine which processes use the device: %.400s",
		 leftovers->err.text);
	return DEVICE_UNKNOWN;
}

static int send_signal(const struct device_user *user, int signal, struct tessera_error *err)
{
	if (device_users_signal(user, signal, err) < 0)
		return -1;
	/* A stopped process handles SIGTERM only once it is continued. */
	return signal == SIGTERM ? device_users_signal(user, SIGCONT, err) : 0;
}

/* ACTION: to send or not to send. Sends and logs. */
static void signal_process(const struct node *node, const struct tessera_row *row,
			   const struct device_user *user, enum release_signal action, int signal,
			   struct tessera_error *err)
{
	if (action == RELEASE_SIGNAL_STEP)
		tessera_error_set(err, TESSERA_ERR_DENIED,
				  "slurmd knows no job of it, but it descends from a job step");
	if (action == RELEASE_SIGNAL_SEND && send_signal(user, signal, err) == 0)
		node_log(node, NODE_INFO,
			 "job %u ended; sent %s to its process %jd (%s) of uid %u, which has %s "
			 "open",
			 row->job, signal == SIGTERM ? "SIGTERM" : "SIGKILL", (intmax_t)user->pid,
			 user->command, user->uid, user->file);
	else if (signal == SIGTERM) /* and not again with SIGKILL */
		node_log(node, NODE_ERROR,
			 "not signalling process %jd (%s) of uid %u of ended job %u: %s",
			 (intmax_t)user->pid, user->command, user->uid, row->job, err->text);
}

void leftover_signal(const struct node *node, struct leftovers *leftovers,
		     const struct tessera_row *row, uint32_t ended, int64_t end, int signal)
{
	struct ended_run run = make_ended_run(leftovers, row, ended);
	uint32_t owner = LEFTOVER_OWNER_NONE;

	/* Stop at the first process that slurmd does not answer for: one log line is enough. */
	for (int i = 0; i < leftovers->count && owner != LEFTOVER_OWNER_UNKNOWN; i++) {
		const struct device_user *user = &leftovers->list[i];
		struct tessera_error err = {0};
		enum release_signal action;
		bool in_step;

		if (user->uid == 0 || find_use(leftovers, i, &run, end) == DEVICE_FREE)
			continue;
		owner = query_owner(user->pid, end, &err);
		in_step = owner == LEFTOVER_OWNER_NONE &&
			  device_users_look_owned("/proc", user->pid, ended);
		action = release_rule_signal(&run, owner, user->start, in_step);
		if (action != RELEASE_SIGNAL_SKIP)
			signal_process(node, row, user, action, signal, &err);
	}
}
