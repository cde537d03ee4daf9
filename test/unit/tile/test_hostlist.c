/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>

#include "lib/tile/hostlist.h"
#include "test/unit/unit.h"

START_TEST(accepts_valid_lists)
{
	static const char *const lists[] = {
		"a",
		"sm-01",
		"host.example.org",
		"gc_poplar-02",
		"sn30-r1-h[1-8]",
		"sn30-r1-h[1-2],gc-poplar-[02-04],sm-01",
		"h[1]",
		"h[1,3,5-7,3]",
		"[1-3]",
		"[1-3]n",
		"r[1-2]h[1-4]",
		"r[1-2][1-4]x",
		"h[0-65535]",
		"h[000000001-000000003]",
		"a,a",
	};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct tessera_error err = {0};

		ck_assert_msg(tessera_hostlist_check(lists[i], &err) == 0, "%s: %s", lists[i],
			      err.text);
	}
}
END_TEST

START_TEST(rejects_invalid_lists)
{
	static const struct {
		const char *list, *text;
	} cases[] = {
		{"", "is empty"},
		{",", "empty name"},
		{"a,", "empty name"},
		{",a", "empty name"},
		{"a,,b", "empty name"},
		{"h[", "brackets"},
		{"h[]", "brackets"},
		{"h[1", "brackets"},
		{"h[1-", "brackets"},
		{"h[1-]", "brackets"},
		{"h[-1]", "brackets"},
		{"h[1,]", "brackets"},
		{"h[,1]", "brackets"},
		{"h[1,,2]", "brackets"},
		{"h[1-2-3]", "brackets"},
		{"h[a-c]", "brackets"},
		{"h[1 ]", "brackets"},
		{"h[[1]]", "brackets"},
		{"h[1234567890]", "brackets"},
		{"h[1,2", "brackets"},
		{"h]", "character"},
		{"h[1]]", "character"},
		{"a b", "character"},
		{" a", "character"},
		{"a, b", "character"},
		{"a?b", "character"},
		{"a;b", "character"},
		{"h[3-1]", "backwards"},
		{"h[03-2]", "backwards"},
		{"h[0-65536]", "65536"},
		{"h[0-999999999]", "65536"},
		{"h[1-256]x[1-257]", "65536"},
		{"h[0-65535],a", "65536"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tessera_error err = {0};

		ck_assert_msg(tessera_hostlist_check(cases[i].list, &err) == -1, "%s was accepted",
			      cases[i].list);
		ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
		ck_assert_msg(strstr(err.text, cases[i].text) != NULL, "%s: %s", cases[i].list,
			      err.text);
		ck_assert_ptr_nonnull(strstr(err.text, cases[i].list));
		ck_assert(!tessera_hostlist_has(cases[i].list, "a"));
		ck_assert(!tessera_hostlist_has(cases[i].list, "h1"));
	}
	/* Not in the table, because the message does not quote the newline. */
	ck_assert_int_eq(tessera_hostlist_check("a\nb", NULL), -1);
}
END_TEST

START_TEST(limits_name_length)
{
	char list[600];

	memset(list, 'x', sizeof(list));
	list[255] = '\0';
	ck_assert_int_eq(tessera_hostlist_check(list, NULL), 0);
	ck_assert(tessera_hostlist_has(list, list));
	list[255] = 'x';
	list[256] = '\0';
	ck_assert_int_eq(tessera_hostlist_check(list, NULL), -1);

	/* The longest name counts: 250 characters and the 6 of 100000. */
	snprintf(list + 250, sizeof(list) - 250, "[99999-100000]");
	ck_assert_int_eq(tessera_hostlist_check(list, NULL), -1);
	snprintf(list + 249, sizeof(list) - 249, "[99999-100000]");
	ck_assert_int_eq(tessera_hostlist_check(list, NULL), 0);
}
END_TEST

START_TEST(finds_hosts)
{
	static const struct {
		const char *list, *host;
		bool in;
	} cases[] = {
		{"sm-01", "sm-01", true},
		{"sm-01", "sm-0", false},
		{"sm-01", "sm-011", false},
		{"sm-01", "SM-01", false},
		{"sm-01", "", false},
		{"a,b,c", "b", true},
		{"a,b,c", "c", true},
		{"a,b,c", "a,b", false},
		{"sn30-r1-h[1-8]", "sn30-r1-h1", true},
		{"sn30-r1-h[1-8]", "sn30-r1-h8", true},
		{"sn30-r1-h[1-8]", "sn30-r1-h0", false},
		{"sn30-r1-h[1-8]", "sn30-r1-h9", false},
		{"sn30-r1-h[1-8]", "sn30-r1-h", false},
		{"sn30-r1-h[1-8]", "sn30-r1-h01", false},
		{"sn30-r1-h[1-8]", "sn30-r1-h1x", false},
		{"sn30-r1-h[1-8]", "sn30-r1-h10", false},
		{"sn30-r1-h[1-8]", "sn30-r2-h1", false},
		/* Numbers are padded to the width of the first. */
		{"gc-poplar-[02-04]", "gc-poplar-02", true},
		{"gc-poplar-[02-04]", "gc-poplar-04", true},
		{"gc-poplar-[02-04]", "gc-poplar-2", false},
		{"gc-poplar-[02-04]", "gc-poplar-002", false},
		{"gc-poplar-[02-04]", "gc-poplar-05", false},
		{"h[8-11]", "h8", true},
		{"h[8-11]", "h10", true},
		{"h[8-11]", "h08", false},
		{"h[08-11]", "h08", true},
		{"h[08-11]", "h8", false},
		{"h[98-101]", "h100", true},
		{"h[098-101]", "h100", true},
		{"h[098-101]", "h98", false},
		{"h[01-100]", "h100", true},
		{"h[01-100]", "h0100", false},
		{"h[0]", "h0", true},
		{"h[0]", "h00", false},
		{"h[00]", "h00", true},
		/* Several items, several brackets, adjacent brackets. */
		{"h[1,3,5-7]", "h3", true},
		{"h[1,3,5-7]", "h6", true},
		{"h[1,3,5-7]", "h2", false},
		{"h[1,3,5-7],x", "x", true},
		{"x,h[1,3],y[2],z", "h3", true},
		{"x,h[1,3],y[2],z", "y2", true},
		{"x,h[1,3],y[2],z", "z", true},
		{"x,h[1,3],y[2],z", "3]", false},
		{"r[1-2]h[1-4]", "r2h4", true},
		{"r[1-2]h[1-4]", "r4h2", false},
		{"r[1-2]h[1-4]", "r2h", false},
		{"[1-12][1-3]", "123", true},
		{"[1-12][1-3]", "11", true},
		{"[1-12][1-3]", "113", true},
		{"[1-12][1-3]", "133", false},
		{"[1-12]2", "12", true},
		{"[1-12]2", "122", true},
		{"[1-12]2", "2", false},
		{"[1-3].cluster", "2.cluster", true},
		{"[1-3].cluster", "2", false},
		{"h[1-9]", "h99999999999999999999", false},
		{"h[1-9]", "h4294967297", false},
		{"h[1-9]", "h-1", false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(tessera_hostlist_has(cases[i].list, cases[i].host) == cases[i].in,
			      "%s in %s", cases[i].host, cases[i].list);
	ck_assert(!tessera_hostlist_has(NULL, "a"));
	ck_assert(!tessera_hostlist_has("a", NULL));
}
END_TEST

/* Slurm pads numbers like printf("%0*u"), to the width of the first. */
START_TEST(finds_every_host_of_a_range)
{
	static const char *const first[] = {"0", "00", "7", "07", "007", "95", "095", "995"};

	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++) {
		int width = (int)strlen(first[i]);
		unsigned from = (unsigned)strtoul(first[i], NULL, 10);
		char list[32], host[32];

		snprintf(list, sizeof(list), "n[%s-%u]", first[i], from + 20);
		for (unsigned n = 0; n < 1200; n++) {
			snprintf(host, sizeof(host), "n%0*u", width, n);
			ck_assert_msg(tessera_hostlist_has(list, host) ==
					      (n >= from && n <= from + 20),
				      "%s in %s", host, list);
		}
	}
}
END_TEST

START_TEST(finds_common_host)
{
	static const struct {
		const char *a, *b, *host; /* NULL: none */
	} cases[] = {
		{"a", "a", "a"},
		{"a", "b", NULL},
		{"a,b", "c,b", "b"},
		{"h[1-4]", "h[4-9]", "h4"},
		{"h[1-4]", "h[5-9]", NULL},
		{"h[01-04]", "h[1-4]", NULL},
		{"h1[0-3]", "h[9-11]", "h10"},
		{"r[1-2]h[1-3]", "r[2-3]h[3-4]", "r2h3"},
		{"x,[1-3][1-3],y", "[21-22]", "21"},
		{"h[8-10]", "h[10-12]", "h10"},
		{"h[", "h[", NULL},
		{"", "", NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char host[64] = "";
		bool found = tessera_hostlist_common(cases[i].a, cases[i].b, host, sizeof(host));

		ck_assert_msg(found == (cases[i].host != NULL), "%s and %s", cases[i].a,
			      cases[i].b);
		if (found)
			ck_assert_str_eq(host, cases[i].host);
		ck_assert(tessera_hostlist_common(cases[i].b, cases[i].a, host, sizeof(host)) ==
			  found);
	}
}
END_TEST

START_TEST(cuts_common_host)
{
	char host[4];

	ck_assert(tessera_hostlist_common("sn30-r1", "sn30-r1", host, sizeof(host)));
	ck_assert_str_eq(host, "sn3");
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_test(tcase, accepts_valid_lists);
	tcase_add_test(tcase, rejects_invalid_lists);
	tcase_add_test(tcase, limits_name_length);
	tcase_add_test(tcase, finds_hosts);
	tcase_add_test(tcase, finds_every_host_of_a_range);
	tcase_add_test(tcase, finds_common_host);
	tcase_add_test(tcase, cuts_common_host);
}

UNIT_MAIN("hostlist", add_tests)
