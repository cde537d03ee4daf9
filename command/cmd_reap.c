/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera reap: release tiles of this node and V-IPU partitions whose jobs have ended.
 */
#include "config.h"

#include <stdio.h>
#include <unistd.h>

#include "command/cli.h"
#include "command/command.h"
#include "command/view/cli_options.h"
#include "lib/node/reap.h"
#include "lib/slurm/compat.h"

static void print_help(void)
{
	puts("Usage: tessera reap [OPTION]...\n"
	     "\n"
	     "Query slurmctld for each job that holds tiles of this node or has a partition at\n"
	     "its V-IPU controller, and release the tiles and partitions of ended jobs. Tiles\n"
	     "that a process of the job's user still uses are withheld until a later run finds\n"
	     "that it has ended. Partitions that Tessera did not create are left alone. slurmd\n"
	     "does the same when it starts. Requires root; run it from tessera-reap.timer, by\n"
	     "hand or as Slurm's HealthCheckProgram.\n"
	     "\n"
	     "  -n, --dry-run    only print what would be released\n"
	     "  --node=NAME      node to reap, if this machine has several\n"
	     "  --conf=FILE      use FILE instead of tessera.conf beside slurm.conf\n"
	     "\n"
	     "Example: tessera reap --dry-run");
}

static void print_row(const struct tessera_row *row, const struct tessera_platform *p,
		      bool withheld, void *arg)
{
	const bool *dry_run = arg;
	char tiles[256];

	tessera_tileset_format(p, &row->tiles, TESSERA_FORM_RDUS, tiles, sizeof(tiles));
	printf("job %u (uid %u) ended: %s %s%s%s%s\n", row->job, row->uid,
	       tiles[0] != '\0' ? tiles : "its ledger row", *dry_run ? "would be " : "",
	       withheld ? "withheld" : "released", withheld ? ": " : "", withheld ? row->text : "");
}

static void print_pool(uint32_t job, const char *partition, enum job_record_phase phase, void *arg)
{
	const bool *dry_run = arg;

	if (partition != NULL)
		printf("job %u is %s: partition %s %s\n", job, reap_job_word(phase), partition,
		       *dry_run ? "would be removed" : "removed");
	else
		printf("job %u ended on this node: its job record %s\n", job,
		       *dry_run ? "would be removed" : "removed");
}

static int run_reap(const struct cli_options *c, bool dry_run)
{
	struct tessera_error err = {0};
	struct node node;
	int rc, worst = TESSERA_OK;

	/* A V-IPU controller without access keys would remove partitions for any user. */
	if (geteuid() != 0 && !dry_run) {
		tessera_error_set(&err, TESSERA_ERR_DENIED,
				  "must be root to reap; --dry-run prints what would be released");
		return cli_fail(&err);
	}
	slurm_init(NULL);
	rc = cli_node(c, &node, &err);
	if (rc < 0)
		worst = cli_fail(&err);
	else if (!node.has_state)
		fprintf(stderr, "tessera: node %s has no accelerators, nothing to do\n", node.name);
	if (rc == 0 && node.platform != NULL &&
	    reap_ledger(&node, dry_run, print_row, &dry_run, &err) < 0)
		worst = cli_fail(&err);
	if (rc == 0 && node.has_state && reap_pools(&node, dry_run, print_pool, &dry_run, &err) < 0)
		worst = cli_fail(&err);
	node_close(&node);
	return worst;
}

int cmd_reap(int argc, char **argv)
{
	struct cli_options c = {0};
	bool dry_run = false;
	const struct cli_row rows[] = {
		CLI_WHERE(c),
		{"dry-run", 'n', CLI_SET, &dry_run, NULL},
		CLI_END,
	};
	int code = cli_parse(argc, argv, rows, CLI_NO_OPERANDS, print_help);

	if (code != CLI_GO_ON)
		return code;
	return run_reap(&c, dry_run);
}
