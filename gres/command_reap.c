/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera reap: gives back tiles of this node, and V-IPU partitions, that no living job owns.
 */
#include "config.h"

#include <getopt.h>
#include <stdio.h>
#include <unistd.h>

#include "gres/command.h"
#include "gres/common.h"
#include "plugin/reap.h"
#include "plugin/slurm_compat.h"

static void print_help(void)
{
	puts("Usage: tessera reap [OPTION]...\n"
	     "\n"
	     "Asks slurmctld about each job that holds tiles of this node or has a partition\n"
	     "at its V-IPU controller, and gives back what belongs to jobs that are gone.\n"
	     "Tiles that a process of such a job's user still holds are kept back, until it\n"
	     "has ended and somebody asks again. Partitions with other names are not touched.\n"
	     "slurmd does it when it starts. For root, from tessera-reap.timer, by hand or as\n"
	     "Slurm's HealthCheckProgram.\n"
	     "\n"
	     "  -n, --dry-run    only say what would go\n"
	     "  --node=NAME      the node, if this machine has several\n"
	     "  --conf=FILE      instead of tessera.conf beside slurm.conf\n"
	     "\n"
	     "Example: tessera reap --dry-run");
}

static void print_row(const struct tessera_row *row, const struct tessera_platform *p, bool kept, void *arg)
{
	const bool *dry_run = arg;
	char tiles[256];

	tessera_tileset_format(p, &row->tiles, TESSERA_FORM_RDUS, tiles, sizeof(tiles));
	printf("job %u (uid %u) is gone: %s %s%s%s%s\n", row->job, row->uid, tiles[0] != '\0' ? tiles : "its row",
	       *dry_run ? "would be " : "", kept ? "kept back" : "given back", kept ? ": " : "",
	       kept ? row->text : "");
}

static void print_pool(uint32_t job, const char *partition, enum holding_phase phase, void *arg)
{
	const bool *dry_run = arg;

	if (partition != NULL)
		printf("job %u is %s: partition %s %s\n", job, reap_job_word(phase), partition,
		       *dry_run ? "would be removed" : "removed");
	else
		printf("job %u is gone from here: its note %s\n", job, *dry_run ? "would go" : "gone");
}

static int reap(const struct common *c, bool dry_run)
{
	struct tessera_error err = {0};
	struct node node;
	int rc, worst = TESSERA_OK;

	/* An open V-IPU controller would do it for anybody. */
	if (geteuid() != 0 && !dry_run) {
		tessera_error_set(&err, TESSERA_ERR_DENIED, "only root may reap; --dry-run says what would go");
		return command_fail(&err);
	}
	slurm_init(NULL);
	rc = common_node(c, &node, &err);
	if (rc < 0)
		worst = command_fail(&err);
	else if (!node.keeps)
		fprintf(stderr, "tessera: node %s has no accelerators: nothing to do\n", node.name);
	if (rc == 0 && node.platform != NULL && reap_ledger(&node, dry_run, print_row, &dry_run, &err) < 0)
		worst = command_fail(&err);
	if (rc == 0 && node.keeps && reap_pools(&node, dry_run, print_pool, &dry_run, &err) < 0)
		worst = command_fail(&err);
	node_close(&node);
	return worst;
}

int command_reap(int argc, char **argv)
{
	static const struct option options[] = {
		COMMON_WHERE,
		{"dry-run", no_argument, NULL, 'n'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	struct common c = {0};
	bool dry_run = false;
	int got;

	while ((got = getopt_long(argc, argv, ":hn", options, NULL)) != -1) {
		if (common_option(&c, got))
			continue;
		if (got == 'h') {
			print_help();
			return TESSERA_OK;
		}
		if (got != 'n')
			return command_bad_option(argv, got);
		dry_run = true;
	}
	if (optind != argc)
		return command_usage(argv[0], "'%s' is not an option", argv[optind]);
	return reap(&c, dry_run);
}
