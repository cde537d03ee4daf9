/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/node/device_users.h"
#include "lib/node/device_users_internal.h"
#include "lib/util/proc.h"

#define ANCESTORS_MAX 1000 /* pids may be reused meanwhile and form a circle */

void device_users_read(const char *proc, pid_t pid, const char *name, char *buf, size_t size)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%jd/%s", proc, (intmax_t)pid, name);
	proc_read(AT_FDCWD, path, buf, size);
}

pid_t device_users_parent(const char *proc, pid_t pid, uint32_t *uid)
{
	unsigned long parent = 0, user = UINT32_MAX;
	char status[1024];

	device_users_read(proc, pid, "status", status, sizeof(status));
	proc_number(status, "PPid", &parent);
	proc_number(status, "Uid", &user);
	*uid = (uint32_t)user;
	return (pid_t)parent;
}

/* Any user can name a process slurmstepd, but cannot make it root's. */
static bool descends_from_step(const char *proc, pid_t pid)
{
	static const char step[] = "slurmstepd";
	char name[64];
	uint32_t uid;

	pid = device_users_parent(proc, pid, &uid);
	for (unsigned n = 0; n < ANCESTORS_MAX && pid > 1; n++) {
		pid_t parent = device_users_parent(proc, pid, &uid);

		device_users_read(proc, pid, "comm", name, sizeof(name));
		if (uid == 0 && strncmp(name, step, sizeof(step) - 1) == 0)
			return true;
		pid = parent;
	}
	return false;
}

/* Is AT, within a line of TEXT from /proc/PID/cgroup, in a group below /user.slice? */
static bool is_in_user_slice(const char *text, const char *at)
{
	static const char slice[] = "/user.slice/";
	const char *path;

	while (at > text && at[-1] != '\n')
		at--;
	/* hierarchy:controllers:path */
	path = strchr(at, ':');
	path = path != NULL ? strchr(path + 1, ':') : NULL;
	return path != NULL && strncmp(path + 1, slice, sizeof(slice) - 1) == 0;
}

#define GROUP_PREFIX     "/job_"
#define SLUID_CHARACTERS "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
#define SLUID_LENGTH     13

/* Parse the group name at AT. Returns the job ID with its end in *END, or 0 if it has none. */
static uint32_t parse_group_job(const char *at, const char **end)
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

/* The first job other than JOB that TEXT has a group of; or 0. */
static uint32_t find_other_job(const char *text, uint32_t job)
{
	const char *at = text;

	while ((at = strstr(at, GROUP_PREFIX)) != NULL) {
		bool in_user_slice = is_in_user_slice(text, at);
		uint32_t number = parse_group_job(at, &at);

		if (!in_user_slice && number != 0 && number != job)
			return number;
	}
	return 0;
}

/*
 * Is AT, a '/' of a path, the start of a job's group as cgroup/v2 names it from 26.05 on: "s" and
 * the 13 characters of the job's SLUID, with a group of a step in it?
 */
static bool is_sluid_group(const char *at)
{
	static const char step[] = "/step_";

	return at[1] == 's' && strspn(at + 2, SLUID_CHARACTERS) == SLUID_LENGTH &&
	       strncmp(at + 2 + SLUID_LENGTH, step, sizeof(step) - 1) == 0;
}

static bool has_sluid_group(const char *text)
{
	for (const char *at = text; (at = strchr(at, '/')) != NULL; at++)
		if (is_sluid_group(at) && !is_in_user_slice(text, at))
			return true;
	return false;
}

uint32_t device_users_group_job(const char *line, size_t line_len, const char **from, size_t *len)
{
	const char *at = line, *end = line + line_len;

	while ((at = memmem(at, (size_t)(end - at), GROUP_PREFIX, sizeof(GROUP_PREFIX) - 1)) !=
	       NULL) {
		bool in_user_slice = is_in_user_slice(line, at);
		uint32_t number = parse_group_job(at, &at);

		if (!in_user_slice && number != 0) {
			*from = line;
			*len = (size_t)(at - line);
			return number;
		}
	}
	return 0;
}

bool device_users_in_other_job(const char *proc, pid_t pid, uint32_t job, uint32_t *other)
{
	char groups[16384];

	device_users_read(proc, pid, "cgroup", groups, sizeof(groups));
	*other = find_other_job(groups, job);
	return *other != 0 || strlen(groups) == sizeof(groups) - 1 || has_sluid_group(groups);
}

bool device_users_look_owned(const char *proc, pid_t pid, uint32_t ended)
{
	uint32_t other;

	return descends_from_step(proc, pid) || device_users_in_other_job(proc, pid, ended, &other);
}
