/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera pool: the V-IPU partitions that there are, whose they are, and whether anybody still needs them; and the
 * licences that count the pools.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "gres/command.h"
#include "gres/common.h"
#include "lib/hostlist.h"
#include "plugin/partition.h"
#include "plugin/slurm_compat.h"
#include "plugin/slurm_job.h"

enum { KIND, ID, SIZE, HELD, GCDS, STATE, JOB, USER, LEAKED, CONTROLLER, COLUMNS };

/* The names are a promise: tessera(1) has them. */
static const struct table_column columns[COLUMNS] = {
	[KIND] = {"kind", "KIND", TABLE_TEXT, false},
	[ID] = {"id", "ID", TABLE_TEXT, true},
	[SIZE] = {"size", "SIZE", TABLE_NUMBER, true},
	[HELD] = {"held", "HELD", TABLE_NUMBER, false},
	[GCDS] = {"gcds", "GCDS", TABLE_NUMBER, true},
	[STATE] = {"state", "STATE", TABLE_TEXT, true},
	[JOB] = {"job", "JOB", TABLE_NUMBER, true},
	[USER] = {"user", "USER", TABLE_TEXT, true},
	[LEAKED] = {"leaked", "LEAKED", TABLE_TEXT, true},
	[CONTROLLER] = {"controller", "CONTROLLER", TABLE_TEXT, false},
};

static void print_help(void)
{
	puts("Usage: tessera pool [OPTION]...\n"
	     "\n"
	     "Lists the partitions at the V-IPU controllers that tessera.conf names: whose\n"
	     "they are, and whether they leaked: then their job is gone, and tessera reap\n"
	     "removes them. Before that, the licences that count IPUs and other pools.\n"
	     "Where a controller wants access keys, only root can ask it.\n"
	     "\n"
	     "  --node=NAME          the controller of this node alone\n"
	     "  --conf=FILE          instead of tessera.conf beside slurm.conf\n"
	     "  -o, --columns=LIST   columns of the table; +LIST adds to the usual ones:\n"
	     "                       kind id size held gcds state job user leaked controller\n"
	     "  --json, --raw        one table of licences and partitions, for programs\n"
	     "\n"
	     "Example: tessera pool --json");
}

/* The table under way. */
struct listing {
	struct table *table;
	const struct common *c;
	struct node node; /* whose controller is asked */
	struct tessera_error *err;
	int worst; /* of the exit codes */
};

static int set_number(struct listing *l, int column, uint32_t number)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", number);
	return table_set(l->table, (size_t)column, text, l->err);
}

static int set_controller(struct listing *l)
{
	char text[TESSERA_HOST_MAX + 16];

	snprintf(text, sizeof(text), "%s:%u", l->node.site->host, l->node.site->port);
	return table_set(l->table, CONTROLLER, text, l->err);
}

/* Whose partition it is. What slurmctld does not say is not known. */
static int set_owner(struct listing *l, uint32_t id)
{
	struct tessera_error err = {0};
	struct slurm_job job;
	char user[64];
	int rc = slurm_job_load(id, l->node.name, &job, &err);
	bool leaked = slurm_job_gone(rc, &job);

	if (set_number(l, JOB, id) < 0)
		return -1;
	if (rc < 0) {
		l->worst = command_fail(&err);
		return 0;
	}
	if (rc == 0 && table_set(l->table, USER, common_user(job.uid, user, sizeof(user)), l->err) < 0)
		return -1;
	if (leaked)
		table_set_colour(l->table, LEAKED, "red");
	return table_set(l->table, LEAKED, leaked ? "yes" : "no", l->err);
}

static int add_partition(const struct partition_seen *seen, void *arg)
{
	struct listing *l = arg;

	if (table_row(l->table, l->err) < 0 || table_set(l->table, KIND, "partition", l->err) < 0 ||
	    table_set(l->table, ID, seen->id, l->err) < 0 || set_number(l, SIZE, seen->ipus) < 0 ||
	    set_number(l, GCDS, seen->gcds) < 0 || table_set(l->table, STATE, seen->state, l->err) < 0 ||
	    set_controller(l) < 0)
		return -1;
	return seen->job != 0 ? set_owner(l, seen->job) : 0;
}

static int add_license(struct listing *l, const slurm_license_info_t *license)
{
	if (l->c->form == TABLE_PLAIN) {
		printf("%s: %u of %u held\n", license->name, license->in_use, license->total);
		return 0;
	}
	if (table_row(l->table, l->err) < 0 || table_set(l->table, KIND, "license", l->err) < 0 ||
	    table_set(l->table, ID, license->name, l->err) < 0 || set_number(l, SIZE, license->total) < 0)
		return -1;
	return set_number(l, HELD, license->in_use);
}

/* Is it one that tessera.conf speaks of? */
static bool is_ours(const struct tessera_conf *conf, const char *license)
{
	const struct tessera_pool *pool;

	if (tessera_conf_ipu_model(conf) == TESSERA_IPU_LICENSE &&
	    strcmp(license, tessera_conf_ipu_name(conf)) == 0)
		return true;
	for (size_t i = 0; (pool = tessera_conf_pool_at(conf, i)) != NULL; i++)
		if (strcmp(license, pool->license) == 0)
			return true;
	return false;
}

static int add_licenses(struct listing *l, const struct tessera_conf *conf)
{
	license_info_msg_t *msg = NULL;
	int rc = 0;

	if (slurm_load_licenses(0, &msg, SHOW_ALL) != SLURM_SUCCESS) {
		struct tessera_error err = {0};

		tessera_error_set(&err, TESSERA_ERR_MISSING, "slurmctld did not say how many licences are held: %s",
				  slurm_strerror(errno));
		l->worst = command_fail(&err);
		return 0;
	}
	for (uint32_t i = 0; rc == 0 && i < msg->num_lic; i++)
		if (is_ours(conf, msg->lic_array[i].name))
			rc = add_license(l, &msg->lic_array[i]);
	slurm_free_license_info_msg(msg);
	return rc;
}

/* A controller that does not answer is told of, and the next one asked. */
static int add_controller(struct listing *l, const char *host, const char *conf_path)
{
	struct tessera_error err = {0};
	int rc = node_open_as(&l->node, host, conf_path, &err);

	if (rc == 0 && l->node.site == NULL)
		rc = tessera_error_set(&err, TESSERA_ERR_INPUT,
				       "tessera.conf names no V-IPU controller for node %s", host);
	if (rc == 0)
		rc = partition_list(&l->node, add_partition, l, &err);
	node_close(&l->node);
	if (rc == 0 || l->err->code != TESSERA_OK)
		return rc;
	l->worst = command_fail(&err);
	return 0;
}

static int add_controllers(struct listing *l, const struct tessera_conf *conf, const char *conf_path)
{
	const struct tessera_vipu_site *site;
	char host[256];
	int rc = 0;

	if (l->c->node != NULL)
		return add_controller(l, l->c->node, conf_path);
	for (size_t i = 0; rc == 0 && (site = tessera_conf_vipu_at(conf, i)) != NULL; i++)
		/* The list has all its hosts in common with itself: this is the first. */
		if (tessera_hostlist_common(site->nodes, site->nodes, host, sizeof(host)))
			rc = add_controller(l, host, conf_path);
	return rc;
}

static int list(const struct common *c, struct tessera_error *err)
{
	char buf[1024];
	const char *path = common_conf_path(c, buf, sizeof(buf));
	struct tessera_conf *conf = tessera_conf_read(path, err);
	struct listing l = {.c = c, .err = err};
	int rc = -1;

	if (conf != NULL)
		l.table = table_new(columns, COLUMNS, c->columns, c->form, "pool", err);
	if (l.table == NULL || add_licenses(&l, conf) < 0 || add_controllers(&l, conf, path) < 0)
		goto cleanup;
	if (c->form == TABLE_PLAIN)
		putchar('\n');
	if (table_print(l.table, stdout, err) == 0)
		rc = l.worst;
cleanup:
	table_free(l.table);
	tessera_conf_free(conf);
	return rc;
}

int command_pool(int argc, char **argv)
{
	static const struct option options[] = {
		COMMON_WHERE,
		COMMON_FORM,
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	struct common c = {.form = TABLE_PLAIN};
	struct tessera_error err = {0};
	int got, code;

	while ((got = getopt_long(argc, argv, ":ho:", options, NULL)) != -1) {
		if (common_option(&c, got))
			continue;
		if (got != 'h')
			return command_bad_option(argv, got);
		print_help();
		return TESSERA_OK;
	}
	if (optind != argc)
		return command_usage(argv[0], "'%s' is not an option", argv[optind]);
	slurm_init(NULL);
	code = list(&c, &err);
	return code < 0 ? command_fail(&err) : code;
}
