/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "gres/sampler.h"
#include "gres/tool.h"
#include "plugin/process_job.h"

/* What the tool that KEY names printed, to be freed. NULL with ERR if there is none, or it failed. */
static char *run_tool(const struct node *node, const char *key, const char *configured, int *status,
		      struct tessera_error *err)
{
	*status = -1;
	if (configured[0] != '\0')
		return tool_run(key, configured, node->name, tessera_conf_sample_wait(node->conf), status, err);
	tessera_error_set(err, TESSERA_ERR_MISSING,
			  "tessera.conf names no tool to look with (%s): what is used is not known", key);
	return NULL;
}

/* ARG points to where the node is. */
static int whose(pid_t pid, uint32_t *job, void *arg, struct tessera_error *err)
{
	const struct node *const *node = arg;
	int rc = process_job(*node, pid, job, err);

	if (rc != 0)
		return rc > 0 ? SAMPLE_JOB : -1;
	return kill(pid, 0) < 0 && errno == ESRCH ? SAMPLE_GONE : SAMPLE_NO_JOB;
}

static int look_at_tiles(const struct node *node, struct sample *sample, struct tessera_error *err)
{
	struct tessera_ledger *ledger = NULL;
	struct sntilestat stat;
	int status, rc = -1;
	char *text = run_tool(node, "SntilestatCommand", tessera_conf_sntilestat(node->conf), &status, err);

	/* The ledger after the tool: a job that came meanwhile has its row, and its processes are no strangers. */
	if (text != NULL && sntilestat_read(text, node->platform, &stat, err) == 0 &&
	    tessera_ledger_read(node->dir, node->platform, &ledger, err) == 0)
		rc = sample_add_tiles(sample, ledger, &stat, whose, &node, err);
	tessera_ledger_close(ledger);
	free(text);
	return rc;
}

int sampler_holdings(const struct node *node, struct tessera_holding **holdings, struct tessera_error *err)
{
	uint32_t *jobs = NULL;
	int count = tessera_holding_jobs(node->dir, &jobs, err), found = 0;

	*holdings = count > 0 ? calloc((size_t)count, sizeof(**holdings)) : NULL;
	if (count > 0 && *holdings == NULL)
		count = tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory for %d jobs", count);
	for (int i = 0; i < count; i++) {
		struct tessera_holding *h = &(*holdings)[found];

		/* A note that went meanwhile, or is damaged, is reap's business. */
		if (tessera_holding_read(node->dir, jobs[i], h, NULL) == 0 && h->ipus > 0 &&
		    h->state == TESSERA_HOLDING_READY)
			found++;
	}
	free(jobs);
	return count < 0 ? -1 : found;
}

int sampler_ipus(const struct node *node, struct gcmonitor_ipu **ipus, bool *crashed, struct tessera_error *err)
{
	int status;
	char *text = run_tool(node, "GcMonitorCommand", tessera_conf_gc_monitor(node->conf), &status, err);
	int used = text != NULL ? gcmonitor_read(text, ipus, err) : -1;

	*crashed = status == 128 + SIGSEGV;
	free(text);
	return used;
}

static int look_at_ipus(const struct node *node, struct sample *sample, struct tessera_error *err)
{
	struct tessera_holding *holdings = NULL;
	struct gcmonitor_ipu *ipus = NULL;
	int held = sampler_holdings(node, &holdings, err), used, rc = held < 0 ? -1 : 0;
	bool crashed;

	/* Without a partition it may crash, and there is nothing to learn. */
	if (held <= 0)
		goto cleanup;
	rc = -1;
	used = sampler_ipus(node, &ipus, &crashed, err);
	if (used < 0)
		goto cleanup;
	for (int i = 0; i < held; i++)
		if (sample_add_holding(sample, &holdings[i], err) < 0)
			goto cleanup;
	rc = sample_add_ipus(sample, holdings, (size_t)held, ipus, (size_t)used, whose, &node, err);
cleanup:
	free(ipus);
	free(holdings);
	return rc;
}

/* What ONE found, into ALL: a look that failed in the middle leaves nothing. */
static int take(struct sample *all, const struct node *node,
		int (*look)(const struct node *, struct sample *, struct tessera_error *),
		struct tessera_error *err)
{
	struct sample one = {0};
	int rc = look(node, &one, err);

	if (rc < 0)
		sample_free(&one);
	else if (sample_merge(all, &one, err) < 0)
		rc = -1;
	sample_free(&one);
	return rc;
}

int sampler_look(const struct node *node, struct sample *sample, struct tessera_error *err)
{
	struct tessera_error second = {0};
	int rc = 0;

	if (node->platform != NULL && take(sample, node, look_at_tiles, err) < 0)
		rc = -1;
	if (take(sample, node, look_at_ipus, rc == 0 ? err : &second) < 0)
		rc = -1;
	if (rc < 0 && err->code == TESSERA_ERR_INPUT)
		err->code = TESSERA_ERR_MISSING;
	return rc;
}
