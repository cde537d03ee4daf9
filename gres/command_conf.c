/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera conf: the lines of slurm.conf, gres.conf and tessera.conf for a machine.
 */
#include "config.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "gres/command.h"
#include "gres/conf_cores.h"
#include "lib/gres.h"
#include "lib/hostlist.h"
#include "plugin/slurm_compat.h"
#include "plugin/slurm_file.h"

struct wanted {
	const struct tessera_conf *conf;
	const struct tessera_platform *platform;
	const char *nodes;
	const char *partition;
	const char *controller;
	const char *cores_dir;    /* of the files that Cores= needs; NULL: counts are enough */
	struct conf_cores *cores; /* of RDUs; NULL: not known */
	bool database;            /* slurm.conf names slurmdbd */
	bool has_default;         /* and a partition for jobs that name none */
	char host[256];           /* this machine */
};

static void print_help(void)
{
	puts("Usage: tessera conf --platform=P [OPTION]...\n"
	     "\n"
	     "Prints what slurm.conf, gres.conf and tessera.conf need for nodes of a platform.\n"
	     "Where a key is in slurm.conf already, its list becomes longer. slurm.conf\n"
	     "($SLURM_CONF, or the usual one) is read if it is there: it says whether slurmdbd\n"
	     "is used, and whether there is a default partition. tessera doctor checks the\n"
	     "result.\n"
	     "\n"
	     "  --platform=P          the machine, such as sn30-8 or pod64\n"
	     "  --nodes=LIST          the nodes' names, such as sn30-r1-h[1-8]; this machine's\n"
	     "                        if not given. CPUs and memory are always this machine's\n"
	     "  -p, --partition=NAME  of Slurm; the platform's name if not given\n"
	     "  --vipu=HOST           the V-IPU controller of IPU hosts\n"
	     "  --cores=DIR           gres.conf with Cores=, so Slurm takes cores near free\n"
	     "                        RDUs: needs a file for each in DIR (see tessera(1))\n"
	     "  --for=FILE            only the lines of slurm.conf, gres.conf or tessera.conf\n"
	     "  --conf=FILE           where other platforms and IpuModel are described\n"
	     "\n"
	     "Example: tessera conf --platform=sn30-8 --nodes='sn30-r1-h[1-8]' -p sambanova");
}

/* What this machine's slurm.conf has already, if there is one. */
static void look_at_slurm_conf(struct wanted *w)
{
	struct slurm_file f = {0};
	char path[512], *type;

	if (slurm_file_find(path, sizeof(path)) < 0 || slurm_file_read(&f, path, NULL) < 0) {
		slurm_file_free(&f);
		return;
	}
	type = slurm_file_value(&f, "AccountingStorageType", NULL);
	w->database = type != NULL && strcasecmp(type, SLURM_WITH_DATABASE) == 0;
	free(type);
	for (size_t i = 0; i < f.count && !w->has_default; i++) {
		char *name = slurm_line_value(f.lines[i].text, "PartitionName");
		char *value = slurm_line_value(f.lines[i].text, "Default");

		/* Another line for the same partition takes the place of the first. */
		w->has_default = name != NULL && value != NULL && strcasecmp(value, "YES") == 0;
		free(name);
		free(value);
	}
	slurm_file_free(&f);
}

static bool counts_ipus_on_nodes(const struct wanted *w)
{
	return w->platform->kind == TESSERA_KIND_IPU && tessera_conf_ipu_model(w->conf) == TESSERA_IPU_GRES;
}

/* The pool is split over its hosts. */
static unsigned ipus_of_node(const struct wanted *w)
{
	tessera_slurm_hostlist list = slurm_hostlist_create(w->nodes);
	unsigned hosts = list != NULL ? (unsigned)slurm_hostlist_count(list) : 1;

	if (list != NULL)
		slurm_hostlist_destroy(list);
	return w->platform->ipus / hosts;
}

static void print_node_gres(const struct wanted *w)
{
	const struct tessera_platform *p = w->platform;

	if (p->kind == TESSERA_KIND_RDU)
		printf(" Gres=" GRES_RDU ":%u," GRES_RDU_TILE ":%u", tessera_platform_gres(p),
		       tessera_platform_tiles(p));
	else if (counts_ipus_on_nodes(w))
		printf(" Gres=%s:%u", tessera_conf_ipu_name(w->conf), ipus_of_node(w));
	putchar('\n');
}

/* slurmctld does not start with such a line and without slurmdbd. */
static void print_storage(const struct wanted *w)
{
	const char *ipu = tessera_conf_ipu_name(w->conf);

	printf("%sAccountingStorageTRES=", w->database ? "" : "#");
	if (w->platform->kind == TESSERA_KIND_RDU)
		fputs("gres/" GRES_RDU ",gres/" GRES_RDU_TILE, stdout);
	else
		printf("%s/%s", counts_ipus_on_nodes(w) ? "gres" : "license", ipu);
	puts(w->database ? "" : "  # only with AccountingStorageType=" SLURM_WITH_DATABASE);
}

static void print_slurm(const struct wanted *w)
{
	const char *ipu = tessera_conf_ipu_name(w->conf);
	bool tiles = w->platform->kind == TESSERA_KIND_RDU;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN), pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

	if (tiles)
		puts("GresTypes=" GRES_RDU "," GRES_RDU_TILE);
	else if (counts_ipus_on_nodes(w))
		printf("GresTypes=%s\n", ipu);
	else
		printf("Licenses=%s:%u\n", ipu, w->platform->ipus);
	print_storage(w);
	puts("PrologFlags=Alloc\n"
	     "JobSubmitPlugins=tessera");
	if (!tiles)
		puts("PropagateResourceLimitsExcept=MEMLOCK");
	printf("NodeName=%s", w->nodes);
	if (w->cores_dir == NULL || !conf_cores_print_shape(w->cores))
		printf(" CPUs=%ld", cpus);
	printf(" RealMemory=%ld", pages / 1024 * (size / 1024));
	print_node_gres(w);
	printf("PartitionName=%s Nodes=%s%s\n", w->partition, w->nodes, w->has_default ? "" : " Default=YES");
}

static void print_gres(const struct wanted *w)
{
	const struct tessera_platform *p = w->platform;

	if (w->cores_dir != NULL) {
		conf_cores_print_gres(w->cores, w->nodes, w->cores_dir);
		return;
	}
	if (w->cores != NULL && conf_cores_known(w->cores))
		conf_cores_print_comment(w->cores);
	if (p->kind == TESSERA_KIND_RDU)
		printf("NodeName=%s Name=" GRES_RDU " Count=%u\nNodeName=%s Name=" GRES_RDU_TILE " Count=%u\n",
		       w->nodes, tessera_platform_gres(p), w->nodes, tessera_platform_tiles(p));
	else if (counts_ipus_on_nodes(w))
		printf("NodeName=%s Name=%s Count=%u\n", w->nodes, tessera_conf_ipu_name(w->conf), ipus_of_node(w));
}

static void print_tessera(const struct wanted *w)
{
	bool tiles = w->platform->kind == TESSERA_KIND_RDU;

	if (tiles)
		puts("# Jobs that ask for no RDUs have one. Unasked = none gives them an empty mask instead, "
		     "refuse\n"
		     "# refuses them, leave lets them use tiles of others: see tessera.conf(5).");
	printf("partition %s { Platform = %s%s }\nnode \"%s\" { Platform = %s }\n", w->partition, w->platform->name,
	       tiles ? " Unasked = default" : "", w->nodes, w->platform->name);
	if (w->cores != NULL && conf_cores_missing(w->cores))
		printf("#platform %s { Numa = \"0,1\" }  # at which NUMA nodes its RDUs are, as numactl -H numbers "
		       "them\n",
		       w->platform->name);
	if (w->platform->kind != TESSERA_KIND_IPU)
		return;
	if (counts_ipus_on_nodes(w))
		puts("IpuModel = gres");
	printf("%svipu \"%s\" { Host = %s }\n", w->controller != NULL ? "" : "#", w->nodes,
	       w->controller != NULL ? w->controller : "10.1.3.101");
}

static const struct part {
	const char *name;
	void (*print)(const struct wanted *w);
} parts[] = {
	{"slurm.conf", print_slurm},
	{"gres.conf", print_gres},
	{"tessera.conf", print_tessera},
};

#define PARTS (sizeof(parts) / sizeof(parts[0]))

static int print(const char *command, const struct wanted *w, const char *only)
{
	bool known = only == NULL;

	for (size_t i = 0; i < PARTS; i++)
		known |= only != NULL && strcmp(parts[i].name, only) == 0;
	if (!known)
		return command_usage(command, "--for=%s is none of slurm.conf, gres.conf and tessera.conf", only);
	for (size_t i = 0; i < PARTS; i++) {
		if (only != NULL && strcmp(parts[i].name, only) != 0)
			continue;
		if (only == NULL)
			printf("%s# %s\n", i > 0 ? "\n" : "", parts[i].name);
		parts[i].print(w);
	}
	return TESSERA_OK;
}

/* Where RDUs are, if that can be said; --cores needs to know. Returns 0, or -1 with ERR. */
static int find_cores(struct wanted *w, struct tessera_error *err)
{
	struct tessera_error why = {0};

	if (w->platform->kind == TESSERA_KIND_RDU)
		w->cores = conf_cores_find(w->platform, &why);
	if (w->cores_dir == NULL)
		return 0;
	if (w->cores_dir[0] != '/' || strpbrk(w->cores_dir, " \t[]#") != NULL)
		return tessera_error_set(err, TESSERA_ERR_USAGE,
					 "--cores=%.80s is no absolute path that gres.conf could name",
					 w->cores_dir);
	if (w->platform->kind != TESSERA_KIND_RDU)
		return tessera_error_set(err, TESSERA_ERR_INPUT, "--cores is not for platform %s: leave it out",
					 w->platform->name);
	if (w->cores != NULL && conf_cores_known(w->cores))
		return 0;
	return tessera_error_set(err, TESSERA_ERR_MISSING, "%s: tessera topology --platform=%s shows it",
				 why.code != TESSERA_OK ? why.text
				 : w->cores != NULL     ? "all RDUs are near the same cores"
							: "out of memory",
				 w->platform->name);
}

static int run(const char *command, struct wanted *w, const char *platform, const char *conf_path, const char *only)
{
	struct tessera_error err = {0};
	struct tessera_conf *conf = command_conf(conf_path, &err);
	int code;

	w->conf = conf;
	if (conf != NULL)
		w->platform = command_platform(conf, platform, &err);
	if (w->nodes == NULL && gethostname(w->host, sizeof(w->host) - 1) == 0) {
		w->host[strcspn(w->host, ".")] = '\0';
		w->nodes = w->host;
	}
	if (w->platform == NULL || tessera_hostlist_check(w->nodes, &err) < 0 || find_cores(w, &err) < 0) {
		code = command_fail(&err);
	} else {
		w->partition = w->partition != NULL ? w->partition : w->platform->name;
		look_at_slurm_conf(w);
		code = print(command, w, only);
	}
	free(w->cores);
	tessera_conf_free(conf);
	return code;
}

int command_conf_lines(int argc, char **argv)
{
	static const struct option options[] = {
		{"conf", required_argument, NULL, 'c'},
		{"cores", required_argument, NULL, 'C'},
		{"for", required_argument, NULL, 'f'},
		{"help", no_argument, NULL, 'h'},
		{"nodes", required_argument, NULL, 'N'},
		{"partition", required_argument, NULL, 'p'},
		{"platform", required_argument, NULL, 'P'},
		{"vipu", required_argument, NULL, 'v'},
		{NULL, 0, NULL, 0},
	};
	const char *platform = NULL, *conf_path = NULL, *only = NULL, **text;
	struct wanted w = {0};
	int got;

	while ((got = getopt_long(argc, argv, ":hp:", options, NULL)) != -1) {
		switch (got) {
		case 'c':
			text = &conf_path;
			break;
		case 'C':
			text = &w.cores_dir;
			break;
		case 'f':
			text = &only;
			break;
		case 'N':
			text = &w.nodes;
			break;
		case 'p':
			text = &w.partition;
			break;
		case 'P':
			text = &platform;
			break;
		case 'v':
			text = &w.controller;
			break;
		case 'h':
			print_help();
			return TESSERA_OK;
		default:
			return command_bad_option(argv, got);
		}
		*text = optarg;
	}
	if (optind != argc)
		return command_usage(argv[0], "'%s' is not an option", argv[optind]);
	return run(argv[0], &w, platform, conf_path, only);
}
