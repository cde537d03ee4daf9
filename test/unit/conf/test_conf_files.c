/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tessera.conf as a file: unreadable files, owner and mode, and the sample that is installed. */
#include "config.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/conf/conf.h"
#include "test/unit/unit.h"

static void write_file(const char *path, const char *text, size_t len)
{
	FILE *fp = fopen(path, "w");

	ck_assert_ptr_nonnull(fp);
	ck_assert_uint_eq(fwrite(text, 1, len, fp), len);
	ck_assert_int_eq(fclose(fp), 0);
}

START_TEST(reads_files)
{
	static const char path[] = "test_conf_files.tmp";
	static char large[1024 * 1024 + 2];
	struct tessera_error err = {0};
	struct tessera_conf *conf;

	write_file(path, "RduScope = task\n", 16);
	conf = tessera_conf_read(path, &err);
	ck_assert_msg(conf != NULL, "%s", err.text);
	ck_assert_int_eq(tessera_conf_policy(conf)->rdu_scope, TESSERA_SCOPE_TASK);
	tessera_conf_free(conf);

	write_file(path, "\nRduScope = 1\n", 14);
	ck_assert_ptr_null(tessera_conf_read(path, &err));
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	ck_assert_int_eq(strncmp(err.text, "test_conf_files.tmp:2: RduScope",
				 strlen("test_conf_files.tmp:2: RduScope")),
			 0);

	write_file(path, "\nIpuName = a\0b\n", 15);
	ck_assert_ptr_null(tessera_conf_read(path, &err));
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	ck_assert_str_eq(err.text, "test_conf_files.tmp:2: contains a control character (number "
				   "0): not plain text");

	/* A file of one MiB is read completely, a larger one is rejected. */
	memset(large, '\n', sizeof(large));
	memcpy(large + 1024 * 1024 - 3, "x=1", 3);
	write_file(path, large, 1024 * 1024);
	ck_assert_ptr_null(tessera_conf_read(path, &err));
	ck_assert_ptr_nonnull(strstr(err.text, ":1048574: no such option 'x'"));
	write_file(path, large, 1024 * 1024 + 1);
	ck_assert_ptr_null(tessera_conf_read(path, &err));
	ck_assert_int_eq(err.code, TESSERA_ERR_IO);
	ck_assert_ptr_nonnull(strstr(err.text, "1 MiB"));
	ck_assert_int_eq(unlink(path), 0);
}
END_TEST

START_TEST(rejects_unreadable_files)
{
	static const char fifo[] = "test_conf_files.fifo";
	struct tessera_error err = {0};

	ck_assert_ptr_null(tessera_conf_read("no/such/tessera.conf", &err));
	ck_assert_int_eq(err.code, TESSERA_ERR_IO);
	ck_assert_str_eq(err.text, "no/such/tessera.conf: No such file or directory");
	ck_assert_ptr_null(tessera_conf_read("no/such/tessera.conf", NULL));
	ck_assert_ptr_null(tessera_conf_read("/", &err));
	ck_assert_int_eq(err.code, TESSERA_ERR_IO);
	ck_assert_ptr_nonnull(strstr(err.text, "not a regular file"));

	/* Must not wait for a writer. */
	unlink(fifo);
	ck_assert_int_eq(mkfifo(fifo, 0600), 0);
	ck_assert_ptr_null(tessera_conf_read(fifo, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "not a regular file"));
	ck_assert_int_eq(unlink(fifo), 0);
}
END_TEST

static void expect_trusted(const char *path)
{
	struct tessera_error err = {0};
	struct tessera_conf *conf = tessera_conf_read_trusted(path, &err);

	ck_assert_msg(conf != NULL, "%s", err.text);
	ck_assert_int_eq(tessera_conf_policy(conf)->rdu_scope, TESSERA_SCOPE_TASK);
	tessera_conf_free(conf);
}

/* MESSAGE is part of the error for a file with that owner and mode; NULL: it is accepted. */
static void expect_trust(const char *path, uid_t uid, mode_t mode, const char *message)
{
	struct tessera_error err = {0};

	ck_assert_int_eq(chown(path, uid, (gid_t)-1), 0);
	ck_assert_int_eq(chmod(path, mode), 0);
	if (message == NULL) {
		expect_trusted(path);
		return;
	}
	ck_assert_ptr_null(tessera_conf_read_trusted(path, &err));
	ck_assert_int_eq(err.code, TESSERA_ERR_DENIED);
	ck_assert_msg(strstr(err.text, message) != NULL, "no \"%s\" in: %s", message, err.text);
}

START_TEST(checks_owner_and_mode)
{
	static const char path[] = "test_conf_files_trust.tmp";
	uid_t me = geteuid();
	struct tessera_error err = {0};

	write_file(path, "RduScope = task\n", 16);
	expect_trust(path, me, 0644, NULL);
	expect_trust(path, me, 0600, NULL);
	expect_trust(path, me, 0664, "its mode is 664");
	expect_trust(path, me, 0646, "its mode is 646");
	expect_trust(path, me, 0620, "chmod go-w");
	if (me == 0) {
		expect_trust(path, 4711, 0644, "owned by uid 4711");

		/* Files of root and of the effective user are both accepted. */
		expect_trust(path, 0, 0644, NULL);
		ck_assert_int_eq(seteuid(4711), 0);
		expect_trusted(path);
		ck_assert_int_eq(seteuid(0), 0);
		ck_assert_int_eq(chown(path, 4711, (gid_t)-1), 0);
		ck_assert_int_eq(seteuid(4711), 0);
		expect_trusted(path);
		ck_assert_int_eq(seteuid(0), 0);
	}
	ck_assert_ptr_null(tessera_conf_read_trusted("no/such/tessera.conf", &err));
	ck_assert_int_eq(err.code, TESSERA_ERR_IO);
	ck_assert_int_eq(unlink(path), 0);
}
END_TEST

/* Read the sample into TEXT; with EXAMPLES, remove the # from its example lines. */
static void read_sample(char *text, size_t size, bool examples)
{
	const char *srcdir = getenv("srcdir");
	char path[1024], line[512];
	size_t used = 0;
	FILE *fp;

	snprintf(path, sizeof(path), "%s/etc/tessera.conf", srcdir != NULL ? srcdir : ".");
	fp = fopen(path, "r");
	ck_assert_ptr_nonnull(fp);
	text[0] = '\0';
	while (fgets(line, sizeof(line), fp) != NULL) {
		bool example =
			line[0] == '#' && line[1] != ' ' && line[1] != '\n' && line[1] != '#';

		used += (size_t)snprintf(text + used, size - used, "%s",
					 line + (examples && example));
		ck_assert_uint_lt(used, size);
	}
	fclose(fp);
}

/* So that the settings of a site cannot conflict with it. */
START_TEST(sample_has_only_comments)
{
	struct tessera_error err = {0};
	struct tessera_conf *conf;
	char text[65536];
	const char *title;

	read_sample(text, sizeof(text), false);
	for (const char *line = text; *line != '\0';
	     line += strcspn(line, "\n"), line += *line == '\n')
		ck_assert_msg(*line == '#' || *line == '\n', "not a comment: %.60s", line);
	conf = tessera_conf_parse("tessera.conf", text, &err);
	ck_assert_msg(conf != NULL, "%s", err.text);
	ck_assert_ptr_null(tessera_conf_node_at(conf, 0, &title));
	ck_assert_ptr_null(tessera_conf_partition_at(conf, 0, &title));
	tessera_conf_free(conf);
}
END_TEST

/* All examples together must be a valid configuration. */
START_TEST(sample_examples_are_valid)
{
	static const struct {
		const char *partition, *node, *platform;
	} want[] = {
		{"sambanova", "sn30-r1-h8", "sn30-8"},
		{"sn10", "sm-02", "sn10-8"},
		{"p64", "gc-poplar-03", "pod64"},
	};
	struct tessera_error err = {0};
	struct tessera_conf *conf;
	char text[65536];

	read_sample(text, sizeof(text), true);
	conf = tessera_conf_parse("tessera.conf", text, &err);
	ck_assert_msg(conf != NULL, "%s", err.text);
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		const struct tessera_platform *p = NULL;

		ck_assert_int_eq(tessera_conf_partition_platform(conf, want[i].partition, &p, &err),
				 0);
		ck_assert_ptr_nonnull(p);
		ck_assert_str_eq(p->name, want[i].platform);
		ck_assert_ptr_eq(tessera_conf_node_platform(conf, want[i].node), p);
	}
	ck_assert_ptr_null(tessera_conf_node_platform(conf, "gc-poplar-01"));
	ck_assert_ptr_nonnull(tessera_conf_pool_at(conf, 0));
	ck_assert_ptr_nonnull(tessera_conf_vipu(conf, "gc-poplar-02"));
	tessera_conf_free(conf);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_test(tcase, reads_files);
	tcase_add_test(tcase, rejects_unreadable_files);
	tcase_add_test(tcase, checks_owner_and_mode);
	tcase_add_test(tcase, sample_has_only_comments);
	tcase_add_test(tcase, sample_examples_are_valid);
}

UNIT_MAIN("conf_files", add_tests)
