/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera doctor: what is wrong with this installation, and what to write or run about it.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gres/command.h"
#include "gres/doctor.h"
#include "gres/doctor_slurm.h"

enum { SEVERITY, CHECK, WHERE, TEXT, WRITE, RUN, COLUMNS };

/* The names are a promise: tessera(1) has them. */
static const struct table_column columns[COLUMNS] = {
	[SEVERITY] = {"severity", "SEVERITY", TABLE_TEXT, true}, [CHECK] = {"check", "CHECK", TABLE_TEXT, true},
	[WHERE] = {"where", "WHERE", TABLE_TEXT, true},          [TEXT] = {"text", "TEXT", TABLE_TEXT, true},
	[WRITE] = {"write", "WRITE", TABLE_TEXT, false},         [RUN] = {"run", "RUN", TABLE_TEXT, false},
};

static void print_help(void)
{
	puts("Usage: tessera doctor [OPTION]...\n"
	     "\n"
	     "Reads slurm.conf ($SLURM_CONF, or the usual one), gres.conf, plugstack.conf and\n"
	     "tessera.conf, asks slurmctld, the V-IPU controllers and the plugins, and says\n"
	     "what does not fit together, with the line to write or the command to run.\n"
	     "Run it as root on the controller, and on a node of each kind.\n"
	     "\n"
	     "  --node=NAME          look at this node of this machine alone\n"
	     "  --conf=FILE          instead of tessera.conf beside slurm.conf\n"
	     "  -o, --columns=LIST   a table of these columns:\n"
	     "                       severity check where text write run\n"
	     "  --json, --raw        the table, for programs\n"
	     "\n"
	     "Exit codes: 0 nothing is wrong, 1 something is, 2 usage, 3 it could not look\n"
	     "everywhere, whatever it found.\n"
	     "\n"
	     "Example: tessera doctor --json -o check,write");
}

/* What tessera.conf is about. */
static void look_at_platforms(struct doctor *d)
{
	const struct tessera_platform *p;
	const char *title;

	for (size_t i = 0; (p = tessera_conf_node_at(d->conf, i, &title)) != NULL; i++) {
		d->rdus |= p->kind == TESSERA_KIND_RDU;
		d->ipus |= p->kind == TESSERA_KIND_IPU;
	}
	for (size_t i = 0; (p = tessera_conf_partition_at(d->conf, i, &title)) != NULL; i++) {
		d->rdus |= p->kind == TESSERA_KIND_RDU;
		d->ipus |= p->kind == TESSERA_KIND_IPU;
	}
}

#define WRITE_CONF "what tessera conf --platform=P --nodes=LIST prints for tessera.conf"

/* As it was installed: all of it is comments. */
static bool is_bare(const struct tessera_conf *conf)
{
	const char *title;

	return tessera_conf_node_at(conf, 0, &title) == NULL &&
	       tessera_conf_partition_at(conf, 0, &title) == NULL && tessera_conf_pool_at(conf, 0) == NULL;
}

static void read_tessera_conf(struct doctor *d)
{
	struct tessera_error err = {0};
	char buf[sizeof(d->conf_path)];

	snprintf(d->conf_path, sizeof(d->conf_path), "%s", common_conf_path(&d->c, buf, sizeof(buf)));
	d->conf = tessera_conf_read(d->conf_path, &err);
	if (d->conf != NULL && is_bare(d->conf))
		doctor_write(
			doctor_find(d, DOCTOR_ERROR, "conf", d->conf_path,
				    "it describes no node, partition or pool: no job can ask for an accelerator"),
			WRITE_CONF);
	if (d->conf != NULL)
		look_at_platforms(d);
	else if (access(d->conf_path, R_OK) != 0 && errno != ENOENT)
		doctor_blind(d, "%s", err.text);
	else
		doctor_write(doctor_find(d, DOCTOR_ERROR, "conf", d->conf_path, "%s", err.text), WRITE_CONF);
}

static void look(struct doctor *d)
{
	char *dot;

	if (gethostname(d->host, sizeof(d->host) - 1) == 0 && (dot = strchr(d->host, '.')) != NULL)
		*dot = '\0';
	if (doctor_read_slurm_conf(d) < 0)
		return;
	doctor_ask_slurmctld(d);
	doctor_check_install(d);
	if (d->conf == NULL)
		return;
	doctor_check_settings(d);
	doctor_check_licenses(d);
	doctor_check_nodes(d);
	doctor_check_site(d);
	doctor_check_state(d);
	doctor_check_health(d);
	doctor_check_grants(d);
}

static void print_words(const struct doctor *d)
{
	for (size_t i = 0; i < d->count; i++) {
		const struct finding *f = &d->findings[i];

		printf("%s: %s: %s\n", f->severity == DOCTOR_ERROR ? "error" : "warning", f->where, f->text);
		if (f->write[0] != '\0')
			printf("    write: %s\n", f->write);
		if (f->run[0] != '\0')
			printf("    run: %s\n", f->run);
	}
	if (d->count == 0 && !d->blind)
		puts("nothing is wrong");
}

static int print_table(const struct doctor *d, struct tessera_error *err)
{
	struct table *t = table_new(columns, COLUMNS, d->c.columns, d->c.form, "findings", err);
	int rc = t != NULL ? 0 : -1;

	for (size_t i = 0; i < d->count && rc == 0; i++) {
		const struct finding *f = &d->findings[i];

		if (table_row(t, err) < 0 ||
		    table_set(t, SEVERITY, f->severity == DOCTOR_ERROR ? "error" : "warning", err) < 0 ||
		    table_set(t, CHECK, f->check, err) < 0 || table_set(t, WHERE, f->where, err) < 0 ||
		    table_set(t, TEXT, f->text, err) < 0 ||
		    table_set(t, WRITE, f->write[0] != '\0' ? f->write : NULL, err) < 0 ||
		    table_set(t, RUN, f->run[0] != '\0' ? f->run : NULL, err) < 0)
			rc = -1;
	}
	if (rc == 0)
		rc = table_print(t, stdout, err);
	table_free(t);
	return rc;
}

static int run(struct doctor *d)
{
	struct tessera_error err = {0};
	struct table *t;
	int code;

	/* A column that is not there is told before everything is looked at. */
	t = table_new(columns, COLUMNS, d->c.columns, d->c.form, "findings", &err);
	if (t == NULL)
		return command_fail(&err);
	table_free(t);
	read_tessera_conf(d);
	if (d->conf != NULL && d->c.node != NULL && tessera_conf_node_platform(d->conf, d->c.node) == NULL) {
		common_unknown_node(d->c.node, d->conf_path, &err);
		tessera_conf_free(d->conf);
		return command_fail(&err);
	}
	look(d);
	code = d->blind ? TESSERA_ERR_MISSING : d->count > 0 ? TESSERA_ERR_INPUT : TESSERA_OK;
	if (d->c.form == TABLE_PLAIN && d->c.columns == NULL)
		print_words(d);
	else if (print_table(d, &err) < 0)
		code = command_fail(&err);
	tessera_conf_free(d->conf);
	doctor_forget_slurm(d);
	free(d->findings);
	return code;
}

int command_doctor(int argc, char **argv)
{
	static const struct option options[] = {
		COMMON_WHERE,
		COMMON_FORM,
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	struct doctor d = {.c = {.form = TABLE_PLAIN}};
	int got;

	while ((got = getopt_long(argc, argv, ":ho:", options, NULL)) != -1) {
		if (common_option(&d.c, got))
			continue;
		if (got != 'h')
			return command_bad_option(argv, got);
		print_help();
		return TESSERA_OK;
	}
	if (optind != argc)
		return command_usage(argv[0], "'%s' is not an option", argv[optind]);
	return run(&d);
}
