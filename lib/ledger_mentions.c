/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/ledger.h"

bool tessera_ledger_mentions(const char *dir, uint32_t job)
{
	static const char title[] = "tessera-ledger 1 ";
	char path[1024], row[32], buf[4096];
	size_t len, keep = 0;
	bool found = false, first = true;
	ssize_t n = 0;
	int fd;

	if (snprintf(path, sizeof(path), "%s/ledger", dir) >= (int)sizeof(path))
		return true;
	len = (size_t)snprintf(row, sizeof(row), "\njob %u ", job);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return errno != ENOENT;
	/* A row may lie across two reads: the end of each is kept for the next. The first line is the file's title. */
	while (!found && (n = read(fd, buf + keep, sizeof(buf) - keep)) > 0) {
		size_t have = keep + (size_t)n;

		/* What is no ledger may say anything. */
		if (first && (have < sizeof(title) || memcmp(buf, title, sizeof(title) - 1) != 0)) {
			close(fd);
			return true;
		}
		first = false;
		found = memmem(buf, have, row, len) != NULL;
		keep = have < len - 1 ? have : len - 1;
		memmove(buf, buf + have - keep, keep);
	}
	close(fd);
	return found || n < 0 || first;
}
