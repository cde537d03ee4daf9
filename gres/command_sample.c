/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera sample: looks which of the node's tiles and IPUs are in use, adds it up for each job, and tells slurmdbd of
 * jobs that have ended.
 */
#include "config.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "gres/command.h"
#include "gres/common.h"
#include "gres/deliver.h"
#include "gres/sampler.h"
#include "lib/reader.h"
#include "lib/record.h"
#include "plugin/slurm_compat.h"

#define LOCK         "sample.lock"
#define INTERVAL_MAX 86400

struct wish {
	struct common common;
	unsigned interval;
	bool dry_run;
	bool verbose;
	bool deliver;
};

static void print_help(void)
{
	puts("Usage: tessera sample [OPTION]...\n"
	     "\n"
	     "Asks sntilestat or gc-monitor which tiles and IPUs of this node are in use, and\n"
	     "adds the time since the last sample to what is known of the jobs that hold them.\n"
	     "A process on tiles that its job does not hold is counted apart. Jobs that have\n"
	     "ended get a summary in their AdminComment, where sacct and tessera report find\n"
	     "it. For root, from tessera-sample.timer or by hand.\n"
	     "\n"
	     "  -n, --dry-run        only say what is in use\n"
	     "  --interval=SECONDS   this sample stands for so long, whenever the last one was\n"
	     "  --no-deliver         leave slurmdbd alone\n"
	     "  -v, --verbose        say what is in use and what slurmdbd was told\n"
	     "  --node=NAME          the node, if this machine has several\n"
	     "  --conf=FILE          instead of tessera.conf beside slurm.conf\n"
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
		printf("%s: %u tile%s in use that %s\n", seen->job != 0 ? who : "no job", seen->outside_tiles,
		       seen->outside_tiles == 1 ? "" : "s",
		       seen->job != 0             ? "it does not hold"
		       : seen->outside_tiles == 1 ? "belongs to others or to nobody"
						  : "belong to others or to nobody");
}

/* Add what was seen of one job to its note. Returns 0, or -1 with ERR. */
static int note(const struct node *node, const struct sample_job *seen, const struct sample_time *when,
		struct tessera_error *err)
{
	struct tessera_used used;

	/* A damaged note says nothing: the job's use is known from now on, as if it had come just now. */
	if (tessera_used_read(node->dir, seen->job, &used, err) < 0) {
		if (err->code != TESSERA_ERR_INPUT)
			return -1;
		command_fail(err);
		tessera_error_clear(err);
		used = (struct tessera_used){0};
	}
	sample_apply(seen, when, &used);
	return tessera_used_write(node->dir, &used, err);
}

/* All that was seen. Returns the exit code. */
static int note_all(const struct node *node, const struct wish *wish, const struct sample *sample)
{
	struct sample_time when = {
		.now = time(NULL), .interval = wish->interval, .most = tessera_conf_sample_max(node->conf)};
	struct tessera_used nobody;
	struct tessera_error err = {0};
	int worst = TESSERA_OK;

	/* Job 0 is in every sample of tiles, and so knows when the last one was. */
	if (tessera_used_read(node->dir, 0, &nobody, NULL) == 0)
		when.previous = nobody.last;
	for (size_t i = 0; i < sample->count; i++) {
		const struct sample_job *seen = &sample->jobs[i];

		if (wish->verbose || wish->dry_run)
			print_seen(seen);
		if (seen->tiles > 0 && !seen->tiles_known) {
			tessera_error_set(&err, TESSERA_ERR_MISSING,
					  "sntilestat does not tell of all tiles of job %" PRIu32
					  ": what it uses is not known",
					  seen->job);
			worst = command_fail(&err);
		} else if (!wish->dry_run && note(node, seen, &when, &err) < 0) {
			worst = command_fail(&err);
		}
	}
	return worst;
}

static void print_delivery(const struct tessera_used *used, enum deliver_what what, const struct tessera_error *err,
			   void *arg)
{
	const struct wish *wish = arg;

	(void)err; /* deliver_ended() returns it, too */
	if (what == DELIVER_LOST)
		fprintf(stderr,
			"tessera: what job %" PRIu32
			" used is forgotten: it was run again since, or slurmdbd never "
			"heard of its end\n",
			used->job);
	else if ((what == DELIVER_DONE || what == DELIVER_WRITTEN) && wish->verbose)
		printf("job %" PRIu32 " has ended: slurmdbd knows what it used here\n", used->job);
}

static int sample_node(const struct node *node, struct wish *wish)
{
	struct sample sample = {0};
	struct tessera_error err = {0};
	int worst = TESSERA_OK, code, lock = -1;

	if (!wish->dry_run) {
		lock = record_lock(node->dir, LOCK, &err);
		if (lock < 0)
			return command_fail(&err);
	}
	if (sampler_look(node, &sample, &err) < 0)
		worst = command_fail(&err);
	code = note_all(node, wish, &sample);
	worst = code != TESSERA_OK ? code : worst;
	sample_free(&sample);
	if (wish->deliver && !wish->dry_run && deliver_ended(node, print_delivery, wish, &err) < 0)
		worst = command_fail(&err);
	if (lock >= 0)
		close(lock);
	return worst;
}

static int run(struct wish *wish)
{
	struct tessera_error err = {0};
	struct node node;
	int code = TESSERA_OK;

	slurm_init(NULL);
	if (common_node(&wish->common, &node, &err) < 0)
		code = command_fail(&err);
	else if (node.platform == NULL && node.ipus == NULL)
		fprintf(stderr, "tessera: node %s has no tiles and no IPUs: nothing to do\n", node.name);
	else
		code = sample_node(&node, wish);
	node_close(&node);
	return code;
}

static int read_interval(const char *text, unsigned *interval)
{
	struct reader r = {.at = text};

	*interval = (unsigned)reader_number(&r, "", INTERVAL_MAX);
	if (r.failed || *r.at != '\0' || *interval == 0)
		return command_usage("sample", "--interval=%s: it takes 1 to %d seconds", text, INTERVAL_MAX);
	return TESSERA_OK;
}

int command_sample(int argc, char **argv)
{
	static const struct option options[] = {
		COMMON_WHERE,
		{"dry-run", no_argument, NULL, 'n'},
		{"help", no_argument, NULL, 'h'},
		{"interval", required_argument, NULL, 'i'},
		{"no-deliver", no_argument, NULL, 'D'},
		{"verbose", no_argument, NULL, 'v'},
		{NULL, 0, NULL, 0},
	};
	struct wish wish = {.deliver = true};
	int got, code;

	while ((got = getopt_long(argc, argv, ":hnv", options, NULL)) != -1) {
		if (common_option(&wish.common, got))
			continue;
		switch (got) {
		case 'n':
			wish.dry_run = true;
			break;
		case 'i':
			code = read_interval(optarg, &wish.interval);
			if (code != TESSERA_OK)
				return code;
			break;
		case 'D':
			wish.deliver = false;
			break;
		case 'v':
			wish.verbose = true;
			break;
		case 'h':
			print_help();
			return TESSERA_OK;
		default:
			return command_bad_option(argv, got);
		}
	}
	if (optind != argc)
		return command_usage(argv[0], "'%s' is not an option", argv[optind]);
	return run(&wish);
}
