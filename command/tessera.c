/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tessera program: tessera COMMAND [OPTION]... Each command is a file of its own (cmd_*.c).
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "command/command.h"
#include "lib/slurm/compat.h"
#include "lib/util/error.h"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
} commands[] = {
	{"conf", cmd_conf, "print lines for slurm.conf, gres.conf and tessera.conf"},
	{"doctor", cmd_doctor, "check an installation, and say how to repair it"},
	{"explain", cmd_explain, "show what a request would get, without submitting it"},
	{"guard", cmd_guard, "list processes that use accelerators without a grant"},
	{"health", cmd_health, "query vendor tools for bad tiles and IPUs"},
	{"mark", cmd_mark, "mark tiles as bad, or as good again"},
	{"mask", cmd_mask, "convert a set of tiles to another form"},
	{"metrics", cmd_metrics, "print the node's state for Prometheus"},
	{"pool", cmd_pool, "list V-IPU partitions, their owners, and licenses"},
	{"reap", cmd_reap, "release tiles and partitions of ended jobs"},
	{"report", cmd_report, "show held and used accelerator time, from slurmdbd"},
	{"sample", cmd_sample, "record which tiles and IPUs jobs use, for accounting"},
	{"status", cmd_status, "show which jobs hold which tiles and how many IPUs"},
	{"task", cmd_task, "run a command with one MPI rank's share, under mpirun"},
	{"topology", cmd_topology, "show which RDUs are NUMA-local to which cores"},
	{"verify", cmd_verify, "check the grant of this environment or of a process"},
	{NULL, NULL, NULL},
};

static void print_help(FILE *out)
{
	fputs("Usage: tessera COMMAND [OPTION]... | --help | --version\n"
	      "Inspect and manage SambaNova tiles and Graphcore IPUs under Slurm.\n",
	      out);
	for (const struct command *cmd = commands; cmd->name != NULL; cmd++)
		fprintf(out, "%s  %-10s %s\n", cmd == commands ? "\nCommands:\n" : "", cmd->name,
			cmd->summary);
	fputs("\n"
	      "See 'tessera COMMAND --help' and tessera(1).\n"
	      "Exit codes: 0 ok, 1 problem, 2 usage, 3 unavailable, 4 denied, 10-15 no "
	      "grant.\n",
	      out);
}

/* With the library of another release we would misread the structures that it fills. */
static bool has_right_library(void)
{
	long api = SLURM_VERSION_MAJOR(slurm_api_version());

	if (TESSERA_SLURM_API == 0 || api == TESSERA_SLURM_API)
		return true;
	fprintf(stderr,
		"tessera: built for Slurm %s (libslurm.so.%d), but this machine has the library of "
		"another release (libslurm.so.%ld): install Tessera built for that release\n",
		TESSERA_SLURM_VERSION, TESSERA_SLURM_API, api);
	return false;
}

static int run_command(int argc, char **argv)
{
	if (argc < 2) {
		print_help(stderr);
		return TESSERA_ERR_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
	    strcmp(argv[1], "help") == 0) {
		print_help(stdout);
		return TESSERA_OK;
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		printf("tessera %s (Slurm %s)\n", PACKAGE_VERSION, TESSERA_SLURM_VERSION);
		return TESSERA_OK;
	}
	for (const struct command *cmd = commands; cmd->name != NULL; cmd++) {
		if (strcmp(argv[1], cmd->name) == 0)
			return has_right_library() ? cmd->run(argc - 1, argv + 1)
						   : TESSERA_ERR_UNAVAILABLE;
	}
	fprintf(stderr, "tessera: '%s' is not a command; tessera --help lists them\n", argv[1]);
	return TESSERA_ERR_USAGE;
}

int main(int argc, char **argv)
{
	int code = run_command(argc, argv);

	/* Output cut short, as on a full file system, must not look complete. */
	if (fflush(stdout) != 0 || ferror(stdout)) {
		fputs("tessera: cannot write to standard output\n", stderr);
		return TESSERA_ERR_UNAVAILABLE;
	}
	return code;
}
