/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera topology: which RDUs are near which cores, and the table of it that launches read.
 */
#include "config.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "gres/command.h"
#include "gres/common.h"
#include "gres/nearness.h"
#include "lib/topology.h"

enum { NUMA, CORES, CPUS, RDUS, DISTANCES, COLUMNS };

/* The names are a promise: tessera(1) has them. */
static const struct table_column columns[COLUMNS] = {
	[NUMA] = {"numa", "NUMA", TABLE_NUMBER, true},
	[CORES] = {"cores", "CORES", TABLE_TEXT, true},
	[CPUS] = {"cpus", "CPUS", TABLE_TEXT, true},
	[RDUS] = {"rdus", "NEAREST RDUS", TABLE_TEXT, true},
	[DISTANCES] = {"distances", "DISTANCES", TABLE_TEXT, false},
};

struct wish {
	struct common common;
	const char *platform;
	struct topology_source from;
	bool write;
};

static void print_help(void)
{
	puts("Usage: tessera topology [OPTION]...\n"
	     "\n"
	     "Shows which RDUs are near which cores: Numa or PciId of the platform in\n"
	     "tessera.conf says where the RDUs are, hwloc where the cores are. With --write it\n"
	     "leaves that for the launches of jobs, which then get RDUs near the cores that\n"
	     "Slurm gives them; slurmd does it when it starts.\n"
	     "\n"
	     "  --write             write the node's table (root)\n"
	     "  --platform=P        another machine's RDUs, such as sn30-8; not with --write\n"
	     "  --xml=FILE          another machine's cores, as lstopo writes them\n"
	     "  --synthetic=DESC    cores that nobody has, as hwloc describes them\n"
	     "  -o, --columns=LIST  numa,cores,cpus,rdus,distances; \"+distances\" adds one\n"
	     "  --json              all columns, as a list of objects\n"
	     "  --raw               without decoration\n"
	     "  --node=NAME         the node, if this machine has several\n"
	     "  --conf=FILE         instead of tessera.conf beside slurm.conf\n"
	     "\n"
	     "Example: tessera topology -o +distances");
}

static int set_set(struct table *table, size_t column, const struct tessera_cpuset *set, struct tessera_error *err)
{
	char *text = nearness_set(set);
	int rc = table_set(table, column, text, err);

	free(text);
	return rc;
}

/* How far each RDU is, by their numbers. */
static int set_distances(struct table *table, const struct tessera_locality *l, unsigned numa,
			 struct tessera_error *err)
{
	char text[TESSERA_TILES_MAX * sizeof("65535,")] = "";
	size_t used = 0;

	if (tessera_tileset_empty(&l->rdus))
		return 0;
	for (unsigned rdu = 0; tessera_tileset_has(&l->rdus, rdu); rdu++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%u", rdu > 0 ? "," : "",
					 l->distance[rdu][numa]);
	return table_set(table, DISTANCES, text, err);
}

static int add_row(struct table *table, const struct tessera_platform *p, const struct tessera_locality *l,
		   unsigned numa, struct tessera_error *err)
{
	static char rdus[TESSERA_TILESET_TEXT_MAX];
	struct tessera_tileset near;
	char number[16];

	snprintf(number, sizeof(number), "%u", l->numa[numa].number);
	if (table_row(table, err) < 0 || table_set(table, NUMA, number, err) < 0 ||
	    set_set(table, CORES, &l->numa[numa].cores, err) < 0 ||
	    set_set(table, CPUS, &l->numa[numa].cpus, err) < 0 || set_distances(table, l, numa, err) < 0)
		return -1;
	nearness_rdus(p, l, numa, &near);
	if (tessera_tileset_empty(&near))
		return 0;
	tessera_tileset_format(p, &near, TESSERA_FORM_RDUS, rdus, sizeof(rdus));
	return table_set(table, RDUS, rdus, err);
}

static int print(const struct common *c, const struct tessera_platform *p, const struct tessera_locality *l,
		 struct tessera_error *err)
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

/* Nothing known of the RDUs is no failure, unless tessera.conf says what cannot be. */
static int tell(int rc, const struct tessera_error *why)
{
	if (rc == 0)
		return TESSERA_OK;
	command_fail(why);
	return rc > 0 && why->code == TESSERA_ERR_MISSING ? TESSERA_OK : (int)why->code;
}

/* Ask hwloc, and print, or write into DIR, what it says. */
static int ask(const struct wish *wish, const struct tessera_platform *p, const char *dir)
{
	struct tessera_error why = {0}, err = {0};
	struct tessera_locality *l = malloc(sizeof(*l));
	int rc, done = -1;

	if (l == NULL) {
		tessera_error_set(&err, TESSERA_ERR_MISSING, "out of memory");
		return command_fail(&err);
	}
	rc = topology_read(&wish->from, p, l, &why);
	if (rc >= 0 && dir == NULL)
		done = print(&wish->common, p, l, &err);
	else if (rc >= 0)
		done = tessera_locality_boot(l->boot, &err) < 0 ? -1 : locality_write(dir, l, &err);
	free(l);
	if (rc >= 0 && done < 0)
		return command_fail(&err);
	return tell(rc, &why);
}

static int of_platform(const struct wish *wish)
{
	struct tessera_error err = {0};
	struct tessera_conf *conf = command_conf(wish->common.conf, &err);
	const struct tessera_platform *p = conf != NULL ? command_platform(conf, wish->platform, &err) : NULL;
	int code;

	if (p != NULL && p->kind != TESSERA_KIND_RDU) {
		tessera_error_set(&err, TESSERA_ERR_INPUT, "platform %s has no RDUs", p->name);
		p = NULL;
	}
	code = p != NULL ? ask(wish, p, NULL) : command_fail(&err);
	tessera_conf_free(conf);
	return code;
}

static int of_node(const struct wish *wish)
{
	struct tessera_error err = {0};
	struct node node;
	int code;

	if (common_node(&wish->common, &node, &err) < 0) {
		code = command_fail(&err);
	} else if (node.platform == NULL) {
		fprintf(stderr, "tessera: node %s has no tiles: nothing to do\n", node.name);
		code = TESSERA_OK;
	} else {
		code = ask(wish, node.platform, wish->write ? node.dir : NULL);
	}
	node_close(&node);
	return code;
}

static int run(const char *command, const struct wish *wish)
{
	struct tessera_error err = {0};

	if (wish->from.xml != NULL && wish->from.synthetic != NULL)
		return command_usage(command, "--xml and --synthetic name two topologies");
	if (wish->write && wish->platform != NULL)
		return command_usage(command, "--write is for this node, whose platform tessera.conf names");
	if (wish->write && geteuid() != 0) {
		tessera_error_set(&err, TESSERA_ERR_DENIED, "only root may write the table");
		return command_fail(&err);
	}
	return wish->platform != NULL ? of_platform(wish) : of_node(wish);
}

int command_topology(int argc, char **argv)
{
	static const struct option options[] = {
		COMMON_WHERE,
		COMMON_FORM,
		{"help", no_argument, NULL, 'h'},
		{"platform", required_argument, NULL, 'P'},
		{"synthetic", required_argument, NULL, 's'},
		{"write", no_argument, NULL, 'w'},
		{"xml", required_argument, NULL, 'x'},
		{NULL, 0, NULL, 0},
	};
	struct wish wish = {0};
	int got;

	while ((got = getopt_long(argc, argv, ":ho:", options, NULL)) != -1) {
		if (common_option(&wish.common, got))
			continue;
		switch (got) {
		case 'P':
			wish.platform = optarg;
			break;
		case 's':
			wish.from.synthetic = optarg;
			break;
		case 'w':
			wish.write = true;
			break;
		case 'x':
			wish.from.xml = optarg;
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
	return run(argv[0], &wish);
}
