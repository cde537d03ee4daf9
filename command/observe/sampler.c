/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "command/observe/sampler.h"
#include "lib/node/vendor_tool.h"
#include "lib/slurm/pid_job.h"

/* The output of the tool of KEY, to be freed; NULL with ERR if it is not set or failed. */
static char *run_tool(const struct node *node, const char *key, const char *configured, int *status,
		      struct tessera_error *err)
{
	*status = -1;
	if (configured[0] != '\0')
		return vendor_tool_run(key, configured, node->name,
				       tessera_conf_sample_wait(node->conf), status, err);
	tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
			  "cannot determine what is in use: %s is not set in tessera.conf", key);
	return NULL;
}

static int find_job(pid_t pid, uint32_t *job, void *arg, struct tessera_error *err)
{
	(void)arg;
	int rc = pid_job(pid, job, err);

	if (rc != 0)
		return rc > 0 ? SAMPLE_JOB : -1;
	return kill(pid, 0) < 0 && errno == ESRCH ? SAMPLE_GONE : SAMPLE_NO_JOB;
}

static int sample_tiles(const struct node *node, struct sample *sample, struct tessera_error *err)
{
	struct tessera_ledger *ledger = NULL;
	struct sntilestat stat;
	int status, rc = -1;
	char *text = run_tool(node, "SntilestatCommand", tessera_conf_sntilestat(node->conf),
			      &status, err);

	/* Read the ledger after the tool ran, so that it has the rows of jobs started meanwhile. */
	if (text != NULL && sntilestat_read(text, node->platform, &stat, err) == 0 &&
	    tessera_ledger_read(node->dir, node->platform, &ledger, err) == 0)
		rc = sample_add_tiles(sample, ledger, &stat, find_job, &node, err);
	tessera_ledger_close(ledger);
	free(text);
	return rc;
}

int sampler_job_records(const struct node *node, struct tessera_job_record **records,
			struct tessera_error *err)
{
	uint32_t *jobs = NULL;
	int count = tessera_job_record_jobs(node->dir, &jobs, err), found = 0;

	*records = count > 0 ? calloc((size_t)count, sizeof(**records)) : NULL;
	if (count > 0 && *records == NULL)
		count = tessera_error_nomem(err);
	for (int i = 0; *records != NULL && i < count; i++) {
		struct tessera_job_record *h = &(*records)[found];

		/* tessera reap handles removed and damaged records. */
		if (tessera_job_record_read(node->dir, jobs[i], h, NULL) == 0 && h->ipus > 0 &&
		    h->state == TESSERA_JOB_RECORD_READY)
			found++;
	}
	free(jobs);
	return count < 0 ? -1 : found;
}

int sampler_ipus(const struct node *node, struct gcmonitor_ipu **ipus, bool *crashed,
		 struct tessera_error *err)
{
	int status;
	char *text = run_tool(node, "GcMonitorCommand", tessera_conf_gc_monitor(node->conf),
			      &status, err);
	int used = text != NULL ? gcmonitor_read(text, ipus, err) : -1;

	*crashed = status == 128 + SIGSEGV;
	free(text);
	return used;
}

static int sample_ipus(const struct node *node, struct sample *sample, struct tessera_error *err)
{
	struct tessera_job_record *records = NULL;
	struct gcmonitor_ipu *ipus = NULL;
	int held = sampler_job_records(node, &records, err), used, rc = held < 0 ? -1 : 0;
	bool crashed;

	/* gc-monitor may crash if there is no partition. */
	if (held <= 0)
		goto cleanup;
	rc = -1;
	used = sampler_ipus(node, &ipus, &crashed, err);
	if (used < 0)
		goto cleanup;
	for (int i = 0; i < held; i++)
		if (sample_add_job_record(sample, &records[i], err) < 0)
			goto cleanup;
	rc = sample_add_ipus(sample, records, (size_t)held, ipus, (size_t)used, find_job, &node,
			     err);
cleanup:
	free(ipus);
	free(records);
	return rc;
}

/* Merge one sample into ALL; one that failed half-way adds nothing. */
static int add_sample(struct sample *all, const struct node *node,
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

	if (node->platform != NULL && add_sample(sample, node, sample_tiles, err) < 0)
		rc = -1;
	if (add_sample(sample, node, sample_ipus, rc == 0 ? err : &second) < 0)
		rc = -1;
	if (rc < 0 && err->code == TESSERA_ERR_INPUT)
		err->code = TESSERA_ERR_UNAVAILABLE;
	return rc;
}
