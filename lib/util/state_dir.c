/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/util/file.h"
#include "lib/util/state_dir.h"

static int set_write_error(const char *dir, int code, struct tessera_error *err)
{
	return tessera_error_set(err, TESSERA_ERR_IO, "cannot write %s: %s", dir, strerror(code));
}

int state_dir_errno(const struct statvfs *fs, bool root)
{
	if ((fs->f_flag & ST_RDONLY) != 0)
		return EROFS;
	/* A file system without a limit reports a total of 0. */
	if (fs->f_blocks > 0 && (root ? fs->f_bfree : fs->f_bavail) == 0)
		return ENOSPC;
	if (fs->f_files > 0 && (root ? fs->f_ffree : fs->f_favail) == 0)
		return ENOSPC;
	return 0;
}

int state_dir_check(const char *dir, struct tessera_error *err)
{
	struct statvfs fs;
	struct stat st;
	int code;

	if (lstat(dir, &st) < 0)
		return set_write_error(dir, errno, err);
	if (!S_ISDIR(st.st_mode))
		return set_write_error(dir, ENOTDIR, err);
	if (file_check_trust(dir, &st, err) < 0)
		return -1;
	if (statvfs(dir, &fs) < 0)
		return set_write_error(dir, errno, err);
	code = state_dir_errno(&fs, geteuid() == 0);
	return code == 0 ? 0 : set_write_error(dir, code, err);
}

int state_dir_make(const char *dir, struct tessera_error *err)
{
	if (mkdir(dir, 0755) == 0) {
		/* mkdir() applied the umask. */
		if (chmod(dir, 0755) < 0)
			return set_write_error(dir, errno, err);
	} else if (errno != EEXIST) {
		return set_write_error(dir, errno, err);
	}
	return state_dir_check(dir, err);
}
