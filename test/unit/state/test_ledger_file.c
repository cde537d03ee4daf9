/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ledger's files: when they are written, and which owners and modes are accepted. */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

#include "lib/state/ledger_internal.h"
#include "test/unit/state/ledger_unit.h"

#define OTHER_UID 4711 /* a user who need not exist */

static ino_t inode(void)
{
	struct stat st;

	ck_assert_int_eq(stat(path_of("ledger"), &st), 0);
	return st.st_ino;
}

static unsigned mode_of(const char *path)
{
	struct stat st;

	ck_assert_int_eq(lstat(path, &st), 0);
	return (unsigned)st.st_mode & 07777;
}

static void expect_failures(enum tessera_errcode code, const char *word)
{
	expect_failure(false, code, word);
	expect_failure(true, code, word);
}

/* A ledger with job 10 on tiles 0-7. */
static void make_ledger(void)
{
	struct tessera_ledger *ledger = open_ledger();

	put_row(ledger, 10, "0-7");
	commit(ledger);
	tessera_ledger_close(ledger);
}

#define MADE \
	"tessera-ledger 1 sn30-8\njob 10 uid 1010 state held restarts 0 tiles 0-7 text -\nend 1\n"

START_TEST(written_and_read)
{
	struct tessera_ledger *ledger = open_ledger();

	put_row(ledger, 10, "0-7");
	put_row(ledger, 9, "-");
	expect_file("");
	commit(ledger);
	expect_file(
		"tessera-ledger 1 sn30-8\njob 9 uid 1009 state short restarts 0 tiles - text -\n"
		"job 10 uid 1010 state held restarts 0 tiles 0-7 text -\nend 2\n");

	/* A second change; and one that is not committed is lost. */
	ck_assert(tessera_ledger_drop(ledger, 9));
	commit(ledger);
	expect_file(MADE);
	put_row(ledger, 11, "8");
	tessera_ledger_close(ledger);
	expect_file(MADE);
	ck_assert_int_eq(access(path_of("ledger.new"), F_OK), -1);

	ledger = open_ledger();
	ck_assert_ptr_nonnull(tessera_ledger_job(ledger, 10));
	ck_assert_ptr_null(tessera_ledger_row(ledger, 1));
	ck_assert(tessera_ledger_drop(ledger, 10));
	commit(ledger);
	tessera_ledger_close(ledger);
	expect_file("tessera-ledger 1 sn30-8\nend 0\n");
}
END_TEST

START_TEST(no_change_no_write)
{
	struct tessera_ledger *ledger = open_ledger();
	ino_t before;

	/* An empty ledger is not written. */
	commit(ledger);
	ck_assert(!tessera_ledger_drop(ledger, 10));
	put_row(ledger, 10, "0-7");
	ck_assert(tessera_ledger_drop(ledger, 10));
	commit(ledger);
	ck_assert_int_eq(access(path_of("ledger"), F_OK), -1);
	put_row(ledger, 10, "0-7");
	commit(ledger);
	before = inode();
	commit(ledger);
	tessera_ledger_close(ledger);

	ledger = open_ledger();
	commit(ledger);
	put_row(ledger, 10, "0-7");
	ck_assert(!tessera_ledger_drop(ledger, 11));
	commit(ledger);
	put_row(ledger, 11, "8");
	ck_assert(tessera_ledger_drop(ledger, 11));
	commit(ledger);
	ck_assert_uint_eq(inode(), before);
	put_row(ledger, 11, "8");
	commit(ledger);
	ck_assert_uint_ne(inode(), before);
	tessera_ledger_close(ledger);
}
END_TEST

START_TEST(read_only)
{
	struct tessera_ledger *ledger;
	struct tessera_error err = {0};

	make_ledger();
	ledger = read_ledger();
	ck_assert(tessera_ledger_drop(ledger, 10));
	ck_assert_int_eq(tessera_ledger_commit(ledger, &err), -1);
	expect_error(&err, TESSERA_ERR_DENIED, "read-only");
	tessera_ledger_close(ledger);
	expect_file(MADE);

	/* Reading takes no lock, so that it works while another process has it. */
	ledger = open_ledger();
	tessera_ledger_close(read_ledger());
	tessera_ledger_close(ledger);
}
END_TEST

/* Rows that break the rules, because of a bug, are not written. */
START_TEST(two_owners_are_not_written)
{
	struct tessera_ledger *ledger;
	struct tessera_error err = {0};

	make_ledger();
	ledger = open_ledger();
	put_row(ledger, 11, "8");
	ledger->rows[1].tiles = tiles_of("7");
	ck_assert_int_eq(tessera_ledger_commit(ledger, &err), -1);
	expect_error(&err, TESSERA_ERR_INPUT, "tile 0.7 is already held by job 10");
	expect_file(MADE);
	ledger->rows[1].tiles = tiles_of("9");
	commit(ledger);
	tessera_ledger_close(ledger);
}
END_TEST

START_TEST(directories)
{
	size_t parent = strlen(dir);

	/* Created if it is missing, but not its parents; reading creates nothing. */
	strcpy(dir + parent, "/a");
	tessera_ledger_close(read_ledger());
	ck_assert_int_eq(access(dir, F_OK), -1);
	umask(077);
	make_ledger();
	ck_assert_uint_eq(mode_of(dir), 0755);
	ck_assert_uint_eq(mode_of(path_of("ledger")), 0644);
	ck_assert_uint_eq(mode_of(path_of("lock")), 0600);
	tear_down();
	umask(0);
	make_ledger();
	ck_assert_uint_eq(mode_of(dir), 0755);
	ck_assert_uint_eq(mode_of(path_of("ledger")), 0644);
	ck_assert_uint_eq(mode_of(path_of("lock")), 0600);
	tear_down();

	strcpy(dir + parent, "/a/b");
	tessera_ledger_close(read_ledger());
	expect_failure(true, TESSERA_ERR_IO,
		       "/a/b: cannot create the directory: No such file or directory");
	strcpy(dir + parent, "/f");
	write_bytes(dir, "", 0);
	expect_failures(TESSERA_ERR_IO, "/f: Not a directory");
	ck_assert_int_eq(unlink(dir), 0);

	/* Symbolic links are not followed. */
	ck_assert_int_eq(symlink("/tmp", dir), 0);
	expect_failures(TESSERA_ERR_IO, "/f: Not a directory");
	ck_assert_int_eq(unlink(dir), 0);
	dir[parent] = '\0';
}
END_TEST

START_TEST(invalid_files)
{
	static char large[4 * 1024 * 1024 + 1];
	char buf[8];

	ck_assert_int_eq(mkdir(path_of("ledger"), 0755), 0);
	expect_failures(TESSERA_ERR_IO, "/ledger: not a regular file");
	ck_assert_int_eq(rmdir(path_of("ledger")), 0);
	ck_assert_int_eq(mkfifo(path_of("ledger"), 0644), 0);
	expect_failures(TESSERA_ERR_IO, "/ledger: not a regular file");
	ck_assert_int_eq(unlink(path_of("ledger")), 0);
	write_bytes(path_of("ledger"), large, sizeof(large));
	expect_failures(TESSERA_ERR_IO, "4 MiB");
	write_bytes(path_of("ledger"), large, sizeof(large) - 1);
	expect_failures(TESSERA_ERR_INPUT, "/ledger:1: ");
	write_bytes(path_of("ledger"), "", 0);
	expect_failures(TESSERA_ERR_INPUT, "/ledger:1: the file is truncated");
	ck_assert_int_eq(unlink(path_of("ledger")), 0);

	/* Neither read nor written through a symbolic link. */
	write_bytes(path_of("other"), "tess", 4);
	ck_assert_int_eq(symlink("other", path_of("ledger")), 0);
	expect_failures(TESSERA_ERR_IO, "/ledger: ");
	ck_assert_int_eq(unlink(path_of("ledger")), 0);
	ck_assert_int_eq(symlink("other", path_of("ledger.new")), 0);
	make_ledger();
	expect_file(MADE);
	ck_assert_int_eq(unlink(path_of("lock")), 0);
	ck_assert_int_eq(symlink("other", path_of("lock")), 0);
	expect_failure(true, TESSERA_ERR_IO, "/lock: ");
	ck_assert_str_eq(bytes_of(path_of("other"), buf, sizeof(buf)), "tess");
	ck_assert_int_eq(unlink(path_of("other")), 0);
}
END_TEST

START_TEST(leftover_temporary_file)
{
	write_bytes(path_of("ledger.new"), "tessera-ledger 1 sn", 19);
	write_bytes(path_of("lock"), "", 0);
	tessera_ledger_close(read_ledger());
	make_ledger();
	expect_file(MADE);
	ck_assert_int_eq(access(path_of("ledger.new"), F_OK), -1);
	ck_assert_uint_eq(mode_of(path_of("lock")), 0600);
}
END_TEST

START_TEST(writes_that_fail)
{
	struct rlimit limit = {.rlim_cur = 20, .rlim_max = 20};
	struct tessera_ledger *ledger;
	struct tessera_error err = {0};

	make_ledger();
	ledger = open_ledger();
	put_row(ledger, 11, "8");
	ck_assert_int_eq(mkdir(path_of("ledger.new"), 0755), 0);
	ck_assert_int_eq(tessera_ledger_commit(ledger, &err), -1);
	expect_error(&err, TESSERA_ERR_IO, "/ledger.new: ");
	ck_assert_int_eq(rmdir(path_of("ledger.new")), 0);

	/* A full file system: a short write. */
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = 20;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_int_eq(tessera_ledger_commit(ledger, &err), -1);
	expect_error(&err, TESSERA_ERR_IO, "/ledger: File too large");
	expect_file(MADE);
	ck_assert_int_eq(access(path_of("ledger.new"), F_OK), -1);

	/* The change is still pending, and can be committed again. */
	limit.rlim_cur = limit.rlim_max;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	commit(ledger);
	tessera_ledger_close(ledger);
	ledger = read_ledger();
	ck_assert_ptr_nonnull(tessera_ledger_job(ledger, 11));
	tessera_ledger_close(ledger);
}
END_TEST

/* Owners and modes */

START_TEST(unsafe_modes)
{
	static const mode_t modes[] = {0775, 0757, 0777, 01777};

	make_ledger();
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		ck_assert_int_eq(chmod(dir, modes[i]), 0);
		expect_failures(TESSERA_ERR_DENIED, "chmod go-w");
		ck_assert_int_eq(chmod(dir, 0755), 0);
		ck_assert_int_eq(chmod(path_of("ledger"), modes[i] & 0666), 0);
		expect_failures(TESSERA_ERR_DENIED, "/ledger: its mode is 6");
		ck_assert_int_eq(chmod(path_of("ledger"), 0600), 0);
		tessera_ledger_close(read_ledger());
	}

	/* A user who can read the lock file could hold the lock, so that its mode becomes 600. */
	ck_assert_int_eq(chmod(path_of("lock"), 0666), 0);
	tessera_ledger_close(open_ledger());
	ck_assert_uint_eq(mode_of(path_of("lock")), 0600);
}
END_TEST

START_TEST(owners)
{
	if (geteuid() != 0)
		return;
	make_ledger();
	ck_assert_int_eq(chown(path_of("lock"), OTHER_UID, OTHER_UID), 0);
	expect_failure(true, TESSERA_ERR_DENIED, "/lock: owned by uid 4711");
	ck_assert_int_eq(unlink(path_of("lock")), 0);
	ck_assert_int_eq(chown(path_of("ledger"), OTHER_UID, OTHER_UID), 0);
	expect_failures(TESSERA_ERR_DENIED, "/ledger: owned by uid 4711");
	ck_assert_int_eq(unlink(path_of("ledger")), 0);
	ck_assert_int_eq(chown(dir, OTHER_UID, OTHER_UID), 0);
	expect_failures(TESSERA_ERR_DENIED, "owned by uid 4711");
}
END_TEST

/* An ordinary user reads root's ledger, and can neither change nor block it. */
START_TEST(ordinary_users)
{
	char buf[256];
	pid_t pid;

	if (geteuid() != 0)
		return;
	make_ledger();
	pid = fork();
	if (pid == 0) {
		struct tessera_ledger *ledger;

		NEED(setuid(OTHER_UID) == 0);
		ledger = read_ledger();
		NEED(tessera_ledger_job(ledger, 10) != NULL);
		tessera_ledger_close(ledger);
		expect_failure(true, TESSERA_ERR_DENIED, "/lock: Permission denied");
		NEED(open(path_of("lock"), O_RDONLY) == -1 && errno == EACCES);
		strcat(dir, "/a");
		expect_failure(true, TESSERA_ERR_DENIED,
			       "/a: cannot create the directory: Permission denied");
		_exit(0);
	}
	expect_good_end(pid);
	ck_assert_int_eq(unlink(path_of("ledger")), 0);
	ck_assert_int_eq(unlink(path_of("lock")), 0);

	/* In their own directory they can change a ledger. */
	ck_assert_int_eq(chown(dir, OTHER_UID, OTHER_UID), 0);
	pid = fork();
	if (pid == 0) {
		NEED(setuid(OTHER_UID) == 0);
		make_ledger();
		NEED(strcmp(bytes_of(path_of("ledger"), buf, sizeof(buf)), MADE) == 0);
		NEED(chmod(path_of("ledger"), 0) == 0);
		expect_failure(false, TESSERA_ERR_IO, "/ledger: Permission denied");
		_exit(0);
	}
	expect_good_end(pid);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, written_and_read);
	tcase_add_test(tcase, no_change_no_write);
	tcase_add_test(tcase, read_only);
	tcase_add_test(tcase, two_owners_are_not_written);
	tcase_add_test(tcase, directories);
	tcase_add_test(tcase, invalid_files);
	tcase_add_test(tcase, leftover_temporary_file);
	tcase_add_test(tcase, writes_that_fail);
	tcase_add_test(tcase, unsafe_modes);
	tcase_add_test(tcase, owners);
	tcase_add_test(tcase, ordinary_users);
}

UNIT_MAIN("ledger_file", add_tests)
