/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera topology: show which RDUs are NUMA-local to which cores, and write the locality table
 * that the prolog reads.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "command/cli.h"
#include "command/command.h"
#include "command/view/cli_options.h"
#include "command/view/locality_view.h"
#include "lib/util/strbuf.h"
#include "lib/vendor/topology.h"

enum { NUMA, CORES, CPUS, RDUS, DISTANCES, COLUMNS };

/* The names are a stable interface: tessera(1) documents them. */
static const struct table_column columns[COLUMNS] = {
	[NUMA] = {"numa", "NUMA", TABLE_NUMBER, true},
	[CORES] = {"cores", "CORES", TABLE_TEXT, true},
	[CPUS] = {"cpus", "CPUS", TABLE_TEXT, true},
	[RDUS] = {"rdus", "NEAREST RDUS", TABLE_TEXT, true},
	[DISTANCES] = {"distances", "DISTANCES", TABLE_TEXT, false},
};

struct topology_options {
	struct cli_options common;
	const char *platform;
	struct topology_source from;
	bool write;
};

static void print_help(void)
{
	puts("Usage: tessera topology [OPTION]...\n"
	     "\n"
	     "Show which RDUs are NUMA-local to which cores. The RDUs' positions come from\n"
	     "Numa or PciId of the platform in tessera.conf, those of the cores from hwloc.\n"
	     "With --write, save the locality table: jobs then get RDUs that are NUMA-local to\n"
	     "their cores. slurmd writes it when it starts.\n"
	     "\n"
	     "  --write             write the node's locality table (requires root)\n"
	     "  --platform=P        RDUs of another platform, such as sn30-8; not with --write\n"
	     "  --xml=FILE          cores of another machine, from lstopo's XML file\n"
	     "  --synthetic=DESC    cores of an hwloc synthetic description\n"
	     "  -o, --columns=LIST  columns to print; +LIST adds to the default ones:\n"
	     "                      numa cores cpus rdus distances\n"
	     "  --json              print all columns as a list of objects\n"
	     "  --raw               print the table without padding\n"
	     "  --node=NAME         node to show, if this machine has several\n"
	     "  --conf=FILE         use FILE instead of tessera.conf beside slurm.conf\n"
	     "\n"
	     "Example: tessera topology -o +distances");
}

static int set_cpuset(struct table *table, size_t column, const struct tessera_cpuset *set,
		      struct tessera_error *err)
{
	char *text = locality_view_set(set);
	int rc = table_set(table, column, text, err);

	free(text);
	return rc;
}

/* The NUMA distance of each RDU, in the order of their numbers. */
static int set_distances(struct table *table, const struct tessera_locality *l, unsigned numa,
			 struct tessera_error *err)
{
	char text[TESSERA_TILES_MAX * sizeof("65535,")];
	struct strbuf distances = strbuf_start(text, sizeof(text));

	if (tessera_tileset_empty(&l->rdus))
		return 0;
	for (unsigned rdu = 0; tessera_tileset_has(&l->rdus, rdu); rdu++)
		strbuf_put(&distances, "%s%u", rdu > 0 ? "," : "", l->distance[rdu][numa]);
	return table_set(table, DISTANCES, text, err);
}

static int add_row(struct table *table, const struct tessera_platform *p,
		   const struct tessera_locality *l, unsigned numa, struct tessera_error *err)
{
	static char rdus[TESSERA_TILESET_TEXT_MAX];
	struct tessera_tileset local;

	if (table_row(table, err) < 0 ||
	    table_set_number(table, NUMA, l->numa[numa].number, err) < 0 ||
	    set_cpuset(table, CORES, &l->numa[numa].cores, err) < 0 ||
	    set_cpuset(table, CPUS, &l->numa[numa].cpus, err) < 0 ||
	    set_distances(table, l, numa, err) < 0)
		return -1;
	locality_view_rdus(p, l, numa, &local);
	if (tessera_tileset_empty(&local))
		return 0;
	tessera_tileset_format(p, &local, TESSERA_FORM_RDUS, rdus, sizeof(rdus));
	return table_set(table, RDUS, rdus, err);
}

static int print_table(const struct cli_options *c, const struct tessera_platform *p,
		       const struct tessera_locality *l, struct tessera_error *err)
{
	struct table *table = table_new(columns, COLUMNS, c->columns, c->form, "topology", err);
	int rc = table != NULL ? 0 : -1;

	for (unsigned i = 0; i < l->numas && rc == 0; i++)
		rc = add_row(table, p, l, i, err);
	if (rc == 0)
		rc = table_print(table, stdout, err);
	table_free(table);
	return rc;
}

/*
 * RC and WHY: result of topology_read(). Without the position of the RDUs the command succeeds,
 * after a message; a contradiction in tessera.conf is an error. Returns the exit code.
 */
static int report_result(int rc, const struct tessera_error *why)
{
	if (rc == 0)
		return TESSERA_OK;
	cli_fail(why);
	if (rc > 0 && tessera_error_exit(why) == TESSERA_ERR_UNAVAILABLE)
		return TESSERA_OK;
	return tessera_error_exit(why);
}

/* Query hwloc, and print the locality table, or write it into DIR unless that is NULL. */
static int read_topology(const struct topology_options *options, const struct tessera_platform *p,
			 const char *dir)
{
	struct tessera_error why = {0}, err = {0};
	struct tessera_locality *l = malloc(sizeof(*l));
	int rc, done = -1;

	if (l == NULL) {
		tessera_error_nomem(&err);
		return cli_fail(&err);
	}
	cli_silence_hwloc();
	rc = topology_read(&options->from, p, l, &why);
	if (rc >= 0 && dir == NULL)
		done = print_table(&options->common, p, l, &err);
	else if (rc >= 0)
		done = tessera_locality_boot(l->boot, &err) < 0 ? -1 : locality_write(dir, l, &err);
	free(l);
	if (rc >= 0 && done < 0)
		return cli_fail(&err);
	return report_result(rc, &why);
}

static int show_platform(const struct topology_options *options)
{
	struct tessera_error err = {0};
	struct tessera_conf *conf = cli_read_conf(options->common.conf, &err);
	const struct tessera_platform *p =
		conf != NULL ? cli_platform(conf, options->platform, &err) : NULL;
	int code;

	if (p != NULL && p->kind != TESSERA_KIND_RDU) {
		tessera_error_set(&err, TESSERA_ERR_INPUT, "platform %s has no RDUs", p->name);
		p = NULL;
	}
	code = p != NULL ? read_topology(options, p, NULL) : cli_fail(&err);
	tessera_conf_free(conf);
	return code;
}

static int show_node(const struct topology_options *options)
{
	struct tessera_error err = {0};
	struct node node;
	int code;

	if (cli_node(&options->common, &node, &err) < 0) {
		code = cli_fail(&err);
	} else if (node.platform == NULL) {
		fprintf(stderr, "tessera: node %s has no tiles, nothing to do\n", node.name);
		code = TESSERA_OK;
	} else {
		code = read_topology(options, node.platform, options->write ? node.dir : NULL);
	}
	node_close(&node);
	return code;
}

static int run_topology(const char *command, const struct topology_options *options)
{
	struct tessera_error err = {0};

	if (options->from.xml != NULL && options->from.synthetic != NULL)
		return cli_usage(command, "--xml and --synthetic cannot be combined");
	if (options->write && options->platform != NULL)
		return cli_usage(command,
				 "--write is for this node and its platform in tessera.conf, not "
				 "for --platform");
	if (options->write && geteuid() != 0) {
		tessera_error_set(&err, TESSERA_ERR_DENIED,
				  "must be root to write the locality table");
		return cli_fail(&err);
	}
	return options->platform != NULL ? show_platform(options) : show_node(options);
}

int cmd_topology(int argc, char **argv)
{
	struct topology_options options = {0};
	const struct cli_row rows[] = {
		CLI_WHERE(options.common),
		CLI_FORM(options.common),
		{"platform", 0, CLI_TEXT, &options.platform, NULL},
		{"synthetic", 0, CLI_TEXT, &options.from.synthetic, NULL},
		{"write", 0, CLI_SET, &options.write, NULL},
		{"xml", 0, CLI_TEXT, &options.from.xml, NULL},
		CLI_END,
	};
	int code = cli_parse(argc, argv, rows, CLI_NO_OPERANDS, print_help);

	if (code != CLI_GO_ON)
		return code;
	return run_topology(argv[0], &options);
}
