/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replaces Slurm's daemons, munge, the vendor's tool and /proc for tests of tessera guard; the
 * ledger is real.
 */
#ifndef TESSERA_GUARD_UNIT_H
#define TESSERA_GUARD_UNIT_H

#include "command/observe/guard.h"
#include "command/observe/sampler.h"
#include "lib/grant/grant_claim.h"
#include "lib/grant/grant_munge.h"
#include "lib/slurm/job_info.h"
#include "lib/slurm/pid_job.h"
#include "lib/util/deadline.h"
#include "lib/vendor/gcmonitor.h"
#include "test/unit/node/device_users_unit.h"
#include "test/unit/state_unit.h"

#define JOB     7
#define SECONDS 600 /* longer than any test takes */
#define DEVICE  "/dev/rdu0"

/* What they answer, and how often they were queried. */
static struct {
	uint32_t job[100];         /* of each process; 0: none */
	pid_t users[4];            /* of IPUs, as the tool reports them; each uses two */
	const char *partitions[8]; /* of these IPUs; NULL: the tool does not report it */
	int user_count;            /* -1: the tool fails */
	bool crashed;
	int records;
	bool slurmd_silent, munge_silent;
	unsigned munge_ms;  /* time that munged takes */
	const char *inside; /* the grant that root created; NULL: it is forged */
	unsigned slurmd_queries, munge_queries;
	const char *ends; /* a process that ends while slurmd is queried; NULL: none */
} world;

static struct node node;
static struct guard guard;
static struct tessera_error err;

int pid_job(pid_t pid, uint32_t *job, struct tessera_error *e)
{
	world.slurmd_queries++;
	if (world.ends != NULL)
		make_file(in_dir(world.ends, "stat"), "");
	if (world.slurmd_silent)
		return tessera_error_set(e, TESSERA_ERR_UNAVAILABLE, "slurmd is silent");
	/* If the result is 0, *job has no meaning. */
	*job = world.job[pid] != 0 ? world.job[pid] : JOB;
	return world.job[pid] != 0;
}

int sampler_job_records(const struct node *n, struct tessera_job_record **records,
			struct tessera_error *e)
{
	(void)n;
	(void)e;
	*records = NULL;
	return world.records;
}

int sampler_ipus(const struct node *n, struct gcmonitor_ipu **ipus, bool *crashed,
		 struct tessera_error *e)
{
	(void)n;
	*crashed = world.crashed;
	if (world.user_count < 0 || world.crashed)
		return tessera_error_set(e, TESSERA_ERR_UNAVAILABLE, "the tool fails");
	*ipus = calloc(2 * 4, sizeof(**ipus));
	ck_assert_ptr_nonnull(*ipus);
	for (int i = 0; i < 2 * world.user_count; i++) {
		(*ipus)[i].pid = world.users[i / 2];
		snprintf((*ipus)[i].partition, sizeof((*ipus)[i].partition), "%s",
			 world.partitions[i] != NULL ? world.partitions[i] : "");
	}
	return 2 * world.user_count;
}

int job_info_load(uint32_t job, const char *name, struct job_alloc *out, struct tessera_error *e)
{
	(void)name;
	(void)e;
	*out = (struct job_alloc){.uid = 1000, .here = job == JOB};
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
	world.munge_queries++;
	while (deadline_left(end) > 0)
		deadline_pause(end, &pause, world.munge_ms);
	if (world.inside != NULL) {
		*text = strdup(world.inside);
		*uid = 0;
		return 0;
	}
	return tessera_error_set(e,
				 world.munge_silent ? TESSERA_ERR_UNAVAILABLE : TESSERA_ERR_FORGED,
				 "%s", world.munge_silent ? "munged is silent" : "forged");
}

/* Job 7 has the first COUNT tiles of the node. */
static inline void has_tiles(unsigned count)
{
	struct tessera_row row = {.job = JOB, .uid = 1, .state = TESSERA_ROW_HELD};
	struct tessera_ledger *ledger = NULL;

	ck_assert_msg(tessera_ledger_open(dir, node.platform, 1000, &ledger, &err) == 0, "%s",
		      err.text);
	tessera_tileset_add_range(&row.tiles, 0, count);
	ck_assert_msg(tessera_ledger_put(ledger, &row, &err) == 0, "%s", err.text);
	ck_assert_msg(tessera_ledger_commit(ledger, &err) == 0, "%s", err.text);
	tessera_ledger_close(ledger);
}

/* A node with tiles, of which job 7 has the first RDU. */
static inline void begin(void)
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

static inline void finish(void)
{
	guard_free(&guard);
	tessera_conf_free(node.conf);
	proc_teardown();
	teardown();
}

/* A process of user 1000, of JOB or of none, that has the device open and one variable. */
static inline void uses(const char *pid, const char *variable, uint32_t job)
{
	make_process(pid, 1000, "python", DEVICE);
	make_file(in_dir(pid, "environ"), variable);
	world.job[atoi(pid)] = job;
}

static inline int try_look(unsigned seconds)
{
	guard_free(&guard);
	err = (struct tessera_error){0};
	return guard_look(&node, "lab", proc, seconds, &guard, &err);
}

static inline void look(unsigned seconds)
{
	ck_assert_msg(try_look(seconds) == 0, "%s", err.text);
}

static inline void judged(size_t n, const char *verdict, bool right, bool unknown)
{
	ck_assert_uint_lt(n, guard.count);
	ck_assert_str_eq(guard.items[n].verdict, verdict);
	ck_assert_int_eq(guard.items[n].right, right);
	ck_assert_int_eq(guard.items[n].unknown, unknown);
	ck_assert_int_eq(guard.items[n].text[0] != '\0', !right);
}

static inline void says(const char *text, const char *wanted)
{
	ck_assert_msg(strstr(text, wanted) != NULL, "'%s' is not in '%s'", wanted, text);
}

/*
 * A process that uses IPUs of these two partitions according to the tool, without the device of the
 * tiles.
 */
static inline void uses_ipus(const char *pid, const char *variable, uint32_t job, const char *first,
			     const char *second)
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

static inline void writes_record(uint32_t job, enum tessera_job_record_state state,
				 const char *partition)
{
	struct tessera_job_record record = {
		.job = job, .state = state, .ipus = 4, .gcds = 1, .host = "h", .port = 1};

	snprintf(record.partition, sizeof(record.partition), "%s", partition);
	ck_assert_msg(tessera_job_record_write(dir, &record, &err) == 0, "%s", err.text);
}

static inline void has_ipus(uint32_t job, const char *partition)
{
	writes_record(job, TESSERA_JOB_RECORD_READY, partition);
}

#endif /* TESSERA_GUARD_UNIT_H */
