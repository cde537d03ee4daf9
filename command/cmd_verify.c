/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera verify: check that the tiles or V-IPU partition in an environment were granted to this
 * user on this node, and that the job is still running.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "command/cli.h"
#include "command/command.h"
#include "command/observe/grant_check.h"
#include "command/observe/process_env.h"
#include "command/view/cli_options.h"
#include "lib/conf/names.h"
#include "lib/node/device_users.h"
#include "lib/slurm/cluster_name.h"
#include "lib/slurm/compat.h"
#include "lib/slurm/step_name.h"
#include "lib/util/scan.h"

static void print_help(void)
{
	puts("Usage: tessera verify [OPTION]...\n"
	     "\n"
	     "Check that Slurm granted the tiles or the V-IPU partition of this environment to\n"
	     "this user on this node, and that the job is still running. The proof is\n"
	     "TESSERA_GRANT, a credential signed by root. Any user may run it.\n"
	     "\n"
	     "  --pid=PID        check the environment and user of another process\n"
	     "  --node=NAME      this node, if the machine has several\n"
	     "  --conf=FILE      use FILE instead of tessera.conf beside slurm.conf\n"
	     "  -o, --columns=LIST, --json, --raw\n"
	     "                   print a table: verdict job step user uid cluster node time\n"
	     "                   tiles mask partition text\n"
	     "\n"
	     "Exit codes: 0 granted, 3 cannot be determined, 10 no grant, 11 not signed by\n"
	     "root, 12 altered, 13 granted to another user, node or cluster, 14 granted for\n"
	     "other tiles or another partition, 15 the job has ended.\n"
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

/* The names are a stable interface: tessera(1) documents them. */
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

struct finding {
	const struct node *node;
	struct tessera_grant grant; /* job 0: the grant could not be read */
	struct tessera_error err;   /* code TESSERA_OK: granted */
};

static void format_tiles(const struct finding *f, enum tessera_form form, char *buf, size_t len)
{
	const struct tessera_platform *p =
		f->node->conf != NULL
			? tessera_conf_platform(f->node->conf, f->grant.platform, NULL)
			: NULL;

	buf[0] = '\0';
	if (p != NULL)
		tessera_tileset_format(p, &f->grant.tiles, form, buf, len);
}

static int set_grant(struct table *t, const struct finding *f, struct tessera_error *err)
{
	const struct tessera_grant *g = &f->grant;
	char text[TESSERA_TILESET_TEXT_MAX];

	if (g->job == 0)
		return 0;
	if (table_set_number(t, JOB, g->job, err) < 0 ||
	    table_set_number(t, UID, g->uid, err) < 0 ||
	    table_set_number(t, TIME, (uint64_t)g->time, err) < 0 ||
	    table_set_text(t, CLUSTER, g->cluster, err) < 0 ||
	    table_set_text(t, NODE, g->node, err) < 0 ||
	    table_set_text(t, PARTITION, g->partition, err) < 0 ||
	    table_set(t, STEP, step_name(g->job, g->step, text, sizeof(text)), err) < 0 ||
	    table_set(t, USER, cli_user(g->uid, text, sizeof(text)), err) < 0)
		return -1;
	format_tiles(f, TESSERA_FORM_RDUS, text, sizeof(text));
	if (table_set_text(t, TILES, text, err) < 0)
		return -1;
	format_tiles(f, TESSERA_FORM_MASK, text, sizeof(text));
	return table_set_text(t, MASK, tessera_tileset_empty(&g->tiles) ? "" : text, err);
}

static int print_table(const struct cli_options *c, const struct finding *f,
		       struct tessera_error *err)
{
	struct table *t = table_new(columns, COLUMNS, c->columns, c->form, "grants", err);
	int rc = -1;

	if (t != NULL && table_row(t, err) == 0 &&
	    table_set(t, VERDICT, grant_verdict(f->err.code), err) == 0 &&
	    set_grant(t, f, err) == 0 && table_set_text(t, TEXT, f->err.text, err) == 0)
		rc = table_print(t, stdout, err);
	table_free(t);
	return rc;
}

/* Returns the exit code. */
static int print_line(const struct finding *f)
{
	const struct tessera_grant *g = &f->grant;
	char step[STEP_NAME_MAX], user[64], tiles[TESSERA_TILESET_TEXT_MAX];

	if (f->err.code != TESSERA_OK)
		return cli_fail(&f->err);
	format_tiles(f, TESSERA_FORM_RDUS, tiles, sizeof(tiles));
	printf("granted to job %s of %s on %s: %s%s%s%s\n",
	       step_name(g->job, g->step, step, sizeof(step)), cli_user(g->uid, user, sizeof(user)),
	       g->node, tiles, tiles[0] != '\0' && g->partition[0] != '\0' ? " and " : "",
	       g->partition[0] != '\0' ? "partition " : "", g->partition);
	return TESSERA_OK;
}

static int print_finding(const struct cli_options *c, const struct finding *f)
{
	struct tessera_error err = {0};

	if (c->form == TABLE_PLAIN && c->columns == NULL)
		return print_line(f);
	if (print_table(c, f, &err) < 0)
		return cli_fail(&err);
	return tessera_error_exit(&f->err);
}

/* Verify SHOWN into F. Returns 0, or -1 with ERR if that is impossible. */
static int verify_grant(const struct cli_options *c, const struct grant_shown *shown,
			struct node *node, struct finding *f, struct tessera_error *err)
{
	char *cluster;

	/* Without a credential, no file and no daemon is needed. */
	if (shown->credential == NULL || shown->credential[0] == '\0') {
		tessera_grant_verify(NULL, &(struct tessera_grant_claim){0}, &f->grant, &f->err);
		return 0;
	}
	slurm_init(NULL);
	if (cli_node(c, node, err) < 0 || (cluster = cluster_name(err)) == NULL)
		return -1;
	grant_check(node, cluster, shown, &f->grant, &f->err);
	free(cluster);
	return 0;
}

/* PROCESS: the process that SHOWN was read from; NULL: this one. Returns the exit code. */
static int check_shown(const struct cli_options *c, const struct grant_shown *shown,
		       const struct device_user *process)
{
	struct tessera_error err = {0};
	struct finding f = {0};
	struct node node = {0};
	int code;

	f.node = &node;
	if (verify_grant(c, shown, &node, &f, &err) < 0) {
		code = cli_fail(&err);
	} else {
		if (process != NULL && !process_is_same("/proc", process)) {
			f.grant = (struct tessera_grant){0};
			tessera_error_set(&f.err, TESSERA_ERR_UNAVAILABLE,
					  "process %jd ended during the check",
					  (intmax_t)process->pid);
		}
		code = print_finding(c, &f);
	}
	node_close(&node);
	return code;
}

static int check_own(const struct cli_options *c)
{
	const struct grant_shown shown = {
		.credential = getenv(TESSERA_GRANT_VARIABLE),
		.mask = getenv(VAR_MASK),
		.partition = getenv(VAR_PARTITION),
		.config_path = getenv(VAR_IPUOF_CONFIG),
		.uid = (uint32_t)getuid(),
	};

	return check_shown(c, &shown, NULL);
}

static int check_process(const struct cli_options *c, pid_t pid)
{
	struct process_env env = {0};
	struct tessera_error err = {0};
	struct grant_shown shown;
	struct device_user process;
	int code;

	if (!device_users_describe("/proc", pid, &process)) {
		tessera_error_set(&err, TESSERA_ERR_INPUT, "there is no process %jd",
				  (intmax_t)pid);
		return cli_fail(&err);
	}
	if (process_env_read("/proc", pid, NULL, &env, &err) < 0) {
		code = cli_fail(&err);
	} else {
		shown = grant_shown_in(&env, process.uid);
		code = check_shown(c, &shown, &process);
	}
	process_env_free(&env);
	return code;
}

static int read_pid(const char *command, const char *text, void *to)
{
	struct scan number = {.at = text};
	pid_t *pid = to;

	*pid = (pid_t)scan_number(&number, "", INT32_MAX);
	if (number.failed || *number.at != '\0' || *pid == 0)
		return cli_usage(command, "--pid=%s is not the number of a process", text);
	return TESSERA_OK;
}

int cmd_verify(int argc, char **argv)
{
	struct cli_options c = {.form = TABLE_PLAIN};
	pid_t pid = 0;
	const struct cli_row rows[] = {
		CLI_WHERE(c),
		CLI_FORM(c),
		{"pid", 0, CLI_READ, &pid, read_pid},
		CLI_END,
	};
	int code = cli_parse(argc, argv, rows, CLI_NO_OPERANDS, print_help);

	if (code != CLI_GO_ON)
		return code;
	return pid != 0 ? check_process(&c, pid) : check_own(&c);
}
