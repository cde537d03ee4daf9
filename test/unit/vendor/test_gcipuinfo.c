/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/vendor/gcipuinfo.h"
#include "test/unit/fixture.h"
#include "test/unit/unit.h"

#define DEVICE2 "{\"error\":\"device\",\"id\":\"2\",\"partition\":\"p1\",\"board ipu index\":\"1\"}"

static void expect(const char *text, unsigned seen, unsigned bad, const char *why)
{
	struct tessera_health_ipus ipus = {
		.name = "x", .time = 7, .seen = 5, .bad = 5, .text = "old"};
	struct tessera_error err = {0};

	ck_assert_msg(gcipuinfo_read(text, &ipus, &err) == 0, "%s: %s", text, err.text);
	ck_assert_uint_eq(ipus.seen, seen);
	ck_assert_uint_eq(ipus.bad, bad);
	ck_assert_str_eq(ipus.text, why);
	ck_assert_str_eq(ipus.name, "x");
	ck_assert_int_eq(ipus.time, 7);
}

static const struct {
	const char *text;
	unsigned seen, bad;
	const char *why;
} good[] = {
	{"{}", 0, 0, ""},
	{" {}\n", 0, 0, ""},
	{"{\"hosts\":{}}", 0, 0, ""},
	{"{\"hosts\":{\"10.1.5.10\":[]}}", 0, 0, ""},
	{"{\"hosts\":{\"10.1.5.10\":[" DEVICE2 "]}}", 0, 1, "10.1.5.10: device 2 of partition p1"},
	/* A device that is listed twice counts once; the same id on two hosts counts twice. */
	{"{\"hosts\":{\"10.1.5.10\":[" DEVICE2 "," DEVICE2 "],\"10.1.5.11\":[" DEVICE2 "]}}", 0, 2,
	 "10.1.5.10: device 2 of partition p1; 10.1.5.11: device 2 of partition p1"},
	/* Entries without an id count each. */
	{"{\"hosts\":{\"a\":[{\"error\":\"link\"},{\"error\":\"link\"},{}]}}", 0, 3,
	 "a: link; a: link; a: error"},
	{"{\"cards\":[{\"ipus\":[{},{}]},{\"ipus\":[{\"PID\":\"7\"}]}]}", 3, 0, ""},
	{"{\"cards\":[{\"ipus\":[{}]}],\"hosts\":{\"a\":[{\"id\":\"0\"}]},\"more\":1}", 1, 1,
	 "a: error 0"},
};

START_TEST(good_outputs)
{
	expect(good[_i].text, good[_i].seen, good[_i].bad, good[_i].why);
}
END_TEST

START_TEST(recorded)
{
	char *text = fixture("gcmonitor/busy.json");

	expect(text, 6, 0, "");
	free(text);
}
END_TEST

static const struct {
	const char *text, *word;
} wrong[] = {
	{"", "not JSON"},
	{"healthy\n", "not JSON"},
	{"{} {}", "not JSON"},
	{"{\"hosts\":{\"10.1.5.10\":[", "not JSON"},
	{"{\"hosts\":{},\"hosts\":{}}", "not JSON"},
	{"[]", "it is not an object"},
	{"{\"devices\":[]}", "neither hosts nor cards"},
	{"{\"error\":\"no partition\"}", "neither hosts nor cards"},
	{"{\"hosts\":[]}", "hosts is not an object"},
	{"{\"hosts\":null}", "hosts is not an object"},
	{"{\"hosts\":{\"a\":{}}}", "a host has no list"},
	{"{\"hosts\":{\"a\":[" DEVICE2 "],\"b\":3}}", "a host has no list"},
	{"{\"hosts\":{\"a\":[1]}}", "an error is not an object"},
	{"{\"cards\":[]}", "no IPU"},
	{"{\"cards\":[{\"ipus\":[]}]}", "no IPU"},
	{"{\"cards\":{}}", "no IPU"},
	{"{\"cards\":[{}]}", "a card has no list of ipus"},
	{"{\"cards\":[{\"ipus\":[{}]},7]}", "a card has no list of ipus"},
};

START_TEST(wrong_outputs)
{
	struct tessera_health_ipus ipus = {.seen = 5, .bad = 5, .text = "old"};
	struct tessera_error err = {0};

	ck_assert_msg(gcipuinfo_read(wrong[_i].text, &ipus, &err) < 0, "accepted: %s",
		      wrong[_i].text);
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	ck_assert_msg(strstr(err.text, wrong[_i].word) != NULL, "no '%s': %s", wrong[_i].word,
		      err.text);
	ck_assert_uint_eq(ipus.seen, 0);
	ck_assert_uint_eq(ipus.bad, 0);
	ck_assert_str_eq(ipus.text, "");
}
END_TEST

/* More errors than the text can hold. */
START_TEST(many)
{
	struct tessera_health_ipus ipus = {0};
	struct tessera_error err = {0};
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	fputs("{\"hosts\":{\"10.1.5.10\":[", out);
	for (int i = 0; i < 256; i++)
		fprintf(out, "%s{\"error\":\"device\",\"id\":\"%d\"}", i > 0 ? "," : "", i);
	fputs("]}}", out);
	fclose(out);
	ck_assert_msg(gcipuinfo_read(text, &ipus, &err) == 0, "%s", err.text);
	ck_assert_uint_eq(ipus.bad, 256);
	ck_assert_uint_eq(strlen(ipus.text), sizeof(ipus.text) - 1);
	free(text);
}
END_TEST

/* As many as a tool can print: the second half repeats the first. */
START_TEST(all_twice)
{
	struct tessera_health_ipus ipus = {0};
	struct tessera_error err = {0};
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	fputs("{\"hosts\":{\"a\":[", out);
	for (int i = 0; i < 70000; i++)
		fprintf(out, "%s{\"id\":\"%d\"}", i > 0 ? "," : "", i % 35000);
	fputs("]}}", out);
	fclose(out);
	ck_assert_msg(gcipuinfo_read(text, &ipus, &err) == 0, "%s", err.text);
	ck_assert_uint_eq(ipus.bad, 35000);
	free(text);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_loop_test(tcase, good_outputs, 0, sizeof(good) / sizeof(good[0]));
	tcase_add_test(tcase, recorded);
	tcase_add_loop_test(tcase, wrong_outputs, 0, sizeof(wrong) / sizeof(wrong[0]));
	tcase_add_test(tcase, many);
	tcase_add_test(tcase, all_twice);
}

UNIT_MAIN("gcipuinfo", add_tests)
