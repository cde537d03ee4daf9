/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera status: who holds which tiles and how many IPUs, on a node or on all.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "gres/command.h"
#include "gres/status.h"
#include "gres/tilemap.h"
#include "plugin/slurm_compat.h"

#define WATCH_S    2 /* between two looks when nobody says */
#define WATCH_MAX  86400
#define BUFFER_MAX 65536

static void print_help(void)
{
	puts("Usage: tessera status [OPTION]...\n"
	     "\n"
	     "Draws the node's tiles, or its part of the IPU pool: a letter for each job, and\n"
	     "a table of what the letters mean. Anyone may look.\n"
	     "\n"
	     "  -a, --all              all nodes and the cluster's licences, as slurmctld sees\n"
	     "                         them: how many, not which\n"
	     "  --job=NUMBER           which tiles this job has on which nodes: which on this\n"
	     "                         node, elsewhere how many, as slurmctld sees them\n"
	     "  -w, --watch[=SECONDS]  again every 2 seconds, until Ctrl-C\n"
	     "  --node=NAME            the node, if this machine has several\n"
	     "  --conf=FILE            instead of tessera.conf beside slurm.conf\n"
	     "  -o, --columns=LIST     columns of the table; +LIST adds to the usual ones:\n"
	     "                         node mark job user uid state count resource tiles mask\n"
	     "                         partition outside_seconds text\n"
	     "  --json, --raw          the table alone, for programs\n"
	     "\n"
	     "Examples: tessera status --watch=5, tessera status --job=4711");
}

static int show_node(const struct common *c, int *code, struct tessera_error *err)
{
	struct survey s = {0};
	struct health_view health = {0};
	struct node node;
	int rc = common_node(c, &node, err);

	if (rc == 0 && !node.keeps && c->form == TABLE_PLAIN)
		fprintf(stderr,
			"tessera: node %s has no accelerators in tessera.conf: tessera status --all shows those "
			"that have\n",
			node.name);
	if (rc == 0)
		rc = survey_node(&s, &node, err);
	if (rc == 0)
		rc = survey_outside(&s, &node, err);
	/* What is not known of its health does not hide the rest. */
	if (rc == 0 && health_view_read(&health, &node, err) < 0)
		*code = command_fail(err);
	if (rc == 0)
		rc = survey_health(&s, &node, &health, err);
	if (rc == 0 && (node.keeps || c->form != TABLE_PLAIN))
		rc = status_print_node(&s, &node, &health, c, err);
	health_view_free(&health);
	survey_free(&s);
	node_close(&node);
	return rc;
}

/* On a node with tiles, what it knows of its own. */
static int add_own_health(struct survey *s, const struct common *c, struct tessera_error *err)
{
	struct health_view health = {0};
	struct survey own = {0};
	struct node node;
	int rc = common_node(c, &node, err);

	if (rc == 0 && node.platform != NULL) {
		rc = survey_node(&own, &node, err);
		if (rc == 0)
			rc = health_view_read(&health, &node, err);
		if (rc == 0)
			rc = survey_own_health(s, &node, &own, &health, err);
	}
	health_view_free(&health);
	survey_free(&own);
	node_close(&node);
	return rc;
}

static int show_cluster(const struct common *c, int *code, struct tessera_error *err)
{
	char path[1024];
	struct tessera_conf *conf = tessera_conf_read(common_conf_path(c, path, sizeof(path)), err);
	struct survey s = {0};
	int rc = conf != NULL ? survey_cluster(&s, conf, err) : -1;

	/* What is not known of one node does not hide the others. */
	if (rc == 0 && add_own_health(&s, c, err) < 0)
		*code = command_fail(err);
	if (rc == 0)
		rc = status_print_cluster(&s, conf, c, err);
	survey_free(&s);
	tessera_conf_free(conf);
	return rc;
}

/* What the node that we are on has written down of the job. Where it is none of a cluster's, it has nothing. */
static int add_own(struct survey *s, const struct common *c, uint32_t job, struct tessera_error *err)
{
	struct survey own = {0};
	struct node node;
	int rc = common_node(c, &node, err);

	if (rc == 0)
		rc = survey_node(&own, &node, err);
	if (rc == 0)
		rc = survey_merge(s, &own, job, err);
	survey_free(&own);
	node_close(&node);
	return rc;
}

/* A job that neither slurmctld nor this node has is a mistake. What one of them does not say does not hide the rest. */
static int show_job(const struct common *c, uint32_t job, int *code, struct tessera_error *err)
{
	char path[1024];
	struct tessera_conf *conf = tessera_conf_read(common_conf_path(c, path, sizeof(path)), err);
	struct survey s = {0};
	const char *state = NULL;
	int rc = conf != NULL ? 0 : -1;

	if (rc == 0 && survey_job(&s, conf, job, &state, err) < 0)
		*code = command_fail(err);
	if (rc == 0 && add_own(&s, c, job, err) < 0)
		*code = command_fail(err);
	if (rc == 0 && state == NULL && s.count == 0 && *code == TESSERA_OK)
		rc = tessera_error_set(err, TESSERA_ERR_INPUT,
				       "slurmctld has no running or pending job %u: check the number with squeue; "
				       "tessera report --job=%u shows what an ended job held",
				       job, job);
	if (rc == 0 && (state != NULL || s.count > 0))
		rc = status_print_job(&s, conf, c, job, state, err);
	survey_free(&s);
	tessera_conf_free(conf);
	return rc;
}

/* What is to be shown. */
struct view {
	bool all;
	uint32_t job; /* 0: of no job in particular */
};

static int show(const struct common *c, const struct view *view)
{
	struct tessera_error err = {0};
	int code = TESSERA_OK, rc;

	if (view->job != 0)
		rc = show_job(c, view->job, &code, &err);
	else
		rc = view->all ? show_cluster(c, &code, &err) : show_node(c, &code, &err);
	return rc < 0 ? command_fail(&err) : code;
}

/* Again and again, in place on a terminal, until Ctrl-C. The exit code is the last look's. */
static int watch(const struct common *c, const struct view *view, unsigned seconds)
{
	static char buffer[BUFFER_MAX];
	const struct timespec pause = {.tv_sec = seconds};
	bool in_place = tilemap_escapes(stdout), first = true;
	sigset_t ends;
	int code, got;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	/* A whole picture at once does not flicker. */
	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	do {
		fputs(in_place ? "\033[H\033[2J" : first ? "" : "\n", stdout);
		first = false;
		code = show(c, view);
		if (fflush(stdout) != 0)
			break;
		got = sigtimedwait(&ends, NULL, &pause);
	} while (got < 0 && (errno == EAGAIN || errno == EINTR));
	return code;
}

static int read_seconds(char **argv, unsigned *seconds)
{
	unsigned long value;
	char *end;

	*seconds = WATCH_S;
	if (optarg == NULL)
		return TESSERA_OK;
	value = strtoul(optarg, &end, 10);
	if (*optarg < '0' || *optarg > '9' || *end != '\0' || value == 0 || value > WATCH_MAX)
		return command_usage(argv[0], "--watch=%s is not a number of seconds from 1 to %d", optarg,
				     WATCH_MAX);
	*seconds = (unsigned)value;
	return TESSERA_OK;
}

static int read_job(char **argv, uint32_t *job)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(optarg, &end, 10);
	if (*optarg < '0' || *optarg > '9' || *end != '\0' || errno != 0 || value == 0 || value >= NO_VAL)
		return command_usage(argv[0], "--job=%s is not the number of a job: squeue -o %%A shows them",
				     optarg);
	*job = (uint32_t)value;
	return TESSERA_OK;
}

int command_status(int argc, char **argv)
{
	static const struct option options[] = {
		COMMON_WHERE,
		COMMON_FORM,
		{"all", no_argument, NULL, 'a'},
		{"help", no_argument, NULL, 'h'},
		{"job", required_argument, NULL, 'J'},
		{"watch", optional_argument, NULL, 'w'},
		{NULL, 0, NULL, 0},
	};
	struct common c = {.form = TABLE_PLAIN};
	unsigned seconds = 0;
	struct view view = {0};
	int got, code = TESSERA_OK;

	while ((got = getopt_long(argc, argv, ":aho:w", options, NULL)) != -1) {
		if (common_option(&c, got))
			continue;
		if (got == 'h') {
			print_help();
			return TESSERA_OK;
		}
		if (got == 'a')
			view.all = true;
		else if (got == 'J')
			code = read_job(argv, &view.job);
		else if (got == 'w')
			code = read_seconds(argv, &seconds);
		else
			code = command_bad_option(argv, got);
		if (code != TESSERA_OK)
			return code;
	}
	if (optind != argc)
		return command_usage(argv[0], "'%s' is not an option", argv[optind]);
	if (view.all && view.job != 0)
		return command_usage(argv[0], "--all shows all jobs, --job one: choose one of them");
	if (view.all || view.job != 0)
		slurm_init(NULL);
	return seconds > 0 ? watch(&c, &view, seconds) : show(&c, &view);
}
