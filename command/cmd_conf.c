/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera conf: print the lines of slurm.conf, gres.conf and tessera.conf for nodes of a platform.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "command/cli.h"
#include "command/command.h"
#include "command/view/cli_options.h"
#include "command/view/locality_view.h"
#include "lib/conf/gres_list.h"
#include "lib/slurm/compat.h"
#include "lib/slurm/conf_file.h"
#include "lib/tile/hostlist.h"
#include "lib/vendor/topology.h"

struct wanted {
	const struct tessera_conf *conf;
	const struct tessera_platform *platform;
	const char *nodes;
	const char *partition;
	const char *controller;
	struct tessera_locality *locality; /* of this machine's RDUs; NULL: hwloc failed */
	bool numa_missing;                 /* several NUMA nodes, but neither Numa nor PciId */
	bool database;                     /* slurm.conf names slurmdbd */
	bool has_default;                  /* slurm.conf has a default partition */
	char host[256];                    /* this machine */
};

static void print_help(void)
{
	puts("Usage: tessera conf --platform=P [OPTION]...\n"
	     "\n"
	     "Print the lines that slurm.conf, gres.conf and tessera.conf need for nodes of a\n"
	     "platform. Append to the list of a key that your slurm.conf already has. Reads\n"
	     "slurm.conf ($SLURM_CONF or the default path), if any, to see whether the cluster\n"
	     "uses slurmdbd and has a default partition. Check the result with tessera doctor.\n"
	     "\n"
	     "  --platform=P          platform of the nodes, such as sn30-8 or pod64\n"
	     "  --nodes=LIST          node names, such as sn30-r1-h[1-8] (default: this\n"
	     "                        machine); CPUs and memory are always this machine's\n"
	     "  -p, --partition=NAME  Slurm partition (default: the platform's name)\n"
	     "  --vipu=HOST           V-IPU controller of the IPU hosts\n"
	     "  --for=FILE            only print slurm.conf, gres.conf or tessera.conf\n"
	     "  --conf=FILE           tessera.conf with further platforms and IpuModel\n"
	     "\n"
	     "Example: tessera conf --platform=sn30-8 --nodes='sn30-r1-h[1-8]' -p sambanova");
}

/* Read from slurm.conf what the output depends on. A machine may have no slurm.conf yet. */
static void read_slurm_conf(struct wanted *w)
{
	struct conf_file f = {0};
	char path[512], *type;

	if (conf_file_find(path, sizeof(path)) < 0 || conf_file_read(&f, path, NULL) < 0) {
		conf_file_free(&f);
		return;
	}
	type = conf_file_value(&f, "AccountingStorageType", NULL);
	w->database = type != NULL && strcasecmp(type, SLURM_WITH_DATABASE) == 0;
	free(type);
	for (size_t i = 0; i < f.count && !w->has_default; i++) {
		char *name = slurm_line_value(f.lines[i].text, "PartitionName");
		char *value = slurm_line_value(f.lines[i].text, "Default");

		/* A later line for the same partition replaces the first one. */
		w->has_default = name != NULL && value != NULL && strcasecmp(value, "YES") == 0;
		free(name);
		free(value);
	}
	conf_file_free(&f);
}

static bool counts_ipus_on_nodes(const struct wanted *w)
{
	return w->platform->kind == TESSERA_KIND_IPU &&
	       tessera_conf_ipu_model(w->conf) == TESSERA_IPU_GRES;
}

/* Each host of a pool counts an equal part of its IPUs. */
static unsigned count_node_ipus(const struct wanted *w)
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
		printf(" Gres=%s:%u", tessera_conf_ipu_name(w->conf), count_node_ipus(w));
	putchar('\n');
}

/* Commented out without slurmdbd: slurmctld would not start. */
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
	long cpus = sysconf(_SC_NPROCESSORS_ONLN), pages = sysconf(_SC_PHYS_PAGES),
	     size = sysconf(_SC_PAGESIZE);

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
	printf("NodeName=%s CPUs=%ld RealMemory=%ld", w->nodes, cpus, pages / 1024 * (size / 1024));
	print_node_gres(w);
	printf("PartitionName=%s Nodes=%s%s\n", w->partition, w->nodes,
	       w->has_default ? "" : " Default=YES");
}

/* A comment for the administrator: which RDUs are NUMA-local to which cores. */
static void print_locality(const struct wanted *w)
{
	static char rdus[TESSERA_TILESET_TEXT_MAX];
	struct tessera_tileset local;

	if (w->locality == NULL || w->locality->numas < 2)
		return;
	for (unsigned i = 0; i < w->locality->numas; i++) {
		locality_view_rdus(w->platform, w->locality, i, &local);
		if (tessera_tileset_empty(&local))
			continue;
		tessera_tileset_format(w->platform, &local, TESSERA_FORM_RDUS, rdus, sizeof(rdus));
		printf("# NUMA-local to cores ");
		locality_print_set(stdout, &w->locality->numa[i].cores);
		printf(": %s\n", rdus);
	}
}

static void print_gres(const struct wanted *w)
{
	const struct tessera_platform *p = w->platform;

	print_locality(w);
	if (p->kind == TESSERA_KIND_RDU)
		printf("NodeName=%s Name=" GRES_RDU " Count=%u" TESSERA_GRES_FLAGS
		       "\nNodeName=%s Name=" GRES_RDU_TILE " Count=%u" TESSERA_GRES_FLAGS "\n",
		       w->nodes, tessera_platform_gres(p), w->nodes, tessera_platform_tiles(p));
	else if (counts_ipus_on_nodes(w))
		printf("NodeName=%s Name=%s Count=%u" TESSERA_GRES_FLAGS "\n", w->nodes,
		       tessera_conf_ipu_name(w->conf), count_node_ipus(w));
}

static void print_tessera(const struct wanted *w)
{
	bool tiles = w->platform->kind == TESSERA_KIND_RDU;

	if (tiles)
		puts("# Jobs that request no RDU get one. With Unasked = none they get an empty "
		     "mask, with\n"
		     "# refuse they are rejected, with leave they may use other jobs' tiles: see "
		     "tessera.conf(5).");
	printf("partition %s { Platform = %s%s }\nnode \"%s\" { Platform = %s }\n", w->partition,
	       w->platform->name, tiles ? " Unasked = default" : "", w->nodes, w->platform->name);
	if (w->numa_missing)
		printf("#platform %s { Numa = \"0,1\" }  # NUMA nodes of its RDUs (numactl -H)\n",
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

static int print_files(const char *command, const struct wanted *w, const char *only)
{
	bool known = only == NULL;

	for (size_t i = 0; i < PARTS; i++)
		known |= only != NULL && strcmp(parts[i].name, only) == 0;
	if (!known)
		return cli_usage(command, "--for=%s must be slurm.conf, gres.conf or tessera.conf",
				 only);
	for (size_t i = 0; i < PARTS; i++) {
		if (only != NULL && strcmp(parts[i].name, only) != 0)
			continue;
		if (only == NULL)
			printf("%s# %s\n", i > 0 ? "\n" : "", parts[i].name);
		parts[i].print(w);
	}
	return TESSERA_OK;
}

/* A failure of hwloc is not reported: only comments in the output depend on the locality. */
static void find_locality(struct wanted *w)
{
	const struct topology_source here = {0};
	struct tessera_error why = {0};

	if (w->platform->kind != TESSERA_KIND_RDU)
		return;
	cli_silence_hwloc();
	w->locality = malloc(sizeof(*w->locality));
	if (w->locality != NULL && topology_read(&here, w->platform, w->locality, &why) < 0) {
		free(w->locality);
		w->locality = NULL;
	}
	w->numa_missing = w->locality != NULL && why.code == TESSERA_ERR_UNAVAILABLE;
}

static int run(const char *command, struct wanted *w, const char *platform, const char *conf_path,
	       const char *only)
{
	struct tessera_error err = {0};
	struct tessera_conf *conf = cli_read_conf(conf_path, &err);
	int code;

	w->conf = conf;
	if (conf != NULL)
		w->platform = cli_platform(conf, platform, &err);
	if (w->nodes == NULL && gethostname(w->host, sizeof(w->host) - 1) == 0) {
		w->host[strcspn(w->host, ".")] = '\0';
		w->nodes = w->host;
	}
	if (w->platform == NULL || tessera_hostlist_check(w->nodes, &err) < 0) {
		code = cli_fail(&err);
	} else {
		w->partition = w->partition != NULL ? w->partition : w->platform->name;
		find_locality(w);
		read_slurm_conf(w);
		code = print_files(command, w, only);
	}
	free(w->locality);
	tessera_conf_free(conf);
	return code;
}

int cmd_conf(int argc, char **argv)
{
	static char cores[] = "jobs get NUMA-local RDUs without it, and tessera topology shows the "
			      "locality";
	const char *platform = NULL, *conf_path = NULL, *only = NULL;
	struct wanted w = {0};
	const struct cli_row rows[] = {
		{"conf", 0, CLI_TEXT, &conf_path, NULL},
		{"cores", 0, CLI_REMOVED, cores, NULL},
		{"for", 0, CLI_TEXT, &only, NULL},
		{"nodes", 0, CLI_TEXT, &w.nodes, NULL},
		{"partition", 'p', CLI_TEXT, &w.partition, NULL},
		{"platform", 0, CLI_TEXT, &platform, NULL},
		{"vipu", 0, CLI_TEXT, &w.controller, NULL},
		CLI_END,
	};
	int code = cli_parse(argc, argv, rows, CLI_NO_OPERANDS, print_help);

	if (code != CLI_GO_ON)
		return code;
	return run(argv[0], &w, platform, conf_path, only);
}
