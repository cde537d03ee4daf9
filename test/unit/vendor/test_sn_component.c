/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>

#include "lib/vendor/sn_component.h"
#include "test/unit/unit.h"

static const struct tessera_platform *p;

static void setup(void)
{
	p = tessera_platform_find_builtin("sn30-8");
}

START_TEST(paths)
{
	static const struct {
		const char *path;
		int kind;
		const char *tiles;
	} cases[] = {
		{"/NODE/XRDU_0/RDU_1", COMPONENT_RDU, "rdu1"},
		{"/NODE/XRDU_3/RDU_1/TILE_7", COMPONENT_TILE, "7.7"},
		{"/XRDU_3/RDU_1/TILE_7", COMPONENT_TILE, "7.7"},
		{"/NODE", COMPONENT_OTHER, ""},
		{"/NODE/XRDU_0", COMPONENT_OTHER, ""},
		{"/NODE/XRDU_0/RDU_0/DDRCH_0", COMPONENT_OTHER, ""},
		{"/NODE/XRDU_0/RDU_0/TILE_0/X", COMPONENT_OTHER, ""},
		{"/", COMPONENT_OTHER, ""},
		{"", COMPONENT_OTHER, ""},
		/* A path starts with a slash. */
		{"RDU_0", COMPONENT_OTHER, ""},
		{"NODE/XRDU_0/RDU_1", COMPONENT_OTHER, ""},
		/* An RDU or tile that does not exist, or several. */
		{"/NODE/XRDU_0/RDU_2", -1, ""},
		{"/NODE/XRDU_4/RDU_0", -1, ""},
		{"/NODE/XRDU_0/RDU_0/TILE_8", -1, ""},
		{"/RDU_0", -1, ""},
		{"/NODE/XRDU_0/RDU_0,/NODE/XRDU_0/RDU_1", -1, ""},
		{"/NODE/XRDU_0/RDU_0/TILE_0,/NODE/XRDU_0/RDU_0/TILE_0", -1, ""},
		{"/NODE/XRDU_0/RDU_0/TILE_0-1", -1, ""},
		{"/NODE/XRDU_0/RDU_0/TILE_x", -1, ""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *path = cases[i].path;
		struct tessera_tileset tiles, wanted = {0};
		struct tessera_error err = {0};
		char text[128];

		tessera_tileset_all(p, &tiles);
		ck_assert_msg(sn_component_read(p, path, strlen(path), &tiles, &err) ==
				      cases[i].kind,
			      "%s", path);
		if (cases[i].tiles[0] != '\0')
			ck_assert_int_eq(tessera_tileset_parse(p, cases[i].tiles, &wanted, NULL),
					 0);
		ck_assert_msg(tessera_tileset_equal(&tiles, &wanted), "%s", path);
		snprintf(text, sizeof(text), "platform sn30-8 has no %.60s; ", path);
		ck_assert_int_eq(err.code, cases[i].kind < 0 ? TESSERA_ERR_INPUT : TESSERA_OK);
		ck_assert_msg(cases[i].kind >= 0 || strncmp(err.text, text, strlen(text)) == 0,
			      "%s", err.text);
	}
}
END_TEST

/* Only LEN bytes are read; a text longer than any path is not a path. */
START_TEST(lengths)
{
	char path[300], *end;
	struct tessera_tileset tiles;

	ck_assert_int_eq(sn_component_read(p, "/NODE/XRDU_0/RDU_0/TILE_0", 18, &tiles, NULL),
			 COMPONENT_RDU);
	ck_assert_uint_eq(tessera_tileset_count(&tiles), 8);
	for (size_t len = 250; len < sizeof(path); len++) {
		memset(path, 'x', sizeof(path));
		path[0] = '/';
		end = path + len - strlen("/RDU_9");
		memcpy(end, "/RDU_9", strlen("/RDU_9"));
		ck_assert_int_eq(sn_component_read(p, path, len, &tiles, NULL),
				 len < 256 ? -1 : COMPONENT_OTHER);
	}
}
END_TEST

START_TEST(titles)
{
	static const char title[] = "DataScale SN30-8";
	struct tessera_platform own = *p;
	struct tessera_error err = {0};

	ck_assert_str_eq(p->title, title);
	ck_assert_int_eq(sn_component_check_platform(p, title, strlen(title), &err), 0);
	ck_assert_int_eq(sn_component_check_platform(p, title, strlen(title) - 1, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	ck_assert_ptr_nonnull(
		strstr(err.text,
		       "reports platform DataScale SN30-, but a sn30-8 is a DataScale SN30-8; "));
	ck_assert_int_eq(sn_component_check_platform(p, "DataScale SN30-9", strlen(title), &err),
			 -1);
	/* A platform defined in tessera.conf, which has no title. */
	own.title[0] = '\0';
	ck_assert_int_eq(sn_component_check_platform(&own, "anything", 8, &err), 0);
}
END_TEST

/* When there is no room for a remark, "..." is appended, once. */
START_TEST(remarks)
{
	struct tessera_health_source source = {0};
	const size_t size = sizeof(source.text);
	char wanted[sizeof(source.text)] = "";
	size_t used = 0;

	sn_component_remark(&source, "%s %d", "first", 1);
	ck_assert_str_eq(source.text, "first 1");
	sn_component_remark(&source, "second");
	ck_assert_str_eq(source.text, "first 1; second");

	source.text[0] = '\0';
	/* "; " and nine letters, as long as "; ..." and the NUL fit after it. */
	while (used + 9 + 2 <= size - sizeof("; ...")) {
		sn_component_remark(&source, "ninechars");
		used += (size_t)snprintf(wanted + used, size - used, "%sninechars",
					 used > 0 ? "; " : "");
		ck_assert_str_eq(source.text, wanted);
	}
	snprintf(wanted + used, size - used, "; ...");
	for (int i = 0; i < 3; i++) {
		sn_component_remark(&source, "ninechars");
		ck_assert_str_eq(source.text, wanted);
	}
	sn_component_remark(&source, "x");
	ck_assert_str_eq(source.text, wanted);
}
END_TEST

/* After the last remark that fits there is room for "; ..." and the NUL, and no more. */
START_TEST(the_last_remark)
{
	struct tessera_health_source source = {0};
	const size_t most = sizeof(source.text) - sizeof("; ...");

	memset(source.text, 'x', most - strlen("; last"));
	sn_component_remark(&source, "last");
	ck_assert_uint_eq(strlen(source.text), most);
	ck_assert_str_eq(source.text + most - strlen("; last"), "; last");
	sn_component_remark(&source, "x");
	ck_assert_uint_eq(strlen(source.text), sizeof(source.text) - 1);

	memset(source.text, '\0', sizeof(source.text));
	memset(source.text, 'x', most - strlen("; last"));
	sn_component_remark(&source, "last!");
	ck_assert_str_eq(source.text + most - strlen("; last"), "; ...");
}
END_TEST

START_TEST(names)
{
	struct tessera_tileset tiles = {0};
	char buf[16];

	tessera_tileset_add(&tiles, 29);
	ck_assert_str_eq(sn_component_name(p, &tiles, buf, sizeof(buf)), "3.5");
	tessera_tileset_add_range(&tiles, 24, 8);
	ck_assert_str_eq(sn_component_name(p, &tiles, buf, sizeof(buf)), "rdu3");
	ck_assert_str_eq(sn_component_name(p, &tiles, buf, 3), "rd");
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, setup, NULL);
	tcase_add_test(tcase, paths);
	tcase_add_test(tcase, lengths);
	tcase_add_test(tcase, titles);
	tcase_add_test(tcase, remarks);
	tcase_add_test(tcase, the_last_remark);
	tcase_add_test(tcase, names);
}

UNIT_MAIN("component", add_tests)
