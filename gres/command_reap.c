/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera reap: gives back tiles of this node, and V-IPU partitions, that no living job owns.
 */
#include "config.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "gres/command.h"
#include "plugin/node_name.h"
#include "plugin/reap.h"
#include "plugin/slurm_compat.h"

static void print_help(void)
{
	puts("Usage: tessera reap [OPTION]...\n"
	     "\n"
	     "Asks slurmctld about each job that holds tiles of this node or has a partition\n"
	     "at its V-IPU controller, and gives back what belongs to jobs that are gone.\n"
	     "Partitions with other names are not touched. slurmd does it when it starts. For\n"
	     "root, by hand or as Slurm's HealthCheckProgram.\n"
	     "\n"
	     "  -n, --dry-run    only say what would go\n"
	     "  --node=NAME      the node, if this machine has several\n"
	     "  --conf=FILE      instead of " TESSERA_CONF_PATH "\n"
	     "\n"
	     "Example: tessera reap --dry-run");
}

static void print_row(const struct tessera_row *row, const struct tessera_platform *p, void *arg)
{
	const bool *dry_run = arg;
	char tiles[256];

	tessera_tileset_format(p, &row->tiles, TESSERA_FORM_RDUS, tiles, sizeof(tiles));
	printf("job %u (uid %u) is gone: %s %s\n", row->job, row->uid, tiles[0] != '\0' ? tiles : "its row",
	       *dry_run ? "would be given back" : "given back");
}

static void print_pool(uint32_t job, const char *partition, void *arg)
{
	const bool *dry_run = arg;

	if (partition != NULL)
		printf("job %u is gone: partition %s %s\n", job, partition,
		       *dry_run ? "would be removed" : "removed");
	else
		printf("job %u is gone from here: its note %s\n", job, *dry_run ? "would go" : "gone");
}

static int reap(const char *name, const char *conf, bool dry_run)
{
	struct tessera_error err = {0};
	struct node node;
	int rc, worst = TESSERA_OK;

	slurm_init(NULL);
	rc = node_open_as(&node, name, conf, &err);
	if (rc < 0)
		worst = command_fail(&err);
	else if (!node.keeps)
		fprintf(stderr, "tessera: node %s has no accelerators: nothing to do\n", name);
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
		{"conf", required_argument, NULL, 'c'},
		{"dry-run", no_argument, NULL, 'n'},
		{"help", no_argument, NULL, 'h'},
		{"node", required_argument, NULL, 'N'},
		{NULL, 0, NULL, 0},
	};
	const char *conf = TESSERA_CONF_PATH, *name = getenv("SLURMD_NODENAME");
	char own[256];
	bool dry_run = false;
	int got;

	while ((got = getopt_long(argc, argv, ":hn", options, NULL)) != -1) {
		switch (got) {
		case 'c':
			conf = optarg;
			break;
		case 'n':
			dry_run = true;
			break;
		case 'N':
			name = optarg;
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
	if (name == NULL && node_name_of_host(own, sizeof(own)) < 0)
		return command_usage(argv[0], "which node is this? Name it with --node");
	return reap(name != NULL ? name : own, conf, dry_run);
}
