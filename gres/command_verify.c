/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera verify: was what this environment claims granted by the scheduler, to this user on this node, and is it still?
 */
#include "config.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "gres/cluster_name.h"
#include "gres/command.h"
#include "gres/common.h"
#include "gres/grant_check.h"
#include "gres/process_env.h"
#include "lib/holders.h"
#include "lib/reader.h"
#include "plugin/client.h"
#include "plugin/slurm_compat.h"
#include "plugin/step_pools.h"

static void print_help(void)
{
	puts("Usage: tessera verify [OPTION]...\n"
	     "\n"
	     "Says whether the tiles or the partition of this environment were granted by the\n"
	     "scheduler, on this node and to this user, and whether that job still lives: by\n"
	     "TESSERA_GRANT, which root signed. Anyone may ask.\n"
	     "\n"
	     "  --pid=PID        of another process: its environment and its user\n"
	     "  --node=NAME      the node, if this machine has several\n"
	     "  --conf=FILE      instead of tessera.conf beside slurm.conf\n"
	     "  -o, --columns=LIST, --json, --raw\n"
	     "                   as a table: verdict job step user uid cluster node time tiles\n"
	     "                   mask partition text\n"
	     "\n"
	     "Exit codes: 0 granted, 3 nobody can say; 10 there is no grant, 11 it is not\n"
	     "root's, 12 it was altered, 13 it is another user's, node's or cluster's, 14 it\n"
	     "is for other tiles or another partition, 15 its job has ended.\n"
	     "\n"
	     "Example: tessera verify --pid=4711");
}

enum {
	VERDICT,
	JOB,
	STEP,
	USER,
	UID,
	CLUSTER,
	NODE,
	TIME,
	TILES,
	MASK,
	PARTITION,
	TEXT,
	COLUMNS,
};

/* The names are a promise: tessera(1) has them. */
static const struct table_column columns[COLUMNS] = {
	[VERDICT] = {"verdict", "VERDICT", TABLE_TEXT, true},
	[JOB] = {"job", "JOB", TABLE_NUMBER, true},
	[STEP] = {"step", "STEP", TABLE_TEXT, true},
	[USER] = {"user", "USER", TABLE_TEXT, true},
	[UID] = {"uid", "UID", TABLE_NUMBER, false},
	[CLUSTER] = {"cluster", "CLUSTER", TABLE_TEXT, false},
	[NODE] = {"node", "NODE", TABLE_TEXT, true},
	[TIME] = {"time", "TIME", TABLE_NUMBER, false},
	[TILES] = {"tiles", "TILES", TABLE_TEXT, true},
	[MASK] = {"mask", "MASK", TABLE_TEXT, false},
	[PARTITION] = {"partition", "PARTITION", TABLE_TEXT, true},
	[TEXT] = {"text", "TEXT", TABLE_TEXT, true},
};

/* What was found: ERR says what is wrong, if something is. */
struct finding {
	const struct node *node;
	struct tessera_grant grant; /* job 0: it is not known what it says */
	struct tessera_error err;
};

static void format_tiles(const struct finding *f, enum tessera_form form, char *buf, size_t len)
{
	const struct tessera_platform *p =
		f->node->conf != NULL ? tessera_conf_platform(f->node->conf, f->grant.platform, NULL) : NULL;

	buf[0] = '\0';
	if (p != NULL)
		tessera_tileset_format(p, &f->grant.tiles, form, buf, len);
}

static int set_number(struct table *t, size_t column, int64_t number, struct tessera_error *err)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRId64, number);
	return table_set(t, column, text, err);
}

static int set_text(struct table *t, size_t column, const char *text, struct tessera_error *err)
{
	return table_set(t, column, text[0] != '\0' ? text : NULL, err);
}

static int set_grant(struct table *t, const struct finding *f, struct tessera_error *err)
{
	const struct tessera_grant *g = &f->grant;
	char text[TESSERA_TILESET_TEXT_MAX];

	if (g->job == 0)
		return 0;
	if (set_number(t, JOB, g->job, err) < 0 || set_number(t, UID, g->uid, err) < 0 ||
	    set_number(t, TIME, g->time, err) < 0 || set_text(t, CLUSTER, g->cluster, err) < 0 ||
	    set_text(t, NODE, g->node, err) < 0 || set_text(t, PARTITION, g->partition, err) < 0 ||
	    table_set(t, STEP, grant_step(g, text, sizeof(text)), err) < 0 ||
	    table_set(t, USER, common_user(g->uid, text, sizeof(text)), err) < 0)
		return -1;
	format_tiles(f, TESSERA_FORM_RDUS, text, sizeof(text));
	if (set_text(t, TILES, text, err) < 0)
		return -1;
	format_tiles(f, TESSERA_FORM_MASK, text, sizeof(text));
	return set_text(t, MASK, tessera_tileset_empty(&g->tiles) ? "" : text, err);
}

static int print_table(const struct common *c, const struct finding *f, struct tessera_error *err)
{
	struct table *t = table_new(columns, COLUMNS, c->columns, c->form, "grants", err);
	int rc = -1;

	if (t != NULL && table_row(t, err) == 0 && table_set(t, VERDICT, grant_verdict(f->err.code), err) == 0 &&
	    set_grant(t, f, err) == 0 && set_text(t, TEXT, f->err.text, err) == 0)
		rc = table_print(t, stdout, err);
	table_free(t);
	return rc;
}

/* One line that a person reads. */
static int print_line(const struct finding *f)
{
	const struct tessera_grant *g = &f->grant;
	char step[64], user[64], tiles[TESSERA_TILESET_TEXT_MAX];

	if (f->err.code != TESSERA_OK)
		return command_fail(&f->err);
	format_tiles(f, TESSERA_FORM_RDUS, tiles, sizeof(tiles));
	printf("granted to job %s of %s on %s: %s%s%s%s\n", grant_step(g, step, sizeof(step)),
	       common_user(g->uid, user, sizeof(user)), g->node, tiles,
	       tiles[0] != '\0' && g->partition[0] != '\0' ? " and " : "",
	       g->partition[0] != '\0' ? "partition " : "", g->partition);
	return TESSERA_OK;
}

static int print_finding(const struct common *c, const struct finding *f)
{
	struct tessera_error err = {0};

	if (c->form == TABLE_PLAIN && c->columns == NULL)
		return print_line(f);
	if (print_table(c, f, &err) < 0)
		return command_fail(&err);
	return f->err.code;
}

/* What SHOWN is worth. Returns 0, or -1 with ERR if nothing can be found out. */
static int look(const struct common *c, const struct grant_shown *shown, struct node *node, struct finding *f,
		struct tessera_error *err)
{
	char *cluster;

	/* Where there is none, no file and no daemon need be asked. */
	if (shown->credential == NULL || shown->credential[0] == '\0') {
		tessera_grant_verify(NULL, &(struct tessera_grant_claim){0}, &f->grant, &f->err);
		return 0;
	}
	slurm_init(NULL);
	if (common_node(c, node, err) < 0 || (cluster = cluster_name(err)) == NULL)
		return -1;
	grant_check(node, cluster, shown, &f->grant, &f->err);
	free(cluster);
	return 0;
}

/* PROCESS is whose environment it is; NULL: our own. */
static int check(const struct common *c, const struct grant_shown *shown, const struct holder *process)
{
	struct tessera_error err = {0};
	struct finding f = {0};
	struct node node = {0};
	int code;

	f.node = &node;
	if (look(c, shown, &node, &f, &err) < 0) {
		code = command_fail(&err);
	} else {
		if (process != NULL && !process_is_same("/proc", process)) {
			f.grant = (struct tessera_grant){0};
			tessera_error_set(&f.err, TESSERA_ERR_MISSING,
					  "process %jd ended while it was looked at: nothing is known of it",
					  (intmax_t)process->pid);
		}
		code = print_finding(c, &f);
	}
	node_close(&node);
	return code;
}

static int check_own(const struct common *c)
{
	const struct grant_shown shown = {
		.credential = getenv(TESSERA_GRANT_VARIABLE),
		.mask = getenv(CLIENT_MASK),
		.partition = getenv(CLIENT_PARTITION),
		.config_path = getenv(STEP_CONFIG_PATH),
		.uid = (uint32_t)getuid(),
	};

	return check(c, &shown, NULL);
}

static int check_process(const struct common *c, pid_t pid)
{
	struct process_env env = {0};
	struct tessera_error err = {0};
	struct grant_shown shown;
	struct holder process;
	int code;

	if (!holders_describe("/proc", pid, &process)) {
		tessera_error_set(&err, TESSERA_ERR_INPUT, "there is no process %jd", (intmax_t)pid);
		return command_fail(&err);
	}
	if (process_env_read("/proc", pid, NULL, &env, &err) < 0) {
		code = command_fail(&err);
	} else {
		shown = grant_shown_in(&env, process.uid);
		code = check(c, &shown, &process);
	}
	process_env_free(&env);
	return code;
}

int command_verify(int argc, char **argv)
{
	static const struct option options[] = {
		COMMON_WHERE,
		COMMON_FORM,
		{"help", no_argument, NULL, 'h'},
		{"pid", required_argument, NULL, 'p'},
		{NULL, 0, NULL, 0},
	};
	struct common c = {.form = TABLE_PLAIN};
	struct reader number = {0};
	pid_t pid = 0;
	int got;

	while ((got = getopt_long(argc, argv, ":ho:", options, NULL)) != -1) {
		if (common_option(&c, got))
			continue;
		if (got == 'h') {
			print_help();
			return TESSERA_OK;
		}
		if (got != 'p')
			return command_bad_option(argv, got);
		number.at = optarg;
		pid = (pid_t)reader_number(&number, "", INT32_MAX);
		if (number.failed || *number.at != '\0' || pid == 0)
			return command_usage(argv[0], "--pid=%s is not the number of a process", optarg);
	}
	if (optind != argc)
		return command_usage(argv[0], "'%s' is not an option", argv[optind]);
	return pid != 0 ? check_process(&c, pid) : check_own(&c);
}
