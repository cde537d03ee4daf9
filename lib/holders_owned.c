/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/holders.h"

#define ANCESTORS_MAX 1000 /* processes come and go while we climb: there must be an end */

/* The start of a file of a process, with a NUL after it; "" if it cannot be read. */
static void read_of(const char *proc, pid_t pid, const char *name, char *buf, size_t size)
{
	char path[512];
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "%s/%jd/%s", proc, (intmax_t)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	len = fd >= 0 ? read(fd, buf, size - 1) : 0;
	buf[len > 0 ? len : 0] = '\0';
	if (fd >= 0)
		close(fd);
}

static pid_t parent_of(const char *proc, pid_t pid)
{
	char status[1024], *at;

	read_of(proc, pid, "status", status, sizeof(status));
	at = strstr(status, "\nPPid:\t");
	return at != NULL ? (pid_t)strtol(at + strlen("\nPPid:\t"), NULL, 10) : 0;
}

static bool descends_from_step(const char *proc, pid_t pid)
{
	static const char step[] = "slurmstepd";
	char name[64];

	for (unsigned n = 0; n < ANCESTORS_MAX && (pid = parent_of(proc, pid)) > 1; n++) {
		read_of(proc, pid, "comm", name, sizeof(name));
		if (strncmp(name, step, sizeof(step) - 1) == 0)
			return true;
	}
	return false;
}

/* As in /slurm/uid_1001/job_42/step_0 and /system.slice/slurmstepd.scope/job_42/step_0. */
static bool in_cgroup_of_another(const char *proc, pid_t pid, uint32_t ended)
{
	char text[8192];

	read_of(proc, pid, "cgroup", text, sizeof(text));
	if (strstr(text, "slurm") == NULL)
		return false;
	for (const char *at = strstr(text, "/job_"); at != NULL; at = strstr(at + 1, "/job_"))
		if (strtoul(at + strlen("/job_"), NULL, 10) != ended)
			return true;
	return false;
}

bool holders_look_owned(const char *proc, pid_t pid, uint32_t ended)
{
	return descends_from_step(proc, pid) || in_cgroup_of_another(proc, pid, ended);
}
