/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who may use what there is, and what is said when that is not known. Slurm's daemons, munge and the vendor's tool are played
 * by this program, and so is /proc; the ledger is a real one.
 */
#include "config.h"

#include "gres/guard.h"
#include "gres/sampler.h"
#include "lib/deadline.h"
#include "lib/gcmonitor.h"
#include "lib/grant_parts.h"
#include "plugin/process_job.h"
#include "plugin/slurm_job.h"
#include "test/unit/holders_unit.h"
#include "test/unit/state_unit.h"

#define JOB     7
#define SECONDS 600 /* longer than any test takes */
#define DEVICE  "/dev/rdu0"

/* What they say, and how often they were asked. */
static struct {
	uint32_t job[100];         /* of each process; 0: none */
	pid_t users[4];            /* of IPUs, as the tool has it: each uses two */
	const char *partitions[8]; /* of which these are; NULL: it does not say */
	int user_count;            /* -1: it fails */
	bool crashed;
	int holdings;
	bool slurmd_silent, munge_silent;
	unsigned munge_ms;  /* that it takes */
	const char *inside; /* the grant that root made; NULL: it is forged */
	unsigned slurmd_asked, munge_asked;
	const char *ends; /* the process that does while slurmd is asked; NULL: none */
} world;

static struct node node;
static struct guard guard;
static struct tessera_error err;

int process_job(const struct node *n, pid_t pid, uint32_t *job, struct tessera_error *e)
{
	(void)n;
	world.slurmd_asked++;
	if (world.ends != NULL)
		make_file(in_dir(world.ends, "stat"), "");
	if (world.slurmd_silent)
		return tessera_error_set(e, TESSERA_ERR_MISSING, "slurmd is silent");
	/* What is said besides "none" means nothing. */
	*job = world.job[pid] != 0 ? world.job[pid] : JOB;
	return world.job[pid] != 0;
}

int sampler_holdings(const struct node *n, struct tessera_holding **holdings, struct tessera_error *e)
{
	(void)n;
	(void)e;
	*holdings = NULL;
	return world.holdings;
}

int sampler_ipus(const struct node *n, struct gcmonitor_ipu **ipus, bool *crashed, struct tessera_error *e)
{
	(void)n;
	*crashed = world.crashed;
	if (world.user_count < 0 || world.crashed)
		return tessera_error_set(e, TESSERA_ERR_MISSING, "the tool fails");
	*ipus = calloc(2 * 4, sizeof(**ipus));
	ck_assert_ptr_nonnull(*ipus);
	for (int i = 0; i < 2 * world.user_count; i++) {
		(*ipus)[i].pid = world.users[i / 2];
		snprintf((*ipus)[i].partition, sizeof((*ipus)[i].partition), "%s",
			 world.partitions[i] != NULL ? world.partitions[i] : "");
	}
	return 2 * world.user_count;
}

int slurm_job_load(uint32_t job, const char *name, struct slurm_job *out, struct tessera_error *e)
{
	(void)name;
	(void)e;
	*out = (struct slurm_job){.uid = 1000, .here = job == JOB};
	return 0;
}

char *grant_munge_encode(const char *text, const char *socket, struct tessera_error *e)
{
	(void)text;
	(void)socket;
	(void)e;
	return NULL;
}

int grant_munge_decode(const char *credential, const char *socket, char **text, uint32_t *uid,
		       struct tessera_error *e)
{
	int64_t end = deadline_now() + world.munge_ms;
	unsigned pause = world.munge_ms;

	(void)credential;
	(void)socket;
	world.munge_asked++;
	while (deadline_left(end) > 0)
		deadline_pause(end, &pause, world.munge_ms);
	if (world.inside != NULL) {
		*text = strdup(world.inside);
		*uid = 0;
		return 0;
	}
	return tessera_error_set(e, world.munge_silent ? TESSERA_ERR_MISSING : TESSERA_ERR_FORGED, "%s",
				 world.munge_silent ? "munged is silent" : "forged");
}

/* Job 7 has so many tiles, the first of the node. */
static void has_tiles(unsigned count)
{
	struct tessera_row row = {.job = JOB, .uid = 1, .state = TESSERA_ROW_HELD};
	struct tessera_ledger *ledger = NULL;

	ck_assert_msg(tessera_ledger_open(dir, node.platform, 1000, &ledger, &err) == 0, "%s", err.text);
	tessera_tileset_add_range(&row.tiles, 0, count);
	ck_assert_msg(tessera_ledger_put(ledger, &row, &err) == 0, "%s", err.text);
	ck_assert_msg(tessera_ledger_commit(ledger, &err) == 0, "%s", err.text);
	tessera_ledger_close(ledger);
}

/* A node with tiles, of which job 7 has the first RDU. */
static void begin(void)
{
	setup();
	proc_setup();
	memset(&world, 0, sizeof(world));
	memset(&node, 0, sizeof(node));
	err = (struct tessera_error){0};
	node.conf = tessera_conf_parse("test", "DeviceFiles = \"" DEVICE "\"\n", &err);
	ck_assert_msg(node.conf != NULL, "%s", err.text);
	snprintf(node.name, sizeof(node.name), "a1");
	snprintf(node.dir, sizeof(node.dir), "%s", dir);
	node.platform = tessera_platform_find_builtin("sn30-8");
	ck_assert_int_eq(mkdir(dir, 0700), 0);
	has_tiles(8);
}

static void finish(void)
{
	guard_free(&guard);
	tessera_conf_free(node.conf);
	proc_teardown();
	teardown();
}

/* A process of user 1000, of JOB or of none, that has the device open and one variable. */
static void uses(const char *pid, const char *variable, uint32_t job)
{
	make_process(pid, 1000, "python", DEVICE);
	make_file(in_dir(pid, "environ"), variable);
	world.job[atoi(pid)] = job;
}

static int try_look(unsigned seconds)
{
	guard_free(&guard);
	err = (struct tessera_error){0};
	return guard_look(&node, "lab", proc, seconds, &guard, &err);
}

static void look(unsigned seconds)
{
	ck_assert_msg(try_look(seconds) == 0, "%s", err.text);
}

static void judged(size_t n, const char *verdict, bool right, bool unknown)
{
	ck_assert_uint_lt(n, guard.count);
	ck_assert_str_eq(guard.items[n].verdict, verdict);
	ck_assert_int_eq(guard.items[n].right, right);
	ck_assert_int_eq(guard.items[n].unknown, unknown);
	ck_assert_int_eq(guard.items[n].text[0] != '\0', !right);
}

static void says(const char *text, const char *wanted)
{
	ck_assert_msg(strstr(text, wanted) != NULL, "'%s' is not in '%s'", wanted, text);
}

START_TEST(each_is_judged)
{
	uses("21", "SF_RNT_TILE_AFFINITY=0xff", JOB);
	uses("22", "A=b", JOB);
	uses("23", "SF_RNT_TILE_AFFINITY=0x1ff", JOB);
	uses("24", "A=b", JOB + 1);
	make_process("25", 0, "service", DEVICE);
	make_file("25/environ", "");
	make_process("26", 1000, "other", "/dev/null");
	look(SECONDS);
	ck_assert_uint_eq(guard.count, 5);
	judged(0, "member", true, false);
	judged(1, "outside", false, false);
	says(guard.items[1].text, "SF_RNT_TILE_AFFINITY is not set");
	judged(2, "outside", false, false);
	judged(3, "none", false, false);
	judged(4, "service", true, false);
	ck_assert_int_eq(guard.items[3].process.pid, 24);
	ck_assert_str_eq(guard.items[3].process.file, DEVICE);
	ck_assert_uint_eq(guard.items[3].job, JOB + 1);
	ck_assert_int_eq(guard.incomplete.code, TESSERA_OK);
	ck_assert_int_eq(guard_verdict(&guard), TESSERA_ERR_INPUT);
}
END_TEST

/* Without a mask any tile is taken: whose job has all may. A process of which that is not known may have had one. */
START_TEST(without_a_mask)
{
	uses("21", "SF_RNT_TILE_AFFINITY=", JOB);
	uses("22", "", JOB);
	uses("23", "trainer: step 7=done", JOB);
	look(SECONDS);
	judged(0, "outside", false, false);
	judged(1, "unknown", false, true);
	judged(2, "unknown", false, true);
	says(guard.items[2].text, "its environment is empty");
	has_tiles(63);
	look(SECONDS);
	judged(0, "outside", false, false);
	has_tiles(64);
	look(SECONDS);
	judged(0, "member", true, false);
}
END_TEST

/* A process that the tool sees on IPUs of these two partitions, and that has no tile's device open. */
static void uses_ipus(const char *pid, const char *variable, uint32_t job, const char *first, const char *second)
{
	node.ipus = tessera_platform_find_builtin("pod64");
	make_process(pid, 1000, "python", NULL);
	make_file(in_dir(pid, "environ"), variable);
	world.job[atoi(pid)] = job;
	world.users[world.user_count] = atoi(pid);
	world.partitions[2 * world.user_count] = first;
	world.partitions[2 * world.user_count + 1] = second;
	world.user_count++;
}

static void notes(uint32_t job, enum tessera_holding_state state, const char *partition)
{
	struct tessera_holding holding = {.job = job, .state = state, .ipus = 4, .gcds = 1, .host = "h", .port = 1};

	snprintf(holding.partition, sizeof(holding.partition), "%s", partition);
	ck_assert_msg(tessera_holding_write(dir, &holding, &err) == 0, "%s", err.text);
}

static void has_ipus(uint32_t job, const char *partition)
{
	notes(job, TESSERA_HOLDING_READY, partition);
}

/* Each is named once, by its device or by its IPUs. */
START_TEST(tiles_and_ipus)
{
	uses("21", "SF_RNT_TILE_AFFINITY=0x1", JOB);
	uses_ipus("22", "", 0, "p2", "p2");
	world.users[1] = 21;
	world.users[2] = 23; /* it has gone */
	world.user_count = 3;
	look(SECONDS);
	ck_assert_uint_eq(guard.count, 2);
	ck_assert_str_eq(guard.items[0].partition, "");
	judged(0, "member", true, false);
	ck_assert_str_eq(guard.items[1].partition, "p2");
	ck_assert_str_eq(guard.items[1].process.file, "");
	judged(1, "none", false, false);
}
END_TEST

/* What a job's process uses has to be the job's. */
START_TEST(a_partition_of_others)
{
	has_ipus(JOB + 1, "p1");
	has_ipus(JOB + 2, "p2");
	uses_ipus("21", "", JOB + 1, "p1", NULL);
	uses_ipus("22", "", JOB + 2, "p1", "p1");
	uses_ipus("23", "", JOB, NULL, "p1");
	uses_ipus("24", "", JOB + 2, "p2", "p1");
	look(SECONDS);
	ck_assert_uint_eq(guard.count, 5);
	judged(0, "member", true, false);
	judged(1, "outside", false, false);
	ck_assert_str_eq(guard.items[1].text, "it uses partition p1, which was not granted; granted was p2");
	judged(2, "outside", false, false);
	ck_assert_str_eq(guard.items[2].text, "it uses partition p1, which was not granted; no partition was");
	/* One that uses two has two rows. */
	judged(3, "member", true, false);
	judged(4, "outside", false, false);
	ck_assert_int_eq(guard.items[4].process.pid, 24);
	ck_assert_int_eq(guard_verdict(&guard), TESSERA_ERR_INPUT);
}
END_TEST

/* Nor can anybody say whose it is when what is written of the job cannot be read. */
START_TEST(a_partition_of_nobody_knows_whom)
{
	uses_ipus("21", "", JOB, "p1", "p1");
	write_file("job.7", "nonsense\n", 0644);
	look(SECONDS);
	judged(0, "unknown", false, true);
}
END_TEST

static const char ipu_grant[] =
	"tessera-grant 1 cluster lab node a1 job 7 restarts 0 step 0 uid 1000 time 1 platform - "
	"tiles - partition p9";

/* So has what a process uses that is no job's, and shows a grant. */
START_TEST(a_partition_that_was_not_granted)
{
	world.inside = ipu_grant;
	uses_ipus("21", "TESSERA_GRANT=x", 0, "p9", "p9");
	uses_ipus("22", "TESSERA_GRANT=x", 0, "p1", "p1");
	uses_ipus("23", "TESSERA_GRANT=x", 0, NULL, NULL);
	look(SECONDS);
	judged(0, "granted", true, false);
	judged(1, "outside", false, false);
	ck_assert_str_eq(guard.items[1].text, "it uses partition p1, which was not granted; granted was p9");
	judged(2, "granted", true, false);
}
END_TEST

/* Where the tool does not say which partition it is, the variables do; where it does, they do not matter. */
START_TEST(a_partition_by_its_variables)
{
	static const struct {
		const char *env, *seen;
		bool right;
	} cases[] = {
		{"A=b", NULL, true},
		{"IPUOF_VIPU_API_PARTITION_ID=p8", NULL, true},
		{"IPUOF_VIPU_API_PARTITION_ID=p1", NULL, false},
		{"IPUOF_CONFIG_PATH=/a", NULL, false},
		{"IPUOF_VIPU_API_PARTITION_ID=p1", "p8", true},
		{"IPUOF_CONFIG_PATH=/a", "p8", true},
		{"", "p8", true},
	};

	has_ipus(JOB + 1, "p8");
	uses_ipus("21", "", JOB + 1, NULL, NULL);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		world.partitions[0] = cases[i].seen;
		make_file("21/environ", cases[i].env);
		look(SECONDS);
		ck_assert_msg(guard.items[0].right == cases[i].right, "%zu: %s", i, guard.items[0].text);
		judged(0, cases[i].right ? "member" : "outside", cases[i].right, false);
	}
}
END_TEST

/* Who was given IPUs was not given tiles; and a job's note does not matter to its tiles. */
START_TEST(tiles_for_ipus)
{
	world.inside = ipu_grant;
	has_ipus(JOB + 1, "p8");
	uses("21", "A=b", JOB + 1);
	uses("22", "TESSERA_GRANT=x", 0);
	uses("23", "SF_RNT_TILE_AFFINITY=0x1", JOB);
	write_file("job.7", "nonsense\n", 0644);
	look(SECONDS);
	judged(0, "outside", false, false);
	ck_assert_str_eq(guard.items[0].text, "it has " DEVICE " open, but no tiles were granted");
	judged(1, "outside", false, false);
	ck_assert_str_eq(guard.items[1].text, "it has " DEVICE " open, but no tiles were granted");
	judged(2, "member", true, false);
}
END_TEST

/* A job that has IPUs, though no tiles, has something here; one whose partition is not made yet has not. */
START_TEST(jobs_with_ipus)
{
	uses_ipus("21", "A=b", JOB + 1, "p0", "p0");
	has_ipus(JOB + 1, "p0");
	look(SECONDS);
	judged(0, "member", true, false);
	ck_assert_int_eq(guard_verdict(&guard), TESSERA_OK);
	notes(JOB + 1, TESSERA_HOLDING_MAKING, "p0");
	look(SECONDS);
	judged(0, "none", false, false);
}
END_TEST

START_TEST(jobs_with_other_things)
{
	struct tessera_holding holding = {.job = JOB + 1, .state = TESSERA_HOLDING_READY, .pool_count = 1};

	uses_ipus("21", "A=b", JOB + 1, "p0", "p0");
	snprintf(holding.pools[0].name, sizeof(holding.pools[0].name), "csx");
	holding.pools[0].count = 1;
	ck_assert_msg(tessera_holding_write(dir, &holding, &err) == 0, "%s", err.text);
	look(SECONDS);
	judged(0, "none", false, false);
}
END_TEST

/* Time is up before all processes were looked at: who was found is named, and that there may be more. */
START_TEST(not_all_were_found)
{
	node.ipus = tessera_platform_find_builtin("pod64");
	world.user_count = 0;
	uses("21", "A=b", JOB + 1);
	uses("22", "A=b", JOB + 1);
	look(0);
	ck_assert_uint_eq(guard.count, 1);
	ck_assert_int_eq(guard.incomplete.code, TESSERA_ERR_MISSING);
	says(guard.incomplete.text, "this may not be all: this node has too many processes");
	look(SECONDS);
	ck_assert_uint_eq(guard.count, 2);
	ck_assert_int_eq(guard.incomplete.code, TESSERA_OK);

	/* So it is when the tool fails. */
	world.user_count = -1;
	look(SECONDS);
	ck_assert_uint_eq(guard.count, 2);
	ck_assert_int_eq(guard.incomplete.code, TESSERA_ERR_MISSING);
	ck_assert_str_eq(guard.incomplete.text, "this may not be all: the tool fails");
}
END_TEST

/* Nobody was found at all, and somebody may be there: that is no empty list. */
START_TEST(nobody_was_found)
{
	make_process("21", 1000, "other", "/dev/null");
	look(SECONDS);
	ck_assert_uint_eq(guard.count, 0);
	ck_assert_int_eq(guard_verdict(&guard), TESSERA_OK);
	ck_assert_int_eq(try_look(0), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_MISSING);
	says(err.text, "this node has too many processes");
	node.ipus = tessera_platform_find_builtin("pod64");
	world.user_count = -1;
	ck_assert_int_eq(try_look(SECONDS), -1);
	ck_assert_str_eq(err.text, "the tool fails");
	/* It crashes where no partition is, and nobody can use one. */
	world.crashed = true;
	look(SECONDS);
	ck_assert_int_eq(guard.incomplete.code, TESSERA_OK);
	world.holdings = 1;
	ck_assert_int_eq(try_look(SECONDS), -1);
}
END_TEST

/* One that makes its readers wait takes the time of all that come after it, but no more than there is. */
START_TEST(made_to_wait)
{
	make_process("21", 1000, "python", DEVICE);
	make_waiting("21");
	world.job[21] = JOB;
	uses("22", "SF_RNT_TILE_AFFINITY=0x1ff", JOB);
	uses("23", "A=b", 0);
	look(1);
	ck_assert_uint_eq(guard.count, 3);
	for (size_t i = 0; i < 3; i++) {
		judged(i, "unknown", false, true);
		says(guard.items[i].text, i == 0 ? "process 21: no answer in time" : " was not read: ");
	}
	ck_assert_int_eq(guard_verdict(&guard), TESSERA_ERR_MISSING);
}
END_TEST

/* slurmd gives no answer: it is asked for each process anew, as long as there is time. */
START_TEST(slurmd_is_silent)
{
	uses("21", "A=b", JOB);
	uses("22", "A=b", JOB);
	world.slurmd_silent = true;
	look(SECONDS);
	ck_assert_uint_eq(world.slurmd_asked, 2);
	for (size_t i = 0; i < 2; i++) {
		judged(i, "unknown", false, true);
		ck_assert_str_eq(guard.items[i].text, "slurmd is silent");
		ck_assert_uint_eq(guard.items[i].job, 0);
	}
}
END_TEST

/* With no time left it is asked once, but one that answers for each. Users of IPUs are found without looking for them. */
START_TEST(no_time_to_ask)
{
	node.platform = NULL;
	node.ipus = tessera_platform_find_builtin("pod64");
	for (unsigned i = 0; i < 3; i++)
		world.users[i] = 21 + (pid_t)i;
	world.user_count = 3;
	uses("21", "A=b", 0);
	uses("22", "A=b", 0);
	uses("23", "A=b", 0);
	world.slurmd_silent = true;
	look(0);
	ck_assert_uint_eq(guard.count, 3);
	ck_assert_uint_eq(world.slurmd_asked, 1);
	for (size_t i = 0; i < 3; i++) {
		judged(i, "unknown", false, true);
		ck_assert_str_eq(guard.items[i].text, "slurmd is silent");
	}
	world.slurmd_silent = false;
	look(0);
	ck_assert_uint_eq(world.slurmd_asked, 4);
}
END_TEST

/* munged gives no answer; what it says of a grant is another matter, and who shows none need not wait for it. */
START_TEST(munged_is_silent)
{
	uses("21", "TESSERA_GRANT=x", 0);
	uses("22", "TESSERA_GRANT=x", 0);
	uses("23", "A=b", 0);
	look(SECONDS);
	judged(0, "forged", false, false);
	judged(1, "forged", false, false);
	ck_assert_uint_eq(world.munge_asked, 2);
	world.munge_silent = true;
	look(SECONDS);
	ck_assert_uint_eq(world.munge_asked, 4);
	judged(0, "unknown", false, true);
	judged(1, "unknown", false, true);
	ck_assert_str_eq(guard.items[1].text, "munged is silent");
	judged(2, "none", false, false);
	ck_assert_int_eq(guard_verdict(&guard), TESSERA_ERR_INPUT);
}
END_TEST

/* Who asks in vain for longer than there is time asks no more; but who shows no grant needs nobody's answer. */
START_TEST(munged_takes_all_the_time)
{
	uses("21", "TESSERA_GRANT=x", 0);
	uses("22", "TESSERA_GRANT=x", 0);
	uses("23", "A=b", 0);
	world.munge_silent = true;
	world.munge_ms = 2000;
	look(2);
	ck_assert_uint_eq(world.munge_asked, 1);
	for (size_t i = 0; i < 2; i++) {
		judged(i, "unknown", false, true);
		ck_assert_str_eq(guard.items[i].text, "munged is silent");
	}
	judged(2, "none", false, false);
}
END_TEST

/* A grant is good for what it says: its mask and its partition are held against it. */
START_TEST(granted)
{
	static const char tiles[] = "tessera-grant 1 cluster lab node a1 job 7 restarts 0 step 0 uid 1000 time 1 "
				    "platform sn30-8 tiles 0-7 partition -",
			  ipus[] = "tessera-grant 1 cluster lab node a1 job 7 restarts 0 step 0 uid 1000 time 1 "
				   "platform - tiles - partition p0";
	static const struct {
		const char *inside, *variable, *verdict;
	} cases[] = {
		{tiles, "SF_RNT_TILE_AFFINITY=0xff", "granted"},
		{tiles, "SF_RNT_TILE_AFFINITY=0x100", "outside"},
		{tiles, "A=b", "outside"},
		{ipus, "IPUOF_VIPU_API_PARTITION_ID=p0", "granted"},
		{ipus, "IPUOF_VIPU_API_PARTITION_ID=p1", "outside"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char pid[8], path[64];
		bool right = strcmp(cases[i].verdict, "granted") == 0;
		FILE *f;

		world.inside = cases[i].inside;
		snprintf(pid, sizeof(pid), "%zu", 21 + i);
		if (cases[i].inside == tiles)
			uses(pid, "TESSERA_GRANT=x", 0);
		else
			uses_ipus(pid, "TESSERA_GRANT=x", 0, NULL, NULL);
		snprintf(path, sizeof(path), "%s/%s/environ", proc, pid);
		f = fopen(path, "a");
		ck_assert_ptr_nonnull(f);
		putc('\0', f);
		fputs(cases[i].variable, f);
		fclose(f);
		look(SECONDS);
		judged(i, cases[i].verdict, right, false);
		/* So that the next is judged alone. */
		make_file(in_dir(pid, "environ"), "");
		ck_assert_uint_eq(guard.items[i].job, 0);
	}
}
END_TEST

/* root needs nobody's leave, whatever it shows and whoever could judge it. */
START_TEST(services)
{
	make_process("21", 0, "service", DEVICE);
	make_file("21/environ", "TESSERA_GRANT=x");
	world.munge_silent = true;
	look(SECONDS);
	judged(0, "service", true, false);
	ck_assert_int_eq(guard_verdict(&guard), TESSERA_OK);
	/* But one of a job that has nothing here is as any other, and so is one of which slurmd says nothing. */
	world.munge_silent = false;
	world.job[21] = JOB + 1;
	look(SECONDS);
	judged(0, "forged", false, false);
	world.slurmd_silent = true;
	look(SECONDS);
	judged(0, "unknown", false, true);
}
END_TEST

/* Nobody can be judged without the ledger. */
START_TEST(the_ledger_is_damaged)
{
	uses("21", "A=b", JOB);
	write_file("ledger", "nonsense\n", 0600);
	ck_assert_int_eq(try_look(SECONDS), -1);
	says(err.text, "/ledger:1: ");
}
END_TEST

/* What was found out about a process that is no longer there may be about another. */
START_TEST(gone_meanwhile)
{
	uses("21", "A=b", 0);
	uses("22", "A=b", 0);
	world.ends = "21";
	look(SECONDS);
	ck_assert_uint_eq(guard.count, 1);
	ck_assert_int_eq(guard.items[0].process.pid, 22);
}
END_TEST

/* r: it may, n: it may not, u: not known; !: there may be more. */
START_TEST(all_together)
{
	static const struct {
		const char *items;
		enum tessera_errcode code;
	} cases[] = {
		{"", TESSERA_OK},
		{"r", TESSERA_OK},
		{"n", TESSERA_ERR_INPUT},
		{"u", TESSERA_ERR_MISSING},
		{"ur", TESSERA_ERR_MISSING},
		{"rnr", TESSERA_ERR_INPUT},
		{"un", TESSERA_ERR_INPUT},
		{"nu", TESSERA_ERR_INPUT},
		{"!", TESSERA_ERR_MISSING},
		{"!r", TESSERA_ERR_MISSING},
		{"!n", TESSERA_ERR_INPUT},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct guard_item items[3] = {0};
		struct guard all = {.items = items};

		for (const char *c = cases[i].items; *c != '\0'; c++) {
			if (*c == '!') {
				all.incomplete.code = TESSERA_ERR_MISSING;
				continue;
			}
			items[all.count].right = *c == 'r';
			items[all.count++].unknown = *c == 'u';
		}
		ck_assert_msg(guard_verdict(&all) == cases[i].code, "%s", cases[i].items);
	}
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, begin, finish);
	tcase_add_test(tcase, each_is_judged);
	tcase_add_test(tcase, without_a_mask);
	tcase_add_test(tcase, tiles_and_ipus);
	tcase_add_test(tcase, a_partition_of_others);
	tcase_add_test(tcase, a_partition_of_nobody_knows_whom);
	tcase_add_test(tcase, a_partition_that_was_not_granted);
	tcase_add_test(tcase, a_partition_by_its_variables);
	tcase_add_test(tcase, tiles_for_ipus);
	tcase_add_test(tcase, jobs_with_ipus);
	tcase_add_test(tcase, jobs_with_other_things);
	tcase_add_test(tcase, not_all_were_found);
	tcase_add_test(tcase, nobody_was_found);
	tcase_add_test(tcase, made_to_wait);
	tcase_add_test(tcase, slurmd_is_silent);
	tcase_add_test(tcase, no_time_to_ask);
	tcase_add_test(tcase, munged_is_silent);
	tcase_add_test(tcase, munged_takes_all_the_time);
	tcase_add_test(tcase, granted);
	tcase_add_test(tcase, services);
	tcase_add_test(tcase, the_ledger_is_damaged);
	tcase_add_test(tcase, gone_meanwhile);
	tcase_add_test(tcase, all_together);
}

UNIT_MAIN("guard", add_tests)
