/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/node/vipu_helper.h"
#include "lib/node/vipu_partition.h"
#include "lib/slurm/job_info.h"
#include "lib/util/array.h"
#include "lib/util/deadline.h"

#define LIST_MAX     (1024 * 1024) /* bytes of a list; the largest pod has 256 partitions */
#define MARGIN_S     2             /* between our end and Slurm's time limit */
#define NUMBER_MAX   32
#define QUERY_PHASES 2 /* connection and answer, each of which may take the whole timeout */

/*
 * WANTED seconds, or what is left of Slurm's LIMIT since NODE was opened, if that is less; at least
 * 1.
 */
static unsigned limit_seconds(const struct node *node, unsigned wanted, unsigned limit)
{
	unsigned spent = (unsigned)((deadline_now() - node->opened) / 1000);
	unsigned reserve = HELPER_GRACE_S + MARGIN_S + spent;

	if (limit == 0 || wanted + reserve <= limit)
		return wanted;
	return limit > reserve + 1 ? limit - reserve : 1;
}

static struct vipu_helper make_helper(const struct node *node, unsigned seconds)
{
	return (struct vipu_helper){
		.program = tessera_conf_vipu_helper(node->conf),
		.conf_path = node->conf_path,
		.node = node->name,
		.seconds = seconds,
	};
}

/* The last time for a query that, if it times out, still ends before Slurm's limit. */
static int64_t find_query_deadline(const struct vipu_helper *helper, unsigned answer)
{
	return deadline_after(helper->seconds) - QUERY_PHASES * 1000 * (int64_t)answer;
}

/* Argument of is_still_wanted(). */
struct wanted {
	const struct node *node;
	const struct tessera_job_record *h;
};

/*
 * A job that was cancelled meanwhile must not keep its node busy. Without an answer from slurmctld
 * the helper continues.
 */
static bool is_still_wanted(void *arg)
{
	const struct wanted *wanted = arg;
	const struct tessera_job_record *h = wanted->h;

	return job_info_runs(h->job, wanted->node->name, h->uid, h->restarts, NULL) != 0;
}

int partition_make(const struct node *node, const struct tessera_job_record *h, unsigned domains,
		   unsigned answer, struct tessera_error *err)
{
	unsigned wait = limit_seconds(node, node->site->create_wait, h->limit);
	struct wanted wanted = {.node = node, .h = h};
	struct vipu_helper helper = make_helper(node, wait + HELPER_GRACE_S);
	char job[NUMBER_MAX], ipus[NUMBER_MAX], gcds[NUMBER_MAX], ilds[NUMBER_MAX],
		seconds[NUMBER_MAX];
	const char *words[] = {
		"create",
		vipu_helper_number(job, sizeof(job), "job", h->job),
		vipu_helper_number(seconds, sizeof(seconds), "wait", wait),
		vipu_helper_number(ipus, sizeof(ipus), "ipus", h->ipus),
		vipu_helper_number(gcds, sizeof(gcds), "gcds", h->gcds),
		vipu_helper_number(ilds, sizeof(ilds), "domains", domains),
		NULL,
	};

	if (!h->owner) {
		words[0] = "await";
		words[3] = NULL;
	}
	helper.go_on = is_still_wanted;
	helper.arg = &wanted;
	if (h->limit > 0)
		helper.ask_until = find_query_deadline(&helper, answer);
	return vipu_helper_run(&helper, words, NULL, 0, err);
}

void partition_assume(const struct node *node, uint32_t job, struct tessera_job_record *h)
{
	*h = (struct tessera_job_record){
		.job = job,
		.state = TESSERA_JOB_RECORD_MAKING,
		.ipus = 1,
		.gcds = 1,
		.owner = true,
		.port = node->site->port,
		.timeout = node->site->task_timeout,
	};
	tessera_vipu_partition_name(node->site, job, h->partition, sizeof(h->partition));
	snprintf(h->host, sizeof(h->host), "%s", node->site->host);
}

int partition_findable(const struct node *node, const struct tessera_job_record *h,
		       struct tessera_error *err)
{
	const struct tessera_vipu_site *site = node->site;
	char name[sizeof(h->partition)];

	if (site != NULL) {
		tessera_vipu_partition_name(site, h->job, name, sizeof(name));
		if (strcmp(name, h->partition) == 0 && strcmp(site->host, h->host) == 0 &&
		    site->port == h->port)
			return 0;
	}
	return tessera_error_set(err, TESSERA_ERR_INPUT,
				 "%s was made at %s:%u, and the vipu block for node %s in "
				 "tessera.conf has changed since; restore it until tessera reap "
				 "has removed the partition, or remove the partition by hand and "
				 "then %s/job.%u",
				 h->partition, h->host, h->port, node->name, node->dir, h->job);
}

/* Argument of is_still_unwanted(). */
struct unwanted {
	const struct node *node;
	uint32_t job;
};

/*
 * If the job was requeued and runs again, the partition at the controller is its new one. Without
 * an answer from slurmctld that may be so: the removal stops, and tessera reap tries again later.
 */
static bool is_still_unwanted(void *arg)
{
	const struct unwanted *unwanted = arg;
	struct job_alloc job;
	int rc = job_info_load(unwanted->job, unwanted->node->name, &job, NULL);

	return rc > 0 || (rc == 0 && !job.active);
}

int partition_remove(const struct node *node, uint32_t job, const struct partition_terms *terms,
		     struct tessera_error *err)
{
	unsigned wait = limit_seconds(node, 2 * (node->site->remove_wait + node->site->call_wait),
				      terms->limit);
	struct unwanted unwanted = {.node = node, .job = job};
	struct vipu_helper helper = make_helper(node, wait + HELPER_GRACE_S);
	char number[NUMBER_MAX];
	const char *words[] = {"remove", vipu_helper_number(number, sizeof(number), "job", job),
			       NULL};

	if (!terms->active_too) {
		helper.go_on = is_still_unwanted;
		helper.arg = &unwanted;
	}
	if (terms->limit > 0)
		helper.ask_until = find_query_deadline(&helper, terms->answer);
	return vipu_helper_run(&helper, words, NULL, 0, err);
}

/*
 * Parse a line of the helper's list: id, state, IPUs, GCDs. Changes LINE, which SEEN then points
 * into. Returns 0, or -1 if it has fewer words.
 */
static int parse_line(char *line, const struct tessera_vipu_site *site, struct partition_seen *seen)
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

int partition_list(const struct node *node, partition_fn each, void *arg, struct tessera_error *err)
{
	struct vipu_helper helper = make_helper(node, node->site->call_wait + HELPER_GRACE_S);
	const char *words[] = {"list", NULL};
	char *text = malloc(LIST_MAX), *end;
	struct partition_seen seen;
	int rc = -1;

	if (text == NULL)
		return tessera_error_nomem(err);
	if (vipu_helper_run(&helper, words, text, LIST_MAX, err) < 0)
		goto cleanup;
	rc = 0;
	/* Only complete lines: the text may have been cut at LIST_MAX. */
	for (char *at = text; rc == 0 && (end = strchr(at, '\n')) != NULL; at = end + 1) {
		*end = '\0';
		if (parse_line(at, node->site, &seen) == 0)
			rc = each(&seen, arg);
	}
cleanup:
	free(text);
	return rc;
}

struct jobs {
	uint32_t *jobs;
	size_t count;
	struct tessera_error *err;
};

static int add_job(const struct partition_seen *seen, void *arg)
{
	struct jobs *jobs = arg;
	uint32_t *grown;

	if (seen->job == 0)
		return 0;
	grown = array_grow(jobs->jobs, jobs->count, sizeof(*grown));
	if (grown == NULL)
		return tessera_error_nomem(jobs->err);
	jobs->jobs = grown;
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
