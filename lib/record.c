/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/deadline.h"
#include "lib/file.h"
#include "lib/reader.h"
#include "lib/record.h"

#define NAME_MAX_LEN  64
#define FILE_MAX_MIB  1
#define LOCK_PAUSE_MS 10

static void file_name(const char *prefix, uint32_t job, char *buf, size_t len)
{
	snprintf(buf, len, "%s.%u", prefix, job);
}

/* Its name until it is complete. Only one process at a time writes of a job; who is killed leaves it to be found. */
static void new_name(const char *prefix, uint32_t job, char *buf, size_t len)
{
	snprintf(buf, len, ".%s.%u", prefix, job);
}

static int failed(const char *dir, const char *name, struct tessera_error *err)
{
	return tessera_error_set(err, file_errno_code(), "%s%s%s: %s", dir, name[0] != '\0' ? "/" : "", name,
				 strerror(errno));
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

/*
 * SYNC: what must outlive the machine, not only this process, is on the disk before the old file goes. (A directory in
 * memory does not mind.)
 */
static int replace(const char *dir, const char *new, const char *name, const char *text, size_t len, bool sync,
		   struct tessera_error *err)
{
	int dir_fd = make_dir(dir, err);
	int fd = -1, rc = -1;

	if (dir_fd < 0)
		return -1;
	fd = openat(dir_fd, new, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0) {
		failed(dir, new, err);
		goto cleanup;
	}
	/* Whatever the umask is. */
	if (write_all(fd, text, len) < 0 || fchmod(fd, 0644) < 0 || (sync && fsync(fd) < 0) ||
	    renameat(dir_fd, new, dir_fd, name) < 0) {
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

int record_write(const char *dir, const char *prefix, uint32_t job, const char *text, size_t len,
		 struct tessera_error *err)
{
	char name[NAME_MAX_LEN], new[NAME_MAX_LEN];

	file_name(prefix, job, name, sizeof(name));
	new_name(prefix, job, new, sizeof(new));
	return replace(dir, new, name, text, len, false, err);
}

int record_write_file(const char *dir, const char *name, const char *text, size_t len, struct tessera_error *err)
{
	char new[NAME_MAX_LEN];

	snprintf(new, sizeof(new), ".%s.new", name);
	return replace(dir, new, name, text, len, true, err);
}

int record_read_file(const char *dir, const char *name, char **text, size_t *len, struct tessera_error *err)
{
	int dir_fd = open_dir(dir, err);
	char path[512];
	int fd, rc = -1;

	*text = NULL;
	*len = 0;
	if (dir_fd < 0)
		return dir_fd == -2 ? 1 : -1;
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0) {
		rc = errno == ENOENT ? 1 : failed(dir, name, err);
		goto cleanup;
	}
	*text = file_read(fd, path, FILE_MAX_MIB, true, len, err);
	rc = *text != NULL ? 0 : -1;
	close(fd);
cleanup:
	close(dir_fd);
	return rc;
}

int record_read(const char *dir, const char *prefix, uint32_t job, char **text, size_t *len,
		struct tessera_error *err)
{
	char name[NAME_MAX_LEN];

	file_name(prefix, job, name, sizeof(name));
	return record_read_file(dir, name, text, len, err);
}

int record_touch(const char *dir, const char *prefix, uint32_t job, struct tessera_error *err)
{
	int dir_fd = make_dir(dir, err);
	char name[NAME_MAX_LEN];
	int fd;

	if (dir_fd < 0)
		return -1;
	file_name(prefix, job, name, sizeof(name));
	fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644);
	if (fd < 0)
		failed(dir, name, err);
	else
		close(fd);
	close(dir_fd);
	return fd < 0 ? -1 : 0;
}

bool record_exists(const char *dir, const char *prefix, uint32_t job)
{
	char name[NAME_MAX_LEN], path[1024];

	file_name(prefix, job, name, sizeof(name));
	return snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path) || access(path, F_OK) == 0 ||
	       errno != ENOENT;
}

int record_drop(const char *dir, const char *prefix, uint32_t job, struct tessera_error *err)
{
	int dir_fd = open_dir(dir, err);
	char name[NAME_MAX_LEN];
	int rc = 0;

	if (dir_fd < 0)
		return dir_fd == -2 ? 0 : -1;
	file_name(prefix, job, name, sizeof(name));
	if (unlinkat(dir_fd, name, 0) < 0 && errno != ENOENT)
		rc = failed(dir, name, err);
	new_name(prefix, job, name, sizeof(name));
	unlinkat(dir_fd, name, 0);
	close(dir_fd);
	return rc;
}

/* Is the file one of ours, and whose? One that was never completed counts where there is no other. */
static bool is_record(int dir_fd, const char *name, const char *prefix, uint32_t *job)
{
	bool complete = name[0] != '.';
	struct reader r = {.at = complete ? name : name + 1};

	reader_expect(&r, prefix);
	*job = (uint32_t)reader_number(&r, ".", UINT32_MAX);
	if (r.failed || *r.at != '\0')
		return false;
	return complete || faccessat(dir_fd, name + 1, F_OK, 0) != 0;
}

int record_jobs(const char *dir, const char *prefix, uint32_t least, uint32_t **jobs, struct tessera_error *err)
{
	int dir_fd = open_dir(dir, err);
	size_t count = 0, room = 0;
	struct dirent *entry;
	uint32_t job = 0;
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
		uint32_t *more = *jobs;

		if (!is_record(dirfd(stream), entry->d_name, prefix, &job) || job < least)
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

int record_lock(const char *dir, const char *name, struct tessera_error *err)
{
	return record_lock_within(dir, name, 0, err);
}

/* flock() has no deadline of its own. Returns 0, or -1. */
static int lock_within(int fd, unsigned wait_ms)
{
	int64_t end = deadline_now() + wait_ms;
	unsigned pause = 1;
	int rc;

	while ((rc = flock(fd, LOCK_EX | LOCK_NB)) < 0 && deadline_left(end) > 0)
		deadline_pause(end, &pause, LOCK_PAUSE_MS);
	return rc;
}

int record_lock_within(const char *dir, const char *name, unsigned wait_ms, struct tessera_error *err)
{
	int dir_fd = make_dir(dir, err);
	int fd;

	if (dir_fd < 0)
		return -1;
	/* Who can open it could keep it. */
	fd = openat(dir_fd, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	close(dir_fd);
	if (fd < 0)
		return failed(dir, name, err);
	if (lock_within(fd, wait_ms) == 0)
		return fd;
	close(fd);
	return tessera_error_set(err, TESSERA_ERR_MISSING,
				 "%s/%s is held by another process that does the same: try again when it has ended",
				 dir, name);
}
