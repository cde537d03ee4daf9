/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Simulate a month on eight SN30-8 nodes, with the vendor's counts of whole RDUs and with Tessera's
 * counts of tiles. The scheduler is a small model of Slurm's: it sees counts only, starts jobs in
 * order of arrival, reserves the node that the first waiting job gets soonest, and backfills the
 * rest. The node chooses the tiles; a job that the counts admitted and for which no tiles fit is
 * refused and tries again at the next event. The share of refused starts therefore grows with the
 * number of events, that of refused jobs does not. The rows:
 *   whole RDUs   the vendor's counts: a part of an RDU counts as an RDU
 *   Tessera      tiles are counted, tessera_place() places
 *   first fit    the same counts, but the lowest tiles that fit
 *   halves       as Tessera, but one and two tiles are counted as half an RDU
 *   3 for parts  as halves, but three RDUs of each node, counted separately, hold all parts of RDUs
 *   all-seeing   as Tessera, with a scheduler that knows every node's tiles and is never refused
 * Fails only if a tile had two owners or the sums do not agree.
 */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/tessera.h"
#include "test/bench/workload.h"

#define NODES    8
#define TILES    64 /* of a node */
#define RDUS     8
#define PER_RDU  8
#define DEPTH    500 /* waiting jobs considered, as Slurm's bf_max_job_test */
#define SEED     30
#define NEVER    UINT32_MAX
#define NO_OWNER SIZE_MAX

typedef int (*place_fn)(const struct tessera_place *in, struct tessera_tileset *tiles,
			struct tessera_error *err);

/* How jobs are counted and placed. */
struct policy {
	const char *name;
	unsigned grain; /* the fewest tiles that are counted and placed for a job */
	/* the last RDUs of a node that hold all parts, with their own count; 0: any RDU */
	unsigned parts;
	bool sees; /* the scheduler knows the tiles of each node */
	place_fn place;
};

/* The counts that a job takes in Slurm, and its tiles. */
struct need {
	unsigned rdus, tiles;
	struct tessera_shape shape;
};

struct running {
	size_t job;
	unsigned end;   /* when it ends */
	unsigned limit; /* when the scheduler expects its end */
	struct need need;
	struct tessera_tileset set;
};

struct node {
	unsigned rdus, tiles; /* what is left of Slurm's counts */
	struct tessera_tileset free;
	size_t owner[TILES];
	struct running run[TILES];
	unsigned running;
};

struct result {
	double used; /* tiles that jobs needed, times seconds */
	size_t started, finished, half_finished;
	size_t refused, jobs_refused; /* refused starts, and jobs with at least one */
	unsigned *waits;              /* of the jobs that started */
	size_t waiting;
	double mean_wait, long_wait; /* in minutes */
};

struct sim {
	const struct tessera_platform *platform;
	const struct policy *policy;
	const struct workload_job *jobs;
	size_t count, arrived;
	/* waiting jobs in order; started ones are removed after each pass */
	size_t *queue;
	size_t waiting;
	bool *refused; /* for each job: was it ever refused? */
	struct node node[NODES];
	struct result res;
	bool broken;
};

/* The lowest tiles that fit, as a placement without best fit. */
static int first_fit(const struct tessera_place *in, struct tessera_tileset *tiles,
		     struct tessera_error *err)
{
	unsigned whole = in->shape.whole, size = whole > 0 ? PER_RDU : in->shape.block;
	unsigned need = whole > 0 ? whole : in->shape.blocks;

	tessera_tileset_clear(tiles);
	for (unsigned t = 0; t < TILES && need > 0; t += size)
		if (tessera_tileset_has_range(in->free, t, size)) {
			tessera_tileset_add_range(tiles, t, size);
			need--;
		}
	return need == 0 ? 0 : tessera_error_set(err, TESSERA_ERR_SHORTAGE, "no room");
}

static const struct policy policies[] = {
	{"whole RDUs", PER_RDU, 0, false, tessera_place},
	{"Tessera", 1, 0, false, tessera_place},
	{"first fit", 1, 0, false, first_fit},
	{"halves", PER_RDU / 2, 0, false, tessera_place},
	{"3 for parts", PER_RDU / 2, 3, false, tessera_place},
	{"all-seeing", 1, 0, true, tessera_place},
};

enum { VENDOR, TESSERA, POLICIES = sizeof(policies) / sizeof(policies[0]) };

static struct need need_of(const struct sim *s, size_t job)
{
	unsigned tiles = workload_kinds[s->jobs[job].kind].tiles, whole = RDUS - s->policy->parts;
	struct need n = {0};

	if (tiles < s->policy->grain)
		tiles = s->policy->grain;
	n.shape.whole = tiles / PER_RDU;
	n.shape.blocks = tiles < PER_RDU;
	n.shape.block = tiles % PER_RDU;
	n.rdus = n.shape.whole;
	n.tiles = tiles;
	if (s->policy->parts > 0 && n.shape.whole > 0) {
		n.rdus = n.shape.whole < whole ? n.shape.whole : whole;
		n.tiles = (n.shape.whole - n.rdus) * PER_RDU;
	}
	return n;
}

/* The tiles of a node that a job would get. False if none fit. */
static bool find(const struct sim *s, const struct node *n, const struct need *need,
		 struct tessera_tileset *set)
{
	unsigned border = (RDUS - s->policy->parts) * PER_RDU;
	struct tessera_tileset free = n->free, parts;
	struct tessera_place in = {.platform = s->platform, .free = &free, .shape = need->shape};

	tessera_tileset_clear(&parts);
	tessera_tileset_add_range(&parts, border, TILES - border);
	if (s->policy->parts > 0 && need->shape.whole == 0)
		tessera_tileset_and(&free, &parts);
	else if (s->policy->parts > 0 && need->tiles == 0)
		tessera_tileset_minus(&free, &parts);
	return s->policy->place(&in, set, NULL) == 0;
}

/* Record the owner of a job's tiles, which must have had none. */
static void own(struct sim *s, struct node *n, const struct running *r)
{
	const struct tessera_shape *shape = &r->need.shape;

	for (unsigned t = tessera_tileset_next(&r->set, 0); t < TILES;
	     t = tessera_tileset_next(&r->set, t + 1)) {
		if (n->owner[t] != NO_OWNER)
			s->broken = true;
		n->owner[t] = r->job;
	}
	if (tessera_tileset_count(&r->set) != shape->whole * PER_RDU + shape->blocks * shape->block)
		s->broken = true;
}

/* Start a job on a node whose counts have room for it. False if no tiles fit it. */
static bool start(struct sim *s, size_t job, struct node *n, unsigned now)
{
	const struct workload_job *j = &s->jobs[job];
	struct running *r = &n->run[n->running];
	unsigned last;

	r->need = need_of(s, job);
	if (!find(s, n, &r->need, &r->set)) {
		s->res.refused++;
		s->res.jobs_refused += !s->refused[job];
		s->refused[job] = true;
		return false;
	}
	r->job = job;
	r->end = now + j->run;
	r->limit = now + j->limit;
	own(s, n, r);
	n->running++;
	n->rdus -= r->need.rdus;
	n->tiles -= r->need.tiles;
	tessera_tileset_minus(&n->free, &r->set);

	last = r->end < WORKLOAD_SECONDS ? r->end : WORKLOAD_SECONDS;
	s->res.used += (double)workload_kinds[j->kind].tiles * (last - now);
	s->res.waits[s->res.started++] = now - j->arrival;
	return true;
}

static void finish(struct sim *s, struct node *n, unsigned i)
{
	struct running *r = &n->run[i];

	for (unsigned t = tessera_tileset_next(&r->set, 0); t < TILES;
	     t = tessera_tileset_next(&r->set, t + 1)) {
		if (n->owner[t] != r->job)
			s->broken = true;
		n->owner[t] = NO_OWNER;
	}
	tessera_tileset_or(&n->free, &r->set);
	n->rdus += r->need.rdus;
	n->tiles += r->need.tiles;
	s->res.finished++;
	s->res.half_finished += s->jobs[r->job].kind == WORKLOAD_HALF;
	n->run[i] = n->run[--n->running];
	if (s->policy->parts == 0 && n->tiles != tessera_tileset_count(&n->free))
		s->broken = true;
}

/* When the counts of a node will have room for a job, according to the time limits. */
static unsigned room_at(const struct node *n, const struct need *need, unsigned now)
{
	unsigned rdus = n->rdus, tiles = n->tiles, at = now;

	while (rdus < need->rdus || tiles < need->tiles) {
		unsigned next = NEVER;

		for (unsigned i = 0; i < n->running; i++)
			if (n->run[i].limit > at && n->run[i].limit < next)
				next = n->run[i].limit;
		at = next;
		for (unsigned i = 0; i < n->running; i++)
			if (n->run[i].limit == at) {
				rdus += n->run[i].need.rdus;
				tiles += n->run[i].need.tiles;
			}
	}
	return at;
}

/* Reserve the node that will have room soonest for a job that cannot start. */
static unsigned hold(struct sim *s, size_t job, unsigned now, struct node **held)
{
	struct need need = need_of(s, job);
	unsigned best = NEVER;

	for (unsigned i = 0; i < NODES; i++) {
		unsigned at = room_at(&s->node[i], &need, now);

		if (at < best) {
			best = at;
			*held = &s->node[i];
		}
	}
	return best;
}

/*
 * The first node whose counts have room for a job that does not delay the one for which HELD is
 * reserved.
 */
static struct node *admit(struct sim *s, size_t job, unsigned now, const struct node *held,
			  unsigned held_from)
{
	struct need need = need_of(s, job);
	struct tessera_tileset set;

	for (unsigned k = 0; k < NODES; k++) {
		struct node *n = &s->node[k];

		if (n->rdus >= need.rdus && n->tiles >= need.tiles &&
		    (n != held || now + s->jobs[job].limit <= held_from) &&
		    (!s->policy->sees || find(s, n, &need, &set)))
			return n;
	}
	return NULL;
}

/*
 * One pass over the queue. A refused job is skipped: Slurm requeues it, and reserves nothing for it
 * meanwhile.
 */
static void schedule(struct sim *s, unsigned now)
{
	struct node *held = NULL;
	unsigned held_from = NEVER;
	size_t kept = 0, i;

	for (i = 0; i < s->waiting && i < DEPTH; i++) {
		size_t job = s->queue[i];
		struct node *n = admit(s, job, now, held, held_from);

		if (n == NULL && held == NULL)
			held_from = hold(s, job, now, &held);
		if (n == NULL || !start(s, job, n, now))
			s->queue[kept++] = job;
	}
	if (kept != i)
		memmove(&s->queue[kept], &s->queue[i], (s->waiting - i) * sizeof(s->queue[0]));
	s->waiting -= i - kept;
}

static unsigned next_event(const struct sim *s)
{
	unsigned next = s->arrived < s->count ? s->jobs[s->arrived].arrival : NEVER;

	for (unsigned k = 0; k < NODES; k++)
		for (unsigned i = 0; i < s->node[k].running; i++)
			if (s->node[k].run[i].end < next)
				next = s->node[k].run[i].end;
	return next;
}

static void simulate(struct sim *s)
{
	unsigned now;

	while ((now = next_event(s)) < WORKLOAD_SECONDS) {
		for (unsigned k = 0; k < NODES; k++)
			for (unsigned i = s->node[k].running; i-- > 0;)
				if (s->node[k].run[i].end == now)
					finish(s, &s->node[k], i);
		while (s->arrived < s->count && s->jobs[s->arrived].arrival == now)
			s->queue[s->waiting++] = s->arrived++;
		schedule(s, now);
	}
}

static int compare(const void *a, const void *b)
{
	const unsigned *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double mean(const unsigned *value, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += value[i];
	return count > 0 ? sum / (double)count : 0;
}

static double percent(double part, double all)
{
	return all > 0 ? 100 * part / all : 0;
}

static double refused_percent(const struct result *r)
{
	return percent((double)r->refused, (double)(r->started + r->refused));
}

static double times_vendor(const struct result *res, unsigned policy)
{
	return percent((double)res[policy].half_finished, (double)res[VENDOR].half_finished) / 100;
}

static void print_table(const struct result *res)
{
	static const char *const head[2][10] = {
		{"tiles", "mean wait", "95 % wait", "half-RDU", "times", "jobs", "still", "refused",
		 "refused", "of jobs"},
		{"used, %", "min", "min", "jobs/day", "vendor's", "done", "waiting", "starts", "%",
		 "%"},
	};

	for (unsigned line = 0; line < 2; line++) {
		printf("%-12s", line == 0 ? "" : "counting");
		for (unsigned i = 0; i < 10; i++)
			printf(" %9s", head[line][i]);
		printf("\n");
	}
	for (unsigned i = 0; i < POLICIES; i++) {
		const struct result *r = &res[i];

		printf("%-12s %9.1f %9.1f %9.1f %9.1f %9.2f %9zu %9zu %9zu %9.2f %9.2f\n",
		       policies[i].name, percent(r->used, (double)NODES * TILES * WORKLOAD_SECONDS),
		       r->mean_wait, r->long_wait, (double)r->half_finished / WORKLOAD_DAYS,
		       times_vendor(res, i), r->finished, r->waiting, r->refused,
		       refused_percent(r), percent((double)r->jobs_refused, (double)r->started));
	}
}

/* Run a month under a policy. Returns 0, or -1 when out of memory or the sums do not agree. */
static int run(const struct policy *policy, const struct workload_job *jobs, size_t count,
	       struct result *res)
{
	struct sim *s = calloc(1, sizeof(*s));
	int rc = -1;

	if (s == NULL)
		return -1;
	s->platform = tessera_platform_find_builtin("sn30-8");
	s->policy = policy;
	s->jobs = jobs;
	s->count = count;
	s->queue = calloc(count + 1, sizeof(s->queue[0]));
	s->res.waits = calloc(count + 1, sizeof(s->res.waits[0]));
	s->refused = calloc(count + 1, sizeof(s->refused[0]));
	if (s->queue == NULL || s->res.waits == NULL || s->refused == NULL)
		goto cleanup;
	for (unsigned k = 0; k < NODES; k++) {
		s->node[k].rdus = RDUS - policy->parts;
		s->node[k].tiles = policy->parts > 0 ? policy->parts * PER_RDU : TILES;
		tessera_tileset_all(s->platform, &s->node[k].free);
		for (unsigned t = 0; t < TILES; t++)
			s->node[k].owner[t] = NO_OWNER;
	}

	simulate(s);
	qsort(s->res.waits, s->res.started, sizeof(s->res.waits[0]), compare);
	*res = s->res;
	res->waits = NULL;
	res->waiting = s->waiting;
	res->mean_wait = mean(s->res.waits, s->res.started) / 60;
	res->long_wait = s->res.waits[s->res.started * 95 / 100] / 60.0;
	if (!s->broken && s->res.started + s->waiting == s->arrived)
		rc = 0;
cleanup:
	free(s->queue);
	free(s->res.waits);
	free(s->refused);
	free(s);
	return rc;
}

static int month(double load)
{
	struct result res[POLICIES];
	size_t count;
	struct workload_job *jobs = workload_make(SEED, load, NODES * TILES, &count);
	int rc = jobs == NULL ? -1 : 0;

	for (unsigned i = 0; i < POLICIES && rc == 0; i++)
		rc = run(&policies[i], jobs, count, &res[i]);
	free(jobs);
	if (rc < 0)
		return -1;

	printf("%d days, %d nodes of sn30-8, %zu jobs that need %.0f %% of all tiles\n",
	       WORKLOAD_DAYS, NODES, count, 100 * load);
	print_table(res);
	if (load > 1)
		printf("goal: half-RDU jobs at least 1.5 times the vendor's: %s\n",
		       times_vendor(res, TESSERA) >= 1.5 ? "met" : "not met");
	printf("goal: under 1 %% of Tessera's starts refused: %s\n\n",
	       refused_percent(&res[TESSERA]) < 1 ? "met" : "not met");
	return 0;
}

int main(void)
{
	/* A month that both can serve, and one in which there are always waiting jobs. */
	if (month(0.6) < 0 || month(1.5) < 0) {
		fprintf(stderr, "simulate: out of memory, or a tile had two owners\n");
		return EXIT_FAILURE;
	}
	return EXIT_SUCCESS;
}
