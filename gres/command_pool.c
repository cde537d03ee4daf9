/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera pool: the V-IPU partitions that there are, whose they are, and whether anybody still needs them; and the
 * licences that count the pools.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gres/command.h"
#include "gres/common.h"
#include "lib/hostlist.h"
#include "plugin/partition.h"
#include "plugin/slurm_compat.h"
#include "plugin/slurm_job.h"

enum { KIND, ID, SIZE, HELD, GCDS, STATE, JOB, USER, LEAKED, CONTROLLER, UNCOUNTED, FREE, COLUMNS };

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
	[UNCOUNTED] = {"uncounted", "UNCOUNTED", TABLE_NUMBER, false},
	[FREE] = {"free", "FREE", TABLE_NUMBER, false},
};

static void print_help(void)
{
	puts("Usage: tessera pool [OPTION]...\n"
	     "\n"
	     "Lists the partitions at the V-IPU controllers that tessera.conf names: whose\n"
	     "they are, and whether they leaked: then their job is gone, and tessera reap\n"
	     "removes them. Before that, the licences that count IPUs and other pools, and\n"
	     "what is free: IPUs in a partition are not, whoever made it.\n"
	     "Where a controller wants access keys, only root can ask it.\n"
	     "\n"
	     "  --node=NAME          the controller of this node alone\n"
	     "  --conf=FILE          instead of tessera.conf beside slurm.conf\n"
	     "  -o, --columns=LIST   columns of the table; +LIST adds to the usual ones:\n"
	     "                       kind id size held gcds state job user leaked controller\n"
	     "                       uncounted free\n"
	     "  --json, --raw        one table of licences and partitions, for programs\n"
	     "\n"
	     "Example: tessera pool --json");
}

/* A partition, with what slurmctld says of its job. */
struct found {
	char id[256];
	char state[32];
	unsigned ipus, gcds;
	uint32_t job;                      /* 0: not one of Tessera's */
	int loaded;                        /* as slurm_job_load() returned it */
	bool leaked;                       /* its job is gone */
	uint32_t uid;                      /* of the job, if slurmctld knows it */
	char where[TESSERA_HOST_MAX + 16]; /* the controller */
};

/* The list under way. */
struct listing {
	struct table *table;
	const struct common *c;
	struct node node; /* whose controller is asked */
	struct found *found;
	size_t count, room;
	unsigned uncounted; /* IPUs in partitions for which no job has licenses */
	bool partial; /* there may be partitions that were not seen, or it is not known whether licenses count one */
	struct tessera_error *err;
	int worst; /* of the exit codes */
};

static int set_number(struct listing *l, int column, uint32_t number)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", number);
	return table_set(l->table, (size_t)column, text, l->err);
}

/* Whose partition it is. What slurmctld does not say is not known. */
static void find_owner(struct listing *l, struct found *f)
{
	struct tessera_error err = {0};
	struct slurm_job job;

	f->loaded = slurm_job_load(f->job, l->node.name, &job, &err);
	f->leaked = slurm_job_gone(f->loaded, &job);
	f->uid = job.uid;
	if (f->loaded < 0) {
		l->worst = command_fail(&err);
		l->partial = true;
	} else if (f->loaded > 0 || (!job.active && !job.ending)) {
		/* A job that is gone, or waits, has no licenses; one that runs or is ending still has. */
		l->uncounted += f->ipus;
	}
}

static int keep_partition(const struct partition_seen *seen, void *arg)
{
	struct listing *l = arg;
	struct found *f;

	if (l->count == l->room) {
		size_t room = l->room > 0 ? 2 * l->room : 64;
		struct found *more = reallocarray(l->found, room, sizeof(*more));

		if (more == NULL)
			return tessera_error_set(l->err, TESSERA_ERR_MISSING, "out of memory for %zu partitions",
						 room);
		l->found = more;
		l->room = room;
	}
	f = &l->found[l->count++];
	*f = (struct found){.ipus = seen->ipus, .gcds = seen->gcds, .job = seen->job};
	snprintf(f->id, sizeof(f->id), "%s", seen->id);
	snprintf(f->state, sizeof(f->state), "%s", seen->state);
	snprintf(f->where, sizeof(f->where), "%s:%u", l->node.site->host, l->node.site->port);
	if (f->job != 0)
		find_owner(l, f);
	else
		l->uncounted += f->ipus;
	return 0;
}

static int set_owner(struct listing *l, const struct found *f)
{
	char user[64];

	if (set_number(l, JOB, f->job) < 0)
		return -1;
	if (f->loaded < 0)
		return 0;
	if (f->loaded == 0 && table_set(l->table, USER, common_user(f->uid, user, sizeof(user)), l->err) < 0)
		return -1;
	if (f->leaked)
		table_set_colour(l->table, LEAKED, "red");
	return table_set(l->table, LEAKED, f->leaked ? "yes" : "no", l->err);
}

static int add_partition(struct listing *l, const struct found *f)
{
	if (table_row(l->table, l->err) < 0 || table_set(l->table, KIND, "partition", l->err) < 0 ||
	    table_set(l->table, ID, f->id, l->err) < 0 || set_number(l, SIZE, f->ipus) < 0 ||
	    set_number(l, GCDS, f->gcds) < 0 || table_set(l->table, STATE, f->state, l->err) < 0 ||
	    table_set(l->table, CONTROLLER, f->where, l->err) < 0)
		return -1;
	return f->job != 0 ? set_owner(l, f) : 0;
}

static void print_license(const struct listing *l, const slurm_license_info_t *license, bool ipus, unsigned free)
{
	printf("%s: %u of %u held", license->name, license->in_use, license->total);
	if (ipus && l->partial) {
		putchar('\n');
		return;
	}
	if (ipus && l->uncounted > 0)
		printf(", %u in partitions that no license counts", l->uncounted);
	printf(", %u free\n", free);
}

/* A license, which counts IPUs or a pool that has no partitions. */
static int add_license(struct listing *l, const slurm_license_info_t *license, bool ipus)
{
	unsigned taken = license->in_use + (ipus ? l->uncounted : 0);
	unsigned free = license->total > taken ? license->total - taken : 0;

	if (l->c->form == TABLE_PLAIN) {
		print_license(l, license, ipus, free);
		return 0;
	}
	if (table_row(l->table, l->err) < 0 || table_set(l->table, KIND, "license", l->err) < 0 ||
	    table_set(l->table, ID, license->name, l->err) < 0 || set_number(l, SIZE, license->total) < 0 ||
	    set_number(l, HELD, license->in_use) < 0)
		return -1;
	if (ipus && l->partial)
		return 0;
	if (ipus && set_number(l, UNCOUNTED, l->uncounted) < 0)
		return -1;
	return set_number(l, FREE, free);
}

static bool counts_ipus(const struct tessera_conf *conf, const char *license)
{
	return tessera_conf_ipu_model(conf) == TESSERA_IPU_LICENSE &&
	       strcmp(license, tessera_conf_ipu_name(conf)) == 0;
}

/* Is it one that tessera.conf speaks of? */
static bool is_ours(const struct tessera_conf *conf, const char *license)
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

		tessera_error_set(&err, TESSERA_ERR_MISSING, "slurmctld did not say how many licences are held: %s",
				  slurm_strerror(errno));
		l->worst = command_fail(&err);
		return 0;
	}
	for (uint32_t i = 0; rc == 0 && i < msg->num_lic; i++)
		if (is_ours(conf, msg->lic_array[i].name))
			rc = add_license(l, &msg->lic_array[i], counts_ipus(conf, msg->lic_array[i].name));
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
		rc = partition_list(&l->node, keep_partition, l, &err);
	node_close(&l->node);
	if (rc == 0 || l->err->code != TESSERA_OK)
		return rc;
	l->worst = command_fail(&err);
	l->partial = true;
	return 0;
}

static int add_controllers(struct listing *l, const struct tessera_conf *conf, const char *conf_path)
{
	const struct tessera_vipu_site *site;
	char host[256];
	int rc = 0;

	/* Unknown: there is no controller to list partitions, or --node names one of several. */
	l->partial = tessera_conf_vipu_at(conf, 0) == NULL ||
		     (l->c->node != NULL && tessera_conf_vipu_at(conf, 1) != NULL);
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
	/* What is free depends on the partitions: they are looked at first, and listed last. */
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
