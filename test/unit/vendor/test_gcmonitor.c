/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/vendor/gcmonitor.h"
#include "test/unit/fixture.h"
#include "test/unit/unit.h"

static int read_ipus(const char *text, struct gcmonitor_ipu **ipus)
{
	struct tessera_error err = {0};
	int count = gcmonitor_read(text, ipus, &err);

	ck_assert_msg(count >= 0, "%s", err.text);
	return count;
}

START_TEST(busy)
{
	char *text = fixture("gcmonitor/busy.json");
	struct gcmonitor_ipu *ipus = NULL;

	ck_assert_int_eq(read_ipus(text, &ipus), 3);
	ck_assert_int_eq(ipus[0].pid, 4711);
	ck_assert_str_eq(ipus[0].partition, "slurm_2616");
	ck_assert_int_eq(ipus[1].pid, 4711);
	ck_assert_int_eq(ipus[2].pid, 4712);
	ck_assert_str_eq(ipus[2].partition, "p4");
	free(ipus);
	free(text);
}
END_TEST

/* IPUs that are known to be unused. */
START_TEST(unused)
{
	static const char *const texts[] = {
		"{\"cards\":[]}",
		"{\"cards\":[{\"ipus\":[]}]}",
		"{\"cards\":[{\"ipus\":[{}]}],\"more\":[1,{\"PID\":5}]}",
		("{\"cards\":[{\"ipus\":[{\"PID\":null},{\"PID\":\"N/A\"},"
		 "{\"PID\":0},{\"PID\":[]}]}]}"),
		"{\"cards\":[{\"ipus\":[{\"command\":\"x\",\"parent\":{\"PID\":7}}]}]}",
	};
	struct gcmonitor_ipu *ipus = NULL;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		ck_assert_int_eq(read_ipus(texts[i], &ipus), 0);
		free(ipus);
	}
}
END_TEST

/* The array grows; PIDs in lists, keys in either case; the partition of a card. */
START_TEST(many)
{
	static char text[20000] = "{\"cards\":[{\"Partition\":\"pod\",\"ipus\":[";
	struct gcmonitor_ipu *ipus = NULL;

	for (int i = 1; i <= 256; i++) {
		char one[64];

		snprintf(one, sizeof(one), i % 2 ? "{\"pid\":[%d,9]}," : "{\"PIDs\":\"%d\"},", i);
		strcat(text, one);
	}
	strcat(text, "{}]}]}");
	ck_assert_int_eq(read_ipus(text, &ipus), 256);
	for (int i = 0; i < 256; i++) {
		ck_assert_int_eq(ipus[i].pid, i + 1);
		ck_assert_str_eq(ipus[i].partition, "pod");
	}
	free(ipus);
}
END_TEST

/* A command's name, which any user can choose, is neither a PID nor breaks the parser. */
START_TEST(commands)
{
	static const char *const names[] = {"77",           "PID",      "\\n\\\"PID\\\": 77",
					    "\xe7\x81\xab", "\xff\xfe", "\xc2\x9b",
					    "a\nb\tc",      "\x1b[2J"};
	struct gcmonitor_ipu *ipus = NULL;
	char text[256];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(text, sizeof(text),
			 "{\"cards\":[{\"ipus\":[{\"PID command\":\"%s\",\"PID "
			 "user\":\"8\",\"command\":\"%s\",\n"
			 "\"PID\":\"4711\"},{\"PID command\":\"%s\"}]}]}",
			 names[i], names[i], names[i]);
		ck_assert_int_eq(read_ipus(text, &ipus), 1);
		ck_assert_int_eq(ipus[0].pid, 4711);
		free(ipus);
	}
}
END_TEST

static const char *const wrong[] = {
	/* As if a command's name had not been escaped: either value may be the true one. */
	"{\"cards\":[{\"ipus\":[{\"PID\":\"4711\",\"command\":\"x\",\"PID\":\"77\"}]}]}",
	"",
	"garbage",
	"Segmentation fault (core dumped)\n",
	"[]",
	"{}",
	"{\"cards\":{}}",
	"{\"cards\":[1]}",
	"{\"cards\":[{}]}",
	"{\"cards\":[{\"ipus\":{}}]}",
	"{\"cards\":[{\"ipus\":[1]}]}",
	"{\"cards\":[{\"ipus\":[{\"PID\":\"12x\"}]}]}",
	"{\"cards\":[{\"ipus\":[{\"PID\":true}]}]}",
	"{\"cards\":[{\"ipus\":[{\"PID\":-1}]}]}",
	"{\"cards\":[{\"ipus\":[{\"PID\":2147483648}]}]}",
	"{\"cards\":[{\"ipus\":[{\"PID\":\"2147483648\"}]}]}",
	"{\"cards\":[]} and more",
	"{\"cards\":[",
};

START_TEST(invalid_outputs)
{
	struct tessera_error err = {0};
	struct gcmonitor_ipu *ipus = NULL;

	ck_assert_msg(gcmonitor_read(wrong[_i], &ipus, &err) == -1, "%s", wrong[_i]);
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	ck_assert_ptr_nonnull(strstr(err.text, "gc-monitor"));
	ck_assert_ptr_null(ipus);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_test(tcase, busy);
	tcase_add_test(tcase, unused);
	tcase_add_test(tcase, many);
	tcase_add_test(tcase, commands);
	tcase_add_loop_test(tcase, invalid_outputs, 0, sizeof(wrong) / sizeof(wrong[0]));
}

UNIT_MAIN("gcmonitor", add_tests)
