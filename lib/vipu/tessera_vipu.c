/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera-vipu calls a V-IPU controller, so that slurmd and slurmstepd need not load libcurl and
 * protobuf-c. The plugin's prolog and epilog start it as root with an empty environment; an
 * administrator may, too.
 */
#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/conf/conf.h"
#include "lib/vipu/partition.h"
#include "lib/vipu/vipu.h"

#define WAIT_MAX 86400

struct arguments {
	const char *conf;
	const char *node;
	/* 0: not given */
	unsigned job;
	unsigned ipus;
	unsigned gcds;
	unsigned domains;
	unsigned wait;
};

enum { OPT_CONF = 1, OPT_NODE, OPT_HELP, OPT_JOB, OPT_IPUS, OPT_GCDS, OPT_DOMAINS, OPT_WAIT };

static const struct option options[] = {
	{"conf", required_argument, NULL, OPT_CONF},
	{"node", required_argument, NULL, OPT_NODE},
	{"help", no_argument, NULL, OPT_HELP},
	{"job", required_argument, NULL, OPT_JOB},
	{"ipus", required_argument, NULL, OPT_IPUS},
	{"gcds", required_argument, NULL, OPT_GCDS},
	{"domains", required_argument, NULL, OPT_DOMAINS},
	{"wait", required_argument, NULL, OPT_WAIT},
	{NULL, 0, NULL, 0},
};

static void print_help(void)
{
	puts("Usage: tessera-vipu [--conf=FILE] --node=NAME COMMAND\n"
	     "\n"
	     "Calls the V-IPU controller that tessera.conf names for a node.\n"
	     "\n"
	     "  create --job=N --ipus=N [--gcds=N] [--domains=N] --wait=SECONDS\n"
	     "                  create the job's partition, and wait until it is active\n"
	     "  await --job=N --wait=SECONDS\n"
	     "                  wait until it is active\n"
	     "  remove --job=N  remove it; no error if it does not exist\n"
	     "  list            all partitions: id, state, IPUs, GCDs\n"
	     "  version         the controller's version\n"
	     "\n"
	     "  --node=NAME     the node, as Slurm names it\n"
	     "  --conf=FILE     instead of " TESSERA_CONF_PATH);
}

static int run_create(const struct tessera_vipu_site *site, const struct arguments *a,
		      struct tessera_error *err)
{
	char name[TESSERA_PARTITION_MAX];
	struct tessera_vipu_request request = {
		.name = name,
		.ipus = a->ipus,
		.gcds = a->gcds > 0 ? a->gcds : 1,
		.domains = a->domains > 0 ? a->domains : 1,
	};

	tessera_vipu_partition_name(site, a->job, name, sizeof(name));
	return tessera_partition_make(site, &request, a->wait, err);
}

static int run_await(const struct tessera_vipu_site *site, const struct arguments *a,
		     struct tessera_error *err)
{
	char name[TESSERA_PARTITION_MAX];

	tessera_vipu_partition_name(site, a->job, name, sizeof(name));
	return tessera_partition_await(site, name, a->wait, err);
}

static int run_remove(const struct tessera_vipu_site *site, const struct arguments *a,
		      struct tessera_error *err)
{
	char name[TESSERA_PARTITION_MAX];

	tessera_vipu_partition_name(site, a->job, name, sizeof(name));
	return tessera_partition_remove(site, name, err);
}

static int run_list(const struct tessera_vipu_site *site, const struct arguments *a,
		    struct tessera_error *err)
{
	struct tessera_vipu *v = tessera_vipu_open(site, err);
	struct tessera_vipu_list list;
	int rc;

	(void)a;
	if (v == NULL)
		return -1;
	rc = tessera_vipu_list(v, &list, err);
	for (size_t i = 0; i < list.count; i++)
		printf("%s %s %u %u\n", list.partitions[i].id,
		       tessera_vipu_state_name(list.partitions[i].state), list.partitions[i].ipus,
		       list.partitions[i].gcds);
	tessera_vipu_list_free(&list);
	tessera_vipu_close(v);
	return rc;
}

static int run_version(const struct tessera_vipu_site *site, const struct arguments *a,
		       struct tessera_error *err)
{
	struct tessera_vipu *v = tessera_vipu_open(site, err);
	char version[128];
	int rc;

	(void)a;
	if (v == NULL)
		return -1;
	rc = tessera_vipu_version(v, version, sizeof(version), err);
	if (rc == 0)
		puts(version);
	tessera_vipu_close(v);
	return rc;
}

/* The options that a command needs and may have, as bits of their numbers. */
#define BIT(option) (1U << (option))

static const struct command {
	const char *name;
	int (*run)(const struct tessera_vipu_site *site, const struct arguments *a,
		   struct tessera_error *err);
	unsigned needs, may;
} commands[] = {
	{"create", run_create, BIT(OPT_JOB) | BIT(OPT_IPUS) | BIT(OPT_WAIT),
	 BIT(OPT_GCDS) | BIT(OPT_DOMAINS)},
	{"await", run_await, BIT(OPT_JOB) | BIT(OPT_WAIT), 0},
	{"remove", run_remove, BIT(OPT_JOB), 0},
	{"list", run_list, 0, 0},
	{"version", run_version, 0, 0},
	{NULL, NULL, 0, 0},
};

/* A number from 1 to MAX, in decimal digits only. */
static int parse_number(const char *name, const char *text, unsigned max, unsigned *number,
			struct tessera_error *err)
{
	unsigned long value = 0;

	if (text[0] != '\0' && text[strspn(text, "0123456789")] == '\0' && strlen(text) <= 10)
		value = strtoul(text, NULL, 10);
	if (value == 0 || value > max)
		return tessera_error_set(err, TESSERA_ERR_USAGE,
					 "--%s=%.64s is not a number from 1 to %u", name, text,
					 max);
	*number = (unsigned)value;
	return 0;
}

static int parse_option(struct arguments *a, int option, const char *name,
			struct tessera_error *err)
{
	switch (option) {
	case OPT_CONF:
		a->conf = optarg;
		return 0;
	case OPT_NODE:
		a->node = optarg;
		return 0;
	case OPT_JOB:
		return parse_number(name, optarg, UINT_MAX, &a->job, err);
	case OPT_IPUS:
		return parse_number(name, optarg, 65536, &a->ipus, err);
	case OPT_GCDS:
		return parse_number(name, optarg, 65536, &a->gcds, err);
	case OPT_DOMAINS:
		return parse_number(name, optarg, 65536, &a->domains, err);
	default:
		return parse_number(name, optarg, WAIT_MAX, &a->wait, err);
	}
}

static const char *find_option_name(unsigned number)
{
	for (const struct option *o = options; o->name != NULL; o++)
		if ((unsigned)o->val == number)
			return o->name;
	return "?";
}

/* Returns the command if it has all options that it needs and no others, or NULL with ERR. */
static const struct command *find_command(int argc, char **argv, unsigned given,
					  struct tessera_error *err)
{
	const struct command *c = commands;

	if (optind != argc - 1) {
		tessera_error_set(err, TESSERA_ERR_USAGE,
				  "%d commands were given, one is needed; see tessera-vipu --help",
				  argc - optind);
		return NULL;
	}
	while (c->name != NULL && strcmp(c->name, argv[optind]) != 0)
		c++;
	if (c->name == NULL) {
		tessera_error_set(err, TESSERA_ERR_USAGE,
				  "'%.64s' is not a command; see tessera-vipu --help",
				  argv[optind]);
		return NULL;
	}
	for (unsigned bit = OPT_NODE; bit <= OPT_WAIT; bit++) {
		bool needed = bit == OPT_NODE || (c->needs & BIT(bit)) != 0;

		if (needed == ((given & BIT(bit)) != 0) || (!needed && (c->may & BIT(bit)) != 0))
			continue;
		tessera_error_set(err, TESSERA_ERR_USAGE, "%s %s --%s", c->name,
				  needed ? "needs" : "has no", find_option_name(bit));
		return NULL;
	}
	return c;
}

/* Returns the command, or NULL: with ERR, or without after --help. */
static const struct command *parse_arguments(int argc, char **argv, struct arguments *a,
					     struct tessera_error *err)
{
	unsigned given = 0;
	int got, index = 0;

	opterr = 0;
	while ((got = getopt_long(argc, argv, ":", options, &index)) != -1) {
		if (got == OPT_HELP) {
			print_help();
			return NULL;
		}
		if (got == '?' || got == ':') {
			tessera_error_set(err, TESSERA_ERR_USAGE,
					  "'%.64s' is not an option, or its value is wrong; "
					  "see tessera-vipu --help",
					  argv[optind - 1]);
			return NULL;
		}
		if (parse_option(a, got, options[index].name, err) < 0)
			return NULL;
		given |= BIT(got);
	}
	return find_command(argc, argv, given, err);
}

static int run_command(const struct command *command, const struct arguments *a,
		       struct tessera_error *err)
{
	struct tessera_conf *conf = tessera_conf_read_trusted(a->conf, err);
	const struct tessera_vipu_site *site;
	int rc = -1;

	if (conf == NULL)
		return -1;
	site = tessera_conf_vipu(conf, a->node);
	if (site == NULL)
		tessera_error_set(
			err, TESSERA_ERR_UNAVAILABLE,
			"%s has no vipu block for node %.64s: add one with its controller's Host",
			a->conf, a->node);
	else
		rc = command->run(site, a, err);
	tessera_conf_free(conf);
	return rc;
}

/* Keys are in memory: do not dump core. A broken connection must not end the process. */
static void protect_process(void)
{
	struct rlimit none = {0};

	setrlimit(RLIMIT_CORE, &none);
	signal(SIGPIPE, SIG_IGN);
}

int main(int argc, char **argv)
{
	struct arguments a = {.conf = TESSERA_CONF_PATH};
	struct tessera_error err = {0};
	const struct command *command;

	protect_process();
	command = parse_arguments(argc, argv, &a, &err);
	if (command != NULL && run_command(command, &a, &err) == 0)
		tessera_error_clear(&err);
	if (fflush(stdout) != 0)
		tessera_error_set(&err, TESSERA_ERR_UNAVAILABLE, "standard output: %s",
				  strerror(errno));
	if (err.code != TESSERA_OK)
		fprintf(stderr, "%s\n", err.text);
	return tessera_error_exit(&err);
}
