/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recorded outputs of the vendors' tools, below test/fixtures/.
 */
#ifndef TESSERA_FIXTURE_H
#define TESSERA_FIXTURE_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

/* The text of a file, to be freed. srcdir is set by make check and by ./check. */
static inline char *fixture(const char *name)
{
	const char *srcdir = getenv("srcdir");
	char *text = calloc(1, 65536);
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/test/fixtures/%s", srcdir != NULL ? srcdir : ".", name);
	f = fopen(path, "r");
	ck_assert_msg(f != NULL, "%s is missing: set srcdir", path);
	ck_assert_ptr_nonnull(text);
	ck_assert_uint_gt(fread(text, 1, 65535, f), 0);
	fclose(f);
	return text;
}

#endif /* TESSERA_FIXTURE_H */
