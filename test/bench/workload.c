/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>

#include "test/bench/workload.h"

/*
 * No site publishes its mix. In ALCF's user guides most models are compiled for four tiles and run
 * as one instance; default compilations take an RDU; data-parallel examples take two or four RDUs,
 * or a node with 16 tasks of four tiles; one or two tiles are for first steps.
 */
const struct workload_kind workload_kinds[WORKLOAD_KINDS] = {
	{"half an RDU", 60, 4}, {"RDU", 15, 8},    {"2 RDUs", 8, 16}, {"4 RDUs", 4, 32},
	{"node", 3, 64},        {"2 tiles", 5, 2}, {"1 tile", 5, 1},
};

/*
 * Run times in minutes by percentile: half of the jobs end within 35 minutes, few take most of a
 * day.
 */
static const struct {
	unsigned percent, minutes;
} run_times[] = {{0, 2}, {10, 6}, {30, 15}, {50, 35}, {70, 80}, {85, 180}, {95, 360}, {100, 720}};

#define RUN_TIMES (sizeof(run_times) / sizeof(run_times[0]))

/* Usual time limits. */
static const unsigned limits[] = {15, 30, 60, 120, 240, 480, 720};

/* The load of each hour of a day, in percent of the mean; weekends have half of it. */
static const unsigned busy[24] = {40,  30,  25,  20,  20,  25,  35,  60,  110, 160, 190, 200,
				  180, 190, 200, 195, 180, 160, 130, 110, 100, 90,  80,  60};

/* Knuth's MMIX generator; the low bits are weak and not used. In [0, 1). */
static double draw(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(*state >> 11) / (double)(UINT64_C(1) << 53);
}

static unsigned draw_kind(uint64_t *rng)
{
	double percent = 100 * draw(rng);
	unsigned kind = 0;

	while (kind + 1 < WORKLOAD_KINDS && percent >= workload_kinds[kind].percent)
		percent -= workload_kinds[kind++].percent;
	return kind;
}

/* A run time in seconds, interpolated linearly in the table. */
static unsigned draw_run(uint64_t *rng)
{
	double percent = 100 * draw(rng), part;
	size_t i = 1;

	while (i + 1 < RUN_TIMES && percent >= run_times[i].percent)
		i++;
	part = (percent - run_times[i - 1].percent) /
	       (run_times[i].percent - run_times[i - 1].percent);
	return (unsigned)(60 * (run_times[i - 1].minutes +
				part * (run_times[i].minutes - run_times[i - 1].minutes)));
}

/* The mean of tiles times seconds of a job. */
static double mean_work(void)
{
	double seconds = 0, tiles = 0;

	for (size_t i = 1; i < RUN_TIMES; i++)
		seconds += (run_times[i].percent - run_times[i - 1].percent) / 100.0 * 30 *
			   (run_times[i].minutes + run_times[i - 1].minutes);
	for (unsigned kind = 0; kind < WORKLOAD_KINDS; kind++)
		tiles += workload_kinds[kind].percent / 100.0 * workload_kinds[kind].tiles;
	return seconds * tiles;
}

/* The load of a second, where 1 is the mean of a week. */
static double busyness(unsigned second)
{
	unsigned day = second / 86400 % 7, sum = 0;

	for (unsigned hour = 0; hour < 24; hour++)
		sum += busy[hour];
	return busy[second / 3600 % 24] * (day < 5 ? 1.0 : 0.5) / (sum / 24.0) / (6.0 / 7);
}

struct workload_job *workload_make(uint64_t seed, double load, unsigned capacity, size_t *count)
{
	double rate = load * capacity / mean_work();
	size_t max = (size_t)(1.5 * rate * WORKLOAD_SECONDS) + 1000, n = 0;
	struct workload_job *jobs = malloc(max * sizeof(*jobs));

	if (jobs == NULL)
		return NULL;
	/* A random draw for each second approximates a Poisson process. */
	for (unsigned now = 0; now < WORKLOAD_SECONDS && n < max; now++) {
		size_t i = 0;

		if (draw(&seed) >= rate * busyness(now))
			continue;
		jobs[n].arrival = now;
		jobs[n].kind = draw_kind(&seed);
		jobs[n].run = draw_run(&seed);
		/* Users request half as much again, rounded up to the next usual limit. */
		while (i + 1 < sizeof(limits) / sizeof(limits[0]) &&
		       60 * limits[i] < jobs[n].run + jobs[n].run / 2)
			i++;
		jobs[n].limit = 60 * limits[i];
		n++;
	}
	*count = n;
	return jobs;
}
