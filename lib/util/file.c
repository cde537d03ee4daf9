/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/util/file.h"

#define MIB ((size_t)1024 * 1024)

int file_check_trust(const char *path, const struct stat *st, struct tessera_error *err)
{
	if (st->st_uid != 0 && st->st_uid != geteuid())
		return tessera_error_set(err, TESSERA_ERR_DENIED,
					 "%s: owned by uid %ju, must be root (chown root)", path,
					 (uintmax_t)st->st_uid);
	if ((st->st_mode & (S_IWGRP | S_IWOTH)) != 0)
		return tessera_error_set(
			err, TESSERA_ERR_DENIED,
			"%s: its mode is %03o, so group or others can write to it (chmod go-w)",
			path, (unsigned)(st->st_mode & 0777));
	return 0;
}

/* Read at most MAX bytes. Returns the number of bytes, or -1. */
static ssize_t read_all(int fd, char *buf, size_t max)
{
	size_t used = 0;
	ssize_t n = 1;

	while (used < max && n > 0) {
		n = read(fd, buf + used, max - used);
		if (n < 0 && errno == EINTR)
			n = 1;
		else if (n > 0)
			used += (size_t)n;
	}
	return n < 0 ? -1 : (ssize_t)used;
}

char *file_read(int fd, const char *path, size_t max_mib, bool trusted, size_t *len,
		struct tessera_error *err)
{
	char *text = NULL;
	ssize_t used;
	struct stat st;

	if (fstat(fd, &st) < 0)
		goto failed;
	if (!S_ISREG(st.st_mode)) {
		tessera_error_set(err, TESSERA_ERR_IO, "%s: not a regular file", path);
		return NULL;
	}
	if ((uintmax_t)st.st_size > max_mib * MIB) {
		tessera_error_set(err, TESSERA_ERR_IO, "%s: larger than %zu MiB", path, max_mib);
		return NULL;
	}
	if (trusted && file_check_trust(path, &st, err) < 0)
		return NULL;
	text = malloc((size_t)st.st_size + 1);
	if (text == NULL) {
		tessera_error_nomem(err);
		return NULL;
	}
	used = read_all(fd, text, (size_t)st.st_size);
	if (used < 0)
		goto failed;
	text[used] = '\0';
	*len = (size_t)used;
	return text;
failed:
	tessera_error_set(err, TESSERA_ERR_IO, "%s: %s", path, strerror(errno));
	free(text);
	return NULL;
}

enum tessera_errcode file_errno_code(void)
{
	/* EROFS is not a matter of permissions: the file system may become writable again. */
	return errno == EACCES || errno == EPERM ? TESSERA_ERR_DENIED : TESSERA_ERR_IO;
}

static bool is_same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

bool file_same_version(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       is_same_time(&a->st_mtim, &b->st_mtim) && is_same_time(&a->st_ctim, &b->st_ctim);
}
