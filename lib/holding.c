/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/file.h"
#include "lib/holding_parts.h"

#define PREFIX       "job."
#define FILE_MAX_MIB 1

static void file_name(uint32_t job, char *buf, size_t len)
{
	snprintf(buf, len, PREFIX "%u", job);
}

/* Its name until it is complete. Only one process at a time writes of a job; who is killed leaves it to be found. */
static void new_name(uint32_t job, char *buf, size_t len)
{
	snprintf(buf, len, "." PREFIX "%u", job);
}

static int failed(const char *dir, const char *name, struct tessera_error *err)
{
	return tessera_error_set(
		err, errno == EACCES || errno == EPERM || errno == EROFS ? TESSERA_ERR_DENIED : TESSERA_ERR_MISSING,
		"%s/%s: %s", dir, name, strerror(errno));
}

/* The directory, if it is one to trust. Returns its descriptor; -1 with ERR; or -2 if there is none. */
static int open_dir(const char *dir, struct tessera_error *err)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return errno == ENOENT ? -2 : failed(dir, "", err);
	if (fstat(fd, &st) < 0 || file_check_trust(dir, &st, err) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* The same, and made if it is missing. */
static int make_dir(const char *dir, struct tessera_error *err)
{
	int fd = open_dir(dir, err);

	if (fd != -2)
		return fd;
	if (mkdir(dir, 0755) < 0 && errno != EEXIST)
		return failed(dir, "", err);
	fd = open_dir(dir, err);
	return fd == -2 ? failed(dir, "", err) : fd;
}

static int write_all(int fd, const char *text, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		text += n;
		len -= (size_t)n;
	}
	return 0;
}

int tessera_holding_write(const char *dir, const struct tessera_holding *h, struct tessera_error *err)
{
	char text[HOLDING_TEXT_MAX], name[32], new[32];
	size_t len = holding_format(h, text, sizeof(text));
	int dir_fd = make_dir(dir, err);
	int fd = -1, rc = -1;

	if (dir_fd < 0)
		return -1;
	file_name(h->job, name, sizeof(name));
	new_name(h->job, new, sizeof(new));
	fd = openat(dir_fd, new, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0) {
		failed(dir, new, err);
		goto cleanup;
	}
	if (write_all(fd, text, len) < 0 || renameat(dir_fd, new, dir_fd, name) < 0) {
		failed(dir, name, err);
		unlinkat(dir_fd, new, 0);
		goto cleanup;
	}
	rc = 0;
cleanup:
	if (fd >= 0)
		close(fd);
	close(dir_fd);
	return rc;
}

int tessera_holding_read(const char *dir, uint32_t job, struct tessera_holding *h, struct tessera_error *err)
{
	int dir_fd = open_dir(dir, err);
	int fd = -1, rc = -1;
	char name[32], path[512];
	char *text = NULL;
	size_t len = 0;

	*h = (struct tessera_holding){.job = dir_fd < 0 ? 0 : job};
	if (dir_fd < 0)
		return dir_fd == -2 ? 1 : -1;
	file_name(job, name, sizeof(name));
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0) {
		rc = errno == ENOENT ? 1 : failed(dir, name, err);
		h->job = rc == 1 ? 0 : job;
		goto cleanup;
	}
	text = file_read(fd, path, FILE_MAX_MIB, true, &len, err);
	if (text == NULL)
		goto cleanup;
	rc = holding_parse(text, len, h);
	if (rc < 0 || h->job != job) {
		*h = (struct tessera_holding){.job = job};
		rc = tessera_error_set(err, TESSERA_ERR_INPUT,
				       "%s is damaged: tessera reap cleans up behind job %u", path, job);
	}
cleanup:
	free(text);
	if (fd >= 0)
		close(fd);
	close(dir_fd);
	return rc;
}

int tessera_holding_drop(const char *dir, uint32_t job, struct tessera_error *err)
{
	int dir_fd = open_dir(dir, err);
	char name[32];
	int rc = 0;

	if (dir_fd < 0)
		return dir_fd == -2 ? 0 : -1;
	file_name(job, name, sizeof(name));
	if (unlinkat(dir_fd, name, 0) < 0 && errno != ENOENT)
		rc = failed(dir, name, err);
	new_name(job, name, sizeof(name));
	unlinkat(dir_fd, name, 0);
	close(dir_fd);
	return rc;
}

bool tessera_holding_exists(const char *dir, uint32_t job)
{
	char path[512];

	return snprintf(path, sizeof(path), "%s/" PREFIX "%u", dir, job) < (int)sizeof(path) &&
	       access(path, F_OK) == 0;
}

/* The job of a file's name, complete or not; 0 if it is none of ours. */
static uint32_t job_of(const char *name)
{
	const char *digits;
	unsigned long job;

	name += name[0] == '.';
	digits = name + strlen(PREFIX);
	if (strncmp(name, PREFIX, strlen(PREFIX)) != 0 || digits[0] < '1' || digits[0] > '9' ||
	    digits[strspn(digits, "0123456789")] != '\0' || strlen(digits) > 10)
		return 0;
	job = strtoul(digits, NULL, 10);
	return job <= UINT32_MAX ? (uint32_t)job : 0;
}

int tessera_holding_jobs(const char *dir, uint32_t **jobs, struct tessera_error *err)
{
	int dir_fd = open_dir(dir, err);
	size_t count = 0, room = 0;
	struct dirent *entry;
	DIR *stream;
	int rc = -1;

	*jobs = NULL;
	if (dir_fd < 0)
		return dir_fd == -2 ? 0 : -1;
	stream = fdopendir(dir_fd);
	if (stream == NULL) {
		failed(dir, "", err);
		close(dir_fd);
		return -1;
	}
	while ((entry = readdir(stream)) != NULL) {
		uint32_t job = job_of(entry->d_name);
		uint32_t *more = *jobs;

		if (job == 0)
			continue;
		if (count == room && (more = realloc(*jobs, (room + 64) * sizeof(**jobs))) == NULL) {
			tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory for %zu jobs", count);
			goto cleanup;
		}
		room += count == room ? 64 : 0;
		*jobs = more;
		(*jobs)[count++] = job;
	}
	rc = (int)count;
cleanup:
	if (rc < 0) {
		free(*jobs);
		*jobs = NULL;
	}
	closedir(stream);
	return rc;
}
