/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/proc.h"

int proc_read(int dir, const char *name, char *buf, size_t size)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC), saved;
	ssize_t len;

	buf[0] = '\0';
	if (fd < 0)
		return -1;
	len = read(fd, buf, size - 1);
	saved = errno;
	close(fd);
	errno = saved;
	buf[len > 0 ? len : 0] = '\0';
	return len < 0 ? -1 : 0;
}

/* The process's name, in the first line, is escaped: it has no line ends. */
bool proc_number(const char *status, const char *key, unsigned long *number)
{
	size_t len = strlen(key);
	const char *line = status;

	while ((line = strchr(line, '\n')) != NULL) {
		line++;
		if (strncmp(line, key, len) == 0 && line[len] == ':' && line[len + 1] == '\t') {
			*number = strtoul(line + len + 2, NULL, 10);
			return true;
		}
	}
	return false;
}

/* The name, which may have spaces and brackets in it, ends at the last bracket; the state and the parent follow. */
pid_t proc_parent(const char *stat)
{
	const char *at = strrchr(stat, ')');

	if (at == NULL || at[1] != ' ' || at[2] == '\0' || at[3] != ' ')
		return 0;
	return (pid_t)strtol(at + 4, NULL, 10);
}
