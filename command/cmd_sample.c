/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera sample: find out which of the node's tiles and IPUs are in use, add that to the sample
 * record of each job, and send the summaries of ended jobs to slurmdbd.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "command/cli.h"
#include "command/command.h"
#include "command/observe/sampler.h"
#include "command/view/cli_options.h"
#include "gres/accounting/deliver.h"
#include "lib/slurm/compat.h"
#include "lib/util/scan.h"
#include "lib/util/statefile.h"

#define LOCK         "sample.lock"
#define INTERVAL_MAX 86400

struct sample_options {
	struct cli_options common;
	unsigned interval;
	bool dry_run;
	bool verbose;
	bool deliver;
};

static void print_help(void)
{
	puts("Usage: tessera sample [OPTION]...\n"
	     "\n"
	     "Query sntilestat or gc-monitor for the tiles and IPUs of this node that are in\n"
	     "use, and add the time since the last sample to the jobs that hold them. Use of\n"
	     "tiles that the job does not hold is counted separately. Ended jobs get a summary\n"
	     "in their AdminComment, for sacct and tessera report. As root, from\n"
	     "tessera-sample.timer or by hand.\n"
	     "\n"
	     "  -n, --dry-run        only print what is in use\n"
	     "  --interval=SECONDS   length of this sample (default: since the last one)\n"
	     "  --no-deliver         do not send summaries to slurmdbd\n"
	     "  -v, --verbose        print what is in use and what was sent to slurmdbd\n"
	     "  --node=NAME          node to sample, if this machine has several\n"
	     "  --conf=FILE          use FILE instead of tessera.conf beside slurm.conf\n"
	     "\n"
	     "Example: tessera sample --dry-run");
}

static void print_seen(const struct sample_job *seen)
{
	char who[32];

	snprintf(who, sizeof(who), "job %" PRIu32, seen->job);
	if (seen->tiles > 0 && seen->tiles_known)
		printf("%s: %u of %u tile%s in use\n", who, seen->busy_tiles, seen->tiles,
		       seen->tiles == 1 ? "" : "s");
	if (seen->ipus > 0 && seen->ipus_known)
		printf("%s: %u of %u IPU%s in use from here\n", who, seen->busy_ipus, seen->ipus,
		       seen->ipus == 1 ? "" : "s");
	if (seen->outside_tiles > 0)
		printf("%s: %u tile%s in use that %s\n", seen->job != 0 ? who : "no job",
		       seen->outside_tiles, seen->outside_tiles == 1 ? "" : "s",
		       seen->job != 0             ? "it does not hold"
		       : seen->outside_tiles == 1 ? "belongs to another job or is free"
						  : "belong to other jobs or are free");
}

/* Add a sample of one job to its sample record. Returns 0, or -1 with ERR. */
static int record_job(const struct node *node, const struct sample_job *seen,
		      const struct sample_time *when, struct tessera_error *err)
{
	struct tessera_sample_record used;

	/* Replace a damaged record: the job's use is known from now on. */
	if (tessera_sample_record_read(node->dir, seen->job, &used, err) < 0) {
		if (err->code != TESSERA_ERR_INPUT)
			return -1;
		cli_fail(err);
		tessera_error_clear(err);
		used = (struct tessera_sample_record){0};
	}
	sample_apply(seen, when, &used);
	return tessera_sample_record_write(node->dir, &used, err);
}

/* Add SAMPLE to the records of its jobs. Returns the exit code. */
static int record_sample(const struct node *node, const struct sample_options *options,
			 const struct sample *sample)
{
	struct sample_time when = {.now = time(NULL),
				   .interval = options->interval,
				   .most = tessera_conf_sample_max(node->conf)};
	struct tessera_sample_record no_job;
	struct tessera_error err = {0};
	int worst = TESSERA_OK;

	/* Every sample of tiles includes job 0, for processes outside jobs. */
	if (tessera_sample_record_read(node->dir, 0, &no_job, NULL) == 0)
		when.previous = no_job.last;
	for (size_t i = 0; i < sample->count; i++) {
		const struct sample_job *seen = &sample->jobs[i];

		if (options->verbose || options->dry_run)
			print_seen(seen);
		if (seen->tiles > 0 && !seen->tiles_known) {
			tessera_error_set(&err, TESSERA_ERR_UNAVAILABLE,
					  "sntilestat does not report all tiles of job %" PRIu32
					  ": its use is unknown",
					  seen->job);
			worst = cli_fail(&err);
		} else if (!options->dry_run && record_job(node, seen, &when, &err) < 0) {
			worst = cli_fail(&err);
		}
	}
	return worst;
}

static void print_delivery(const struct tessera_sample_record *used, enum deliver_what what,
			   const struct tessera_error *err, void *arg)
{
	const struct sample_options *options = arg;

	(void)err; /* deliver_ended() also returns it */
	if (what == DELIVER_LOST)
		fprintf(stderr,
			"tessera: discarding the sample record of job %" PRIu32
			": the job was requeued, or slurmdbd has no end of it\n",
			used->job);
	else if ((what == DELIVER_DONE || what == DELIVER_WRITTEN) && options->verbose)
		printf("job %" PRIu32 " ended: summary sent to slurmdbd\n", used->job);
}

static int sample_node(const struct node *node, struct sample_options *options)
{
	struct sample sample = {0};
	struct tessera_error err = {0};
	int worst = TESSERA_OK, code, lock = -1;

	if (!options->dry_run) {
		lock = statefile_lock(node->dir, LOCK, &err);
		if (lock < 0)
			return cli_fail(&err);
	}
	if (sampler_look(node, &sample, &err) < 0)
		worst = cli_fail(&err);
	code = record_sample(node, options, &sample);
	worst = code != TESSERA_OK ? code : worst;
	sample_free(&sample);
	if (options->deliver && !options->dry_run &&
	    deliver_ended(node, print_delivery, options, &err) < 0)
		worst = cli_fail(&err);
	if (lock >= 0)
		close(lock);
	return worst;
}

static int run_sample(struct sample_options *options)
{
	struct tessera_error err = {0};
	struct node node;
	int code = TESSERA_OK;

	slurm_init(NULL);
	if (cli_node(&options->common, &node, &err) < 0)
		code = cli_fail(&err);
	else if (node.platform == NULL && node.ipus == NULL)
		fprintf(stderr, "tessera: node %s has neither tiles nor IPUs, nothing to do\n",
			node.name);
	else
		code = sample_node(&node, options);
	node_close(&node);
	return code;
}

static int read_interval(const char *command, const char *text, void *to)
{
	struct scan r = {.at = text};
	unsigned *interval = to;

	*interval = (unsigned)scan_number(&r, "", INTERVAL_MAX);
	if (r.failed || *r.at != '\0' || *interval == 0)
		return cli_usage(command, "--interval=%s must be 1 to %d seconds", text,
				 INTERVAL_MAX);
	return TESSERA_OK;
}

int cmd_sample(int argc, char **argv)
{
	struct sample_options options = {.deliver = true};
	const struct cli_row rows[] = {
		CLI_WHERE(options.common),
		{"dry-run", 'n', CLI_SET, &options.dry_run, NULL},
		{"interval", 0, CLI_READ, &options.interval, read_interval},
		{"no-deliver", 0, CLI_UNSET, &options.deliver, NULL},
		{"verbose", 'v', CLI_SET, &options.verbose, NULL},
		CLI_END,
	};
	int code = cli_parse(argc, argv, rows, CLI_NO_OPERANDS, print_help);

	if (code != CLI_GO_ON)
		return code;
	return run_sample(&options);
}
