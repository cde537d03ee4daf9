/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/doctor/elf_symbol.h"
#include "lib/slurm/compat.h"
#include "lib/slurm/conf_file.h"
#include "test/unit/unit.h"

static char dir[] = "/tmp/tessera-test-XXXXXX";

static void make_dir(void)
{
	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(chdir(dir), 0);
}

static void remove_dir(void)
{
	static const char *const names[] = {
		"slurm.conf", "sub/a.conf", "sub/b.conf", "sub", "loop.conf", "x.so", "1", "2",
		"3",          "4",          "5",          "6",   "7",         "8",    "9"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		remove(names[i]);
	rmdir(dir);
}

static void write_file(const char *name, const void *bytes, size_t len)
{
	FILE *out = fopen(name, "w");

	ck_assert_ptr_nonnull(out);
	ck_assert_uint_eq(fwrite(bytes, 1, len, out), len);
	ck_assert_int_eq(fclose(out), 0);
}

static void write_text(const char *name, const char *text)
{
	write_file(name, text, strlen(text));
}

static void read_back(struct conf_file *f)
{
	struct tessera_error err = {0};
	char path[64];

	snprintf(path, sizeof(path), "%s/slurm.conf", dir);
	ck_assert_msg(conf_file_read(f, path, &err) == 0, "%s", err.text);
}

/* Expect that KEY has the value WANTED in F; NULL: none. */
static void expect_value(const struct conf_file *f, const char *key, const char *wanted)
{
	char *value = conf_file_value(f, key, NULL);

	if (wanted == NULL)
		ck_assert_msg(value == NULL, "%s=%s", key, value);
	else
		ck_assert_msg(value != NULL && strcmp(value, wanted) == 0, "%s=%s", key, value);
	free(value);
}

START_TEST(lines_as_slurm_reads_them)
{
	struct conf_file f = {0};

	write_text("slurm.conf", "# GresTypes=comment\n"
				 "\n"
				 "  GRESTYPES = rdu,rdu_tile   # after it\n"
				 "NodeName=a[1-2] CPUs=4 \\\n"
				 "   Gres=rdu:8 \\\n"
				 "\tRealMemory=1\n"
				 "Comment=\"two words = one\" Other=x\n"
				 "Hash=a\\#b\n"
				 "Twice=1\n"
				 "Twice=2\n"
				 "Last=no newline\\");
	read_back(&f);
	expect_value(&f, "GresTypes", "rdu,rdu_tile");
	expect_value(&f, "gres", "rdu:8");
	expect_value(&f, "RealMemory", "1");
	expect_value(&f, "Comment", "two words = one");
	expect_value(&f, "other", "x");
	expect_value(&f, "words", NULL);
	expect_value(&f, "Hash", "a\\#b");
	expect_value(&f, "Twice", "2");
	expect_value(&f, "Last", "no");
	expect_value(&f, "Nothing", NULL);
	ck_assert_uint_eq(f.count, 7);
	ck_assert_str_eq(f.lines[0].text, "GRESTYPES = rdu,rdu_tile");
	ck_assert_uint_eq(f.lines[1].number, 4);
	ck_assert_uint_eq(f.lines[2].number, 7);
	ck_assert_int_ne(f.changed, 0);
	conf_file_free(&f);
}
END_TEST

/* A line that an empty line or a comment continues ends there. */
START_TEST(lines_that_go_on_in_nothing)
{
	static const struct {
		const char *text, *first;
		size_t count;
		unsigned second; /* number of the second line */
	} cases[] = {
		{"A=1 \\\n\nB=2\n", "A=1", 2, 3},     {"A=1\\\n  \t\nB=2\n", "A=1", 2, 3},
		{"A=1 \\\n# x\nB=2\n", "A=1", 2, 3},  {"A=1\\\n\\\n\nB=2", "A=1", 2, 4},
		{"\\\n\nB=2\n", "B=2", 1, 0},         {"A=1 \\  \n C=3\nB=2\n", "A=1   C=3", 2, 3},
		{"A=1 \\ # x\n\nB=2\n", "A=1", 2, 3}, {"\\", NULL, 0, 0},
		{" \\\n \\\n", NULL, 0, 0},           {"A=1\r\n\r\nB=2\r\n", "A=1", 2, 3},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct conf_file f = {0};

		write_text("slurm.conf", cases[i].text);
		read_back(&f);
		ck_assert_msg(f.count == cases[i].count, "case %zu: %zu lines", i, f.count);
		if (f.count > 0)
			ck_assert_str_eq(f.lines[0].text, cases[i].first);
		if (f.count > 1) {
			ck_assert_str_eq(f.lines[1].text, "B=2");
			ck_assert_uint_eq(f.lines[1].number, cases[i].second);
		}
		conf_file_free(&f);
	}
}
END_TEST

/*
 * Many lines, in a file that its group can write, which Slurm accepts.
 */
START_TEST(many_lines)
{
	struct conf_file f = {0};
	unsigned before = open_files();
	FILE *out = fopen("slurm.conf", "w");

	ck_assert_ptr_nonnull(out);
	for (int i = 0; i < 1000; i++)
		fprintf(out, "Key%d=%d\n", i, i);
	ck_assert_int_eq(fclose(out), 0);
	ck_assert_int_eq(chmod("slurm.conf", 0666), 0);
	read_back(&f);
	ck_assert_uint_eq(f.count, 1000);
	expect_value(&f, "Key0", "0");
	expect_value(&f, "Key999", "999");
	conf_file_free(&f);
	/* No file stays open. */
	ck_assert_uint_eq(open_files(), before);
}
END_TEST

/* slurm.conf includes 1, which includes 2, and so on: eight levels are allowed. */
START_TEST(files_within_files)
{
	struct conf_file f = {0};
	struct tessera_error err = {0};
	char name[16], text[32];

	write_text("slurm.conf", "include 1\n");
	for (int i = 1; i <= 8; i++) {
		snprintf(name, sizeof(name), "%d", i);
		snprintf(text, sizeof(text), "%s%d\n", i < 8 ? "include " : "Key=", i + 1);
		write_text(name, text);
	}
	read_back(&f);
	expect_value(&f, "Key", "9");
	conf_file_free(&f);
	write_text("8", "include 9\n");
	write_text("9", "Key=10\n");
	ck_assert_int_eq(conf_file_read(&f, "slurm.conf", &err), -1);
	ck_assert_str_eq(err.text, "9: includes nested more than 8 deep");
	conf_file_free(&f);
}
END_TEST

/* A file with a NUL byte is refused: the text after it would be ignored. */
START_TEST(no_text)
{
	struct conf_file f = {0};
	struct tessera_error err = {0};

	write_file("slurm.conf", "A=1\n\0B=2\n", 9);
	ck_assert_int_eq(conf_file_read(&f, "slurm.conf", &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_UNAVAILABLE);
	ck_assert_str_eq(err.text, "slurm.conf: contains a NUL byte");
	conf_file_free(&f);
}
END_TEST

START_TEST(files_include_others)
{
	struct conf_file f = {0};
	const struct slurm_line *where = NULL;
	struct tessera_error err = {0};
	char *value;

	ck_assert_int_eq(mkdir("sub", 0700), 0);
	write_text("slurm.conf", "Include sub/*.conf\nA=0\ninclude none/*.conf\nIncluded=1\n");
	write_text("sub/a.conf", "B=1\n");
	write_text("sub/b.conf", "\nB=2\n");
	read_back(&f);
	expect_value(&f, "A", "0");
	expect_value(&f, "Included", "1");
	value = conf_file_value(&f, "B", &where);
	ck_assert_str_eq(value, "2");
	ck_assert_str_eq(strrchr(where->path, '/'), "/b.conf");
	ck_assert_uint_eq(where->number, 2);
	free(value);
	conf_file_free(&f);

	/* A file name ends with the line. */
	write_text("slurm.conf", "include sub/a.conf \\\n\n");
	read_back(&f);
	expect_value(&f, "B", "1");
	conf_file_free(&f);

	write_text("slurm.conf", "include nonsuch.conf\n");
	ck_assert_int_eq(conf_file_read(&f, "slurm.conf", &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_UNAVAILABLE);
	ck_assert_ptr_nonnull(strstr(err.text, "./nonsuch.conf"));
	conf_file_free(&f);

	write_text("loop.conf", "include loop.conf\n");
	ck_assert_int_eq(conf_file_read(&f, "loop.conf", &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "includes nested"));
	conf_file_free(&f);
}
END_TEST

START_TEST(words_of_a_list)
{
	ck_assert(slurm_list_has("rdu,rdu_tile", "rdu_tile"));
	ck_assert(slurm_list_has("ipu:64,CSX=2", "csx"));
	ck_assert(slurm_list_has("ipu:64", "ipu"));
	ck_assert(!slurm_list_has("rdu_tile", "rdu"));
	ck_assert(!slurm_list_has("rdu", "rdu_tile"));
	ck_assert(!slurm_list_has("x:rdu", "rdu"));
	ck_assert(!slurm_list_has("", "rdu"));
	ck_assert(!slurm_list_has(NULL, "rdu"));
}
END_TEST

/* This program is an ELF object of this machine without the plugin's symbols. */
START_TEST(what_is_no_plugin)
{
	struct tessera_error err = {0};
	uint32_t number = 7;

	ck_assert_int_eq(elf_symbol("nonsuch.so", "plugin_version", &number, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_IO);
	write_text("x.so", "nonsense");
	ck_assert_int_eq(elf_symbol("x.so", "plugin_version", &number, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	ck_assert_int_eq(elf_symbol("/proc/self/exe", "plugin_version", &number, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	ck_assert_uint_eq(number, 7);
}
END_TEST

/* A plugin that is cut or has an inverted byte is read or refused, within its bounds. */
START_TEST(damaged_plugins)
{
	const char *plugin = TESSERA_TEST_PLUGIN;
	struct tessera_error err = {0};
	static char bytes[4 * 1024 * 1024];
	uint32_t number = 0;
	size_t len;
	FILE *in;

	ck_assert_msg(elf_symbol(plugin, "plugin_version", &number, &err) == 0, "%s", err.text);
	ck_assert_uint_eq(number, SLURM_VERSION_NUMBER);
	in = fopen(plugin, "r");
	ck_assert_ptr_nonnull(in);
	len = fread(bytes, 1, sizeof(bytes), in);
	fclose(in);
	for (size_t cut = 0; cut < len; cut += 1 + len / 200) {
		write_file("x.so", bytes, cut);
		elf_symbol("x.so", "plugin_version", &number, &err);
	}
	for (size_t at = 0; at < 64; at++) {
		bytes[at] = (char)~bytes[at];
		write_file("x.so", bytes, len);
		elf_symbol("x.so", "plugin_version", &number, &err);
		bytes[at] = (char)~bytes[at];
	}
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, make_dir, remove_dir);
	tcase_add_test(tcase, lines_as_slurm_reads_them);
	tcase_add_test(tcase, lines_that_go_on_in_nothing);
	tcase_add_test(tcase, many_lines);
	tcase_add_test(tcase, files_within_files);
	tcase_add_test(tcase, no_text);
	tcase_add_test(tcase, files_include_others);
	tcase_add_test(tcase, words_of_a_list);
	tcase_add_test(tcase, what_is_no_plugin);
	tcase_add_test(tcase, damaged_plugins);
}

UNIT_MAIN("slurm_file", add_tests)
