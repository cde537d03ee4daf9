/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Verifying grants. This program replaces libmunge; the cluster tests use a real munged.
 */
#include "config.h"

#include <munge.h>
#include <stdarg.h>

#include "lib/grant/grant_claim.h"
#include "lib/grant/grant_munge.h"
#include "test/unit/grant/grant_unit.h"

#define NODE   "sn30-r1-h1"
#define SOCKET "/run/somewhere"

/* The replies of the replaced libmunge, and its last arguments. */
static struct {
	munge_err_t code;
	uid_t maker;
	const char *inside;
	int len; /* of that; -1: all of it */
	char socket[64];
	char asked[TESSERA_GRANT_TEXT_MAX];
	int contexts; /* that are open */
	bool no_memory;
} munge;

struct munge_ctx {
	int nothing;
};

munge_ctx_t munge_ctx_create(void)
{
	munge.contexts++;
	return calloc(1, sizeof(struct munge_ctx));
}

void munge_ctx_destroy(munge_ctx_t ctx)
{
	munge.contexts--;
	free(ctx);
}

const char *munge_ctx_strerror(munge_ctx_t ctx)
{
	(void)ctx;
	return NULL;
}

const char *munge_strerror(munge_err_t code)
{
	return code == EMUNGE_SOCKET ? "connection refused" : "something else";
}

munge_err_t munge_ctx_set(munge_ctx_t ctx, int opt, ...)
{
	va_list ap;

	(void)ctx;
	va_start(ap, opt);
	if (opt == MUNGE_OPT_SOCKET)
		snprintf(munge.socket, sizeof(munge.socket), "%s", va_arg(ap, const char *));
	va_end(ap);
	return munge.no_memory ? EMUNGE_NO_MEMORY : EMUNGE_SUCCESS;
}

munge_err_t munge_encode(char **cred, munge_ctx_t ctx, const void *buf, int len)
{
	(void)ctx;
	snprintf(munge.asked, sizeof(munge.asked), "%.*s", len, (const char *)buf);
	*cred = munge.code == EMUNGE_SUCCESS ? strdup("MUNGE:sealed:") : NULL;
	return munge.code;
}

munge_err_t munge_decode(const char *cred, munge_ctx_t ctx, void **buf, int *len, uid_t *uid,
			 gid_t *gid)
{
	(void)ctx;
	snprintf(munge.asked, sizeof(munge.asked), "%s", cred);
	*len = munge.inside == NULL ? 0 : munge.len >= 0 ? munge.len : (int)strlen(munge.inside);
	*buf = munge.inside != NULL ? malloc((size_t)*len + 1) : NULL;
	if (*buf != NULL)
		memcpy(*buf, munge.inside, (size_t)*len);
	*uid = munge.maker;
	*gid = 0;
	return munge.code;
}

static const struct tessera_platform *sn30;
static struct tessera_grant_claim claim;
static int alive;
static struct tessera_grant heard;

static int lives(const struct tessera_grant *grant, void *arg, struct tessera_error *err)
{
	ck_assert_ptr_eq(arg, &alive);
	heard = *grant;
	return alive >= 0 ? alive
			  : tessera_error_set(err, TESSERA_ERR_UNAVAILABLE, "slurmctld sleeps");
}

static void setup(void)
{
	sn30 = tessera_platform_find_builtin("sn30-8");
	memset(&munge, 0, sizeof(munge));
	munge.inside = two_rdus_text;
	munge.len = -1;
	alive = 1;
	claim = (struct tessera_grant_claim){
		.cluster = "lab",
		.node = NODE,
		.uid = 1001,
		.platform = sn30,
		.mask = "0x000000000000ffff",
		.is_running = lives,
		.arg = &alive,
		.socket = SOCKET,
	};
}

/* Returns the error code. */
static int verify(const char *credential, struct tessera_grant *grant, struct tessera_error *err)
{
	int rc = tessera_grant_verify(credential, &claim, grant, err);

	ck_assert_int_eq(munge.contexts, 0);
	ck_assert_int_eq(rc, err->code == TESSERA_OK ? 0 : -1);
	return (int)err->code;
}

static void expect(int code, const char *word)
{
	struct tessera_error err = {0};
	struct tessera_grant grant;

	ck_assert_int_eq(verify("MUNGE:x:", &grant, &err), code);
	ck_assert_msg(word == NULL || strstr(err.text, word) != NULL, "%s", err.text);
	ck_assert_int_eq(tessera_grant_verify("MUNGE:x:", &claim, &grant, NULL),
			 code == TESSERA_OK ? 0 : -1);
}

START_TEST(valid_grant)
{
	struct tessera_error err = {0};
	struct tessera_grant grant;

	ck_assert_int_eq(verify("MUNGE:x:", &grant, &err), TESSERA_OK);
	ck_assert_uint_eq(grant.job, 4711);
	ck_assert_uint_eq(heard.job, 4711);
	ck_assert_uint_eq(heard.restarts, 2);
	ck_assert_str_eq(munge.asked, "MUNGE:x:");
	ck_assert_str_eq(munge.socket, SOCKET);
}
END_TEST

/* libmunge fails to set its socket. */
START_TEST(no_memory)
{
	struct tessera_grant grant = two_rdus();
	struct tessera_error err = {0};

	munge.no_memory = true;
	expect(TESSERA_ERR_NOMEM, "out of memory");
	ck_assert_ptr_null(tessera_grant_encode(&grant, SOCKET, &err));
	ck_assert_int_eq(err.code, TESSERA_ERR_NOMEM);
	ck_assert_str_eq(munge.asked, "");
	ck_assert_int_eq(munge.contexts, 0);
}
END_TEST

START_TEST(default_socket)
{
	claim.socket = NULL;
	expect(TESSERA_OK, NULL);
	claim.socket = "";
	expect(TESSERA_OK, NULL);
	ck_assert_str_eq(munge.socket, "");
	munge.code = EMUNGE_SOCKET;
	expect(TESSERA_ERR_UNAVAILABLE, "munged does not respond: connection refused");
	claim.socket = NULL;
	expect(TESSERA_ERR_UNAVAILABLE, "munged does not respond: connection refused");
	claim.socket = SOCKET;
	expect(TESSERA_ERR_UNAVAILABLE,
	       "munged at " SOCKET " does not respond: connection refused");
}
END_TEST

START_TEST(none)
{
	struct tessera_error err = {0};
	struct tessera_grant grant;

	ck_assert_int_eq(verify(NULL, &grant, &err), TESSERA_ERR_UNGRANTED);
	ck_assert_int_eq(verify("", &grant, &err), TESSERA_ERR_UNGRANTED);
	ck_assert_str_eq(munge.asked, "");
}
END_TEST

/* munge's results: expired and replayed credentials are valid. */
static const struct {
	munge_err_t munge;
	int code;
} answers[] = {
	{EMUNGE_SUCCESS, TESSERA_OK},
	{EMUNGE_CRED_EXPIRED, TESSERA_OK},
	{EMUNGE_CRED_REWOUND, TESSERA_OK},
	{EMUNGE_CRED_REPLAYED, TESSERA_OK},
	{EMUNGE_BAD_ARG, TESSERA_ERR_FORGED},
	{EMUNGE_BAD_CRED, TESSERA_ERR_FORGED},
	{EMUNGE_BAD_LENGTH, TESSERA_ERR_FORGED},
	{EMUNGE_CRED_UNAUTHORIZED, TESSERA_ERR_FORGED},
	{EMUNGE_CRED_INVALID, TESSERA_ERR_ALTERED},
	{EMUNGE_BAD_VERSION, TESSERA_ERR_ALTERED},
	{EMUNGE_BAD_CIPHER, TESSERA_ERR_ALTERED},
	{EMUNGE_BAD_MAC, TESSERA_ERR_ALTERED},
	{EMUNGE_BAD_ZIP, TESSERA_ERR_ALTERED},
	{EMUNGE_BAD_REALM, TESSERA_ERR_ALTERED},
	{EMUNGE_SNAFU, TESSERA_ERR_UNAVAILABLE},
	{EMUNGE_NO_MEMORY, TESSERA_ERR_UNAVAILABLE},
	{EMUNGE_SOCKET, TESSERA_ERR_UNAVAILABLE},
	{EMUNGE_TIMEOUT, TESSERA_ERR_UNAVAILABLE},
};

START_TEST(munge_answers)
{
	struct tessera_error err = {0};
	struct tessera_grant grant;

	munge.code = answers[_i].munge;
	ck_assert_int_eq(verify("MUNGE:x:", &grant, &err), answers[_i].code);
	ck_assert_uint_eq(grant.job, answers[_i].code == TESSERA_OK ? 4711 : 0);
	if (munge.code == EMUNGE_SOCKET)
		ck_assert_ptr_nonnull(strstr(err.text, "connection refused"));
}
END_TEST

/* A user can encode any text, with the uid of that user. */
START_TEST(created_by_root)
{
	munge.maker = 1001;
	expect(TESSERA_ERR_FORGED, "uid 1001, must be root");
	munge.maker = (uid_t)-1;
	expect(TESSERA_ERR_FORGED, NULL);
}
END_TEST

START_TEST(not_a_grant)
{
	static const char with_nul[] = "tessera-grant 1\0 cluster lab";

	munge.inside = "hello";
	expect(TESSERA_ERR_FORGED, "hello");
	munge.inside = NULL;
	expect(TESSERA_ERR_FORGED, NULL);
	munge.inside = with_nul;
	munge.len = sizeof(with_nul) - 1;
	expect(TESSERA_ERR_FORGED, "does not contain text");
	/* A valid text, and more after its NUL. */
	munge.inside = two_rdus_text;
	munge.len = sizeof(two_rdus_text);
	expect(TESSERA_ERR_FORGED, "does not contain text");
	munge.len = sizeof(two_rdus_text) - 2;
	expect(TESSERA_ERR_FORGED, NULL);
}
END_TEST

START_TEST(too_long)
{
	static char text[GRANT_CREDENTIAL_MAX + 1];
	struct tessera_error err = {0};
	struct tessera_grant grant;

	memset(text, 'a', GRANT_CREDENTIAL_MAX);
	ck_assert_int_eq(verify(text, &grant, &err), TESSERA_ERR_FORGED);
	ck_assert_str_eq(err.text, "the grant is too long: it has 65536 bytes or more");
	ck_assert_str_eq(munge.asked, "");
	text[GRANT_CREDENTIAL_MAX - 1] = '\0';
	ck_assert_int_eq(tessera_grant_verify(text, &claim, &grant, NULL), 0);
}
END_TEST

START_TEST(wrong_owner)
{
	claim.uid = 0;
	expect(TESSERA_ERR_FOREIGN, "for uid 1001, but this process has uid 0");
	setup();
	claim.node = "sn30-r1-h2";
	expect(TESSERA_ERR_FOREIGN, "for node sn30-r1-h1, but this is sn30-r1-h2");
	setup();
	claim.cluster = "labs";
	expect(TESSERA_ERR_FOREIGN, "cluster lab");
	claim.cluster = claim.node = NULL;
	expect(TESSERA_OK, NULL);
}
END_TEST

static const struct {
	const char *mask;
	int code;
	const char *word;
} masks[] = {
	{NULL, TESSERA_ERR_OUTSIDE,
	 "SF_RNT_TILE_AFFINITY is not set, and without it the runtime uses any tile; granted were "
	 "rdu0,rdu1"},
	{"", TESSERA_ERR_OUTSIDE, "SF_RNT_TILE_AFFINITY is not set"},
	{"0xffff", TESSERA_OK, NULL},
	{"0x1", TESSERA_OK, NULL},
	{"0x000000000000000000ff", TESSERA_OK, NULL},
	{"0XFF", TESSERA_OK, NULL},
	/* Valid sets of granted tiles; but the vendor's runtime accepts only masks. */
	{"rdu1", TESSERA_ERR_OUTSIDE, "SF_RNT_TILE_AFFINITY=rdu1 is not a mask"},
	{"10", TESSERA_ERR_OUTSIDE, "SF_RNT_TILE_AFFINITY=10 is not a mask"},
	{"0", TESSERA_ERR_OUTSIDE, "not a mask"},
	{"8-9", TESSERA_ERR_OUTSIDE, "not a mask"},
	{"1.0", TESSERA_ERR_OUTSIDE, "not a mask"},
	{"/XRDU_0/RDU_1/TILE_0", TESSERA_ERR_OUTSIDE, "not a mask"},
	{" 0x1", TESSERA_ERR_OUTSIDE, "not a mask"},
	{"ff", TESSERA_ERR_OUTSIDE, "not a mask"},
	{"0x1,0x2", TESSERA_ERR_OUTSIDE, "SF_RNT_TILE_AFFINITY: "},
	{"0x", TESSERA_ERR_OUTSIDE, "SF_RNT_TILE_AFFINITY: "},
	{"0x1ffff", TESSERA_ERR_OUTSIDE, "not granted: 2.0; granted were rdu0,rdu1"},
	{"0xffff0000", TESSERA_ERR_OUTSIDE, "rdu2,rdu3"},
	{"0x10000000000000000", TESSERA_ERR_OUTSIDE, "SF_RNT_TILE_AFFINITY"},
	{"0x0", TESSERA_ERR_OUTSIDE, "SF_RNT_TILE_AFFINITY"},
	{"all", TESSERA_ERR_OUTSIDE, "SF_RNT_TILE_AFFINITY"},
	{"0xf\x1b[31m", TESSERA_ERR_OUTSIDE, "?[31m"},
};

START_TEST(mask)
{
	claim.mask = masks[_i].mask;
	expect(masks[_i].code, masks[_i].word);
}
END_TEST

/* Without a mask the runtime uses any tile: valid only if all tiles were granted. */
START_TEST(no_mask_but_all_tiles)
{
	static const char *const unset[] = {NULL, ""};
	struct tessera_grant grant = two_rdus();
	static char text[TESSERA_GRANT_TEXT_MAX]; /* munge.inside outlives this function */

	munge.inside = text;
	for (size_t i = 0; i < 2; i++) {
		claim.mask = unset[i];
		tessera_tileset_all(sn30, &grant.tiles);
		tessera_grant_format(&grant, text, sizeof(text));
		expect(TESSERA_OK, NULL);
		tessera_tileset_clear(&grant.tiles);
		tessera_tileset_add_range(&grant.tiles, 0, 63);
		tessera_grant_format(&grant, text, sizeof(text));
		expect(TESSERA_ERR_OUTSIDE, "SF_RNT_TILE_AFFINITY is not set");
	}
}
END_TEST

START_TEST(mask_of_another_platform)
{
	claim.platform = tessera_platform_find_builtin("sn10-8");
	expect(TESSERA_ERR_OUTSIDE, "sn30-8");
	claim.mask = NULL;
	expect(TESSERA_ERR_OUTSIDE, "sn30-8");
	/* A node without tiles has no masks. */
	claim.platform = NULL;
	expect(TESSERA_OK, NULL);
	claim.mask = "";
	expect(TESSERA_OK, NULL);
}
END_TEST

/*
 * An incomplete claim must not pass, and is a usage error, whatever the grant is.
 */
START_TEST(usage_errors)
{
	struct tessera_grant grant = two_rdus();
	struct tessera_error err = {0};

	claim.platform = NULL;
	expect(TESSERA_ERR_USAGE, "SF_RNT_TILE_AFFINITY=0x000000000000ffff but no platform");
	ck_assert_int_eq(verify(NULL, &grant, &err), TESSERA_ERR_USAGE);
	ck_assert_uint_eq(grant.job, 0);
	ck_assert_str_eq(munge.asked, "");
	err.code = TESSERA_OK;
	ck_assert_int_eq(tessera_grant_verify("MUNGE:x:", NULL, NULL, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_USAGE);
	ck_assert_int_eq(tessera_grant_verify("MUNGE:x:", NULL, NULL, NULL), -1);
}
END_TEST

START_TEST(only_yes_or_no)
{
	struct tessera_error err = {0};

	ck_assert_int_eq(tessera_grant_verify("MUNGE:x:", &claim, NULL, NULL), 0);
	ck_assert_uint_eq(heard.job, 4711);
	claim.mask = "0x10000";
	ck_assert_int_eq(tessera_grant_verify("MUNGE:x:", &claim, NULL, NULL), -1);
	ck_assert_int_eq(tessera_grant_verify("MUNGE:x:", &claim, NULL, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_OUTSIDE);
}
END_TEST

static const char four_ipus_text[] =
	"tessera-grant 1 cluster lab node " NODE " job 4711 restarts 0 step 4294967291 "
	"uid 1001 time 1731750000 platform - tiles - partition slurm_4711";

START_TEST(partition)
{
	claim.partition = "slurm_4711";
	expect(TESSERA_ERR_OUTSIDE, "no partition was");
	munge.inside = four_ipus_text;
	expect(TESSERA_ERR_OUTSIDE, "no tiles were granted");
	claim.mask = "";
	expect(TESSERA_OK, NULL);
	claim.mask = NULL;
	expect(TESSERA_OK, NULL);
	claim.partition = "slurm_4712";
	expect(TESSERA_ERR_OUTSIDE,
	       "IPUOF_VIPU_API_PARTITION_ID=slurm_4712 was not granted; granted was slurm_4711");
	claim.partition = NULL;
	expect(TESSERA_OK, NULL);
}
END_TEST

/*
 * The file can name another partition; a job without a partition may use it for other purposes.
 */
START_TEST(config_path)
{
	claim.config_path = "/home/other.conf";
	expect(TESSERA_OK, NULL);
	munge.inside = four_ipus_text;
	claim.mask = NULL;
	for (unsigned i = 0; i < 2; i++) {
		claim.partition = i == 0 ? NULL : "slurm_4711";
		claim.config_path = "/home/other.conf";
		expect(TESSERA_ERR_OUTSIDE,
		       "IPUOF_CONFIG_PATH=/home/other.conf can direct the runtime to another "
		       "partition; granted was slurm_4711: unset it");
		claim.config_path = "";
		expect(TESSERA_OK, NULL);
	}
}
END_TEST

/* Mask and partition are checked independently. */
static const struct {
	const char *mask, *partition, *config_path;
	int code;
} both[] = {
	{"0xff00", "slurm_4711", NULL, TESSERA_OK},
	{"0xff00", NULL, NULL, TESSERA_OK},
	{NULL, "slurm_4711", NULL, TESSERA_ERR_OUTSIDE},
	{"0xff0000", "slurm_4711", NULL, TESSERA_ERR_OUTSIDE},
	{"0xff00", "slurm_4712", NULL, TESSERA_ERR_OUTSIDE},
	{"0xff00", "slurm_4711", "/a", TESSERA_ERR_OUTSIDE},
};

START_TEST(tiles_and_partition)
{
	struct tessera_grant grant = two_rdus();
	static char text[TESSERA_GRANT_TEXT_MAX];

	snprintf(grant.partition, sizeof(grant.partition), "slurm_4711");
	tessera_grant_format(&grant, text, sizeof(text));
	munge.inside = text;
	claim.mask = both[_i].mask;
	claim.partition = both[_i].partition;
	claim.config_path = both[_i].config_path;
	expect(both[_i].code, NULL);
}
END_TEST

START_TEST(job_state)
{
	alive = 0;
	expect(TESSERA_ERR_OUTLIVED, "job 4711");
	alive = -1;
	expect(TESSERA_ERR_UNAVAILABLE, "slurmctld sleeps");
	claim.is_running = NULL;
	expect(TESSERA_OK, NULL);
}
END_TEST

/* Fails without setting a code. */
static int silent(const struct tessera_grant *grant, void *arg, struct tessera_error *err)
{
	(void)grant;
	(void)arg;
	tessera_error_clear(err);
	err->text[0] = '\0';
	return -1;
}

START_TEST(job_state_without_reason)
{
	claim.is_running = silent;
	expect(TESSERA_ERR_UNAVAILABLE, "cannot determine whether job 4711 is still running");
}
END_TEST

/* slurmctld is not queried about a grant that is not valid anyway. */
START_TEST(job_state_comes_last)
{
	heard.job = 0;
	claim.mask = "0xff00000000000000";
	expect(TESSERA_ERR_OUTSIDE, NULL);
	claim.uid = 1;
	expect(TESSERA_ERR_FOREIGN, NULL);
	munge.maker = 1;
	expect(TESSERA_ERR_FORGED, NULL);
	ck_assert_uint_eq(heard.job, 0);
}
END_TEST

START_TEST(made)
{
	struct tessera_grant grant = two_rdus();
	struct tessera_error err = {0};
	char *credential = tessera_grant_encode(&grant, SOCKET, &err);

	ck_assert_str_eq(credential, "MUNGE:sealed:");
	ck_assert_str_eq(munge.asked, two_rdus_text);
	ck_assert_str_eq(munge.socket, SOCKET);
	free(credential);
	munge.code = EMUNGE_SOCKET;
	ck_assert_ptr_null(tessera_grant_encode(&grant, SOCKET, &err));
	ck_assert_int_eq(err.code, TESSERA_ERR_UNAVAILABLE);
	ck_assert_ptr_nonnull(strstr(err.text, SOCKET " does not respond: connection refused"));
	ck_assert_int_eq(munge.contexts, 0);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, setup, NULL);
	tcase_add_test(tcase, valid_grant);
	tcase_add_test(tcase, no_memory);
	tcase_add_test(tcase, default_socket);
	tcase_add_test(tcase, none);
	tcase_add_loop_test(tcase, munge_answers, 0, sizeof(answers) / sizeof(answers[0]));
	tcase_add_test(tcase, created_by_root);
	tcase_add_test(tcase, not_a_grant);
	tcase_add_test(tcase, too_long);
	tcase_add_test(tcase, wrong_owner);
	tcase_add_loop_test(tcase, mask, 0, sizeof(masks) / sizeof(masks[0]));
	tcase_add_test(tcase, no_mask_but_all_tiles);
	tcase_add_test(tcase, mask_of_another_platform);
	tcase_add_test(tcase, usage_errors);
	tcase_add_test(tcase, only_yes_or_no);
	tcase_add_test(tcase, partition);
	tcase_add_test(tcase, config_path);
	tcase_add_loop_test(tcase, tiles_and_partition, 0, sizeof(both) / sizeof(both[0]));
	tcase_add_test(tcase, job_state);
	tcase_add_test(tcase, job_state_without_reason);
	tcase_add_test(tcase, job_state_comes_last);
	tcase_add_test(tcase, made);
}

UNIT_MAIN("grant", add_tests)
