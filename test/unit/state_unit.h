/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the tests of files in StateDir: a directory of their own, which does not exist yet.
 */
#ifndef TESSERA_STATE_UNIT_H
#define TESSERA_STATE_UNIT_H

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test/unit/unit.h"

static char top[] = "/tmp/tessera-state.XXXXXX";
static char dir[64];

static void setup(void)
{
	ck_assert_ptr_nonnull(mkdtemp(top));
	snprintf(dir, sizeof(dir), "%s/state", top);
}

static void teardown(void)
{
	DIR *stream = opendir(dir);
	struct dirent *entry;

	while (stream != NULL && (entry = readdir(stream)) != NULL)
		unlinkat(dirfd(stream), entry->d_name, 0);
	if (stream != NULL)
		closedir(stream);
	rmdir(dir);
	rmdir(top);
	memcpy(top + sizeof(top) - 7, "XXXXXX", 6);
}

/* Write TEXT to a file in the directory. */
static inline void write_file(const char *name, const char *text, mode_t mode)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
	ck_assert_int_eq(chmod(path, mode), 0);
}

#endif /* TESSERA_STATE_UNIT_H */
