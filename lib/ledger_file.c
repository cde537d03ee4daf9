/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/file.h"
#include "lib/ledger_parts.h"

#define LEDGER_NEW   "ledger.new"
#define FILE_MAX_MIB 4 /* TESSERA_LEDGER_ROWS_MAX rows with the longest texts are less */

struct tessera_ledger *ledger_new(const struct tessera_platform *p, const char *dir)
{
	struct tessera_ledger *ledger = calloc(1, sizeof(*ledger));

	if (ledger == NULL)
		return NULL;
	ledger->platform = *p;
	ledger->dir_fd = -1;
	ledger->lock_fd = -1;
	ledger->dir = strdup(dir);
	if (ledger->dir == NULL || asprintf(&ledger->path, "%s/" LEDGER_FILE, dir) < 0) {
		free(ledger->dir);
		free(ledger);
		return NULL;
	}
	return ledger;
}

void tessera_ledger_close(struct tessera_ledger *ledger)
{
	if (ledger == NULL)
		return;
	ledger_unlock(ledger);
	free(ledger->dir);
	free(ledger->path);
	free(ledger->text);
	free(ledger->rows);
	free(ledger->steps);
	free(ledger);
}

static int no_memory(struct tessera_error *err)
{
	return tessera_error_set(err, TESSERA_ERR_MISSING, "there is no memory left for the ledger");
}

/* Reading */

/* The file, or an empty ledger if there is none. */
static int load(struct tessera_ledger *ledger, struct tessera_error *err)
{
	size_t len = 0;
	int fd = -1, rc;

	errno = ENOENT;
	if (ledger->dir_fd >= 0)
		fd = openat(ledger->dir_fd, LEDGER_FILE, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT) {
		ledger->text = ledger_format(ledger);
		return ledger->text != NULL ? 0 : no_memory(err);
	}
	if (fd < 0)
		return ledger_failed(ledger, LEDGER_FILE, TESSERA_ERR_MISSING, err);
	ledger->text = file_read(fd, ledger->path, FILE_MAX_MIB, true, &len, err);
	rc = ledger->text != NULL ? ledger_parse(ledger, ledger->path, ledger->text, len, err) : -1;
	close(fd);
	return rc;
}

int tessera_ledger_read(const char *dir, const struct tessera_platform *p, struct tessera_ledger **ledger,
			struct tessera_error *err)
{
	struct tessera_ledger *new = ledger_new(p, dir);

	*ledger = NULL;
	if (new == NULL)
		return no_memory(err);
	if (ledger_open_dir(new, err) < 0 || load(new, err) < 0) {
		tessera_ledger_close(new);
		return -1;
	}
	*ledger = new;
	return 0;
}

/* Changing */

int tessera_ledger_open(const char *dir, const struct tessera_platform *p, unsigned wait_ms,
			struct tessera_ledger **ledger, struct tessera_error *err)
{
	struct tessera_ledger *new = ledger_new(p, dir);

	*ledger = NULL;
	if (new == NULL)
		return no_memory(err);
	if (ledger_lock(new, wait_ms, err) < 0 || load(new, err) < 0) {
		tessera_ledger_close(new);
		return -1;
	}
	*ledger = new;
	return 0;
}

/* Nothing is written that would not be read again: so no tile gets a second owner by a mistake in this library. */
static int check_readable(const struct tessera_ledger *ledger, const char *text, struct tessera_error *err)
{
	struct tessera_ledger *copy = ledger_new(&ledger->platform, "");
	int rc = copy != NULL ? ledger_parse(copy, "new ledger, not written", text, strlen(text), err)
			      : no_memory(err);

	tessera_ledger_close(copy);
	return rc;
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

/*
 * No fsync: the directory is meant to be on a file system in memory, and a machine that goes down takes all jobs with
 * it. What must be survived is the death of this process, and for that rename is enough.
 */
static int replace_file(const struct tessera_ledger *ledger, const char *text, struct tessera_error *err)
{
	int dir = ledger->dir_fd, fd, rc;

	if (unlinkat(dir, LEDGER_NEW, 0) < 0 && errno != ENOENT)
		return ledger_failed(ledger, LEDGER_NEW, file_errno_code(), err);
	fd = openat(dir, LEDGER_NEW, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return ledger_failed(ledger, LEDGER_NEW, file_errno_code(), err);
	rc = write_all(fd, text, strlen(text));
	/* Whatever the umask is. */
	if (rc == 0)
		rc = fchmod(fd, 0644);
	if (close(fd) < 0)
		rc = -1;
	if (rc == 0)
		rc = renameat(dir, LEDGER_NEW, dir, LEDGER_FILE);
	if (rc < 0) {
		ledger_failed(ledger, LEDGER_NEW, TESSERA_ERR_MISSING, err);
		unlinkat(dir, LEDGER_NEW, 0);
	}
	return rc;
}

int tessera_ledger_commit(struct tessera_ledger *ledger, struct tessera_error *err)
{
	char *text;

	if (ledger->lock_fd < 0)
		return tessera_error_set(err, TESSERA_ERR_DENIED, "%s is open for reading only", ledger->path);
	text = ledger_format(ledger);
	if (text == NULL)
		return no_memory(err);
	if (strcmp(text, ledger->text) != 0) {
		if (check_readable(ledger, text, err) < 0 || replace_file(ledger, text, err) < 0) {
			free(text);
			return -1;
		}
	}
	free(ledger->text);
	ledger->text = text;
	return 0;
}
