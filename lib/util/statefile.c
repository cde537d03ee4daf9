/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/util/array.h"
#include "lib/util/deadline.h"
#include "lib/util/file.h"
#include "lib/util/scan.h"
#include "lib/util/statefile.h"

#define NAME_MAX_LEN  64
#define FILE_MAX_MIB  1
#define LOCK_PAUSE_MS 10

static void format_name(const char *prefix, uint32_t job, char *buf, size_t len)
{
	snprintf(buf, len, "%s.%u", prefix, job);
}

/*
 * The name of JOB's file until it is complete. It needs no PID, because only one process at a time
 * writes a job's file. A killed writer leaves it behind, and statefile_jobs() finds it.
 */
static void format_temp_name(const char *prefix, uint32_t job, char *buf, size_t len)
{
	snprintf(buf, len, ".%s.%u", prefix, job);
}

static int set_errno_error(const char *dir, const char *name, struct tessera_error *err)
{
	return tessera_error_set(err, file_errno_code(), "%s%s%s: %s", dir,
				 name[0] != '\0' ? "/" : "", name, strerror(errno));
}

/*
 * Open DIR, if its owner and mode can be trusted. Returns its descriptor; -1 with ERR; or -2 if DIR
 * does not exist.
 */
static int open_dir(const char *dir, struct tessera_error *err)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return errno == ENOENT ? -2 : set_errno_error(dir, "", err);
	if (fstat(fd, &st) < 0 || file_check_trust(dir, &st, err) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* The same, but create DIR if it does not exist. */
static int open_or_make_dir(const char *dir, struct tessera_error *err)
{
	int fd = open_dir(dir, err);

	if (fd != -2)
		return fd;
	if (mkdir(dir, 0755) < 0 && errno != EEXIST)
		return set_errno_error(dir, "", err);
	fd = open_dir(dir, err);
	return fd == -2 ? set_errno_error(dir, "", err) : fd;
}

static int write_all(int fd, const char *text, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		text += n;
		len -= (size_t)n;
	}
	return 0;
}

/* EINVAL: the file system cannot fsync a directory, and the rename must do. */
static int sync_dir(int dir_fd)
{
	return fsync(dir_fd) == 0 || errno == EINVAL ? 0 : -1;
}

int statefile_replace(int dir_fd, const char *dir, const char *temp, const char *name,
		      const char *text, size_t len, struct tessera_error *err)
{
	int fd, rc;

	/* A killed writer may have left it; or it is a link, which must not be followed. */
	if (unlinkat(dir_fd, temp, 0) < 0 && errno != ENOENT)
		return set_errno_error(dir, temp, err);
	fd = openat(dir_fd, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return set_errno_error(dir, temp, err);
	rc = write_all(fd, text, len);
	/* The mode must not depend on the umask. */
	if (rc == 0)
		rc = fchmod(fd, 0644);
	if (rc == 0)
		rc = fsync(fd);
	if (close(fd) < 0)
		rc = -1;
	if (rc == 0)
		rc = renameat(dir_fd, temp, dir_fd, name);
	if (rc < 0) {
		set_errno_error(dir, name, err);
		unlinkat(dir_fd, temp, 0);
		return -1;
	}
	return sync_dir(dir_fd) == 0 ? 0 : set_errno_error(dir, name, err);
}

int statefile_replace_path(const char *path, const char *text, size_t len,
			   struct tessera_error *err)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash != NULL ? slash + 1 : path;
	char temp[NAME_MAX + 1], dir[PATH_MAX] = ".";
	int dir_fd, rc;

	if (slash != NULL)
		rc = snprintf(dir, sizeof(dir), "%.*s", (int)(slash - path), path);
	else
		rc = 0;
	if (rc >= (int)sizeof(dir) || snprintf(temp, sizeof(temp), ".%s.%jd", name,
					       (intmax_t)getpid()) >= (int)sizeof(temp)) {
		errno = ENAMETOOLONG;
		return set_errno_error(path, "", err);
	}
	dir_fd = open(dir[0] != '\0' ? dir : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir_fd < 0)
		return set_errno_error(path, "", err);
	rc = statefile_replace(dir_fd, dir, temp, name, text, len, err);
	close(dir_fd);
	return rc;
}

static int replace_in_dir(const char *dir, const char *temp, const char *name, const char *text,
			  size_t len, struct tessera_error *err)
{
	int dir_fd = open_or_make_dir(dir, err);
	int rc;

	if (dir_fd < 0)
		return -1;
	rc = statefile_replace(dir_fd, dir, temp, name, text, len, err);
	close(dir_fd);
	return rc;
}

int statefile_write(const char *dir, const char *prefix, uint32_t job, const char *text, size_t len,
		    struct tessera_error *err)
{
	char name[NAME_MAX_LEN], temp[NAME_MAX_LEN];

	format_name(prefix, job, name, sizeof(name));
	format_temp_name(prefix, job, temp, sizeof(temp));
	return replace_in_dir(dir, temp, name, text, len, err);
}

int statefile_write_file(const char *dir, const char *name, const char *text, size_t len,
			 struct tessera_error *err)
{
	char temp[NAME_MAX_LEN];

	snprintf(temp, sizeof(temp), ".%s.new", name);
	return replace_in_dir(dir, temp, name, text, len, err);
}

int statefile_read_file(const char *dir, const char *name, char **text, size_t *len,
			struct tessera_error *err)
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
		rc = errno == ENOENT ? 1 : set_errno_error(dir, name, err);
		goto cleanup;
	}
	*text = file_read(fd, path, FILE_MAX_MIB, true, len, err);
	rc = *text != NULL ? 0 : -1;
	close(fd);
cleanup:
	close(dir_fd);
	return rc;
}

int statefile_read(const char *dir, const char *prefix, uint32_t job, char **text, size_t *len,
		   struct tessera_error *err)
{
	char name[NAME_MAX_LEN];

	format_name(prefix, job, name, sizeof(name));
	return statefile_read_file(dir, name, text, len, err);
}

int statefile_touch(const char *dir, const char *prefix, uint32_t job, struct tessera_error *err)
{
	int dir_fd = open_or_make_dir(dir, err);
	char name[NAME_MAX_LEN];
	int fd;

	if (dir_fd < 0)
		return -1;
	format_name(prefix, job, name, sizeof(name));
	fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644);
	if (fd < 0)
		set_errno_error(dir, name, err);
	else
		close(fd);
	close(dir_fd);
	return fd < 0 ? -1 : 0;
}

bool statefile_exists(const char *dir, const char *prefix, uint32_t job)
{
	char name[NAME_MAX_LEN], path[1024];

	format_name(prefix, job, name, sizeof(name));
	return snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path) ||
	       access(path, F_OK) == 0 || errno != ENOENT;
}

int statefile_drop(const char *dir, const char *prefix, uint32_t job, struct tessera_error *err)
{
	int dir_fd = open_dir(dir, err);
	char name[NAME_MAX_LEN];
	int rc = 0;

	if (dir_fd < 0)
		return dir_fd == -2 ? 0 : -1;
	format_name(prefix, job, name, sizeof(name));
	if (unlinkat(dir_fd, name, 0) < 0 && errno != ENOENT)
		rc = set_errno_error(dir, name, err);
	format_temp_name(prefix, job, name, sizeof(name));
	unlinkat(dir_fd, name, 0);
	close(dir_fd);
	return rc;
}

/*
 * Is NAME the file of a job, and of which *JOB? A temporary file counts only if the job has no
 * complete file.
 */
static bool is_job_file(int dir_fd, const char *name, const char *prefix, uint32_t *job)
{
	bool complete = name[0] != '.';
	struct scan r = {.at = complete ? name : name + 1};

	scan_expect(&r, prefix);
	*job = (uint32_t)scan_number(&r, ".", UINT32_MAX);
	if (r.failed || *r.at != '\0')
		return false;
	return complete || faccessat(dir_fd, name + 1, F_OK, 0) != 0;
}

int statefile_jobs(const char *dir, const char *prefix, uint32_t least, uint32_t **jobs,
		   struct tessera_error *err)
{
	int dir_fd = open_dir(dir, err);
	size_t count = 0;
	struct dirent *entry;
	uint32_t job = 0;
	DIR *stream;
	int rc = -1;

	*jobs = NULL;
	if (dir_fd < 0)
		return dir_fd == -2 ? 0 : -1;
	stream = fdopendir(dir_fd);
	if (stream == NULL) {
		set_errno_error(dir, "", err);
		close(dir_fd);
		return -1;
	}
	while ((entry = readdir(stream)) != NULL) {
		uint32_t *more;

		if (!is_job_file(dirfd(stream), entry->d_name, prefix, &job) || job < least)
			continue;
		more = array_grow(*jobs, count, sizeof(*more));
		if (more == NULL) {
			tessera_error_nomem(err);
			goto cleanup;
		}
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

int statefile_lock(const char *dir, const char *name, struct tessera_error *err)
{
	return statefile_lock_within(dir, name, 0, err);
}

/* Polls, because flock() has no time limit. Returns 0, or -1. */
static int lock_within(int fd, unsigned wait_ms)
{
	int64_t end = deadline_now() + wait_ms;
	unsigned pause = 1;
	int rc;

	while ((rc = flock(fd, LOCK_EX | LOCK_NB)) < 0 && deadline_left(end) > 0)
		deadline_pause(end, &pause, LOCK_PAUSE_MS);
	return rc;
}

int statefile_lock_within(const char *dir, const char *name, unsigned wait_ms,
			  struct tessera_error *err)
{
	int dir_fd = open_or_make_dir(dir, err);
	int fd;

	if (dir_fd < 0)
		return -1;
	/* Mode 600: any user who can open the file could hold the lock for ever. */
	fd = openat(dir_fd, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	close(dir_fd);
	if (fd < 0)
		return set_errno_error(dir, name, err);
	if (lock_within(fd, wait_ms) == 0)
		return fd;
	close(fd);
	return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
				 "%s/%s is held by another process: try again when it has ended",
				 dir, name);
}
