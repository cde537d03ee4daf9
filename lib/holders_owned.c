/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/holders.h"
#include "lib/proc.h"

#define ANCESTORS_MAX 1000 /* processes come and go while we climb: there must be an end */

static void read_of(const char *proc, pid_t pid, const char *name, char *buf, size_t size)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%jd/%s", proc, (intmax_t)pid, name);
	proc_read(AT_FDCWD, path, buf, size);
}

/* Its parent and its real user; 0 and UINT32_MAX if it is gone. */
static pid_t parent_of(const char *proc, pid_t pid, uint32_t *uid)
{
	unsigned long parent = 0, user = UINT32_MAX;
	char status[1024];

	read_of(proc, pid, "status", status, sizeof(status));
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

	pid = parent_of(proc, pid, &uid);
	for (unsigned n = 0; n < ANCESTORS_MAX && pid > 1; n++) {
		pid_t parent = parent_of(proc, pid, &uid);

		read_of(proc, pid, "comm", name, sizeof(name));
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

/*
 * The number of the first group in TEXT that is of a job other than JOB; or 0. systemd lets users make groups below their
 * own, where Slurm makes none.
 */
static uint32_t other_job_in(const char *text, uint32_t job)
{
	static const char prefix[] = "/job_";
	const char *at = text;
	char *end;

	while ((at = strstr(at, prefix)) != NULL) {
		unsigned long number;
		bool own = is_users(text, at);

		at += sizeof(prefix) - 1;
		if (own || *at < '0' || *at > '9')
			continue;
		number = strtoul(at, &end, 10);
		if ((*end == '/' || *end == '\n' || *end == '\0') && number > 0 && number < UINT32_MAX &&
		    number != job)
			return (uint32_t)number;
	}
	return 0;
}

bool holders_in_other_job(const char *proc, pid_t pid, uint32_t job, uint32_t *other)
{
	char groups[16384];

	read_of(proc, pid, "cgroup", groups, sizeof(groups));
	*other = other_job_in(groups, job);
	return *other != 0 || strlen(groups) == sizeof(groups) - 1;
}

bool holders_look_owned(const char *proc, pid_t pid, uint32_t ended)
{
	uint32_t other;

	return descends_from_step(proc, pid) || holders_in_other_job(proc, pid, ended, &other);
}
