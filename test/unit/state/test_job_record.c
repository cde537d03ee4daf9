/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/state/job_record_internal.h"
#include "test/unit/state_unit.h"

static struct tessera_job_record four_ipus(void)
{
	struct tessera_job_record h = {
		.job = 4711,
		.uid = 1001,
		.restarts = 2,
		.state = TESSERA_JOB_RECORD_READY,
		.ipus = 4,
		.gcds = 2,
		.owner = true,
		.limit = 300,
		.partition = "slurm_4711",
		.host = "10.1.3.101",
		.port = 8090,
		.timeout = 120,
	};

	return h;
}

static const char four_ipus_text[] = "tessera-job 1\n"
				     "job 4711 uid 1001 restarts 2\n"
				     "state ready\n"
				     "ipus 4 gcds 2 owner 1 limit 300\n"
				     "partition slurm_4711\n"
				     "controller 10.1.3.101 port 8090 timeout 120\n"
				     "text -\n"
				     "end\n";

static void expect_same(const struct tessera_job_record *a, const struct tessera_job_record *b)
{
	char left[JOB_RECORD_TEXT_MAX], right[JOB_RECORD_TEXT_MAX];

	job_record_format(a, left, sizeof(left));
	job_record_format(b, right, sizeof(right));
	ck_assert_str_eq(left, right);
}

START_TEST(written_as_documented)
{
	struct tessera_job_record h = four_ipus();
	char text[JOB_RECORD_TEXT_MAX];

	ck_assert_uint_eq(job_record_format(&h, text, sizeof(text)), strlen(four_ipus_text));
	ck_assert_str_eq(text, four_ipus_text);
}
END_TEST

START_TEST(written_and_read)
{
	struct tessera_job_record h = four_ipus(), got;
	struct tessera_error err = {0};

	ck_assert_int_eq(tessera_job_record_read(dir, 4711, &got, &err), 1);
	ck_assert(!tessera_job_record_exists(dir, 4711));
	ck_assert_msg(tessera_job_record_write(dir, &h, &err) == 0, "%s", err.text);
	ck_assert(tessera_job_record_exists(dir, 4711));
	ck_assert(!tessera_job_record_exists(dir, 471));
	ck_assert_msg(tessera_job_record_read(dir, 4711, &got, &err) == 0, "%s", err.text);
	expect_same(&h, &got);
	ck_assert(got.owner);
	ck_assert_uint_eq(got.limit, 300);

	h.state = TESSERA_JOB_RECORD_FAILED;
	h.owner = false;
	snprintf(h.text, sizeof(h.text), "no room:\n\x1b[31m\xc2\x9b\x9b only 3 free");
	h.pool_count = 2;
	snprintf(h.pools[0].name, sizeof(h.pools[0].name), "csx");
	h.pools[0].count = 2;
	snprintf(h.pools[1].name, sizeof(h.pools[1].name), "groq");
	h.pools[1].count = 9;
	ck_assert_int_eq(tessera_job_record_write(dir, &h, &err), 0);
	ck_assert_int_eq(tessera_job_record_read(dir, 4711, &got, &err), 0);
	ck_assert_str_eq(got.text, "no room:??[31m??? only 3 free");
	ck_assert_uint_eq(got.pool_count, 2);
	ck_assert_str_eq(got.pools[1].name, "groq");
	ck_assert_uint_eq(got.pools[1].count, 9);
	ck_assert(!got.owner);

	ck_assert_int_eq(tessera_job_record_drop(dir, 4711, &err), 0);
	ck_assert_int_eq(tessera_job_record_drop(dir, 4711, &err), 0);
	ck_assert_int_eq(tessera_job_record_read(dir, 4711, &got, &err), 1);
	ck_assert_uint_eq(got.job, 0);
}
END_TEST

/* All fields at their longest fit the text. */
START_TEST(the_longest)
{
	struct tessera_job_record h = four_ipus(), got;
	struct tessera_error err = {0};

	h.job = h.uid = h.restarts = UINT32_MAX;
	h.ipus = h.gcds = h.limit = h.port = h.timeout = UINT32_MAX;
	memset(h.partition, 'p', sizeof(h.partition) - 1);
	memset(h.host, 'h', sizeof(h.host) - 1);
	memset(h.text, 't', sizeof(h.text) - 1);
	h.pool_count = TESSERA_POOLS_MAX;
	for (size_t i = 0; i < TESSERA_POOLS_MAX; i++) {
		memset(h.pools[i].name, 'n', sizeof(h.pools[i].name) - 1);
		h.pools[i].count = UINT32_MAX;
	}
	ck_assert_int_eq(tessera_job_record_write(dir, &h, &err), 0);
	ck_assert_msg(tessera_job_record_read(dir, UINT32_MAX, &got, &err) == 0, "%s", err.text);
	expect_same(&h, &got);
}
END_TEST

START_TEST(cut_at_every_byte)
{
	size_t len = strlen(four_ipus_text);
	struct tessera_job_record h;
	char text[JOB_RECORD_TEXT_MAX];

	memcpy(text, four_ipus_text, len + 1);
	ck_assert_int_eq(job_record_parse(text, len, &h), 0);
	for (size_t cut = 0; cut < len; cut++) {
		text[cut] = '\0';
		ck_assert_msg(job_record_parse(text, cut, &h) < 0, "cut after %zu bytes", cut);
		text[cut] = four_ipus_text[cut];
	}
	text[len] = '\n';
	text[len + 1] = '\0';
	ck_assert_int_lt(job_record_parse(text, len + 1, &h), 0);
}
END_TEST

static const struct {
	const char *from, *to;
} damages[] = {
	{"tessera-job 1", "tessera-job 2"},
	{"job 4711", "job 0"},
	{"job 4711", "job 04711"},
	{"job 4711", "job 4294967296"},
	{"job 4711", "job -1"},
	{"ready", "steady"},
	{"ready", ""},
	{"owner 1", "owner 2"},
	{"partition slurm_4711", "partition -"},
	{"controller 10.1.3.101", "controller -"},
	{"text -", "text a\tb"},
	{"text -\n", "text -\ntext -\n"},
	{"text -\n", "pool csx\ntext -\n"},
	{"port 8090", "port"},
	{"timeout 120", "timeout 120 "},
};

START_TEST(damaged)
{
	struct tessera_job_record h;
	char text[JOB_RECORD_TEXT_MAX];
	const char *at = strstr(four_ipus_text, damages[_i].from);

	ck_assert_ptr_nonnull(at);
	snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - four_ipus_text), four_ipus_text,
		 damages[_i].to, at + strlen(damages[_i].from));
	ck_assert_msg(job_record_parse(text, strlen(text), &h) < 0, "%s", text);
}
END_TEST

START_TEST(unsafe_owner_or_mode)
{
	struct tessera_job_record h = four_ipus(), got;
	struct tessera_error err = {0};

	ck_assert_int_eq(tessera_job_record_write(dir, &h, &err), 0);
	write_file("job.4712", "rubbish", 0644);
	ck_assert_int_eq(tessera_job_record_read(dir, 4712, &got, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	ck_assert_uint_eq(got.job, 4712);
	/* The record of another job under this job's name. */
	write_file("job.4713", four_ipus_text, 0644);
	ck_assert_int_eq(tessera_job_record_read(dir, 4713, &got, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	write_file("job.4711", four_ipus_text, 0666);
	ck_assert_int_eq(tessera_job_record_read(dir, 4711, &got, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_DENIED);
	ck_assert_int_eq(chmod(dir, 0777), 0);
	ck_assert_int_eq(tessera_job_record_read(dir, 4711, &got, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_DENIED);
	ck_assert_int_eq(tessera_job_record_write(dir, &h, &err), -1);
	ck_assert_int_eq(tessera_job_record_drop(dir, 4711, &err), -1);
	ck_assert_int_eq(chmod(dir, 0755), 0);
}
END_TEST

/* A symbolic link under the job's name is not followed. */
START_TEST(links)
{
	struct tessera_job_record h = four_ipus(), got;
	struct tessera_error err = {0};
	char path[128], other[128];

	ck_assert_int_eq(tessera_job_record_write(dir, &h, &err), 0);
	snprintf(path, sizeof(path), "%s/job.5", dir);
	snprintf(other, sizeof(other), "%s/job.4711", dir);
	ck_assert_int_eq(symlink(other, path), 0);
	ck_assert_int_eq(tessera_job_record_read(dir, 5, &got, &err), -1);
	h.job = 5;
	ck_assert_int_eq(tessera_job_record_write(dir, &h, &err), 0);
	ck_assert_int_eq(tessera_job_record_read(dir, 4711, &got, &err), 0);
	ck_assert_uint_eq(got.job, 4711);
}
END_TEST

START_TEST(all_jobs)
{
	struct tessera_job_record h = four_ipus();
	struct tessera_error err = {0};
	uint32_t *jobs = NULL;
	bool seen[200] = {false};
	int count;

	ck_assert_int_eq(tessera_job_record_jobs(dir, &jobs, &err), 0);
	for (h.job = 1; h.job < 200; h.job++)
		ck_assert_int_eq(tessera_job_record_write(dir, &h, &err), 0);
	write_file("ledger", "", 0644);
	write_file("job.", "", 0644);
	write_file("job.12x", "", 0644);
	write_file("job.012", "", 0644);
	write_file("job.0", "", 0644);
	write_file("job.4294967296", "", 0644);
	write_file(".job.7.12345", "", 0644);
	count = tessera_job_record_jobs(dir, &jobs, &err);
	ck_assert_int_eq(count, 199);
	for (int i = 0; i < count; i++) {
		ck_assert_uint_lt(jobs[i], 200);
		ck_assert(!seen[jobs[i]]);
		seen[jobs[i]] = true;
	}
	free(jobs);
}
END_TEST

/* The temporary file of a killed writer is listed, never read, and dropped with its job's. */
START_TEST(killed_while_writing)
{
	struct tessera_job_record h = four_ipus();
	struct tessera_error err = {0};
	uint32_t *jobs = NULL;
	char path[128];

	ck_assert_int_eq(tessera_job_record_write(dir, &h, &err), 0);
	ck_assert_int_eq(tessera_job_record_drop(dir, h.job, &err), 0);
	write_file(".job.7", "tessera-job 1\njob 7", 0644);
	snprintf(path, sizeof(path), "%s/.job.7", dir);
	ck_assert(!tessera_job_record_exists(dir, 7));
	ck_assert_int_eq(tessera_job_record_read(dir, 7, &h, &err), 1);
	ck_assert_int_eq(tessera_job_record_jobs(dir, &jobs, &err), 1);
	ck_assert_uint_eq(jobs[0], 7);
	free(jobs);
	h = four_ipus();
	h.job = 7;
	ck_assert_int_eq(tessera_job_record_write(dir, &h, &err), 0);
	ck_assert_int_ne(access(path, F_OK), 0);
	ck_assert_int_eq(tessera_job_record_read(dir, 7, &h, &err), 0);
	write_file(".job.7", "", 0644);
	ck_assert_int_eq(tessera_job_record_drop(dir, 7, &err), 0);
	ck_assert_int_ne(access(path, F_OK), 0);
	ck_assert(!tessera_job_record_exists(dir, 7));
}
END_TEST

static void expect_restarts(uint32_t want)
{
	struct tessera_job_record got;
	struct tessera_error err = {0};

	ck_assert_msg(tessera_job_record_read(dir, 4711, &got, &err) == 0, "%s", err.text);
	ck_assert_uint_eq(got.restarts, want);
}

/* A run replaces only the record that it read, not one that another run wrote since. */
START_TEST(runs_do_not_overwrite)
{
	struct tessera_job_record older = four_ipus(), newer = four_ipus(), stranger = four_ipus();

	newer.restarts++;
	stranger.uid++;
	/* No record: a caller that saw none writes, one that saw a record does not. */
	ck_assert_int_eq(tessera_job_record_swap(dir, 4711, &older, &older, NULL), 1);
	ck_assert_int_eq(tessera_job_record_swap(dir, 4711, &older, NULL, NULL), 0);
	ck_assert_int_eq(tessera_job_record_swap(dir, 4711, NULL, &older, NULL), 0);
	ck_assert_int_eq(tessera_job_record_swap(dir, 4711, NULL, &newer, NULL), 1);
	expect_restarts(older.restarts);
	ck_assert_int_eq(tessera_job_record_swap(dir, 4711, &stranger, &newer, NULL), 1);
	ck_assert_int_eq(tessera_job_record_swap(dir, 4711, &newer, NULL, NULL), 1);
	expect_restarts(older.restarts);
	/* The newer run saw the older run's record. */
	ck_assert_int_eq(tessera_job_record_swap(dir, 4711, &older, &newer, NULL), 0);
	expect_restarts(newer.restarts);
	older.state = TESSERA_JOB_RECORD_FAILED;
	ck_assert_int_eq(tessera_job_record_swap(dir, 4711, &older, &older, NULL), 1);
	ck_assert_int_eq(tessera_job_record_swap(dir, 4711, &older, NULL, NULL), 1);
	expect_restarts(newer.restarts);
	/* A run may replace its own record. */
	newer.state = TESSERA_JOB_RECORD_LEAVING;
	ck_assert_int_eq(tessera_job_record_swap(dir, 4711, &newer, &newer, NULL), 0);
	ck_assert_int_eq(tessera_job_record_swap(dir, 4711, &newer, NULL, NULL), 0);
	ck_assert(!tessera_job_record_exists(dir, 4711));
}
END_TEST

START_TEST(damaged_is_replaced)
{
	struct tessera_job_record h = four_ipus();

	ck_assert_int_eq(tessera_job_record_write(dir, &h, NULL), 0);
	write_file("job.4711", "x", 0644);
	ck_assert_int_eq(tessera_job_record_swap(dir, 4711, &h, &h, NULL), 1);
	ck_assert_int_eq(tessera_job_record_swap(dir, 4711, NULL, &h, NULL), 0);
	expect_restarts(h.restarts);
	write_file("job.4711", "x", 0644);
	ck_assert_int_eq(tessera_job_record_swap(dir, 4711, NULL, NULL, NULL), 0);
	ck_assert(!tessera_job_record_exists(dir, 4711));
}
END_TEST

START_TEST(covered_by_ready_record)
{
	struct tessera_job_record now = four_ipus(), coming = four_ipus();

	coming.partition[0] = coming.host[0] = '\0';
	coming.gcds = 1;
	ck_assert(tessera_job_record_covers(&now, &coming));
	coming.ipus = 8;
	ck_assert(!tessera_job_record_covers(&now, &coming));
	coming.ipus = now.ipus;
	coming.restarts++;
	ck_assert(!tessera_job_record_covers(&now, &coming));
	coming.restarts = now.restarts;
	coming.uid++;
	ck_assert(!tessera_job_record_covers(&now, &coming));
	coming.uid = now.uid;
	coming.pool_count = 1;
	ck_assert(!tessera_job_record_covers(&now, &coming));
	now.pool_count = 1;
	snprintf(now.pools[0].name, sizeof(now.pools[0].name), "csx");
	coming.pools[0] = now.pools[0];
	ck_assert(tessera_job_record_covers(&now, &coming));
	coming.pools[0].count++;
	ck_assert(!tessera_job_record_covers(&now, &coming));
	coming.pools[0] = now.pools[0];
	now.state = TESSERA_JOB_RECORD_MAKING;
	ck_assert(!tessera_job_record_covers(&now, &coming));
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, runs_do_not_overwrite);
	tcase_add_test(tcase, damaged_is_replaced);
	tcase_add_test(tcase, covered_by_ready_record);
	tcase_add_test(tcase, written_as_documented);
	tcase_add_test(tcase, written_and_read);
	tcase_add_test(tcase, the_longest);
	tcase_add_test(tcase, cut_at_every_byte);
	tcase_add_loop_test(tcase, damaged, 0, sizeof(damages) / sizeof(damages[0]));
	tcase_add_test(tcase, unsafe_owner_or_mode);
	tcase_add_test(tcase, links);
	tcase_add_test(tcase, all_jobs);
	tcase_add_test(tcase, killed_while_writing);
}

UNIT_MAIN("job_record", add_tests)
