/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera pool: list the V-IPU partitions, their owners and whether they leaked, and the licenses
 * that count IPUs and other pools.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/cli.h"
#include "command/command.h"
#include "command/view/cli_options.h"
#include "lib/node/vipu_partition.h"
#include "lib/slurm/compat.h"
#include "lib/slurm/job_info.h"
#include "lib/slurm/license_sum.h"
#include "lib/tile/hostlist.h"
#include "lib/util/array.h"

enum { KIND, ID, SIZE, HELD, GCDS, STATE, JOB, USER, LEAKED, CONTROLLER, UNCOUNTED, FREE, COLUMNS };

/* The names are a stable interface: tessera(1) documents them. */
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
	[UNCOUNTED] = {"uncounted", "UNCOUNTED", TABLE_NUMBER, false},
	[FREE] = {"free", "FREE", TABLE_NUMBER, false},
};

static void print_help(void)
{
	puts("Usage: tessera pool [OPTION]...\n"
	     "\n"
	     "List the licenses that count IPUs and other pools, then the partitions at the\n"
	     "V-IPU controllers in tessera.conf with their jobs. A partition has leaked if its\n"
	     "job has ended: tessera reap removes it. IPUs in a partition do not count as\n"
	     "free, whoever created it. Only root can query a controller that requires access\n"
	     "keys.\n"
	     "\n"
	     "  --node=NAME          only query the controller of this node\n"
	     "  --conf=FILE          use FILE instead of tessera.conf beside slurm.conf\n"
	     "  -o, --columns=LIST   columns to print; +LIST adds to the default ones:\n"
	     "                       kind id size held gcds state job user leaked controller\n"
	     "                       uncounted free\n"
	     "  --json, --raw        print licenses and partitions as one table, for programs\n"
	     "\n"
	     "Example: tessera pool --json");
}

/* A partition at a controller, and its job at slurmctld. */
struct found_partition {
	char id[256];
	char state[32];
	unsigned ipus, gcds;
	uint32_t job;                      /* 0: not created by Tessera */
	int loaded;                        /* result of job_info_load() */
	bool leaked;                       /* the job has ended */
	uint32_t uid;                      /* of the job; valid if loaded is 0 */
	char where[TESSERA_HOST_MAX + 16]; /* HOST:PORT of the controller */
};

struct listing {
	struct table *table;
	const struct cli_options *c;
	struct node node; /* the node whose controller is being queried */
	struct found_partition *found;
	size_t count;
	unsigned uncounted; /* IPUs in partitions for which no job holds licenses */
	/* The number of free IPUs is unknown: a controller or the job of a partition is. */
	bool partial;
	struct tessera_error *err; /* of a failure that ends the listing */
	int worst;                 /* exit code: that of the last failure */
};

/* Query slurmctld for the job of a partition. */
static void find_owner(struct listing *l, struct found_partition *f)
{
	struct tessera_error err = {0};
	struct job_alloc job;

	f->loaded = job_info_load(f->job, l->node.name, &job, &err);
	f->leaked = job_info_gone(f->loaded, &job);
	f->uid = job.uid;
	if (f->loaded < 0) {
		l->worst = cli_fail(&err);
		l->partial = true;
	} else if (f->loaded > 0 || (!job.active && !job.ending)) {
		/* Only running and completing jobs hold licenses. */
		l->uncounted += f->ipus;
	}
}

static int save_partition(const struct partition_seen *seen, void *arg)
{
	struct listing *l = arg;
	struct found_partition *f, *found = array_grow(l->found, l->count, sizeof(*found));

	if (found == NULL)
		return tessera_error_nomem(l->err);
	l->found = found;
	f = &l->found[l->count++];
	*f = (struct found_partition){.ipus = seen->ipus, .gcds = seen->gcds, .job = seen->job};
	snprintf(f->id, sizeof(f->id), "%s", seen->id);
	snprintf(f->state, sizeof(f->state), "%s", seen->state);
	snprintf(f->where, sizeof(f->where), "%s:%u", l->node.site->host, l->node.site->port);
	if (f->job != 0)
		find_owner(l, f);
	else
		l->uncounted += f->ipus;
	return 0;
}

static int set_owner(struct listing *l, const struct found_partition *f)
{
	char user[64];

	if (table_set_number(l->table, JOB, f->job, l->err) < 0)
		return -1;
	if (f->loaded < 0)
		return 0;
	if (f->loaded == 0 &&
	    table_set(l->table, USER, cli_user(f->uid, user, sizeof(user)), l->err) < 0)
		return -1;
	if (f->leaked)
		table_set_colour(l->table, LEAKED, "red");
	return table_set(l->table, LEAKED, f->leaked ? "yes" : "no", l->err);
}

static int add_partition(struct listing *l, const struct found_partition *f)
{
	if (table_row(l->table, l->err) < 0 || table_set(l->table, KIND, "partition", l->err) < 0 ||
	    table_set(l->table, ID, f->id, l->err) < 0 ||
	    table_set_number(l->table, SIZE, f->ipus, l->err) < 0 ||
	    table_set_number(l->table, GCDS, f->gcds, l->err) < 0 ||
	    table_set(l->table, STATE, f->state, l->err) < 0 ||
	    table_set(l->table, CONTROLLER, f->where, l->err) < 0)
		return -1;
	return f->job != 0 ? set_owner(l, f) : 0;
}

static void print_license(const struct listing *l, const char *name,
			  const struct license_sum *license, bool ipus, unsigned free)
{
	printf("%s: %u of %u held", name, license->in_use, license->total);
	if (ipus && l->partial) {
		putchar('\n');
		return;
	}
	if (ipus && l->uncounted > 0)
		printf(", %u in partitions not covered by licenses", l->uncounted);
	printf(", %u free\n", free);
}

/* IPUS: the license counts IPUs, which may be in partitions; otherwise units of another pool. */
static int add_license(struct listing *l, const char *name, const struct license_sum *license,
		       bool ipus)
{
	unsigned taken = license->in_use + (ipus ? l->uncounted : 0);
	unsigned free = license->total > taken ? license->total - taken : 0;

	if (l->c->form == TABLE_PLAIN) {
		print_license(l, name, license, ipus, free);
		return 0;
	}
	if (table_row(l->table, l->err) < 0 || table_set(l->table, KIND, "license", l->err) < 0 ||
	    table_set(l->table, ID, name, l->err) < 0 ||
	    table_set_number(l->table, SIZE, license->total, l->err) < 0 ||
	    table_set_number(l->table, HELD, license->in_use, l->err) < 0)
		return -1;
	if (ipus && l->partial)
		return 0;
	if (ipus && table_set_number(l->table, UNCOUNTED, l->uncounted, l->err) < 0)
		return -1;
	return table_set_number(l->table, FREE, free, l->err);
}

static bool counts_ipus(const struct tessera_conf *conf, const char *license)
{
	return tessera_conf_ipu_model(conf) == TESSERA_IPU_LICENSE &&
	       strcmp(license, tessera_conf_ipu_name(conf)) == 0;
}

/* Does tessera.conf use this license? */
static bool is_configured(const struct tessera_conf *conf, const char *license)
{
	const struct tessera_pool *pool;

	if (counts_ipus(conf, license))
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

		tessera_error_set(&err, TESSERA_ERR_UNAVAILABLE,
				  "cannot get the licenses from slurmctld: %s",
				  slurm_strerror(errno));
		l->worst = cli_fail(&err);
		return 0;
	}
	for (uint32_t i = 0; rc == 0 && i < msg->num_lic; i++) {
		const char *name = msg->lic_array[i].name;
		struct license_sum sum = license_sum(msg, name, false);

		if (is_configured(conf, name) && license_is_first(msg, i))
			rc = add_license(l, name, &sum, counts_ipus(conf, name));
	}
	slurm_free_license_info_msg(msg);
	return rc;
}

/* If a controller does not respond, report that and go on with the next one. */
static int add_controller(struct listing *l, const char *host, const char *conf_path)
{
	struct tessera_error err = {0};
	int rc = node_open(&l->node, host, conf_path, NULL, &err);

	if (rc == 0 && l->node.site == NULL)
		rc = tessera_error_set(&err, TESSERA_ERR_INPUT,
				       "tessera.conf names no V-IPU controller for node %s", host);
	if (rc == 0)
		rc = partition_list(&l->node, save_partition, l, &err);
	node_close(&l->node);
	if (rc == 0 || l->err->code != TESSERA_OK)
		return rc;
	l->worst = cli_fail(&err);
	l->partial = true;
	return 0;
}

static int add_controllers(struct listing *l, const struct tessera_conf *conf,
			   const char *conf_path)
{
	const struct tessera_vipu_site *site;
	char host[256];
	int rc = 0;

	/* No controller lists the partitions, or --node selects one of several. */
	l->partial = tessera_conf_vipu_at(conf, 0) == NULL ||
		     (l->c->node != NULL && tessera_conf_vipu_at(conf, 1) != NULL);
	if (l->c->node != NULL)
		return add_controller(l, l->c->node, conf_path);
	for (size_t i = 0; rc == 0 && (site = tessera_conf_vipu_at(conf, i)) != NULL; i++)
		/* A list has all hosts in common with itself: this finds its first host. */
		if (tessera_hostlist_common(site->nodes, site->nodes, host, sizeof(host)))
			rc = add_controller(l, host, conf_path);
	return rc;
}

static int list_pools(const struct cli_options *c, struct tessera_error *err)
{
	char path[1024];
	struct tessera_conf *conf = cli_open_conf(c, path, sizeof(path), err);
	struct listing l = {.c = c, .err = err};
	int rc = -1;

	if (conf != NULL)
		l.table = table_new(columns, COLUMNS, c->columns, c->form, "pool", err);
	/* The free licenses depend on the partitions, which are printed after the licenses. */
	if (l.table == NULL || add_controllers(&l, conf, path) < 0 || add_licenses(&l, conf) < 0)
		goto cleanup;
	for (size_t i = 0; i < l.count; i++)
		if (add_partition(&l, &l.found[i]) < 0)
			goto cleanup;
	if (c->form == TABLE_PLAIN)
		putchar('\n');
	if (table_print(l.table, stdout, err) == 0)
		rc = l.worst;
cleanup:
	free(l.found);
	table_free(l.table);
	tessera_conf_free(conf);
	return rc;
}

int cmd_pool(int argc, char **argv)
{
	struct cli_options c = {.form = TABLE_PLAIN};
	struct tessera_error err = {0};
	const struct cli_row rows[] = {
		CLI_WHERE(c),
		CLI_FORM(c),
		CLI_END,
	};
	int code = cli_parse(argc, argv, rows, CLI_NO_OPERANDS, print_help);

	if (code != CLI_GO_ON)
		return code;
	slurm_init(NULL);
	code = list_pools(&c, &err);
	return code < 0 ? cli_fail(&err) : code;
}
