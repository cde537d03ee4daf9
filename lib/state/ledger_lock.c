/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/state/ledger_internal.h"
#include "lib/util/file.h"

#define LEDGER_LOCK "lock"
#define POLL_NS     1000000L /* between attempts, because flock(2) has no timeout */

int ledger_set_errno(const struct tessera_ledger *ledger, const char *name,
		     enum tessera_errcode code, struct tessera_error *err)
{
	return tessera_error_set(err, code, "%s/%s: %s", ledger->dir, name, strerror(errno));
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int ledger_open_dir(struct tessera_ledger *ledger, struct tessera_error *err)
{
	struct stat st;

	ledger->dir_fd = open(ledger->dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (ledger->dir_fd < 0 && errno == ENOENT)
		return 0;
	if (ledger->dir_fd < 0 || fstat(ledger->dir_fd, &st) < 0)
		return tessera_error_set(err, TESSERA_ERR_IO, "%s: %s", ledger->dir,
					 strerror(errno));
	return file_check_trust(ledger->dir, &st, err);
}

/* Other users may read the ledger, whatever the umask is. */
static int make_dir(struct tessera_ledger *ledger, struct tessera_error *err)
{
	bool made = mkdir(ledger->dir, 0755) == 0;

	if (!made && errno != EEXIST)
		return tessera_error_set(err, file_errno_code(),
					 "%s: cannot create the directory: %s", ledger->dir,
					 strerror(errno));
	if (ledger_open_dir(ledger, err) < 0)
		return -1;
	if (made && ledger->dir_fd >= 0)
		fchmod(ledger->dir_fd, 0755);
	return 0;
}

static int open_lock(struct tessera_ledger *ledger, struct tessera_error *err)
{
	int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	char path[PATH_MAX];
	struct stat st;

	ledger->lock_fd = openat(ledger->dir_fd, LEDGER_LOCK, flags, 0600);
	if (ledger->lock_fd < 0 || fstat(ledger->lock_fd, &st) < 0)
		return ledger_set_errno(ledger, LEDGER_LOCK, file_errno_code(), err);
	/* A user who can open the file could lock it, and so block every job of the node. */
	if ((st.st_mode & 077) != 0 && fchmod(ledger->lock_fd, 0600) < 0)
		return ledger_set_errno(ledger, LEDGER_LOCK, file_errno_code(), err);
	st.st_mode &= ~(mode_t)077;
	snprintf(path, sizeof(path), "%s/" LEDGER_LOCK, ledger->dir);
	return file_check_trust(path, &st, err);
}

/*
 * Is our lock file still the one that other processes will open? An administrator may have removed
 * it, or the whole directory.
 */
static bool is_lock_current(const struct tessera_ledger *ledger)
{
	struct stat dir, other_dir, lock, other_lock;

	return fstat(ledger->dir_fd, &dir) == 0 && lstat(ledger->dir, &other_dir) == 0 &&
	       dir.st_dev == other_dir.st_dev && dir.st_ino == other_dir.st_ino &&
	       fstat(ledger->lock_fd, &lock) == 0 &&
	       fstatat(ledger->dir_fd, LEDGER_LOCK, &other_lock, AT_SYMLINK_NOFOLLOW) == 0 &&
	       lock.st_dev == other_lock.st_dev && lock.st_ino == other_lock.st_ino;
}

/* Returns 1 with the lock, 0 if the lock file was removed meanwhile, -1 with ERR. */
static int try_lock(struct tessera_ledger *ledger, int64_t deadline, struct tessera_error *err)
{
	const struct timespec pause = {.tv_nsec = POLL_NS};

	if (ledger_open_dir(ledger, err) < 0 || (ledger->dir_fd < 0 && make_dir(ledger, err) < 0))
		return -1;
	if (ledger->dir_fd < 0)
		return 0;
	if (open_lock(ledger, err) < 0)
		return -1;
	while (flock(ledger->lock_fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return ledger_set_errno(ledger, LEDGER_LOCK, TESSERA_ERR_IO, err);
		if (now_ms() >= deadline)
			return tessera_error_set(
				err, TESSERA_ERR_UNAVAILABLE,
				"timed out waiting for %s/" LEDGER_LOCK
				", which another process holds: try again; fuser -v shows the "
				"process",
				ledger->dir);
		nanosleep(&pause, NULL);
	}
	return is_lock_current(ledger) ? 1 : 0;
}

int ledger_lock(struct tessera_ledger *ledger, unsigned wait_ms, struct tessera_error *err)
{
	int64_t deadline = now_ms() + wait_ms;
	int rc;

	while ((rc = try_lock(ledger, deadline, err)) == 0) {
		ledger_unlock(ledger);
		if (now_ms() >= deadline)
			return tessera_error_set(err, TESSERA_ERR_IO,
						 "%s/" LEDGER_LOCK
						 " was removed while waiting for it: try again",
						 ledger->dir);
	}
	return rc < 0 ? -1 : 0;
}

/*
 * Unlocks explicitly: a child process that was forked meanwhile has the lock file open as well, so
 * that close() alone would not release the lock.
 */
void ledger_unlock(struct tessera_ledger *ledger)
{
	if (ledger->lock_fd >= 0) {
		flock(ledger->lock_fd, LOCK_UN);
		close(ledger->lock_fd);
	}
	if (ledger->dir_fd >= 0)
		close(ledger->dir_fd);
	ledger->lock_fd = -1;
	ledger->dir_fd = -1;
}
