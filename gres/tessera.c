/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tessera command: one word, then that word's own options. Each command is a file of its own (command_*.c).
 */
#include "config.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gres/command.h"
#include "lib/error.h"
#include "plugin/conf_path.h"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
} commands[] = {
	{"conf", command_conf_lines, "the lines of slurm.conf, gres.conf and tessera.conf"},
	{"doctor", command_doctor, "what is wrong with an installation, line by line"},
	{"explain", command_explain, "what a request would ask for and get: a dry run"},
	{"guard", command_guard, "who uses accelerators without having been granted them"},
	{"health", command_health, "which tiles and IPUs are bad: asks the tools that know"},
	{"mark", command_mark, "the admin's word that a tile is bad, or good again"},
	{"mask", command_mask, "write a set of tiles in another form"},
	{"metrics", command_metrics, "the node's state for Prometheus"},
	{"pool", command_pool, "the V-IPU partitions, and whose they are"},
	{"reap", command_reap, "give back what no living job owns"},
	{"report", command_report, "who held and used how much, from slurmdbd"},
	{"sample", command_sample, "look what jobs use of what they hold, for accounting"},
	{"status", command_status, "who holds which tiles and how many IPUs"},
	{"task", command_task, "run a command with one rank's share, under mpirun"},
	{"topology", command_topology, "which RDUs are near which cores"},
	{"verify", command_verify, "was what this environment claims granted, and is it still"},
	{NULL, NULL, NULL},
};

int command_fail(const struct tessera_error *err)
{
	fprintf(stderr, "tessera: %s\n", err->text);
	return err->code;
}

int command_usage(const char *command, const char *fmt, ...)
{
	va_list ap;

	fputs("tessera: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "; see tessera %s --help\n", command);
	return TESSERA_ERR_USAGE;
}

int command_bad_option(char **argv, int got)
{
	if (got == ':')
		return command_usage(argv[0], "option '%s' needs a value", argv[optind - 1]);
	/* common_option() would not have it. */
	if (got == 'j' || got == 'r')
		return command_usage(argv[0], "only one of --json and --raw can be had");
	/* A short option may stand in the middle of a word, which getopt has not left yet. */
	if (optopt != 0 && strncmp(argv[optind - 1], "--", 2) != 0)
		return command_usage(argv[0], "'-%c' is not an option", optopt);
	if (optopt != 0)
		return command_usage(argv[0], "option '%s' takes no value", argv[optind - 1]);
	return command_usage(argv[0], "'%s' is not an option", argv[optind - 1]);
}

struct tessera_conf *command_conf(const char *path, struct tessera_error *err)
{
	char buf[1024];
	const char *usual = conf_path_beside_slurm(buf, sizeof(buf));
	struct tessera_conf *conf;

	if (path != NULL || access(usual, F_OK) == 0)
		return tessera_conf_read(path != NULL ? path : usual, err);
	conf = tessera_conf_default();
	if (conf == NULL)
		tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory");
	return conf;
}

const struct tessera_platform *command_platform(const struct tessera_conf *conf, const char *name,
						struct tessera_error *err)
{
	const struct tessera_platform *p = NULL;
	char names[sizeof(err->text)] = "";
	size_t used = 0;

	if (name != NULL)
		return tessera_conf_platform(conf, name, err);
	if (tessera_conf_partition_platform(conf, NULL, &p, err) < 0)
		return NULL;
	if (p != NULL)
		return p;
	for (size_t n = 0; used < sizeof(names) && (p = tessera_conf_platform_at(conf, n)) != NULL; n++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", n > 0 ? " " : "", p->name);
	tessera_error_set(err, TESSERA_ERR_USAGE, "which platform? Say --platform=P, where P is one of: %s", names);
	return NULL;
}

static void print_help(FILE *out)
{
	fputs("Usage: tessera COMMAND [OPTION]... | --help | --version\n"
	      "Tiles and IPUs under Slurm: who may use which, and who does.\n",
	      out);
	for (const struct command *cmd = commands; cmd->name != NULL; cmd++)
		fprintf(out, "%s  %-10s %s\n", cmd == commands ? "\nCommands:\n" : "", cmd->name, cmd->summary);
	fputs("\n"
	      "tessera COMMAND --help says more of each.\n"
	      "Exit codes: 0 fine, 1 wrong input, 2 usage, 3 missing, 4 denied, 10-15 no grant.\n",
	      out);
}

static int run(int argc, char **argv)
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

int main(int argc, char **argv)
{
	int code = run(argc, argv);

	/* Half an answer in a full file system must not look like a whole one. */
	if (fflush(stdout) != 0 || ferror(stdout)) {
		fputs("tessera: the answer could not be written\n", stderr);
		return TESSERA_ERR_MISSING;
	}
	return code;
}
