/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera doctor: check this installation, and print the line to write or the command to run.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/cli.h"
#include "command/command.h"
#include "command/doctor/doctor.h"
#include "command/doctor/doctor_slurm.h"

enum { SEVERITY, CHECK, WHERE, TEXT, WRITE, RUN, COLUMNS };

/* The names are a stable interface: tessera(1) documents them. */
static const struct table_column columns[COLUMNS] = {
	[SEVERITY] = {"severity", "SEVERITY", TABLE_TEXT, true},
	[CHECK] = {"check", "CHECK", TABLE_TEXT, true},
	[WHERE] = {"where", "WHERE", TABLE_TEXT, true},
	[TEXT] = {"text", "TEXT", TABLE_TEXT, true},
	[WRITE] = {"write", "WRITE", TABLE_TEXT, false},
	[RUN] = {"run", "RUN", TABLE_TEXT, false},
};

static void print_help(void)
{
	puts("Usage: tessera doctor [OPTION]...\n"
	     "\n"
	     "Check slurm.conf ($SLURM_CONF or the default path), gres.conf, plugstack.conf,\n"
	     "tessera.conf, slurmctld, the V-IPU controllers and the installed plugins. Print\n"
	     "each problem with the line to write or the command to run. Run it as root on\n"
	     "the controller and on one node of each kind.\n"
	     "\n"
	     "  --node=NAME          check only this node of this machine\n"
	     "  --conf=FILE          use FILE instead of tessera.conf beside slurm.conf\n"
	     "  -o, --columns=LIST   print a table with these columns:\n"
	     "                       severity check where text write run\n"
	     "  --json, --raw        print the table for programs\n"
	     "\n"
	     "Exit codes: 0 no problem, 1 problems found, 2 usage, 3 not everything could be\n"
	     "checked.\n"
	     "\n"
	     "Example: tessera doctor --json -o check,write");
}

/* Find out which kinds of accelerators tessera.conf describes. */
static void find_kinds(struct doctor *d)
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

#define WRITE_CONF "the output of tessera conf --platform=P --nodes=LIST --for=tessera.conf"

/* Is tessera.conf as it was installed, with comments only? */
static bool is_bare(const struct tessera_conf *conf)
{
	const char *title;

	return tessera_conf_node_at(conf, 0, &title) == NULL &&
	       tessera_conf_partition_at(conf, 0, &title) == NULL &&
	       tessera_conf_pool_at(conf, 0) == NULL;
}

static void read_tessera_conf(struct doctor *d)
{
	struct tessera_error err = {0};

	d->conf = cli_open_conf(&d->c, d->conf_path, sizeof(d->conf_path), &err);
	if (d->conf != NULL && is_bare(d->conf))
		doctor_write(doctor_find(d, DOCTOR_ERROR, "conf", d->conf_path,
					 "describes no node, partition or pool: jobs cannot "
					 "request accelerators"),
			     WRITE_CONF);
	if (d->conf != NULL)
		find_kinds(d);
	else if (access(d->conf_path, R_OK) != 0 && errno != ENOENT)
		doctor_blind(d, "%s", err.text);
	else
		doctor_write(doctor_find(d, DOCTOR_ERROR, "conf", d->conf_path, "%s", err.text),
			     WRITE_CONF);
}

static void run_checks(struct doctor *d)
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
	doctor_check_database(d);
}

static void print_findings(const struct doctor *d)
{
	for (size_t i = 0; i < d->count; i++) {
		const struct finding *f = &d->findings[i];

		printf("%s: %s: %s\n", f->severity == DOCTOR_ERROR ? "error" : "warning", f->where,
		       f->text);
		if (f->write[0] != '\0')
			printf("    write: %s\n", f->write);
		if (f->run[0] != '\0')
			printf("    run: %s\n", f->run);
	}
	if (d->count == 0 && !d->blind)
		puts("no problems found");
}

static int print_table(const struct doctor *d, struct tessera_error *err)
{
	struct table *t = table_new(columns, COLUMNS, d->c.columns, d->c.form, "findings", err);
	int rc = t != NULL ? 0 : -1;

	for (size_t i = 0; i < d->count && rc == 0; i++) {
		const struct finding *f = &d->findings[i];

		if (table_row(t, err) < 0 ||
		    table_set(t, SEVERITY, f->severity == DOCTOR_ERROR ? "error" : "warning", err) <
			    0 ||
		    table_set(t, CHECK, f->check, err) < 0 ||
		    table_set(t, WHERE, f->where, err) < 0 ||
		    table_set(t, TEXT, f->text, err) < 0 ||
		    table_set_text(t, WRITE, f->write, err) < 0 ||
		    table_set_text(t, RUN, f->run, err) < 0)
			rc = -1;
	}
	if (rc == 0)
		rc = table_print(t, stdout, err);
	table_free(t);
	return rc;
}

static int check_installation(struct doctor *d)
{
	struct tessera_error err = {0};
	struct table *t;
	int code;

	/* Report an unknown column before the checks, which may take a while. */
	t = table_new(columns, COLUMNS, d->c.columns, d->c.form, "findings", &err);
	if (t == NULL)
		return cli_fail(&err);
	table_free(t);
	read_tessera_conf(d);
	if (d->conf != NULL && d->c.node != NULL &&
	    tessera_conf_node_platform(d->conf, d->c.node) == NULL) {
		cli_unknown_node(d->c.node, d->conf_path, &err);
		tessera_conf_free(d->conf);
		return cli_fail(&err);
	}
	run_checks(d);
	code = d->blind ? TESSERA_ERR_UNAVAILABLE : d->count > 0 ? TESSERA_ERR_INPUT : TESSERA_OK;
	if (d->c.form == TABLE_PLAIN && d->c.columns == NULL)
		print_findings(d);
	else if (print_table(d, &err) < 0)
		code = cli_fail(&err);
	tessera_conf_free(d->conf);
	doctor_forget_slurm(d);
	free(d->findings);
	return code;
}

int cmd_doctor(int argc, char **argv)
{
	struct doctor d = {.c = {.form = TABLE_PLAIN}};
	const struct cli_row rows[] = {
		CLI_WHERE(d.c),
		CLI_FORM(d.c),
		CLI_END,
	};
	int code = cli_parse(argc, argv, rows, CLI_NO_OPERANDS, print_help);

	if (code != CLI_GO_ON)
		return code;
	return check_installation(&d);
}
