/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kill -9 at every step. Whenever a process is killed, the ledger is as before or as after its
 * change, the lock is free, and the next process can continue.
 */
#include "config.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/ptrace.h>

#include "test/unit/state/ledger_unit.h"

#define TEXT_MAX 4096

/* At every system call */

/* Changes that a process makes between open and close. */
static void change_first(void)
{
	struct tessera_ledger *ledger = open_ledger();

	put_row(ledger, 20, "32-39");
	commit(ledger);
	tessera_ledger_close(ledger);
}

static void change_replace(void)
{
	struct tessera_ledger *ledger = open_ledger();

	put_row(ledger, 10, "1-2");
	put_row(ledger, 30, "-");
	commit(ledger);
	tessera_ledger_close(ledger);
}

static void change_release(void)
{
	struct tessera_ledger *ledger = open_ledger();

	NEED(tessera_ledger_drop(ledger, 10));
	commit(ledger);
	tessera_ledger_close(ledger);
}

static void change_withhold(void)
{
	struct tessera_ledger *ledger = open_ledger();

	NEED(tessera_ledger_withhold(ledger, 11, "a process is left", NULL) == 0);
	commit(ledger);
	tessera_ledger_close(ledger);
}

/* The process of the step is the test itself, which keeps running. */
static pid_t test_pid;

static void change_step(void)
{
	struct tessera_ledger *ledger = open_ledger();
	struct tessera_step_row row = step_of(11, 1, "10-11");

	row.pid = test_pid;
	row.start = proc_start_time(test_pid);
	NEED(tessera_ledger_put_step(ledger, &row, NULL) == 0);
	commit(ledger);
	tessera_ledger_close(ledger);
}

static const struct {
	const char *name;
	bool from_nothing; /* not even the directory is there */
	void (*change)(void);
} changes[] = {
	{"the first row", true, change_first},    {"a new row", false, change_first},
	{"a changed row", false, change_replace}, {"a released row", false, change_release},
	{"a step's row", false, change_step},     {"withheld tiles", false, change_withhold},
};

/* The ledger before each change. */
static void prepare(bool from_nothing)
{
	struct tessera_ledger *ledger;

	unlink(path_of("ledger"));
	unlink(path_of("ledger.new"));
	unlink(path_of("lock"));
	if (from_nothing) {
		rmdir(dir);
		return;
	}
	ledger = open_ledger();
	put_row(ledger, 10, "0-7");
	put_row(ledger, 11, "8-15");
	put_step(ledger, 11, 0, "8-9");
	commit(ledger);
	tessera_ledger_close(ledger);
}

/*
 * Run CHANGE in a child, and kill it at its Nth stop before or after a system call. Returns true if
 * it ended before that.
 */
static bool killed_at(void (*change)(void), unsigned n)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
			_exit(3);
		raise(SIGSTOP);
		change();
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFSTOPPED(status), "no ptrace here: status %x", (unsigned)status);
	for (unsigned i = 0; i < n; i++) {
		ck_assert_int_eq(ptrace(PTRACE_SYSCALL, pid, NULL, NULL), 0);
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		if (WIFEXITED(status)) {
			ck_assert_int_eq(WEXITSTATUS(status), 0);
			return true;
		}
		ck_assert(WIFSTOPPED(status));
	}
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFSIGNALED(status));
	return false;
}

/* The ledger is not damaged, and the lock is free. */
static void expect_usable(void)
{
	struct tessera_ledger *ledger = NULL;
	struct tessera_error err = {0};
	struct tessera_row row = row_of(99, "63");
	char before[TEXT_MAX], after[TEXT_MAX];

	tessera_ledger_close(read_ledger());
	bytes_of(path_of("ledger"), before, sizeof(before));
	ck_assert_msg(tessera_ledger_open(dir, sn30, 0, &ledger, &err) == 0, "%s", err.text);
	ck_assert_msg(tessera_ledger_put(ledger, &row, &err) == 0, "%s", err.text);
	commit(ledger);
	ck_assert(tessera_ledger_drop(ledger, 99));
	commit(ledger);
	tessera_ledger_close(ledger);
	bytes_of(path_of("ledger"), after, sizeof(after));
	if (before[0] != '\0')
		ck_assert_str_eq(after, before);
}

START_TEST(killed_at_every_system_call)
{
	char before[TEXT_MAX], after[TEXT_MAX], now[TEXT_MAX];
	unsigned old = 0, new = 0;

	test_pid = getpid();
	prepare(changes[_i].from_nothing);
	bytes_of(path_of("ledger"), before, sizeof(before));
	changes[_i].change();
	bytes_of(path_of("ledger"), after, sizeof(after));
	ck_assert_str_ne(before, after);
	for (unsigned n = 1;; n++) {
		bool ended;

		prepare(changes[_i].from_nothing);
		ended = killed_at(changes[_i].change, n);
		bytes_of(path_of("ledger"), now, sizeof(now));
		if (strcmp(now, before) == 0)
			old++;
		else if (strcmp(now, after) == 0)
			new ++;
		else
			ck_abort_msg("%s, killed at %u: the ledger is neither old nor new:\n%s",
				     changes[_i].name, n, now);
		expect_usable();
		if (ended)
			break;
	}
	/* Open, lock, read, write, rename: many stops before the rename, and some after. */
	ck_assert_msg(old > 20 && new > 2, "%u moments before the change, %u after", old, new);
}
END_TEST

/* At random */

#define JOBS   12
#define DEATHS 400

/* What a child has done, in shared memory. */
struct record {
	struct tessera_tileset held[JOBS + 1]; /* by job, as it was committed */
	_Atomic unsigned pending;              /* the job whose commit is under way, or 0 */
	struct tessera_tileset next;           /* its tiles after that */
	_Atomic unsigned changes;
};

static unsigned draw(uint64_t *state, unsigned below)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)((*state >> 33) % below);
}

/* Reserve tiles for a job that has none, or release those that it has. */
static void change_one(struct record *record, uint64_t *rng)
{
	struct tessera_ledger *ledger = open_ledger();
	uint32_t job = 1 + draw(rng, JOBS);
	struct tessera_row row = {.job = job, .state = TESSERA_ROW_HELD};
	struct tessera_tileset left;
	struct tessera_place in = {.platform = sn30, .free = &left};

	tessera_ledger_free_tiles(ledger, &left);
	in.shape.whole = draw(rng, 3);
	in.shape.blocks = in.shape.whole == 0;
	in.shape.block = in.shape.blocks << draw(rng, 3);
	if (!tessera_ledger_drop(ledger, job)) {
		if (tessera_place(&in, &row.tiles, NULL) < 0) {
			tessera_ledger_close(ledger);
			return;
		}
		NEED(tessera_ledger_put(ledger, &row, NULL) == 0);
	}
	record->next = row.tiles;
	atomic_store(&record->pending, job);
	commit(ledger);
	record->held[job] = row.tiles;
	atomic_store(&record->pending, 0);
	atomic_fetch_add(&record->changes, 1);
	tessera_ledger_close(ledger);
}

/* The ledger must match the record; the interrupted change is made as a whole, or not. */
static void expect_recorded(struct record *record)
{
	struct tessera_ledger *ledger = read_ledger();
	struct tessera_tileset seen, none;
	unsigned pending = atomic_load(&record->pending);

	tessera_tileset_clear(&seen);
	tessera_tileset_clear(&none);
	for (uint32_t job = 1; job <= JOBS; job++) {
		const struct tessera_row *row = tessera_ledger_job(ledger, job);
		const struct tessera_tileset *tiles = row != NULL ? &row->tiles : &none;

		ck_assert_msg(!tessera_tileset_overlap(&seen, tiles),
			      "job %u has a tile of another", job);
		tessera_tileset_or(&seen, tiles);
		if (job == pending && tessera_tileset_equal(tiles, &record->next))
			record->held[job] = record->next;
		ck_assert_msg(tessera_tileset_equal(tiles, &record->held[job]),
			      "job %u lost or won tiles", job);
	}
	atomic_store(&record->pending, 0);
	tessera_ledger_close(ledger);
}

START_TEST(killed_at_random)
{
	struct record *record = mmap(NULL, sizeof(*record), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t rng = 4;

	ck_assert(record != MAP_FAILED);
	for (unsigned death = 0; death < DEATHS; death++) {
		unsigned until = atomic_load(&record->changes) + draw(&rng, 6);
		unsigned spin = draw(&rng, 20000);
		pid_t pid = fork();

		if (pid == 0) {
			for (;;)
				change_one(record, &rng);
		}
		ck_assert_int_gt(pid, 0);
		while (atomic_load(&record->changes) < until)
			ck_assert_int_eq(waitpid(pid, NULL, WNOHANG), 0);
		/* During the next change. */
		for (volatile unsigned i = 0; i < spin; i++)
			;
		ck_assert_int_eq(kill(pid, SIGKILL), 0);
		ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
		expect_recorded(record);
	}
	ck_assert_uint_gt(atomic_load(&record->changes), DEATHS);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_loop_test(tcase, killed_at_every_system_call, 0,
			    sizeof(changes) / sizeof(changes[0]));
	tcase_add_test(tcase, killed_at_random);
}

UNIT_MAIN("ledger_crash", add_tests)
