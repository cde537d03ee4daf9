/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera metrics: print the node's state for Prometheus (node_exporter's textfile collector).
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/cli.h"
#include "command/command.h"
#include "command/view/cli_options.h"
#include "command/view/metrics.h"
#include "lib/node/vipu_partition.h"
#include "lib/util/statefile.h"

static void print_help(void)
{
	puts("Usage: tessera metrics [OPTION]...\n"
	     "\n"
	     "Print the node's tiles, IPUs, health, reservations, failures and V-IPU\n"
	     "partitions in the Prometheus text format. Run it from a timer for\n"
	     "node_exporter's textfile collector. Unknown values are omitted; tessera_up is 0\n"
	     "if the node's own files cannot be read.\n"
	     "\n"
	     "  --output=FILE   replace FILE atomically; its name should end in .prom\n"
	     "  --node=NAME     node to report, if this machine has several\n"
	     "  --conf=FILE     use FILE instead of tessera.conf beside slurm.conf\n"
	     "\n"
	     "Example:\n"
	     "  tessera metrics --output=/var/lib/prometheus/node-exporter/tessera.prom");
}

static int count_partition(const struct partition_seen *seen, void *arg)
{
	metrics_count_partition(arg, seen->state);
	return 0;
}

/* Collect the available values. Returns the exit code, after a message for each failure. */
static int gather_metrics(struct metrics *m, struct occupancy *s, struct health_view *health)
{
	const struct node *node = m->node;
	struct tessera_error err = {0};
	int code = TESSERA_OK;

	if (occupancy_node(s, node, &err) == 0 && occupancy_outside(s, node, &err) == 0)
		m->occupancy = s;
	else
		code = cli_fail(&err);
	if (m->occupancy != NULL && health_view_read(health, node, &err) == 0)
		m->health = health;
	else if (m->occupancy != NULL)
		code = cli_fail(&err);
	m->asked = node->site != NULL;
	if (!m->asked)
		return code;
	m->answered = partition_list(node, count_partition, m, &err) == 0;
	return m->answered ? code : cli_fail(&err);
}

/* rename(2) would replace a device, or a link that the administrator set up. */
static int check_output(const char *path, struct tessera_error *err)
{
	struct stat st;

	if (lstat(path, &st) < 0 || S_ISREG(st.st_mode))
		return 0; /* writing reports any other error */
	return tessera_error_set(err, TESSERA_ERR_INPUT,
				 "%s is %s: --output must name a regular file or a new one", path,
				 S_ISLNK(st.st_mode)   ? "a symbolic link"
				 : S_ISDIR(st.st_mode) ? "a directory"
						       : "a special file");
}

static int replace_file(const char *path, const char *text, struct tessera_error *err)
{
	if (check_output(path, err) < 0)
		return -1;
	return statefile_replace_path(path, text, strlen(text), err);
}

static int write_metrics(const struct metrics *m, const char *output, struct tessera_error *err)
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
		return tessera_error_nomem(err);
	metrics_print(out, m);
	rc = fclose(out) == 0 ? replace_file(output, text, err) : tessera_error_nomem(err);
	free(text);
	return rc;
}

static int run_metrics(const struct cli_options *c, const char *output)
{
	struct tessera_error err = {0};
	struct occupancy s = {0};
	struct health_view health = {0};
	struct node node;
	struct metrics m = {.node = &node};
	int code;

	if (cli_node(c, &node, &err) < 0) {
		code = cli_fail(&err);
	} else {
		code = gather_metrics(&m, &s, &health);
		if (write_metrics(&m, output, &err) < 0)
			code = cli_fail(&err);
	}
	health_view_free(&health);
	occupancy_free(&s);
	node_close(&node);
	return code;
}

static int read_output(const char *command, const char *text, void *to)
{
	if (text[0] == '\0')
		return cli_usage(command, "--output= needs the name of a file");
	*(const char **)to = text;
	return TESSERA_OK;
}

int cmd_metrics(int argc, char **argv)
{
	struct cli_options c = {0};
	const char *output = NULL;
	const struct cli_row rows[] = {
		CLI_WHERE(c),
		{"output", 0, CLI_READ, &output, read_output},
		CLI_END,
	};
	int code = cli_parse(argc, argv, rows, CLI_NO_OPERANDS, print_help);

	if (code != CLI_GO_ON)
		return code;
	return run_metrics(&c, output);
}
