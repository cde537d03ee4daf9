/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>

#include "lib/state/locality_table.h"
#include "test/unit/state_unit.h"

#define BOOT "0c7f5c1e-4f0e-4c0f-9d4e-1f2a3b4c5d6e"

/* The example of locality.h. */
static const char two_sockets[] = "tessera-locality 1 sn30-8\n"
				  "boot " BOOT "\n"
				  "numa 0 cores 0-63 cpus 0-63,128-191\n"
				  "numa 1 cores 64-127 cpus 64-127,192-255\n"
				  "rdu 0-3 distances 10,21\n"
				  "rdu 4-7 distances 21,10\n"
				  "end 4\n";

static struct tessera_locality table; /* too large for the stack */

static const struct tessera_platform *sn30(void)
{
	return tessera_platform_find_builtin("sn30-8");
}

static void parse(const char *text)
{
	ck_assert_msg(locality_parse(text, strlen(text), &table) == 0, "%s", text);
}

START_TEST(documented_example)
{
	parse(two_sockets);
	ck_assert_str_eq(table.platform, "sn30-8");
	ck_assert_str_eq(table.boot, BOOT);
	ck_assert_uint_eq(table.numas, 2);
	ck_assert_uint_eq(table.numa[1].number, 1);
	ck_assert_uint_eq(tessera_cpuset_count(&table.numa[0].cores), 64);
	ck_assert(tessera_cpuset_has(&table.numa[0].cores, 63));
	ck_assert(!tessera_cpuset_has(&table.numa[0].cores, 64));
	ck_assert_uint_eq(tessera_cpuset_count(&table.numa[1].cpus), 128);
	ck_assert(tessera_cpuset_has(&table.numa[1].cpus, 192));
	ck_assert(!tessera_cpuset_has(&table.numa[1].cpus, 128));
	ck_assert_uint_eq(tessera_tileset_count(&table.rdus), 8);
	ck_assert_uint_eq(table.distance[3][1], 21);
	ck_assert_uint_eq(table.distance[4][0], 21);
	ck_assert_uint_eq(table.distance[7][1], 10);
	ck_assert_uint_eq(tessera_locality_cores(&table), 128);
}
END_TEST

/* Each must be formatted as it was parsed. */
static const char *const accepted[] = {
	two_sockets,
	"tessera-locality 1 x\nboot b\nnuma 0 cores 0 cpus 0\nend 1\n",
	"tessera-locality 1 x\nboot b\nnuma 0 cores 0 cpus 0\nrdu 0 distances 0\nend 2\n",
	"tessera-locality 1 x\nboot b\nnuma 0 cores 0 cpus 0\nrdu 5-6 distances 65535\nrdu 8 "
	"distances 65535\nend "
	"3\n",
	"tessera-locality 1 x\nboot b\nnuma 3 cores 4095 cpus 0,2,4-5,4095\nnuma 65535 cores 0-1 "
	"cpus 1\nend 2\n",
	"tessera-locality 1 x\nboot b\nnuma 0 cores 0 cpus 0\nrdu 0-1023 distances 10\nend 2\n",
};

START_TEST(accepts)
{
	size_t len = 0;
	char *again;

	parse(accepted[_i]);
	again = locality_format(&table, &len);
	ck_assert_ptr_nonnull(again);
	ck_assert_str_eq(again, accepted[_i]);
	ck_assert_uint_eq(len, strlen(accepted[_i]));
	free(again);
}
END_TEST

#define HEAD "tessera-locality 1 x\nboot b\n"
#define NUMA "numa 0 cores 0-1 cpus 0-1\n"

static const char *const refused[] = {
	"",
	"\n",
	"tessera-locality 2 x\nboot b\n" NUMA "end 1\n",
	"tessera-locality 1 \nboot b\n" NUMA "end 1\n",
	"tessera-locality 1 x y\nboot b\n" NUMA "end 1\n",
	"tessera-locality 1 x\n" NUMA "end 1\n",
	"tessera-locality 1 x\nboot \n" NUMA "end 1\n",
	"tessera-locality 1 0123456789012345678901234567890123456789012345678901234567890123\nboot "
	"b\n" NUMA "end 1\n",
	"tessera-locality 1 x\nboot "
	"0123456789012345678901234567890123456789012345678901234567890123\n" NUMA "end 1\n",
	HEAD "end 0\n",                                                 /* no NUMA node */
	HEAD "rdu 0 distances 10\nend 1\n",                             /* nor here */
	HEAD NUMA,                                                      /* no end */
	HEAD NUMA "end 1",                                              /* cut */
	HEAD NUMA "end 1\nx",                                           /* more */
	HEAD NUMA "end 2\n",                                            /* a line is lost */
	HEAD NUMA "end 01\n",                                           /* another way of writing */
	HEAD "numa 00 cores 0-1 cpus 0-1\nend 1\n",                     /* and another */
	HEAD "numa 0 cores 0,1 cpus 0-1\nend 1\n",                      /* and another */
	HEAD "numa 0 cores 1,0 cpus 0-1\nend 1\n",                      /* out of order */
	HEAD "numa 0 cores 1-0 cpus 0-1\nend 1\n",                      /* backwards */
	HEAD "numa 0 cores  cpus 0-1\nend 1\n",                         /* none */
	HEAD "numa 0 cores 0- cpus 0-1\nend 1\n",                       /* half a range */
	HEAD "numa 0 cores 0-1 cpus \nend 1\n",                         /* none */
	HEAD "numa 0 cores 0-1,1 cpus 0-1\nend 1\n",                    /* twice */
	HEAD "numa 0 cores 0-4096 cpus 0-1\nend 1\n",                   /* too large */
	HEAD "numa 65536 cores 0-1 cpus 0-1\nend 1\n",                  /* too large */
	HEAD "numa 0 cores 0-1\nend 1\n",                               /* no CPUs */
	HEAD NUMA "numa 0 cores 2 cpus 2\nend 2\n",                     /* the same node again */
	HEAD "numa 1 cores 0 cpus 0\nnuma 0 cores 1 cpus 1\nend 2\n",   /* out of order */
	HEAD NUMA "numa 1 cores 1 cpus 2\nend 2\n",                     /* a core of two */
	HEAD NUMA "numa 1 cores 2 cpus 1\nend 2\n",                     /* a CPU of two */
	HEAD NUMA "rdu 0 distances \nend 2\n",                          /* no distance */
	HEAD NUMA "rdu 0 distances 10,20\nend 2\n",                     /* one too many */
	HEAD NUMA "numa 1 cores 2 cpus 2\nrdu 0 distances 10\nend 3\n", /* one too few */
	HEAD NUMA "rdu 0 distances 65536\nend 2\n",                     /* too large */
	HEAD NUMA "rdu 0 distances -1\nend 2\n",                        /* less than nothing */
	HEAD NUMA "rdu 1024 distances 10\nend 2\n",                     /* too large */
	HEAD NUMA "rdu 0-1024 distances 10\nend 2\n",                   /* too large */
	HEAD NUMA "rdu 3-2 distances 10\nend 2\n",                      /* backwards */
	HEAD NUMA "rdu 0,1 distances 10\nend 2\n",                      /* no range */
	HEAD NUMA "rdu 0 distances 10\nrdu 1 distances 10\nend 3\n",    /* alike, but two lines */
	HEAD NUMA "rdu 1 distances 10\nrdu 0 distances 20\nend 3\n",    /* out of order */
	HEAD NUMA "rdu 0-2 distances 10\nrdu 2 distances 20\nend 3\n",  /* one twice */
	HEAD "rdu 0 distances 10\n" NUMA "end 2\n",                     /* RDUs before nodes */
	HEAD NUMA "rdu 0 distances 10\nnuma 1 cores 2 cpus 2\nend 3\n", /* nodes after RDUs */
};

START_TEST(refuses)
{
	ck_assert_msg(locality_parse(refused[_i], strlen(refused[_i]), &table) < 0, "%s",
		      refused[_i]);
}
END_TEST

START_TEST(cut_at_every_byte)
{
	char text[sizeof(two_sockets)];

	for (size_t len = 0; len < strlen(two_sockets); len++) {
		memcpy(text, two_sockets, len);
		text[len] = '\0';
		ck_assert_msg(locality_parse(text, len, &table) < 0, "%zu bytes: %s", len, text);
	}
	/* A NUL in the middle, with more text after it. */
	ck_assert_int_lt(locality_parse(two_sockets, sizeof(two_sockets), &table), 0);
}
END_TEST

START_TEST(too_many_numa_nodes)
{
	char text[8192];
	size_t used;

	for (unsigned count = TESSERA_NUMAS_MAX; count <= TESSERA_NUMAS_MAX + 1; count++) {
		used = (size_t)snprintf(text, sizeof(text), HEAD);
		for (unsigned i = 0; i < count; i++)
			used += (size_t)snprintf(text + used, sizeof(text) - used,
						 "numa %u cores %u cpus %u\n", i, i, i);
		used += (size_t)snprintf(text + used, sizeof(text) - used, "end %u\n", count);
		ck_assert_int_eq(locality_parse(text, used, &table),
				 count <= TESSERA_NUMAS_MAX ? 0 : -1);
	}
}
END_TEST

/* Files */

static struct tessera_locality *read_as(const struct tessera_platform *p, const char *boot)
{
	struct tessera_locality *l = &table;
	struct tessera_error err = {0};

	ck_assert_msg(tessera_locality_read(dir, p, boot, &l, &err) == 0, "%s", err.text);
	return l;
}

START_TEST(written_and_read)
{
	struct tessera_locality *l;
	struct tessera_error err = {0};

	ck_assert_ptr_null(read_as(sn30(), BOOT));
	parse(two_sockets);
	ck_assert_msg(locality_write(dir, &table, &err) == 0, "%s", err.text);
	l = read_as(sn30(), BOOT);
	ck_assert_ptr_nonnull(l);
	ck_assert_int_eq(memcmp(l, &table, sizeof(table)), 0);
	tessera_locality_free(l);
	tessera_locality_free(NULL);
}
END_TEST

/* Another process is writing. */
START_TEST(written_by_one_at_a_time)
{
	struct tessera_error err = {0};
	char path[128];
	int pipes[2];
	pid_t child;
	char c = 0;

	parse(two_sockets);
	ck_assert_int_eq(locality_write(dir, &table, &err), 0);
	snprintf(path, sizeof(path), "%s/locality.lock", dir);
	ck_assert_int_eq(pipe(pipes), 0);
	child = fork();
	if (child == 0) {
		int fd = open(path, O_RDWR | O_CLOEXEC);

		if (fd < 0 || flock(fd, LOCK_EX) < 0 || write(pipes[1], "x", 1) != 1)
			_exit(1);
		pause();
		_exit(0);
	}
	ck_assert_int_eq(read(pipes[0], &c, 1), 1);
	ck_assert_int_lt(locality_write(dir, &table, &err), 0);
	ck_assert_ptr_nonnull(strstr(err.text, "locality.lock"));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	ck_assert_int_eq(locality_write(dir, &table, &err), 0);
}
END_TEST

START_TEST(other_boot_or_platform)
{
	struct tessera_platform small = *sn30(), large = *sn30();

	ck_assert_int_eq(mkdir(dir, 0755), 0);
	write_file("locality", two_sockets, 0644);
	ck_assert_ptr_null(read_as(sn30(), "another"));
	ck_assert_ptr_null(read_as(sn30(), ""));
	ck_assert_ptr_null(read_as(tessera_platform_find_builtin("sn10-8"), BOOT));
	/* The same platform name, but tessera.conf has changed. */
	small.xrdus = 2;
	ck_assert_ptr_null(read_as(&small, BOOT));
	large.xrdus = 8;
	ck_assert_ptr_null(read_as(&large, BOOT));
	/* One RDU, and all RDUs, missing. */
	write_file("locality",
		   "tessera-locality 1 sn30-8\nboot " BOOT
		   "\nnuma 0 cores 0 cpus 0\nrdu 0-2 distances 10\n"
		   "rdu 4-8 distances 10\nend 3\n",
		   0644);
	ck_assert_ptr_null(read_as(sn30(), BOOT));
	write_file("locality",
		   "tessera-locality 1 sn30-8\nboot " BOOT "\nnuma 0 cores 0 cpus 0\nend 1\n",
		   0644);
	ck_assert_ptr_null(read_as(sn30(), BOOT));
}
END_TEST

START_TEST(damaged)
{
	struct tessera_locality *l = &table;
	struct tessera_error err = {0};

	ck_assert_int_eq(mkdir(dir, 0755), 0);
	write_file("locality", "nonsense", 0644);
	ck_assert_int_lt(tessera_locality_read(dir, sn30(), BOOT, &l, &err), 0);
	ck_assert_ptr_null(l);
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	ck_assert_ptr_nonnull(strstr(err.text, "/locality is damaged: tessera topology --write"));
	l = &table;
	write_file("locality", two_sockets, 0666);
	ck_assert_int_lt(tessera_locality_read(dir, sn30(), BOOT, &l, &err), 0);
	ck_assert_ptr_null(l);
	ck_assert_int_eq(err.code, TESSERA_ERR_DENIED);
}
END_TEST

START_TEST(this_boot)
{
	char boot[TESSERA_BOOT_MAX], again[TESSERA_BOOT_MAX];
	struct tessera_error err = {0};
	unsigned before = open_files();

	ck_assert_msg(tessera_locality_boot(boot, &err) == 0, "%s", err.text);
	ck_assert_uint_eq(strlen(boot), 36);
	ck_assert_uint_eq(strspn(boot, "0123456789abcdef-"), 36);
	ck_assert_int_eq(tessera_locality_boot(again, &err), 0);
	ck_assert_str_eq(boot, again);
	/* No file stays open. */
	ck_assert_uint_eq(open_files(), before);
}
END_TEST

/* Costs */

static struct tessera_cpuset set_of(unsigned first, unsigned last)
{
	struct tessera_cpuset set = {0};

	for (unsigned n = first; n <= last; n++)
		tessera_cpuset_add(&set, n);
	return set;
}

static void expect_cost(unsigned first, unsigned last, bool by_cpus, unsigned low, unsigned high)
{
	struct tessera_cpuset set = set_of(first, last);
	unsigned cost[TESSERA_TILES_MAX] = {0};

	ck_assert_msg(tessera_locality_cost(&table, &set, by_cpus, cost), "%u-%u", first, last);
	for (unsigned rdu = 0; rdu < 8; rdu++)
		ck_assert_uint_eq(cost[rdu], rdu < 4 ? low : high);
	ck_assert_uint_eq(cost[8], 0);
}

START_TEST(cost)
{
	struct tessera_cpuset set = set_of(0, 127);
	unsigned costs[TESSERA_TILES_MAX];

	parse(two_sockets);
	expect_cost(0, 0, false, 160, 336);
	expect_cost(0, 63, false, 160, 336);
	expect_cost(64, 64, false, 336, 160);
	expect_cost(63, 64, false, 248, 248); /* (10 + 21) / 2 * 16 */
	/* (3 * 10 + 21) / 4 * 16, (3 * 21 + 10) / 4 * 16 */
	expect_cost(61, 64, false, 204, 292);
	expect_cost(62, 64, false, 219, 277);    /* 41 * 16 / 3 = 218.67, 52 * 16 / 3 = 277.33 */
	expect_cost(127, 4095, false, 336, 160); /* those that it does not know do not count */
	expect_cost(128, 191, true, 160, 336);   /* the second threads of the first socket */
	expect_cost(64, 127, true, 336, 160);
	ck_assert(!tessera_locality_cost(&table, &set, false, costs)); /* all */
	ck_assert(tessera_locality_cost(&table, &set, true, costs));   /* half of the CPUs */
	ck_assert_uint_eq(costs[0], 248);
	set = set_of(128, 4095);
	ck_assert(!tessera_locality_cost(&table, &set, false, costs)); /* none */
	set = (struct tessera_cpuset){0};
	ck_assert(!tessera_locality_cost(&table, &set, false, costs));
	set = set_of(0, 255);
	ck_assert(!tessera_locality_cost(&table, &set, true, costs)); /* all */
	tessera_cpuset_add(&set, TESSERA_CPUS_MAX);
	tessera_cpuset_add(&set, UINT32_MAX);
	ck_assert(!tessera_cpuset_has(&set, TESSERA_CPUS_MAX));
	ck_assert(!tessera_cpuset_has(&set, UINT32_MAX));
	ck_assert_uint_eq(tessera_cpuset_count(&set), 256);
}
END_TEST

/* The maximum of every number. */
START_TEST(cost_of_1024_rdus)
{
	struct tessera_cpuset set = set_of(0, 2046);
	unsigned costs[TESSERA_TILES_MAX];
	size_t len = 0;
	char *text;

	memset(&table, 0, sizeof(table));
	memcpy(table.platform, "x", 2);
	memcpy(table.boot, "b", 2);
	table.numas = TESSERA_NUMAS_MAX;
	for (unsigned i = 0; i < TESSERA_NUMAS_MAX; i++) {
		table.numa[i].number = i;
		table.numa[i].cores = table.numa[i].cpus = set_of(i * 64, i * 64 + 63);
	}
	tessera_tileset_add_range(&table.rdus, 0, 1024);
	for (unsigned rdu = 0; rdu < 1024; rdu++)
		for (unsigned i = 0; i < TESSERA_NUMAS_MAX; i++)
			table.distance[rdu][i] = (uint16_t)(LOCALITY_DISTANCE_MAX - rdu % 2);
	ck_assert(tessera_locality_cost(&table, &set, false, costs));
	ck_assert_uint_eq(costs[0], 16 * 65535);
	ck_assert_uint_eq(costs[1023], 16 * 65534);
	text = locality_format(&table, &len);
	ck_assert_ptr_nonnull(text);
	ck_assert_uint_lt(len, 1024 * 1024); /* what a small file may have */
	ck_assert_int_eq(locality_parse(text, len, &table), 0);
	ck_assert_uint_eq(tessera_tileset_count(&table.rdus), 1024);
	free(text);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, documented_example);
	tcase_add_loop_test(tcase, accepts, 0, sizeof(accepted) / sizeof(accepted[0]));
	tcase_add_loop_test(tcase, refuses, 0, sizeof(refused) / sizeof(refused[0]));
	tcase_add_test(tcase, cut_at_every_byte);
	tcase_add_test(tcase, too_many_numa_nodes);
	tcase_add_test(tcase, written_and_read);
	tcase_add_test(tcase, written_by_one_at_a_time);
	tcase_add_test(tcase, other_boot_or_platform);
	tcase_add_test(tcase, damaged);
	tcase_add_test(tcase, this_boot);
	tcase_add_test(tcase, cost);
	tcase_add_test(tcase, cost_of_1024_rdus);
}

UNIT_MAIN("locality", add_tests)
