/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tessera command: one word, then that word's own options. Each command is a file of its own (command_*.c).
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "gres/command.h"
#include "lib/error.h"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
} commands[] = {
	{NULL, NULL, NULL},
};

static void print_help(FILE *out)
{
	fputs("Usage: tessera COMMAND [OPTION]...\n"
	      "       tessera --help | --version\n"
	      "\n"
	      "Tiles and IPUs under Slurm: who may use which, and who does.\n",
	      out);
	for (const struct command *cmd = commands; cmd->name != NULL; cmd++)
		fprintf(out, "%s  %-10s %s\n", cmd == commands ? "\nCommands:\n" : "", cmd->name, cmd->summary);
	fputs("\n"
	      "Exit codes: 0 fine, 1 the request or the input is wrong, 2 usage,\n"
	      "3 something it needs is not there, 4 not permitted.\n",
	      out);
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		print_help(stderr);
		return TESSERA_ERR_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
		print_help(stdout);
		return TESSERA_OK;
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		printf("tessera %s (Slurm %s)\n", PACKAGE_VERSION, TESSERA_SLURM_VERSION);
		return TESSERA_OK;
	}
	for (const struct command *cmd = commands; cmd->name != NULL; cmd++) {
		if (strcmp(argv[1], cmd->name) == 0)
			return cmd->run(argc - 1, argv + 1);
	}
	fprintf(stderr, "tessera: '%s' is not a command; tessera --help lists them\n", argv[1]);
	return TESSERA_ERR_USAGE;
}
