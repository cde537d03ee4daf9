/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A directory in place of /proc, with processes that a test makes. */
#ifndef TESSERA_DEVICE_USERS_UNIT_H
#define TESSERA_DEVICE_USERS_UNIT_H

#include <errno.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test/unit/unit.h"

static char proc[] = "/tmp/tessera-proc.XXXXXX";

static inline void proc_setup(void)
{
	ck_assert_ptr_nonnull(mkdtemp(proc));
}

static inline int remove_one(const char *path, const struct stat *st, int type, struct FTW *walk)
{
	(void)st;
	(void)type;
	(void)walk;
	return remove(path);
}

static inline void proc_teardown(void)
{
	nftw(proc, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	memcpy(proc + sizeof(proc) - 7, "XXXXXX", 6);
}

static inline void make_dir(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", proc, name);
	ck_assert_msg(mkdir(path, 0755) == 0 || errno == EEXIST, "%s", path);
}

static inline void make_file(const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", proc, name);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

static inline void make_link(const char *name, const char *to)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", proc, name);
	ck_assert_int_eq(symlink(to, path), 0);
}

static inline const char *in_dir(const char *pid, const char *name)
{
	static char path[64];

	snprintf(path, sizeof(path), "%s/%s", pid, name);
	return path;
}

/* A process with a start time of ten times its pid, and FILE, unless NULL, at descriptor 7. */
static inline void make_process(const char *pid, uint32_t uid, const char *name, const char *file)
{
	char text[256];

	make_dir(pid);
	make_dir(in_dir(pid, "fd"));
	make_link(in_dir(pid, "fd/0"), "/dev/null");
	make_link(in_dir(pid, "fd/1"), "pipe:[4711]");
	if (file != NULL)
		make_link(in_dir(pid, "fd/7"), file);
	snprintf(text, sizeof(text),
		 "Name:\t%s\nUmask:\t0022\nUid:\t%u\t1\t2\t3\nGid:\t8\t8\t8\t8\n", name, uid);
	make_file(in_dir(pid, "status"), text);
	snprintf(text, sizeof(text), "%s\n", name);
	make_file(in_dir(pid, "comm"), text);
	snprintf(text, sizeof(text), "%s (%s) S 1 1 1 0 -1 1 1 1 1 1 1 1 1 1 20 0 1 0 %s0 4 5 6\n",
		 pid, name, pid);
	make_file(in_dir(pid, "stat"), text);
}

/* A process whose environment blocks its readers: it is a pipe without a writer. */
static inline void make_waiting(const char *pid)
{
	char path[128];

	make_dir(pid);
	snprintf(path, sizeof(path), "%s/%s/environ", proc, pid);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
}

#endif /* TESSERA_DEVICE_USERS_UNIT_H */
