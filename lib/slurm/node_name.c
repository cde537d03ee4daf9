/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/slurm/compat.h"
#include "lib/slurm/node_name.h"

/* Returns 0, or -1 if TEXT is empty or does not fit. */
static int copy_name(const char *text, char *buf, size_t len)
{
	return text[0] != '\0' && snprintf(buf, len, "%s", text) < (int)len ? 0 : -1;
}

/*
 * The value of -N in a command line of SIZE bytes, as /proc has it; NULL if it has none.
 */
static const char *find_name_option(const char *line, size_t size)
{
	const char *end = line + size;
	bool next = false;

	for (const char *word = line; word < end; word += strlen(word) + 1) {
		if (next)
			return word;
		if (strncmp(word, "-N", 2) == 0 && word[2] != '\0')
			return word + 2;
		next = strcmp(word, "-N") == 0;
	}
	return NULL;
}

static int read_command_line(char *buf, size_t len)
{
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	const char *name;
	char line[4096];
	ssize_t n;

	if (fd < 0)
		return -1;
	n = read(fd, line, sizeof(line) - 1);
	close(fd);
	if (n <= 0)
		return -1;
	line[n] = '\0';
	name = find_name_option(line, (size_t)n);
	return name != NULL ? copy_name(name, buf, len) : -1;
}

int node_name_of_slurmd(char *buf, size_t len)
{
	return read_command_line(buf, len) == 0 ? 0 : node_name_of_host(buf, len);
}

int node_name_of_host(char *buf, size_t len)
{
	char host[256], *name, *dot;
	int rc;

	if (gethostname(host, sizeof(host)) != 0)
		return -1;
	host[sizeof(host) - 1] = '\0';
	name = slurm_conf_get_nodename(host);
	if (name != NULL) {
		rc = copy_name(name, buf, len);
		slurm_xfree((void **)&name);
		return rc;
	}
	dot = strchr(host, '.');
	if (dot != NULL)
		*dot = '\0';
	return copy_name(host, buf, len);
}
