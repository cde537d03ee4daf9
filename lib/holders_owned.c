/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/holders.h"
#include "lib/holders_parts.h"
#include "lib/proc.h"

#define ANCESTORS_MAX 1000 /* processes come and go while we climb: there must be an end */

void holders_read(const char *proc, pid_t pid, const char *name, char *buf, size_t size)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%jd/%s", proc, (intmax_t)pid, name);
	proc_read(AT_FDCWD, path, buf, size);
}

pid_t holders_parent(const char *proc, pid_t pid, uint32_t *uid)
{
	unsigned long parent = 0, user = UINT32_MAX;
	char status[1024];

	holders_read(proc, pid, "status", status, sizeof(status));
	proc_number(status, "PPid", &parent);
	proc_number(status, "Uid", &user);
	*uid = (uint32_t)user;
	return (pid_t)parent;
}

/* Anybody can call a process so, but only a real one is root's. */
static bool descends_from_step(const char *proc, pid_t pid)
{
	static const char step[] = "slurmstepd";
	char name[64];
	uint32_t uid;

	pid = holders_parent(proc, pid, &uid);
	for (unsigned n = 0; n < ANCESTORS_MAX && pid > 1; n++) {
		pid_t parent = holders_parent(proc, pid, &uid);

		holders_read(proc, pid, "comm", name, sizeof(name));
		if (uid == 0 && strncmp(name, step, sizeof(step) - 1) == 0)
			return true;
		pid = parent;
	}
	return false;
}

/* Is AT within a line of TEXT, as /proc/PID/cgroup has them, that is of systemd's groups for users? */
static bool is_users(const char *text, const char *at)
{
	static const char slice[] = "/user.slice/";
	const char *path;

	while (at > text && at[-1] != '\n')
		at--;
	/* A number, controllers, and the path, with colons between. */
	path = strchr(at, ':');
	path = path != NULL ? strchr(path + 1, ':') : NULL;
	return path != NULL && strncmp(path + 1, slice, sizeof(slice) - 1) == 0;
}

#define GROUP_PREFIX "/job_"

/* The job that the name of a group at AT says, and where it ends; 0: it is none of Slurm's names. */
static uint32_t job_at(const char *at, const char **end)
{
	unsigned long number;
	char *after;

	at += sizeof(GROUP_PREFIX) - 1;
	*end = at;
	if (*at < '0' || *at > '9')
		return 0;
	number = strtoul(at, &after, 10);
	if ((*after != '/' && *after != '\n' && *after != '\0') || number >= UINT32_MAX)
		return 0;
	*end = after;
	return (uint32_t)number;
}

/*
 * The number of the first group in TEXT that is of a job other than JOB; or 0. systemd lets users make groups below their
 * own, where Slurm makes none.
 */
static uint32_t other_job_in(const char *text, uint32_t job)
{
	const char *at = text;

	while ((at = strstr(at, GROUP_PREFIX)) != NULL) {
		bool own = is_users(text, at);
		uint32_t number = job_at(at, &at);

		if (!own && number != 0 && number != job)
			return number;
	}
	return 0;
}

uint32_t holders_group_job(const char *line, size_t line_len, const char **from, size_t *len)
{
	const char *at = line, *end = line + line_len;

	while ((at = memmem(at, (size_t)(end - at), GROUP_PREFIX, sizeof(GROUP_PREFIX) - 1)) != NULL) {
		bool own = is_users(line, at);
		uint32_t number = job_at(at, &at);

		if (!own && number != 0) {
			*from = line;
			*len = (size_t)(at - line);
			return number;
		}
	}
	return 0;
}

bool holders_in_other_job(const char *proc, pid_t pid, uint32_t job, uint32_t *other)
{
	char groups[16384];

	holders_read(proc, pid, "cgroup", groups, sizeof(groups));
	*other = other_job_in(groups, job);
	return *other != 0 || strlen(groups) == sizeof(groups) - 1;
}

bool holders_look_owned(const char *proc, pid_t pid, uint32_t ended)
{
	uint32_t other;

	return descends_from_step(proc, pid) || holders_in_other_job(proc, pid, ended, &other);
}
