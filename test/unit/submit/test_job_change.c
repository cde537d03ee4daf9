/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which changes of a job its owner and an operator may make. */
#include "config.h"

#include <stdlib.h>

#include "gres/submit/job_change.h"
#include "test/unit/unit.h"

#define POOL     "pool csx { Max = 2 }\n"
#define IPU_GRES "IpuModel = gres\n"
#define OPTION   "_SLURM_SPANK_OPTION_tessera_"

/* Stand-ins for Slurm's functions that spank_env.c needs to link. */
char *slurm_xstrdup(const char *text)
{
	return strdup(text);
}

void slurm_xfree(void **text)
{
	free(*text);
	*text = NULL;
}

static const struct job_change_by owner_running = {.started = true}, owner_pending = {0};
static const struct job_change_by operator_running = {.privileged = true, .started = true};

/* A job or a change; NULL and 0 are fields that it does not have. */
struct desc {
	const char *gres;
	const char *licenses;
	const char *spank;
	const char *nodes;
	uint32_t min_nodes;
};

/* Slurm's structures have no const, but nothing writes to these texts. */
static char *drop_const(const char *text)
{
	char *out;

	memcpy(&out, &text, sizeof(out));
	return out;
}

static job_desc_msg_t make_desc(const struct desc *desc, char **env)
{
	*env = drop_const(desc->spank);
	return (job_desc_msg_t){.tres_per_node = drop_const(desc->gres),
				.licenses = drop_const(desc->licenses),
				.spank_job_env = env,
				.spank_job_env_size = desc->spank != NULL,
				.req_nodes = drop_const(desc->nodes),
				.min_nodes = desc->min_nodes != 0 ? desc->min_nodes : NO_VAL};
}

static int try_change(const char *conf_text, const struct desc *old, const struct desc *change,
		      const struct job_change_by *by, struct tessera_error *err)
{
	struct tessera_conf *conf =
		conf_text != NULL ? tessera_conf_parse("test", conf_text, err) : NULL;
	char *old_env, *env;
	job_desc_msg_t change_msg = make_desc(change, &env);
	job_desc_msg_t old_msg = make_desc(old != NULL ? old : change, &old_env);
	int rc;

	ck_assert_msg(conf != NULL || conf_text == NULL, "%s", err->text);
	rc = job_change_check(conf, &change_msg, old != NULL ? &old_msg : NULL, by, err);
	tessera_conf_free(conf);
	return rc;
}

static const struct row {
	const char *conf; /* NULL: tessera.conf cannot be read */
	bool unknown;     /* slurmctld does not report what the job has */
	struct desc old;
	struct desc change;
	const char *running; /* the owner's error while the job is running; NULL: allowed */
	const char *pending; /* the same while it is pending */
} rows[] = {
	/* Nodes of a job with IPUs, whichever way it requested them. */
	{"", false, {.licenses = "ipu:8"}, {.nodes = "a"}, "keeps its nodes", NULL},
	{"", false, {.licenses = "ipu:8"}, {.min_nodes = 1}, "keeps its nodes", NULL},
	{"", false, {.spank = OPTION "ipus=8"}, {.nodes = ""}, "keeps its nodes", NULL},
	{IPU_GRES, false, {.gres = "gres:ipu:4"}, {.nodes = "a"}, "keeps its nodes", NULL},
	{IPU_GRES,
	 false,
	 {.gres = "gres:ipu:4,gres:ipu:4"},
	 {.nodes = "a"},
	 "keeps its nodes",
	 NULL},
	{NULL, false, {.licenses = "ipu:8"}, {.nodes = "a"}, "keeps its nodes", NULL},
	{"IpuName = bow\n", false, {.licenses = "bow:8"}, {.nodes = "a"}, "keeps its nodes", NULL},
	/* With this scontrol queries the number of nodes. */
	{"", false, {.licenses = "ipu:8"}, {.min_nodes = INFINITE}, NULL, NULL},
	{"", false, {.licenses = "ipu:8"}, {0}, NULL, NULL},
	/* Jobs without IPUs may release nodes: their tiles belong to the node. */
	{"",
	 false,
	 {.gres = "gres:rdu:1,gres:rdu_tile:8"},
	 {.nodes = "a", .min_nodes = 1},
	 NULL,
	 NULL},
	{POOL, false, {.licenses = "csx:1,matlab"}, {.nodes = "a"}, NULL, NULL},
	/* Licenses. */
	{"",
	 false,
	 {.licenses = "ipu:8"},
	 {.licenses = ""},
	 "keeps its ipu:8, Licenses= has 0",
	 NULL},
	{"",
	 false,
	 {.licenses = "ipu:8"},
	 {.licenses = "ipu:4"},
	 "keeps its ipu:8, Licenses=ipu:4 has 4",
	 NULL},
	{"", false, {.licenses = "ipu:8,matlab"}, {.licenses = "ipu:8"}, NULL, NULL},
	{"", false, {.licenses = "ipu:8"}, {.licenses = "ipu:x"}, "'x' is not a number", NULL},
	{POOL, false, {.licenses = "csx:2"}, {.licenses = "csx"}, "keeps its csx:2", NULL},
	{POOL, false, {.licenses = "matlab:2"}, {.licenses = ""}, NULL, NULL},
	{NULL,
	 false,
	 {.licenses = "csx:2", .spank = OPTION "csx=2"},
	 {.licenses = ""},
	 "tessera.conf",
	 NULL},
	{NULL, false, {.licenses = "matlab:2"}, {.licenses = ""}, NULL, NULL},
	/* What the job has is not known: nothing that may be an accelerator changes. */
	{"", true, {0}, {.licenses = ""}, "cannot change licenses", "cannot change licenses"},
	{"", true, {0}, {.licenses = "matlab"}, "cannot change licenses", "cannot change licenses"},
	{"", true, {0}, {.gres = "gres:rdu:1"}, "cannot change RDUs", "cannot change RDUs"},
	{IPU_GRES, true, {0}, {.gres = "gres:ipu:1"}, "cannot change RDUs", "cannot change RDUs"},
	{"", true, {0}, {.gres = "gres:gpu:1"}, NULL, NULL},
	{"", true, {0}, {.nodes = "a"}, "cannot change nodes", NULL},
	{"", true, {0}, {.min_nodes = 1}, "cannot change nodes", NULL},
};

static void expect_change(const struct row *row, const struct job_change_by *by, const char *text)
{
	struct tessera_error err = {0};
	int rc = try_change(row->conf, row->unknown ? NULL : &row->old, &row->change, by, &err);

	if (text == NULL)
		ck_assert_msg(rc == 0, "%s", err.text);
	else
		ck_assert_msg(rc < 0 && strstr(err.text, text) != NULL, "%s", err.text);
}

START_TEST(allowed_changes)
{
	expect_change(&rows[_i], &owner_running, rows[_i].running);
	expect_change(&rows[_i], &owner_pending, rows[_i].pending);
	expect_change(&rows[_i], &operator_running, NULL);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_loop_test(tcase, allowed_changes, 0, sizeof(rows) / sizeof(rows[0]));
}

UNIT_MAIN("job_change", add_tests)
