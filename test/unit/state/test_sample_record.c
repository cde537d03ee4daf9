/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/state/sample_record_internal.h"
#include "test/unit/state_unit.h"

/* The example of lib/state/sample_record.h. */
static const struct tessera_sample_record tiles = {
	.job = 4711,
	.samples = 3,
	.first = 1700000000,
	.last = 1700000120,
	.seen = 120,
	.has_tiles = true,
	.tile_seconds = 480,
};
static const char tiles_text[] = "tessera-used 1\n"
				 "job 4711 restarts 0 samples 3 first 1700000000 last 1700000120\n"
				 "seen 120 tiles 480 ipus - outside 0 ended 0\n"
				 "end\n";

static void expect_same(const struct tessera_sample_record *a,
			const struct tessera_sample_record *b)
{
	ck_assert_uint_eq(a->job, b->job);
	ck_assert_uint_eq(a->restarts, b->restarts);
	ck_assert_uint_eq(a->samples, b->samples);
	ck_assert_int_eq(a->first, b->first);
	ck_assert_int_eq(a->last, b->last);
	ck_assert_uint_eq(a->seen, b->seen);
	ck_assert_int_eq(a->has_tiles, b->has_tiles);
	ck_assert_int_eq(a->has_ipus, b->has_ipus);
	ck_assert_uint_eq(a->tile_seconds, b->tile_seconds);
	ck_assert_uint_eq(a->ipu_seconds, b->ipu_seconds);
	ck_assert_uint_eq(a->outside_seconds, b->outside_seconds);
	ck_assert_int_eq(a->ended, b->ended);
}

START_TEST(written_as_documented)
{
	char text[SAMPLE_RECORD_TEXT_MAX];

	ck_assert_uint_eq(sample_record_format(&tiles, text, sizeof(text)), strlen(tiles_text));
	ck_assert_str_eq(text, tiles_text);
}
END_TEST

/* Every field by itself, so that swapped fields are found; and the maximum of all. */
START_TEST(written_and_read)
{
	const struct tessera_sample_record some[] = {
		tiles,
		{.job = 0,
		 .samples = 1,
		 .has_tiles = true,
		 .tile_seconds = 0,
		 .outside_seconds = 77},
		{.job = 9, .restarts = 2, .has_ipus = true, .ipu_seconds = 12, .ended = true},
		{.job = UINT32_MAX,
		 .restarts = UINT32_MAX,
		 .samples = UINT32_MAX,
		 .first = 253402300799,
		 .last = 253402300799,
		 .seen = TESSERA_SECONDS_MAX,
		 .has_tiles = true,
		 .has_ipus = true,
		 .tile_seconds = TESSERA_SECONDS_MAX,
		 .ipu_seconds = TESSERA_SECONDS_MAX,
		 .outside_seconds = TESSERA_SECONDS_MAX,
		 .ended = true},
	};
	struct tessera_sample_record got;
	struct tessera_error err = {0};

	for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
		ck_assert_int_eq(tessera_sample_record_read(dir, some[i].job, &got, &err), 1);
		ck_assert_int_eq(tessera_sample_record_write(dir, &some[i], &err), 0);
		ck_assert_int_eq(tessera_sample_record_read(dir, some[i].job, &got, &err), 0);
		expect_same(&got, &some[i]);
		ck_assert_int_eq(tessera_sample_record_drop(dir, some[i].job, &err), 0);
		ck_assert_int_eq(tessera_sample_record_drop(dir, some[i].job, &err), 0);
		ck_assert_int_eq(tessera_sample_record_read(dir, some[i].job, &got, &err), 1);
	}
}
END_TEST

/* What could not be parsed is not written, and the old file stays. */
START_TEST(too_large)
{
	struct tessera_sample_record wrong = tiles, got;
	struct tessera_error err = {0};

	ck_assert_int_eq(tessera_sample_record_write(dir, &tiles, &err), 0);
	wrong.tile_seconds = TESSERA_SECONDS_MAX + 1;
	ck_assert_int_eq(tessera_sample_record_write(dir, &wrong, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	wrong = tiles;
	wrong.last = -1;
	ck_assert_int_eq(tessera_sample_record_write(dir, &wrong, &err), -1);
	ck_assert_int_eq(tessera_sample_record_read(dir, 4711, &got, &err), 0);
	expect_same(&got, &tiles);
}
END_TEST

START_TEST(cut_at_every_byte)
{
	struct tessera_sample_record got;
	char text[SAMPLE_RECORD_TEXT_MAX];

	for (size_t len = 0; len < strlen(tiles_text); len++) {
		memcpy(text, tiles_text, len);
		text[len] = '\0';
		ck_assert_msg(sample_record_parse(text, len, &got) < 0, "cut to %zu bytes", len);
	}
}
END_TEST

static const struct {
	const char *from, *to;
} damages[] = {
	{"used 1", "used 2"},
	{"job 4711", "job 04711"},
	{"job 4711", "job 4294967296"},
	{"samples 3", "samples"},
	{"seen 120", "seen -"},
	{"tiles 480", "tiles -480"},
	{"tiles 480", "tiles "},
	{"ipus -", "ipus --"},
	{"tiles 480", "tiles 1000000000000001"},
	{"ended 0", "ended 2"},
	{"outside 0", "outside -"},
	{"end\n", "end\nend\n"},
	{"first 1700000000", "first 253402300800"},
};

START_TEST(damaged)
{
	const char *at = strstr(tiles_text, damages[_i].from);
	struct tessera_sample_record got;
	char text[SAMPLE_RECORD_TEXT_MAX];

	ck_assert_ptr_nonnull(at);
	snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - tiles_text), tiles_text, damages[_i].to,
		 at + strlen(damages[_i].from));
	ck_assert_msg(sample_record_parse(text, strlen(text), &got) < 0, "%s", text);
}
END_TEST

START_TEST(unsafe_owner_or_mode)
{
	struct tessera_sample_record got;
	struct tessera_error err = {0};

	ck_assert_int_eq(tessera_sample_record_write(dir, &tiles, &err), 0);
	write_file("used.4712", tiles_text, 0644);
	ck_assert_int_eq(tessera_sample_record_read(dir, 4712, &got, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	ck_assert_uint_eq(got.job, 4712);
	ck_assert(!got.has_tiles);
	write_file("used.4711", tiles_text, 0666);
	ck_assert_int_eq(tessera_sample_record_read(dir, 4711, &got, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_DENIED);
}
END_TEST

/* Job 0 is listed, other files of the directory are not. */
START_TEST(all_jobs)
{
	struct tessera_sample_record used = tiles;
	struct tessera_error err = {0};
	uint32_t *jobs = NULL;
	bool seen[3] = {false};

	ck_assert_int_eq(tessera_sample_record_jobs(dir, &jobs, &err), 0);
	for (used.job = 0; used.job < 3; used.job++)
		ck_assert_int_eq(tessera_sample_record_write(dir, &used, &err), 0);
	write_file("job.7", "", 0644);
	write_file("used.", "", 0644);
	write_file("used", "", 0644);
	write_file("used.012", "", 0644);
	write_file("used.1x", "", 0644);
	write_file("used.4294967296", "", 0644);
	write_file(".used.7.123", "", 0644);
	ck_assert_int_eq(tessera_sample_record_jobs(dir, &jobs, &err), 3);
	for (int i = 0; i < 3; i++)
		seen[jobs[i]] = true;
	ck_assert(seen[0] && seen[1] && seen[2]);
	free(jobs);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, written_as_documented);
	tcase_add_test(tcase, written_and_read);
	tcase_add_test(tcase, too_large);
	tcase_add_test(tcase, cut_at_every_byte);
	tcase_add_loop_test(tcase, damaged, 0, sizeof(damages) / sizeof(damages[0]));
	tcase_add_test(tcase, unsafe_owner_or_mode);
	tcase_add_test(tcase, all_jobs);
}

UNIT_MAIN("sample_record", add_tests)
