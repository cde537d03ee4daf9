/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/util/proc.h"

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

/* The kernel escapes newlines in the process name, so a name cannot fake a line. */
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

/*
 * The process name is in parentheses and may itself contain spaces and parentheses, but no later
 * field does: it ends at the last ')'. The state and the parent follow.
 */
pid_t proc_parent(const char *stat)
{
	const char *at = strrchr(stat, ')');

	if (at == NULL || at[1] != ' ' || at[2] == '\0' || at[3] != ' ')
		return 0;
	return (pid_t)strtol(at + 4, NULL, 10);
}

/* Fields between the name (field 2 of /proc/PID/stat) and the start time (field 22). */
#define FIELDS_BEFORE_START 19

uint64_t proc_parse_start(const char *stat, char *state)
{
	const char *at = strrchr(stat, ')');

	*state = '\0';
	if (at == NULL || at[1] != ' ')
		return 0;
	*state = at[2];
	for (unsigned i = 0; i <= FIELDS_BEFORE_START && at != NULL; i++)
		at = strchr(at + 1, ' ');
	return at != NULL ? strtoull(at + 1, NULL, 10) : 0;
}

uint64_t proc_start_time(pid_t pid)
{
	char path[64], stat[1024], state;
	uint64_t start;

	snprintf(path, sizeof(path), "/proc/%jd/stat", (intmax_t)pid);
	proc_read(AT_FDCWD, path, stat, sizeof(stat));
	start = proc_parse_start(stat, &state);
	return state == 'Z' || state == 'X' ? 0 : start;
}
