/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera metrics: the node's state for Prometheus, by node_exporter's textfile collector.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gres/command.h"
#include "gres/common.h"
#include "gres/metrics.h"
#include "plugin/partition.h"

static void print_help(void)
{
	puts("Usage: tessera metrics [OPTION]...\n"
	     "\n"
	     "Prints the node's tiles, IPUs, health, reservations, failures and V-IPU\n"
	     "partitions as Prometheus reads them, for node_exporter's textfile collector,\n"
	     "from a timer. What is not known is left out; tessera_up is 0 if the node's own\n"
	     "files could not be read.\n"
	     "\n"
	     "  --output=FILE   write it there, replacing the file at once; .prom at its end\n"
	     "  --node=NAME     the node, if this machine has several\n"
	     "  --conf=FILE     instead of tessera.conf beside slurm.conf\n"
	     "\n"
	     "Example:\n"
	     "  tessera metrics --output=/var/lib/prometheus/node-exporter/tessera.prom");
}

static int count_partition(const struct partition_seen *seen, void *arg)
{
	metrics_count_partition(arg, seen->state);
	return 0;
}

/* Everything that can be known. Returns the exit code: what is not known was told on standard error. */
static int gather(struct metrics *m, struct survey *s, struct health_view *health)
{
	const struct node *node = m->node;
	struct tessera_error err = {0};
	int code = TESSERA_OK;

	if (survey_node(s, node, &err) == 0 && survey_outside(s, node, &err) == 0)
		m->survey = s;
	else
		code = command_fail(&err);
	if (m->survey != NULL && health_view_read(health, node, &err) == 0)
		m->health = health;
	else if (m->survey != NULL)
		code = command_fail(&err);
	/* The vendor's program has no list that could be read. */
	m->asked = node->site != NULL && node->site->backend == TESSERA_VIPU_GRPC;
	if (!m->asked)
		return code;
	m->answered = partition_list(node, count_partition, m, &err) == 0;
	return m->answered ? code : command_fail(&err);
}

static int failed(const char *path, struct tessera_error *err)
{
	return tessera_error_set(err, errno == EACCES || errno == EPERM ? TESSERA_ERR_DENIED : TESSERA_ERR_MISSING,
				 "%s: %s", path, strerror(errno));
}

/* Renaming would put a file in the place of anything: of a device, or of a link that somebody set up for a purpose. */
static int check_place(const char *path, struct tessera_error *err)
{
	struct stat st;

	if (lstat(path, &st) < 0 || S_ISREG(st.st_mode))
		return 0; /* what else is wrong is seen when it is written */
	return tessera_error_set(err, TESSERA_ERR_INPUT,
				 "%s is %s, and is not replaced: name a file that is one, or that is not there",
				 path,
				 S_ISLNK(st.st_mode)   ? "a symbolic link"
				 : S_ISDIR(st.st_mode) ? "a directory"
						       : "no ordinary file");
}

/* Replace PATH: who reads it sees the old text or the new one. */
static int replace(const char *path, const char *text, struct tessera_error *err)
{
	char *new = NULL;
	FILE *out = NULL;
	int fd, rc = -1;

	if (check_place(path, err) < 0)
		return -1;
	if (asprintf(&new, "%s.XXXXXX", path) < 0)
		return tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory");
	fd = mkstemp(new);
	out = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (out == NULL) {
		failed(path, err);
		goto cleanup;
	}
	fputs(text, out);
	if (fflush(out) != 0 || fchmod(fd, 0644) < 0 || rename(new, path) < 0) {
		failed(path, err);
		unlink(new);
		goto cleanup;
	}
	rc = 0;
cleanup:
	if (out != NULL)
		fclose(out);
	free(new);
	return rc;
}

static int put_out(const struct metrics *m, const char *output, struct tessera_error *err)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out;
	int rc;

	if (output == NULL) {
		metrics_print(stdout, m);
		return 0;
	}
	out = open_memstream(&text, &size);
	if (out == NULL)
		return tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory");
	metrics_print(out, m);
	rc = fclose(out) == 0 ? replace(output, text, err)
			      : tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory");
	free(text);
	return rc;
}

static int run(const struct common *c, const char *output)
{
	struct tessera_error err = {0};
	struct survey s = {0};
	struct health_view health = {0};
	struct node node;
	struct metrics m = {.node = &node};
	int code;

	if (common_node(c, &node, &err) < 0) {
		code = command_fail(&err);
	} else {
		code = gather(&m, &s, &health);
		if (put_out(&m, output, &err) < 0)
			code = command_fail(&err);
	}
	health_view_free(&health);
	survey_free(&s);
	node_close(&node);
	return code;
}

int command_metrics(int argc, char **argv)
{
	static const struct option options[] = {
		COMMON_WHERE,
		{"help", no_argument, NULL, 'h'},
		{"output", required_argument, NULL, 'O'},
		{NULL, 0, NULL, 0},
	};
	struct common c = {0};
	const char *output = NULL;
	int got;

	while ((got = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		if (common_option(&c, got))
			continue;
		if (got == 'h') {
			print_help();
			return TESSERA_OK;
		}
		if (got != 'O')
			return command_bad_option(argv, got);
		if (optarg[0] == '\0')
			return command_usage(argv[0], "--output= names no file");
		output = optarg;
	}
	if (optind != argc)
		return command_usage(argv[0], "'%s' is not an option", argv[optind]);
	return run(&c, output);
}
