/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The time of the ledger to allocate the tiles of a job (open, place, put, commit, close) and to
 * release them (open, drop, commit, close), on a node with rows of 16 other jobs. The directory is
 * in memory, as /run is, unless the command line names another.
 */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/state/ledger.h"

#define OTHERS  16
#define WARM_UP 200
#define ROUNDS  5000
#define WAIT_MS 1000
#define GOAL_US 300.0

static const struct tessera_platform *platform;
static const char *dir;

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int reserve(uint32_t job, struct tessera_error *err)
{
	struct tessera_row row = {.job = job, .uid = 1000 + job, .state = TESSERA_ROW_HELD};
	struct tessera_tileset left;
	struct tessera_ledger *ledger;
	struct tessera_place in = {
		.platform = platform, .free = &left, .shape = {.blocks = 1, .block = 2}};
	int rc = tessera_ledger_open(dir, platform, WAIT_MS, &ledger, err);

	if (rc < 0)
		return rc;
	tessera_ledger_free_tiles(ledger, &left);
	in.owner = tessera_ledger_owner;
	in.owner_arg = ledger;
	rc = tessera_place(&in, &row.tiles, err);
	if (rc == 0)
		rc = tessera_ledger_put(ledger, &row, err);
	if (rc == 0)
		rc = tessera_ledger_commit(ledger, err);
	tessera_ledger_close(ledger);
	return rc;
}

static int release(uint32_t job, struct tessera_error *err)
{
	struct tessera_ledger *ledger;
	int rc = tessera_ledger_open(dir, platform, WAIT_MS, &ledger, err);

	if (rc < 0)
		return rc;
	if (!tessera_ledger_drop(ledger, job))
		rc = tessera_error_set(err, TESSERA_ERR_UNAVAILABLE, "job %u has no row", job);
	if (rc == 0)
		rc = tessera_ledger_commit(ledger, err);
	tessera_ledger_close(ledger);
	return rc;
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Prints the mean and the 99th percentile; returns the mean. */
static double report(const char *what, double *us)
{
	double sum = 0;

	for (unsigned i = 0; i < ROUNDS; i++)
		sum += us[i];
	qsort(us, ROUNDS, sizeof(us[0]), compare);
	printf("%-44s %10.1f %10.1f\n", what, sum / ROUNDS, us[ROUNDS / 100 * 99]);
	return sum / ROUNDS;
}

static int measure(struct tessera_error *err)
{
	static double reserving[ROUNDS], releasing[ROUNDS], both[ROUNDS];
	double mean;

	for (uint32_t job = 1; job <= OTHERS; job++)
		if (reserve(job, err) < 0)
			return -1;
	for (unsigned i = 0; i < WARM_UP + ROUNDS; i++) {
		unsigned n = i < WARM_UP ? 0 : i - WARM_UP;
		double start = now_us(), middle, end;

		if (reserve(OTHERS + 1, err) < 0)
			return -1;
		middle = now_us();
		if (release(OTHERS + 1, err) < 0)
			return -1;
		end = now_us();
		reserving[n] = middle - start;
		releasing[n] = end - middle;
		both[n] = end - start;
	}
	printf("%-44s %10s %10s\n", "the ledger of a node with 16 jobs, in us", "mean", "99 %");
	report("reserve", reserving);
	report("release", releasing);
	mean = report("reserve and release", both);
	printf("goal: the mean of both under %.0f us: %s\n", GOAL_US,
	       mean < GOAL_US ? "met" : "not met");
	return 0;
}

/* Remove only the files that this program created. */
static void clean_up(void)
{
	static const char *const names[] = {"ledger", "ledger.new", "lock"};
	char path[512];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		unlink(path);
	}
	rmdir(dir);
}

int main(int argc, char **argv)
{
	char made[256];
	struct tessera_error err = {0};
	int rc;

	snprintf(made, sizeof(made), "%s/tessera-bench-XXXXXX", argc > 1 ? argv[1] : "/dev/shm");
	dir = mkdtemp(made);
	if (dir == NULL) {
		perror(made);
		return EXIT_FAILURE;
	}
	platform = tessera_platform_find_builtin("sn30-8");
	rc = measure(&err);
	if (rc < 0)
		printf("bench_ledger: %s\n", err.text);
	clean_up();
	return rc < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
