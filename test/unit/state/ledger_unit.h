/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Helpers for the tests of the ledger: a temporary directory, short rows, file contents.
 */
#ifndef TESSERA_LEDGER_UNIT_H
#define TESSERA_LEDGER_UNIT_H

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/state/ledger.h"
#include "lib/util/proc.h"
#include "test/unit/unit.h"

#define WAIT_MS 60000 /* longer than any test may take */

/*
 * The state directory: empty when a test starts, and accessible to every user. Each test runs in a
 * process of its own.
 */
static char dir[64];

static const struct tessera_platform *sn30;

/*
 * An assertion that child processes can use as well: check records each ck_assert that holds, and
 * must neither be killed while it does so nor do it in two processes at once.
 */
static pid_t test_process;

static inline void need(bool ok, const char *text)
{
	if (ok)
		return;
	if (getpid() == test_process)
		ck_abort_msg("%s", text);
	fprintf(stderr, "in a child: %s\n", text);
	_exit(9);
}

#define NEED(what) need(what, #what)

static inline void set_up(void)
{
	test_process = getpid();
	snprintf(dir, sizeof(dir), "/tmp/tessera-ledger-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(chmod(dir, 0755), 0);
	sn30 = tessera_platform_find_builtin("sn30-8");
}

static inline const char *path_of(const char *name)
{
	static char path[4][128];
	static unsigned turn;

	snprintf(path[++turn % 4], sizeof(path[0]), "%s/%s", dir, name);
	return path[turn % 4];
}

static inline void tear_down(void)
{
	unlink(path_of("ledger"));
	unlink(path_of("ledger.new"));
	unlink(path_of("lock"));
	ck_assert_msg(rmdir(dir) == 0, "%s is not empty", dir);
}

static inline struct tessera_tileset tiles_of(const char *text)
{
	struct tessera_tileset set;

	tessera_tileset_clear(&set);
	if (strcmp(text, "-") != 0)
		NEED(tessera_tileset_parse(tessera_platform_find_builtin("sn30-8"), text, &set,
					   NULL) == 0);
	return set;
}

/* TILES "-": no tiles, and a row of state short. */
static inline struct tessera_row row_of(uint32_t job, const char *tiles)
{
	struct tessera_row row = {.job = job, .uid = job + 1000, .state = TESSERA_ROW_HELD};

	row.tiles = tiles_of(tiles);
	if (strcmp(tiles, "-") == 0)
		row.state = TESSERA_ROW_SHORT;
	return row;
}

static inline struct tessera_step_row step_of(uint32_t job, uint32_t step, const char *tiles)
{
	struct tessera_step_row row = {.job = job, .step = step, .pid = getpid()};

	row.start = proc_start_time(row.pid);
	row.tiles = tiles_of(tiles);
	return row;
}

static inline struct tessera_ledger *open_ledger(void)
{
	struct tessera_ledger *ledger = NULL;
	struct tessera_error err = {0};

	need(tessera_ledger_open(dir, sn30, WAIT_MS, &ledger, &err) == 0, err.text);
	return ledger;
}

static inline struct tessera_ledger *read_ledger(void)
{
	struct tessera_ledger *ledger = NULL;
	struct tessera_error err = {0};

	need(tessera_ledger_read(dir, sn30, &ledger, &err) == 0, err.text);
	return ledger;
}

static inline void put_row(struct tessera_ledger *ledger, uint32_t job, const char *tiles)
{
	struct tessera_row row = row_of(job, tiles);
	struct tessera_error err = {0};

	need(tessera_ledger_put(ledger, &row, &err) == 0, err.text);
}

static inline void put_step(struct tessera_ledger *ledger, uint32_t job, uint32_t step,
			    const char *tiles)
{
	struct tessera_step_row row = step_of(job, step, tiles);
	struct tessera_error err = {0};

	need(tessera_ledger_put_step(ledger, &row, &err) == 0, err.text);
}

static inline void commit(struct tessera_ledger *ledger)
{
	struct tessera_error err = {0};

	need(tessera_ledger_commit(ledger, &err) == 0, err.text);
}

static inline void expect_error(const struct tessera_error *err, enum tessera_errcode code,
				const char *word)
{
	char text[sizeof(err->text) + 256];

	snprintf(text, sizeof(text), "not %d with \"%.100s\": %d, %s", code, word, err->code,
		 err->text);
	need(err->code == code && strstr(err->text, word) != NULL, text);
}

/* Opening the ledger must fail: for changes, or read-only. */
static inline void expect_failure(bool change, enum tessera_errcode code, const char *word)
{
	struct tessera_ledger *ledger = (void *)1;
	struct tessera_error err = {0};
	int rc = change ? tessera_ledger_open(dir, sn30, 0, &ledger, &err)
			: tessera_ledger_read(dir, sn30, &ledger, &err);

	NEED(rc == -1 && ledger == NULL);
	expect_error(&err, code, word);
}

static inline void write_bytes(const char *path, const char *text, size_t len)
{
	FILE *fp = fopen(path, "w");

	ck_assert_ptr_nonnull(fp);
	ck_assert_uint_eq(fwrite(text, 1, len, fp), len);
	ck_assert_int_eq(fclose(fp), 0);
}

/* The content of the file, or "" if there is none. */
static inline const char *bytes_of(const char *path, char *buf, size_t size)
{
	FILE *fp = fopen(path, "r");
	size_t len = fp != NULL ? fread(buf, 1, size - 1, fp) : 0;

	buf[len] = '\0';
	if (fp != NULL)
		fclose(fp);
	return buf;
}

static inline void expect_file(const char *want)
{
	char buf[8192];

	ck_assert_str_eq(bytes_of(path_of("ledger"), buf, sizeof(buf)), want);
}

/* Wait for a child process, which must exit with status 0. */
static inline void expect_good_end(pid_t pid)
{
	int status = -1;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %x", (unsigned)status);
}

#endif /* TESSERA_LEDGER_UNIT_H */
