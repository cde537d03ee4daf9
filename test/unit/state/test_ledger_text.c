/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ledger's text: what is written, and that the parser accepts nothing else. */
#include "config.h"

#include "lib/state/ledger_internal.h"
#include "test/unit/state/ledger_unit.h"

#define TITLE "tessera-ledger 1 sn30-8\n"
#define JOB1  "job 1 uid 1001 state held restarts 0 tiles 0-15 text -\n"
#define JOB2  "job 2 uid 1002 state held restarts 0 tiles 16 text -\n"
#define STEP0 "step 1.0 pid 2345 start 998877 tiles 0-3\n"

static const char *const good[] = {
	TITLE "end 0\n",
	TITLE JOB1 "end 1\n",
	TITLE JOB1 STEP0
	"step 1.4294967291 pid 2147483647 start 18446744073709551615 tiles 4,6-15\n" JOB2 "end 4\n",
	TITLE
	"job 4711 uid 1001 state held restarts 0 tiles 0-15 text -\n"
	"step 4711.0 pid 2345 start 998877 tiles 0-3\n"
	"job 4712 uid 1002 state short restarts 1 tiles - text 2 whole RDUs are needed, 1 is free\n"
	"end 3\n",
	TITLE
	"job 4294967295 uid 4294967295 state refused restarts 4294967295 tiles - text  end 3 \n"
	"end 1\n",
	TITLE "job 1 uid 0 state held restarts 0 tiles 0,2,4-63 text --\nend 1\n",
	TITLE
	"job 1 uid 1001 state withheld restarts 0 tiles 0-15 text -\n"
	"job 2 uid 1002 state short restarts 2 tiles - text -\n"
	"job 2 uid 1002 state withheld restarts 1 tiles 16,63 text process 4242 (a b) of uid 7 "
	"still holds /dev/rdu\n"
	"job 2 uid 1002 state withheld restarts 0 tiles 17-18 text -\n"
	"job 3 uid 1002 state held restarts 2 tiles 19-23 since 18446744073709551615 text -\n"
	"step 3.0 pid 2345 start 998877 tiles 20\n"
	"job 3 uid 1002 state withheld restarts 1 tiles 24 since 1 text -\n"
	"end 7\n",
	TITLE "job 1 uid 1001 state held restarts 0 tiles 0-7 tasks 2 of 4 own since 1 text -\n"
	      "job 2 uid 1001 state held restarts 0 tiles 8 tasks 4294967295 of 4294967295 text -\n"
	      "job 3 uid 1001 state held restarts 0 tiles 9 own text own\n"
	      "end 3\n",
};

START_TEST(good_files)
{
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct tessera_error err = {0};
		struct tessera_ledger *ledger = ledger_new(sn30, "d");
		char *text;

		ck_assert_msg(ledger_parse(ledger, "d/ledger", good[i], strlen(good[i]), &err) == 0,
			      "%s\n%s", err.text, good[i]);
		text = ledger_format(ledger);
		ck_assert_str_eq(text, good[i]);
		free(text);
		tessera_ledger_close(ledger);
	}
}
END_TEST

/*
 * A ledger without rows is valid although it has the name of another platform.
 */
START_TEST(empty_of_another_platform)
{
	static const char *const names[] = {"sn10-8", "sn30-80", "sn30", "x@y_z.1"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct tessera_ledger *ledger = ledger_new(sn30, "d");
		struct tessera_error err = {0};
		char file[128], *text;

		snprintf(file, sizeof(file), "tessera-ledger 1 %s\nend 0\n", names[i]);
		ck_assert_msg(ledger_parse(ledger, "d/ledger", file, strlen(file), &err) == 0, "%s",
			      err.text);
		text = ledger_format(ledger);
		ck_assert_str_eq(text, TITLE "end 0\n");
		free(text);
		tessera_ledger_close(ledger);
	}
}
END_TEST

START_TEST(fields_are_read)
{
	struct tessera_ledger *ledger = ledger_new(sn30, "d");
	struct tessera_tileset tiles = tiles_of("0-15"), part = tiles_of("0-3");
	const struct tessera_step_row *step;
	const struct tessera_row *row;

	ck_assert_int_eq(ledger_parse(ledger, "d/ledger", good[3], strlen(good[3]), NULL), 0);
	row = tessera_ledger_job(ledger, 4711);
	ck_assert_uint_eq(row->uid, 1001);
	ck_assert_int_eq(row->state, TESSERA_ROW_HELD);
	ck_assert_uint_eq(row->restarts, 0);
	ck_assert(tessera_tileset_equal(&row->tiles, &tiles));
	ck_assert_str_eq(row->text, "");
	step = tessera_ledger_step_row(ledger, 0);
	ck_assert_uint_eq(step->job, 4711);
	ck_assert_uint_eq(step->step, 0);
	ck_assert_int_eq(step->pid, 2345);
	ck_assert_uint_eq(step->start, 998877);
	ck_assert(tessera_tileset_equal(&step->tiles, &part));
	row = tessera_ledger_row(ledger, 1);
	ck_assert_uint_eq(row->job, 4712);
	ck_assert_int_eq(row->state, TESSERA_ROW_SHORT);
	ck_assert_uint_eq(row->restarts, 1);
	ck_assert(tessera_tileset_empty(&row->tiles));
	ck_assert_str_eq(row->text, "2 whole RDUs are needed, 1 is free");
	tessera_ledger_close(ledger);
	ledger = ledger_new(sn30, "d");
	ck_assert_int_eq(ledger_parse(ledger, "d/ledger", good[6], strlen(good[6]), NULL), 0);
	row = tessera_ledger_row(ledger, 2);
	ck_assert_uint_eq(row->job, 2);
	ck_assert_int_eq(row->state, TESSERA_ROW_WITHHELD);
	ck_assert_uint_eq(row->restarts, 1);
	ck_assert_uint_eq(row->since, 0);
	tiles = tiles_of("16,63");
	ck_assert(tessera_tileset_equal(&row->tiles, &tiles));
	ck_assert_str_eq(row->text, "process 4242 (a b) of uid 7 still holds /dev/rdu");
	ck_assert_uint_eq(tessera_ledger_job(ledger, 3)->since, UINT64_MAX);
	ck_assert_uint_eq(tessera_ledger_job(ledger, 3)->tasks, 0);
	ck_assert(!tessera_ledger_job(ledger, 3)->own);
	tessera_ledger_close(ledger);
	ledger = ledger_new(sn30, "d");
	ck_assert_int_eq(ledger_parse(ledger, "d/ledger", good[7], strlen(good[7]), NULL), 0);
	row = tessera_ledger_job(ledger, 1);
	ck_assert_uint_eq(row->tasks, 2);
	ck_assert_uint_eq(row->job_tasks, 4);
	ck_assert(row->own);
	ck_assert_uint_eq(row->since, 1);
	ck_assert(!tessera_ledger_job(ledger, 2)->own);
	ck_assert_uint_eq(tessera_ledger_job(ledger, 2)->job_tasks, UINT32_MAX);
	ck_assert(tessera_ledger_job(ledger, 3)->own);
	ck_assert_uint_eq(tessera_ledger_job(ledger, 3)->job_tasks, 0);
	tessera_ledger_close(ledger);
}
END_TEST

#define HELD(job, tiles) "job " job " uid 1 state held restarts 0 tiles " tiles " text -\n"

#define WITHHELD(job, tiles) "job " job " uid 1 state withheld restarts 0 tiles " tiles " text -\n"

/* A damaged file, the line that the message must name, and part of the message. */
static const struct {
	const char *text;
	int line;
	const char *word;
} damaged[] = {
	/* The title */
	{"", 1, "the file is truncated"},
	{"\n", 1, "not a ledger of format 1"},
	{"tessera-ledger 1 sn30-8", 1, "this line has no newline"},
	{"tessera-ledger 2 sn30-8\nend 0\n", 1, "not a ledger of format 1"},
	{"tessera-ledger 1 sn10-8\n" JOB1 "end 1\n", 1,
	 "on tiles of platform sn10-8, but this node is sn30-8"},
	{"tessera-ledger 1 sn30-80\n" JOB1 "end 1\n", 1, "tiles of platform sn30-80, but"},
	{"tessera-ledger 1 sn10-8\nend 0\n\n", 1, "platform sn10-8, but"},
	{"tessera-ledger 1 sn10-8\nend 0", 1, "platform sn10-8, but"},
	{"tessera-ledger 1 sn10-8\n", 1, "platform sn10-8, but"},
	{"tessera-ledger 1 sn30-8 \nend 0\n", 1, "not a valid platform name"},
	{"tessera-ledger 1  sn30-8\nend 0\n", 1, "not a valid platform name"},
	{"tessera-ledger 1 \nend 0\n", 1, "not a valid platform name"},
	{"tessera-ledger 1 sn30-8\r\nend 0\n", 1, "not a valid platform name"},
	{TITLE TITLE "end 0\n", 2, "neither a row"},
	/* The end */
	{TITLE, 2, "the file is truncated: its last line \"end\" is missing"},
	{TITLE JOB1, 3, "is missing"},
	{TITLE JOB1 "end 1", 3, "this line has no newline"},
	{TITLE JOB1 "end", 3, "this line has no newline"},
	{TITLE JOB1 "end\n", 3, "neither a row"},
	{TITLE JOB1 "end \n", 3, "cannot parse the number"},
	{TITLE JOB1 "end 1 \n", 3, "cannot parse the number"},
	{TITLE JOB1 "end 01\n", 3, "cannot parse the number"},
	{TITLE JOB1 "end -1\n", 3, "cannot parse the number"},
	{TITLE JOB1 "end 18446744073709551617\n", 3, "cannot parse the number"},
	{TITLE JOB1 "end 0\n", 3, "the file has 1 rows, but \"end\" counts 0"},
	{TITLE JOB1 STEP0 "end 1\n", 4, "the file has 2 rows, but \"end\" counts 1"},
	{TITLE "end 1\n", 2, "the file has 0 rows, but \"end\" counts 1"},
	{TITLE "end 0\n\n", 3, "unexpected text after"},
	{TITLE JOB1 "end 1\n" JOB2, 4, "unexpected text after"},
	/* A row of a job */
	{TITLE "\nend 0\n", 2, "neither a row"},
	{TITLE "# comment\nend 0\n", 2, "neither a row"},
	{TITLE " " JOB1 "end 1\n", 2, "neither a row"},
	{TITLE "job\nend 1\n", 2, "neither a row"},
	{TITLE "job \nend 1\n", 2, "not a valid job row"},
	{TITLE HELD("0", "0") "end 1\n", 2, "job 0"},
	{TITLE HELD("01", "0") "end 1\n", 2, "not a valid job row"},
	{TITLE HELD("+1", "0") "end 1\n", 2, "not a valid job row"},
	{TITLE HELD("-1", "0") "end 1\n", 2, "not a valid job row"},
	{TITLE HELD("4294967296", "0") "end 1\n", 2, "not a valid job row"},
	{TITLE HELD("18446744073709551617", "0") "end 1\n", 2, "not a valid job row"},
	{TITLE HELD("1x", "0") "end 1\n", 2, "not a valid job row"},
	{TITLE "job 1  uid 1 state held restarts 0 tiles 0 text -\nend 1\n", 2,
	 "not a valid job row"},
	{TITLE "job 1 state held uid 1 restarts 0 tiles 0 text -\nend 1\n", 2,
	 "not a valid job row"},
	{TITLE "job 1 uid 4294967296 state held restarts 0 tiles 0 text -\nend 1\n", 2,
	 "not a valid job row"},
	{TITLE "job 1 uid 1 state Held restarts 0 tiles 0 text -\nend 1\n", 2,
	 "not a valid job row"},
	{TITLE "job 1 uid 1 state shorter restarts 0 tiles - text -\nend 1\n", 2,
	 "not a valid job row"},
	{TITLE "job 1 uid 1 state held restarts  tiles 0 text -\nend 1\n", 2,
	 "not a valid job row"},
	{TITLE "job 1 uid 1 state held restarts 0 tiles 0\nend 1\n", 2, "not a valid job row"},
	{TITLE "job 1 uid 1 state held restarts 0 tiles 0 text\nend 1\n", 2, "not a valid job row"},
	{TITLE "job 1 uid 1 state held restarts 0 tiles 0 text \nend 1\n", 2,
	 "not a valid job row"},
	{TITLE "job 1 uid 1 state held restarts 0 tiles 0 text a\tb\nend 1\n", 2,
	 "not a valid job row"},
	{TITLE "job 1 uid 1 state held restarts 0 tiles 0 text a\r\nend 1\n", 2,
	 "not a valid job row"},
	{TITLE "job 1 uid 1 state held restarts 0 tiles 0 text a\302\233\nend 1\n", 2,
	 "not a valid job row"},
	{TITLE "job 1 uid 1 state held restarts 0 tiles 0 text a\233\nend 1\n", 2,
	 "not a valid job row"},
	{TITLE "job 1 uid 1 state held restarts 0 tiles - text -\nend 1\n", 2, "job 1 has 0 tiles"},
	{TITLE "job 1 uid 1 state short restarts 0 tiles 3 text -\nend 1\n", 2,
	 "job 1 has 1 tile:"},
	/* Tiles */
	{TITLE HELD("1", "") "end 1\n", 2, "not a valid job row"},
	{TITLE HELD("1", "64") "end 1\n", 2, "not a valid job row"},
	{TITLE HELD("1", "0-3,4") "end 1\n", 2, "not a valid job row"},
	{TITLE HELD("1", "4,0") "end 1\n", 2, "not a valid job row"},
	{TITLE HELD("1", "rdu0") "end 1\n", 2, "not a valid job row"},
	{TITLE HELD("1", "0x00000000000000ff") "end 1\n", 2, "not a valid job row"},
	{TITLE HELD("1", "0-") "end 1\n", 2, "not a valid job row"},
	{TITLE HELD("1", "0,-") "end 1\n", 2, "not a valid job row"},
	{TITLE HELD("1", "00") "end 1\n", 2, "not a valid job row"},
	{TITLE "job 1 uid 1 state withheld restarts 0 tiles - text -\nend 1\n", 2,
	 "job 1 has 0 tiles"},
	{TITLE "job 1 uid 1 state held restarts 0 tiles 0 since 0 text -\nend 1\n", 2,
	 "not a valid job row"},
	{TITLE "job 1 uid 1 state withheld restarts 0 tiles 0 tasks 2 of 4 text -\nend 1\n", 2,
	 "not a valid job row"},
	{TITLE "job 1 uid 1 state held restarts 0 tiles 0 tasks 0 of 4 text -\nend 1\n", 2,
	 "not a valid job row"},
	{TITLE "job 1 uid 1 state held restarts 0 tiles 0 tasks 2 of 0 text -\nend 1\n", 2,
	 "not a valid job row"},
	{TITLE "job 1 uid 1 state held restarts 0 tiles 0 tasks 2 text -\nend 1\n", 2,
	 "not a valid job row"},
	{TITLE "job 1 uid 1 state held restarts 0 tiles 0 tasks 02 of 4 text -\nend 1\n", 2,
	 "not a valid job row"},
	{TITLE "job 1 uid 1 state held restarts 0 tiles 0 own tasks 2 of 4 text -\nend 1\n", 2,
	 "not a valid job row"},
	{TITLE "job 1 uid 1 state held restarts 0 tiles 0 own own text -\nend 1\n", 2,
	 "not a valid job row"},
	{TITLE "job 1 uid 1 state held restarts 0 tiles 0 since 01 text -\nend 1\n", 2,
	 "not a valid job row"},
	{TITLE "job 1 uid 1 state held restarts 0 tiles 0 since - text -\nend 1\n", 2,
	 "not a valid job row"},
	{TITLE "job 1 uid 1 state held restarts 0 tiles 0 since  text -\nend 1\n", 2,
	 "not a valid job row"},
	{TITLE
	 "job 1 uid 1 state held restarts 0 tiles 0 since 18446744073709551616 text -\nend 1\n",
	 2, "not a valid job row"},
	{TITLE "job 1 uid 1 state held restarts 0 tiles 0 since 1 since 1 text -\nend 1\n", 2,
	 "not a valid job row"},
	{TITLE "job 1 uid 1 state held restarts 0 since 1 tiles 0 text -\nend 1\n", 2,
	 "not a valid job row"},
	/* Order, and two owners */
	{TITLE JOB2 JOB1 "end 2\n", 3, "job 1 must not follow job 2"},
	{TITLE JOB1 JOB1 "end 2\n", 3, "job 1 must not follow job 1"},
	{TITLE JOB1 HELD("2", "15-16") "end 2\n", 3,
	 "tile 1.7 is already held by job 1 (uid 1001)"},
	{TITLE JOB1 HELD("2", "16") HELD("3", "17") HELD("4", "17") "end 4\n", 5,
	 "tile 2.1 is already held by job 3"},
	{TITLE WITHHELD("1", "0") JOB1 "end 2\n", 3, "job 1 must not follow job 1"},
	{TITLE WITHHELD("1", "16") WITHHELD("1", "0") "end 2\n", 3, "job 1 must not follow job 1"},
	{TITLE WITHHELD("1", "0,3") WITHHELD("1", "0") "end 2\n", 3, "job 1 must not follow job 1"},
	{TITLE WITHHELD("1", "0,3") WITHHELD("1", "1-3") "end 2\n", 3,
	 "tile 0.3 is already held by job 1 (uid 1), which has ended"},
	{TITLE JOB1 WITHHELD("1", "15-16") "end 2\n", 3,
	 "tile 1.7 is already held by job 1 (uid 1001)"},
	{TITLE WITHHELD("1", "16") JOB2 "end 2\n", 3,
	 "tile 2.0 is already held by job 1 (uid 1), which has ended"},
	/* A row of a step */
	{TITLE WITHHELD("1", "0-15") STEP0 "end 2\n", 3, "step 1.0 does not follow its job"},
	{TITLE JOB1 WITHHELD("1", "16") STEP0 "end 3\n", 4, "step 1.0 does not follow its job"},
	{TITLE STEP0 JOB1 "end 2\n", 2, "step 1.0 does not follow its job"},
	{TITLE JOB1 JOB2 STEP0 "end 3\n", 4, "step 1.0 does not follow its job"},
	{TITLE JOB1 STEP0 STEP0 "end 3\n", 4, "step 1.0 must not follow step 1.0"},
	{TITLE JOB1 "step 1.1 pid 1 start 1 tiles 4\n" STEP0 "end 3\n", 4,
	 "step 1.0 must not follow step 1.1"},
	{TITLE JOB1 STEP0 "step 1.1 pid 1 start 1 tiles 3-4\n"
			  "end 3\n",
	 4, "tile 0.3 is already held by step 1.0"},
	{TITLE JOB1 "step 1.0 pid 1 start 1 tiles 16\nend 2\n", 3,
	 "tile 16, which job 1 does not hold"},
	{TITLE JOB1 "step 1.0 pid 1 start 1 tiles -\nend 2\n", 3, "no tiles"},
	{TITLE "job 1 uid 1 state short restarts 0 tiles - text -\n" STEP0 "end 2\n", 3,
	 "job 1 holds none"},
	{TITLE JOB1 "step 1.0 pid 0 start 1 tiles 0\nend 2\n", 3, "no running process"},
	{TITLE JOB1 "step 1.0 pid 1 start 0 tiles 0\nend 2\n", 3, "no running process"},
	{TITLE JOB1 "step 1.0 pid 2147483648 start 1 tiles 0\nend 2\n", 3, "not a valid step row"},
	{TITLE JOB1 "step 1.0 pid 1 start 18446744073709551616 tiles 0\nend 2\n", 3,
	 "not a valid step row"},
	{TITLE JOB1 "step 1.0 pid 1 start 1 tiles 0 \nend 2\n", 3, "not a valid step row"},
	{TITLE JOB1 "step 1 pid 1 start 1 tiles 0\nend 2\n", 3, "not a valid step row"},
	{TITLE JOB1 "step 1.4294967296 pid 1 start 1 tiles 0\nend 2\n", 3, "not a valid step row"},
	{TITLE JOB1 "step 1.0 start 1 pid 1 tiles 0\nend 2\n", 3, "not a valid step row"},
};

static void expect_damaged(const char *text, size_t len, int line, const char *word)
{
	static const char advice[] = "stop this node's jobs and their leftover processes, "
				     "remove the file and restart slurmd";
	struct tessera_ledger *ledger = ledger_new(sn30, "d");
	struct tessera_error err = {0};
	char start[32];

	ck_assert_msg(ledger_parse(ledger, "d/ledger", text, len, &err) == -1, "accepted:\n%s",
		      text);
	snprintf(start, sizeof(start), "d/ledger:%d: ", line);
	ck_assert_msg(strncmp(err.text, start, strlen(start)) == 0, "not on line %d: %s\n%s", line,
		      err.text, text);
	expect_error(&err, TESSERA_ERR_INPUT, word);
	expect_error(&err, TESSERA_ERR_INPUT, advice);
	tessera_ledger_close(ledger);
}

START_TEST(damaged_files)
{
	for (size_t i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++)
		expect_damaged(damaged[i].text, strlen(damaged[i].text), damaged[i].line,
			       damaged[i].word);
}
END_TEST

/* A truncated file is never accepted. */
START_TEST(truncated_files)
{
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		int line = 1;

		for (size_t len = 0; len < strlen(good[i]); len++) {
			expect_damaged(good[i], len, line, "the file is truncated");
			line += good[i][len] == '\n';
		}
	}
}
END_TEST

/* A NUL anywhere in the file is an error. */
START_TEST(nul_bytes)
{
	char text[512];

	for (size_t at = 0; at < strlen(good[3]); at++) {
		struct tessera_ledger *ledger = ledger_new(sn30, "d");

		snprintf(text, sizeof(text), "%s", good[3]);
		text[at] = '\0';
		ck_assert_int_eq(ledger_parse(ledger, "d/ledger", text, strlen(good[3]), NULL), -1);
		tessera_ledger_close(ledger);
	}
}
END_TEST

/* The longest text that a row can have, and one byte more. */
START_TEST(long_texts)
{
	static const char before[] = TITLE "job 1 uid 1 state held restarts 0 tiles 0 text ";
	struct tessera_ledger *ledger = ledger_new(sn30, "d");
	char text[1024];
	int len;

	len = snprintf(text, sizeof(text), "%s%0511d\nend 1\n", before, 0);
	ck_assert_int_eq(ledger_parse(ledger, "d/ledger", text, (size_t)len, NULL), 0);
	ck_assert_uint_eq(strlen(tessera_ledger_job(ledger, 1)->text), 511);
	tessera_ledger_close(ledger);
	len = snprintf(text, sizeof(text), "%s%0512d\nend 1\n", before, 0);
	expect_damaged(text, (size_t)len, 2, "not a valid job row");
}
END_TEST

/*
 * The longest set of the largest platform, pairs with gaps, and a word that is longer than any set.
 */
START_TEST(long_sets)
{
	static const struct tessera_platform large = {.name = "large",
						      .kind = TESSERA_KIND_RDU,
						      .xrdus = 1,
						      .rdus_per_xrdu = 1,
						      .tiles_per_rdu = TESSERA_TILES_MAX,
						      .mask_bits = TESSERA_TILES_MAX};
	struct tessera_ledger *ledger = ledger_new(&large, "d"), *again = ledger_new(&large, "d");
	struct tessera_row row = {.job = 1, .state = TESSERA_ROW_HELD};
	static char long_word[LEDGER_TILES_MAX + 256];
	char *text;
	int len;

	for (unsigned tile = 0; tile < TESSERA_TILES_MAX; tile++)
		if (tile % 3 != 2)
			tessera_tileset_add(&row.tiles, tile);
	ck_assert_int_eq(tessera_ledger_put(ledger, &row, NULL), 0);
	text = ledger_format(ledger);
	ck_assert_int_eq(ledger_parse(again, "d/ledger", text, strlen(text), NULL), 0);
	ck_assert(tessera_tileset_equal(&tessera_ledger_job(again, 1)->tiles, &row.tiles));
	free(text);
	tessera_ledger_close(again);
	tessera_ledger_close(ledger);

	len = snprintf(long_word, sizeof(long_word),
		       TITLE "job 1 uid 1 state held restarts 0 tiles %0*d text -\nend 1\n",
		       LEDGER_TILES_MAX, 0);
	expect_damaged(long_word, (size_t)len, 2, "not a valid job row");
}
END_TEST

START_TEST(too_many_rows)
{
	char *text = NULL;
	size_t len = 0;
	FILE *fp = open_memstream(&text, &len);

	fputs(TITLE, fp);
	for (int job = 1; job <= TESSERA_LEDGER_ROWS_MAX + 1; job++)
		fprintf(fp, "job %d uid 1 state short restarts 0 tiles - text -\n", job);
	fprintf(fp, "end %d\n", TESSERA_LEDGER_ROWS_MAX + 1);
	fclose(fp);
	expect_damaged(text, len, TESSERA_LEDGER_ROWS_MAX + 2, "4096 rows");
	free(text);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, good_files);
	tcase_add_test(tcase, empty_of_another_platform);
	tcase_add_test(tcase, fields_are_read);
	tcase_add_test(tcase, damaged_files);
	tcase_add_test(tcase, truncated_files);
	tcase_add_test(tcase, nul_bytes);
	tcase_add_test(tcase, long_texts);
	tcase_add_test(tcase, long_sets);
	tcase_add_test(tcase, too_many_rows);
}

UNIT_MAIN("ledger_text", add_tests)
