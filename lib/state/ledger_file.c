/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/state/ledger_internal.h"
#include "lib/util/file.h"
#include "lib/util/statefile.h"

#define LEDGER_NEW   "ledger.new"
#define FILE_MAX_MIB 4 /* more than TESSERA_LEDGER_ROWS_MAX rows with the longest texts need */

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

/* Reading */

/* Read the file into LEDGER, which stays empty if there is none. */
static int load_file(struct tessera_ledger *ledger, struct tessera_error *err)
{
	size_t len = 0;
	int fd = -1, rc;

	errno = ENOENT;
	if (ledger->dir_fd >= 0)
		fd = openat(ledger->dir_fd, LEDGER_FILE,
			    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT) {
		ledger->text = ledger_format(ledger);
		return ledger->text != NULL ? 0 : tessera_error_nomem(err);
	}
	if (fd < 0)
		return ledger_set_errno(ledger, LEDGER_FILE, TESSERA_ERR_IO, err);
	ledger->text = file_read(fd, ledger->path, FILE_MAX_MIB, true, &len, err);
	rc = ledger->text != NULL ? ledger_parse(ledger, ledger->path, ledger->text, len, err) : -1;
	close(fd);
	return rc;
}

int tessera_ledger_read(const char *dir, const struct tessera_platform *p,
			struct tessera_ledger **ledger, struct tessera_error *err)
{
	struct tessera_ledger *new = ledger_new(p, dir);

	*ledger = NULL;
	if (new == NULL)
		return tessera_error_nomem(err);
	if (ledger_open_dir(new, err) < 0 || load_file(new, err) < 0) {
		tessera_ledger_close(new);
		return -1;
	}
	*ledger = new;
	return 0;
}

/* Search FD, from its beginning, for a row of JOB. True also if it is not a ledger. */
static bool search_job(int fd, uint32_t job)
{
	char row[32], buf[4096];
	size_t row_len = (size_t)snprintf(row, sizeof(row), "\njob %u ", job);
	size_t tail = 0; /* bytes of the previous read: a row may lie across two reads */
	bool found = false, first = true;
	ssize_t n = 0;

	while (!found && (n = read(fd, buf + tail, sizeof(buf) - tail)) > 0) {
		size_t len = tail + (size_t)n;

		if (first && (len < sizeof(LEDGER_TITLE) ||
			      memcmp(buf, LEDGER_TITLE, strlen(LEDGER_TITLE)) != 0))
			return true;
		first = false;
		found = memmem(buf, len, row, row_len) != NULL;
		tail = len < row_len - 1 ? len : row_len - 1;
		memmove(buf, buf + len - tail, tail);
	}
	return found || n < 0 || first;
}

bool tessera_ledger_may_have_job(const char *dir, uint32_t job)
{
	char path[1024];
	bool found;
	int fd;

	if (snprintf(path, sizeof(path), "%s/" LEDGER_FILE, dir) >= (int)sizeof(path))
		return true;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return errno != ENOENT;
	found = search_job(fd, job);
	close(fd);
	return found;
}

/* Changing */

int tessera_ledger_open(const char *dir, const struct tessera_platform *p, unsigned wait_ms,
			struct tessera_ledger **ledger, struct tessera_error *err)
{
	struct tessera_ledger *new = ledger_new(p, dir);

	*ledger = NULL;
	if (new == NULL)
		return tessera_error_nomem(err);
	if (ledger_lock(new, wait_ms, err) < 0 || load_file(new, err) < 0) {
		tessera_ledger_close(new);
		return -1;
	}
	*ledger = new;
	return 0;
}

/* Parse TEXT before it replaces the ledger, so that a bug here cannot give a tile two owners. */
static int check_readable(const struct tessera_ledger *ledger, const char *text,
			  struct tessera_error *err)
{
	struct tessera_ledger *copy = ledger_new(&ledger->platform, "");
	int rc = copy != NULL
			 ? ledger_parse(copy, "new ledger, not written", text, strlen(text), err)
			 : tessera_error_nomem(err);

	tessera_ledger_close(copy);
	return rc;
}

int tessera_ledger_commit(struct tessera_ledger *ledger, struct tessera_error *err)
{
	char *text;

	if (ledger->lock_fd < 0)
		return tessera_error_set(err, TESSERA_ERR_DENIED, "%s is open read-only",
					 ledger->path);
	text = ledger_format(ledger);
	if (text == NULL)
		return tessera_error_nomem(err);
	if (strcmp(text, ledger->text) != 0) {
		if (check_readable(ledger, text, err) < 0 ||
		    statefile_replace(ledger->dir_fd, ledger->dir, LEDGER_NEW, LEDGER_FILE, text,
				      strlen(text), err) < 0) {
			free(text);
			return -1;
		}
	}
	free(ledger->text);
	ledger->text = text;
	return 0;
}
