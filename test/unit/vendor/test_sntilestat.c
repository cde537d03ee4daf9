/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/vendor/sntilestat.h"
#include "test/unit/fixture.h"
#include "test/unit/unit.h"

#define HEAD \
	"TILE                 %idle %exec %pload %aload %chkpt %quiesce    PID     USER COMMAND\n"
#define IDLE " 100.0   0.0    0.0    0.0    0.0      0.0\n"
#define OWNED \
	"   8.0  91.6    0.3    0.1    0.0      0.0 2750333  vsastry /opt/sambaflow/apps/nlp/tr\n"
#define TILE0 "/XRDU_0/RDU_0/TILE_0"
#define TILE1 "/XRDU_0/RDU_0/TILE_1"

static struct sntilestat stat;

static void read_text(const char *platform, const char *text)
{
	struct tessera_error err = {0};

	ck_assert_msg(sntilestat_read(text, tessera_platform_find_builtin(platform), &stat, &err) ==
			      0,
		      "%s", err.text);
}

static void read_fixture(const char *platform, const char *name)
{
	char *text = fixture(name);

	read_text(platform, text);
	free(text);
}

static unsigned owned(void)
{
	unsigned count = 0;

	for (unsigned t = 0; t < TESSERA_TILES_MAX; t++)
		count += stat.owner[t] != 0 ? 1 : 0;
	return count;
}

/*
 * One process owns the first RDU's four tiles, which are 80 % idle; its command takes three lines.
 */
START_TEST(sn10_wrapped)
{
	read_fixture("sn10-8", "sntilestat/sn10-wrapped.txt");
	ck_assert_uint_eq(tessera_tileset_count(&stat.listed), 32);
	for (unsigned t = 0; t < 4; t++)
		ck_assert_int_eq(stat.owner[t], 49880);
	ck_assert_uint_eq(owned(), 4);
}
END_TEST

/* Sixteen processes with four tiles each. */
START_TEST(sn30_busy)
{
	read_fixture("sn30-8", "sntilestat/sn30-busy.txt");
	ck_assert_uint_eq(tessera_tileset_count(&stat.listed), 64);
	ck_assert_uint_eq(owned(), 64);
	ck_assert_int_eq(stat.owner[0], 2750333);
	ck_assert_int_eq(stat.owner[3], 2750333);
	ck_assert_int_eq(stat.owner[4], 2750339);
	ck_assert_int_eq(stat.owner[8], 2750338);  /* /XRDU_0/RDU_1/TILE_0 */
	ck_assert_int_eq(stat.owner[16], 2750345); /* /XRDU_1/RDU_0/TILE_0 */
	ck_assert_int_eq(stat.owner[63], 2750332);
	for (unsigned t = 0; t < 64; t++)
		ck_assert_int_eq(stat.owner[t], stat.owner[t & ~3U]);
}
END_TEST

START_TEST(idle)
{
	read_fixture("sn10-8", "sntilestat/sn10-idle.txt");
	ck_assert_uint_eq(tessera_tileset_count(&stat.listed), 32);
	ck_assert_uint_eq(owned(), 0);
	read_fixture("sn30-8", "sntilestat/sn30-idle.txt");
	ck_assert_uint_eq(tessera_tileset_count(&stat.listed), 64);
	ck_assert_uint_eq(owned(), 0);
}
END_TEST

/* Written after the vendor's description: cases that the recorded outputs do not have. */
static const struct {
	const char *text;
	unsigned told;
	pid_t first, second; /* of tiles 0 and 1 */
} made[] = {
	{HEAD TILE0 IDLE, 1, 0, 0},
	{HEAD TILE0 OWNED TILE1 IDLE, 2, 2750333, 0},
	/*
	 * Repeated tables: only what all of them agree on is known, because a header after a row
	 * may be the command of a user.
	 */
	{HEAD HEAD TILE0 OWNED, 1, 2750333, 0},
	{HEAD TILE0 IDLE TILE1 IDLE HEAD TILE0 IDLE TILE1 IDLE, 2, 0, 0},
	{HEAD TILE0 OWNED TILE1 OWNED HEAD TILE0 OWNED TILE1 IDLE, 1, 2750333, 0},
	{HEAD TILE0 OWNED TILE1 OWNED "\n" HEAD TILE0 IDLE, 1, 0, 2750333},
	/* A header in a command neither discards rows nor moves columns. */
	{HEAD TILE0 OWNED "TILE PID\n" TILE1 IDLE, 2, 2750333, 0},
	{HEAD TILE0 OWNED "TILE PID\n" TILE1 OWNED, 2, 2750333, 2750333},
	{HEAD TILE0 OWNED HEAD TILE1 OWNED, 2, 2750333, 2750333},
	{HEAD TILE0 OWNED "TILE,PID\n" TILE1 IDLE, 2, 2750333, 0},
	{HEAD TILE0 OWNED "TILE %idle %exec %pload %aload PID\n" TILE1
			  " 8.0 91.6 0.3 0.1 77 0.0 88 joe x\n",
	 2, 2750333, 88},
	{"TILE,%idle,PID,USER,COMMAND\n" TILE0 ",8.0,77,joe,x\nTILE,PID\n" TILE1 ",100.0,,,\n", 2,
	 77, 0},
	{HEAD TILE0 " 1.0 0.0 0.0 0.0 0.0 0.0 77 joe TILE PID\n" TILE1 IDLE, 2, 77, 0},
	/*
	 * Nor does a row in a command make the lines behind it an error; of its tile nothing is
	 * known.
	 */
	{HEAD TILE0 OWNED TILE1 IDLE "--epochs 100\n" TILE1 OWNED, 1, 2750333, 0},
	{HEAD TILE0 OWNED TILE1 IDLE HEAD "Traceback (most\n" TILE1 IDLE, 2, 2750333, 0},
	/* All rows have the tile in the column of the first; elsewhere it is a command. */
	{HEAD TILE0 OWNED "run " TILE1 " 8.0 91.6 0.3 0.1 0.0 0.0 88 joe x\n" TILE1 IDLE, 2,
	 2750333, 0},
	{HEAD "12:00:00 " TILE0 OWNED TILE1
	      " 8.0 91.6 0.3 0.1 0.0 0.0 88 joe x\n12:00:00 " TILE1 IDLE,
	 2, 2750333, 0},
	/* Tabs, terminal escapes and non-ASCII text in a command. */
	{HEAD TILE0 " 1.0 0.0 0.0 0.0 0.0 0.0 77 joe "
		    "\xe7\x81\xab\t\x1b[2J\xff\xc2\x9b\n\xe7\x81\xab TILE PID\n" TILE1 IDLE,
	 2, 77, 0},
	/* Two rows of one table that differ: one may be a command, so the tile is unknown. */
	{HEAD TILE0 OWNED TILE1 OWNED TILE0 IDLE, 1, 0, 2750333},
	{HEAD TILE0 OWNED TILE1 OWNED TILE0 IDLE TILE0 OWNED, 1, 0, 2750333},
	{HEAD TILE0 OWNED TILE1 OWNED TILE0 OWNED, 2, 2750333, 2750333},
	/* A command that looks like an invalid row does not prevent the sampling of others. */
	{HEAD TILE1 OWNED TILE0 " is not a row\n" TILE0 IDLE, 2, 0, 2750333},
	{HEAD TILE1 OWNED "/XRDU_9/RDU_9/TILE_9 1.0\n" TILE0 IDLE, 2, 0, 2750333},
	/* Times: above the table, or before the tile. */
	{"2023-04-18 12:00:00\n" HEAD TILE0 OWNED
	 "2023-04-18 12:00:05\n" HEAD TILE0 IDLE TILE1 OWNED,
	 1, 0, 2750333},
	{HEAD "12:00:00 " TILE0 OWNED "12:00:00 " TILE1 IDLE, 2, 2750333, 0},
	{"TIME " HEAD "Tue Apr 18 12:00:00 CST 2023 " TILE0 OWNED, 1, 2750333, 0},
	/* A banner, CRLF line ends, tabs, no user or command. */
	{"SambaNova tile status\n\n" HEAD TILE0 IDLE, 1, 0, 0},
	{"TILE %idle PID USER COMMAND\r\n" TILE0 " 100.0\r\n" TILE1 "\t1.0\t77\tjoe\tpython\r\n", 2,
	 0, 77},
	{"TILE %idle PID\n" TILE0 " 1.0 7\n", 1, 7, 0},
	/* Placeholders for a tile that cannot be queried. */
	{"TILE %idle PID\n" TILE0 " N/A -\n" TILE1 " nan N/A\n", 2, 0, 0},
	/* Commas. */
	{"TILE,%idle,%exec,PID,USER,COMMAND\n" TILE0 ",8.0,91.6,77,joe,python a.py\n" TILE1
	 ",100.0,0.0,,,\n",
	 2, 77, 0},
	{"tile, %idle, pid, user, command\n" TILE0
	 ", 8.0, 77, joe, \"python -c 'a,b'\n/XRDU'\"\n" TILE1 ", 1.0\n",
	 2, 77, 0},
	{"time,TILE,%idle,PID\n2023-04-18T12:00:00," TILE0 ",8.0,77\n", 1, 77, 0},
	{"\"TILE\",\"%idle\",\"PID\"\n\"" TILE0 "\",\"8.0\",\"77\"\n", 1, 77, 0},
	/* A command may look like anything. */
	{HEAD TILE0 " 1.0 0.0 0.0 0.0 0.0 0.0 77 joe a,b\nPID\nc,d " TILE1
		    "\nTraceback (most\n" TILE1 IDLE,
	 2, 77, 0},
	{HEAD "/NODE" TILE0 OWNED, 1, 2750333, 0},
};

START_TEST(variants)
{
	read_text("sn30-8", made[_i].text);
	ck_assert_uint_eq(tessera_tileset_count(&stat.listed), made[_i].told);
	ck_assert_int_eq(stat.owner[0], made[_i].first);
	ck_assert_int_eq(stat.owner[1], made[_i].second);
}
END_TEST

static const char *const wrong[] = {
	"",
	"\n",
	"sntilestat: command not found\n",
	HEAD,                                      /* no tile: not the same as no use */
	TILE0 IDLE,                                /* no header */
	"TILE %idle %exec\n" TILE0 " 100.0 0.0\n", /* no PID in it */
	"PID TILE\n1 " TILE0 "\n",                 /* another order */
	HEAD "/XRDU_0/RDU_0\n",                    /* no tile */
	HEAD "/XRDU_4/RDU_0/TILE_0" IDLE,          /* another platform's */
	HEAD "/XRDU_0/RDU_0/TILE_8" IDLE,
	HEAD "/XRDU_0/RDU_0/TILE_0-3" IDLE,
	HEAD "/XRDU_0/RDU_0/TILE_0,/XRDU_0/RDU_0/TILE_1" IDLE,
	HEAD TILE0 " 100.0   0.0\n",                             /* cut */
	HEAD TILE0 " 100.0   0.0    0.0    0.0    0.0      0.0", /* no end */
	HEAD TILE0 " 100.0 0.0 0.0 0.0 0.0 joe 77\n",            /* other columns */
	HEAD TILE0 " 100.0 0.0 0.0 0.0 0.0 0.0 joe 77\n",
	HEAD TILE0 " 100.0 0.0 0.0 0.0 0.0 0.0 0 joe x\n",
	HEAD TILE0 " 100.0 0.0 0.0 0.0 0.0 0.0 -7 joe x\n",
	HEAD TILE0 " 100.0 0.0 0.0 0.0 0.0 0.0 2147483648 joe x\n",
	HEAD TILE0 " 100.0 0.0 0.0 0.0 0.0 0.0 123456789012345678 joe x\n",
	HEAD TILE0 IDLE "Traceback (most recent call last):\n", /* no command that it could be of */
	HEAD "Segmentation fault\n" TILE0 IDLE,
	HEAD TILE0 IDLE "TILE %idle PID\n" TILE1 IDLE, /* other columns, and no command */
	HEAD TILE0 IDLE "12:00:00 " TILE1 IDLE,        /* another place */
	/* two tables that agree on nothing */
	HEAD TILE0 OWNED TILE1 OWNED HEAD TILE0 IDLE TILE1 IDLE,
};

START_TEST(invalid_outputs)
{
	struct tessera_error err = {0};

	ck_assert_msg(sntilestat_read(wrong[_i], tessera_platform_find_builtin("sn30-8"), &stat,
				      &err) == -1,
		      "%s", wrong[_i]);
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	ck_assert_ptr_nonnull(strstr(err.text, "cannot parse the output"));
}
END_TEST

static void expect_message(const char *message, const char *text)
{
	struct tessera_error err = {0};

	ck_assert_int_eq(
		sntilestat_read(text, tessera_platform_find_builtin("sn30-8"), &stat, &err), -1);
	ck_assert_msg(strstr(err.text, message) != NULL, "%s", err.text);
}

/*
 * Messages say what is wrong in which line. Last: a header with as many words as a line can have,
 * and a tile after a time, so that its PID would be beyond them.
 */
START_TEST(messages)
{
	char wide[1024] = "TILE";

	expect_message("line 2: a row has fewer columns than the header",
		       HEAD TILE0 " 100.0   0.0\n");
	expect_message("line 3: incomplete", HEAD TILE0 IDLE TILE1 " 1.0 0.0 0.0 0.0 0.0 0.0 2750");
	expect_message("line 2: the end, and no tile", HEAD);
	expect_message("line 1: a tile, but no header line", TILE0 IDLE);
	expect_message("each tile has two rows that differ: SntilestatCommand must print one table",
		       HEAD TILE0 OWNED HEAD TILE0 IDLE);
	for (int i = 0; i < 62; i++)
		strcat(wide, " %x");
	strcat(wide, " PID\n1 2 3 4 5 " TILE0);
	for (int i = 0; i < 70; i++)
		strcat(wide, " 1");
	strcat(wide, "\n");
	expect_message("line 2: a row has fewer columns", wide);
}
END_TEST

/*
 * An SN10's table on an SN30 node is valid, but half the tiles are unknown; an SN30's table on an
 * SN10 node is invalid.
 */
START_TEST(platforms)
{
	struct tessera_error err = {0};
	char *text = fixture("sntilestat/sn30-idle.txt");

	read_fixture("sn30-8", "sntilestat/sn10-wrapped.txt");
	ck_assert_uint_eq(tessera_tileset_count(&stat.listed), 32);
	ck_assert(!tessera_tileset_has(&stat.listed, 4));
	ck_assert(tessera_tileset_has(&stat.listed, 8));
	ck_assert_int_eq(
		sntilestat_read(text, tessera_platform_find_builtin("sn10-8"), &stat, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "platform sn10-8 has no tile /XRDU_0/RDU_0/TILE_4"));
	free(text);
}
END_TEST

/*
 * Output cut anywhere is an error or, after a whole line, lists fewer tiles; an owned tile is never
 * listed without its owner.
 */
START_TEST(cut_anywhere)
{
	const struct tessera_platform *p = tessera_platform_find_builtin("sn30-8");
	char *text = fixture("sntilestat/sn30-busy.txt");

	for (size_t len = 600; len-- > 0;) {
		text[len] = '\0';
		if (sntilestat_read(text, p, &stat, NULL) == 0)
			ck_assert_uint_eq(owned(), tessera_tileset_count(&stat.listed));
	}
	free(text);
}
END_TEST

/* A command as long as the kernel allows, with rows, headers and spaces in it. */
START_TEST(long_command)
{
	static const char piece[] = "TILE PID a,b /XRDU_0/RDU_0/TILE_1 \t";
	size_t pieces = 128 * 1024 / (sizeof(piece) - 1);
	char *text = calloc(1, pieces * sizeof(piece) + 1024), *at = text;

	ck_assert_ptr_nonnull(text);
	at += sprintf(at, "%s", HEAD TILE0 " 1.0 0.0 0.0 0.0 0.0 0.0 77 joe ");
	for (size_t i = 0; i < pieces; i++)
		at += sprintf(at, "%s%s", piece, i % 100 == 99 ? "\n" : "");
	sprintf(at, "\n" TILE1 IDLE);
	read_text("sn30-8", text);
	ck_assert_int_eq(stat.owner[0], 77);
	ck_assert(tessera_tileset_has(&stat.listed, 1) && stat.owner[1] == 0);
	free(text);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_test(tcase, sn10_wrapped);
	tcase_add_test(tcase, sn30_busy);
	tcase_add_test(tcase, idle);
	tcase_add_loop_test(tcase, variants, 0, sizeof(made) / sizeof(made[0]));
	tcase_add_loop_test(tcase, invalid_outputs, 0, sizeof(wrong) / sizeof(wrong[0]));
	tcase_add_test(tcase, messages);
	tcase_add_test(tcase, platforms);
	tcase_add_test(tcase, cut_anywhere);
	tcase_add_test(tcase, long_command);
}

UNIT_MAIN("sntilestat", add_tests)
