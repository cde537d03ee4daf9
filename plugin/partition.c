/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/deadline.h"
#include "plugin/helper.h"
#include "plugin/partition.h"
#include "plugin/slurm_job.h"

#define LIST_MAX    (1024 * 1024) /* bytes of a list; the largest pod has 256 partitions */
#define MARGIN_S    2             /* that Slurm shall find us finished before its own time is up */
#define NUMBER_MAX  32
#define ASKED_TWICE 2 /* a question is a connection and an answer, and each may take so long */

/* WANTED seconds, or what Slurm's LIMIT and what went by since NODE was opened leave of them; at least 1. */
static unsigned within(const struct node *node, unsigned wanted, unsigned limit)
{
	unsigned spent = (unsigned)((deadline_now() - node->opened) / 1000);
	unsigned reserve = HELPER_GRACE_S + MARGIN_S + spent;

	if (limit == 0 || wanted + reserve <= limit)
		return wanted;
	return limit > reserve + 1 ? limit - reserve : 1;
}

static struct helper helper_of(const struct node *node, unsigned seconds)
{
	return (struct helper){
		.program = tessera_conf_vipu_helper(node->conf),
		.conf_path = node->conf_path,
		.node = node->name,
		.seconds = seconds,
	};
}

/* A question that slurmctld does not answer within ANSWER seconds must not take us beyond Slurm's limit. */
static int64_t ask_until(const struct helper *helper, unsigned answer)
{
	return deadline_after(helper->seconds) - ASKED_TWICE * 1000 * (int64_t)answer;
}

/* The run that the helper works for. */
struct wanted {
	const struct node *node;
	const struct tessera_holding *h;
};

/* A job that was cancelled meanwhile must not keep its node busy. If slurmctld does not say, it goes on. */
static bool still_wanted(void *arg)
{
	const struct wanted *wanted = arg;
	const struct tessera_holding *h = wanted->h;

	return slurm_job_runs(h->job, wanted->node->name, h->uid, h->restarts, NULL) != 0;
}

int partition_make(const struct node *node, const struct tessera_holding *h, unsigned domains, unsigned answer,
		   struct tessera_error *err)
{
	unsigned wait = within(node, node->site->create_wait, h->limit);
	struct wanted wanted = {.node = node, .h = h};
	struct helper helper = helper_of(node, wait + HELPER_GRACE_S);
	char job[NUMBER_MAX], ipus[NUMBER_MAX], gcds[NUMBER_MAX], ilds[NUMBER_MAX], seconds[NUMBER_MAX];
	const char *words[] = {
		"create",
		helper_number(job, sizeof(job), "job", h->job),
		helper_number(seconds, sizeof(seconds), "wait", wait),
		helper_number(ipus, sizeof(ipus), "ipus", h->ipus),
		helper_number(gcds, sizeof(gcds), "gcds", h->gcds),
		helper_number(ilds, sizeof(ilds), "domains", domains),
		NULL,
	};

	if (!h->owner) {
		words[0] = "await";
		words[3] = NULL;
	}
	helper.go_on = still_wanted;
	helper.arg = &wanted;
	if (h->limit > 0)
		helper.ask_until = ask_until(&helper, answer);
	return helper_run(&helper, words, NULL, 0, err);
}

void partition_assume(const struct node *node, uint32_t job, struct tessera_holding *h)
{
	*h = (struct tessera_holding){
		.job = job,
		.state = TESSERA_HOLDING_MAKING,
		.ipus = 1,
		.gcds = 1,
		.owner = true,
		.port = node->site->port,
		.timeout = node->site->task_timeout,
	};
	tessera_vipu_partition_name(node->site, job, h->partition, sizeof(h->partition));
	snprintf(h->host, sizeof(h->host), "%s", node->site->host);
}

int partition_findable(const struct node *node, const struct tessera_holding *h, struct tessera_error *err)
{
	const struct tessera_vipu_site *site = node->site;
	char name[sizeof(h->partition)];

	if (site != NULL) {
		tessera_vipu_partition_name(site, h->job, name, sizeof(name));
		if (strcmp(name, h->partition) == 0 && strcmp(site->host, h->host) == 0 && site->port == h->port)
			return 0;
	}
	return tessera_error_set(
		err, TESSERA_ERR_INPUT,
		"%s was made at %s:%u, and the vipu block for node %s in tessera.conf says otherwise "
		"now; write it as it was until tessera reap has removed the partition, or remove the "
		"partition by hand and then %s/job.%u",
		h->partition, h->host, h->port, node->name, node->dir, h->job);
}

/* The job whose partition the helper removes. */
struct unwanted {
	const struct node *node;
	uint32_t job;
};

/*
 * The job came back to life while its earlier run's partition was being removed: the one that is there is its new one. If
 * slurmctld does not say, it may have: tessera reap comes back.
 */
static bool still_unwanted(void *arg)
{
	const struct unwanted *unwanted = arg;
	struct slurm_job job;
	int rc = slurm_job_load(unwanted->job, unwanted->node->name, &job, NULL);

	return rc > 0 || (rc == 0 && !job.active);
}

int partition_remove(const struct node *node, uint32_t job, const struct partition_terms *terms,
		     struct tessera_error *err)
{
	unsigned wait = within(node, 2 * (node->site->remove_wait + node->site->call_wait), terms->limit);
	struct unwanted unwanted = {.node = node, .job = job};
	struct helper helper = helper_of(node, wait + HELPER_GRACE_S);
	char number[NUMBER_MAX];
	const char *words[] = {"remove", helper_number(number, sizeof(number), "job", job), NULL};

	if (!terms->active_too) {
		helper.go_on = still_unwanted;
		helper.arg = &unwanted;
	}
	if (terms->limit > 0)
		helper.ask_until = ask_until(&helper, terms->answer);
	return helper_run(&helper, words, NULL, 0, err);
}

/* One line of the helper's list: id, state, IPUs, GCDs. LINE is cut in pieces. Returns 0, or -1 if it is none. */
static int read_line(char *line, const struct tessera_vipu_site *site, struct partition_seen *seen)
{
	char *words[4], *rest = NULL;

	for (size_t i = 0; i < 4; i++) {
		words[i] = strtok_r(i == 0 ? line : NULL, " ", &rest);
		if (words[i] == NULL)
			return -1;
	}
	seen->id = words[0];
	seen->state = words[1];
	seen->ipus = (unsigned)strtoul(words[2], NULL, 10);
	seen->gcds = (unsigned)strtoul(words[3], NULL, 10);
	seen->job = tessera_vipu_partition_job(site, seen->id);
	return 0;
}

int partition_list(const struct node *node, partition_fn look, void *arg, struct tessera_error *err)
{
	struct helper helper = helper_of(node, node->site->call_wait + HELPER_GRACE_S);
	const char *words[] = {"list", NULL};
	char *text = malloc(LIST_MAX), *end;
	struct partition_seen seen;
	int rc = -1;

	if (text == NULL)
		return tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory for the controller's partitions");
	if (helper_run(&helper, words, text, LIST_MAX, err) < 0)
		goto cleanup;
	rc = 0;
	/* Whole lines only: behind what there is room for nothing is looked at. */
	for (char *at = text; rc == 0 && (end = strchr(at, '\n')) != NULL; at = end + 1) {
		*end = '\0';
		if (read_line(at, node->site, &seen) == 0)
			rc = look(&seen, arg);
	}
cleanup:
	free(text);
	return rc;
}

struct jobs {
	uint32_t *jobs;
	size_t count, room;
	struct tessera_error *err;
};

static int add_job(const struct partition_seen *seen, void *arg)
{
	struct jobs *jobs = arg;

	if (seen->job == 0)
		return 0;
	if (jobs->count == jobs->room) {
		size_t room = jobs->room > 0 ? 2 * jobs->room : 64;
		uint32_t *more = reallocarray(jobs->jobs, room, sizeof(*more));

		if (more == NULL)
			return tessera_error_set(jobs->err, TESSERA_ERR_MISSING, "out of memory for %zu partitions",
						 room);
		jobs->jobs = more;
		jobs->room = room;
	}
	jobs->jobs[jobs->count++] = seen->job;
	return 0;
}

int partition_jobs(const struct node *node, uint32_t **jobs, struct tessera_error *err)
{
	struct jobs all = {.err = err};
	int rc = partition_list(node, add_job, &all, err);

	*jobs = all.jobs;
	return rc < 0 ? -1 : (int)all.count;
}
