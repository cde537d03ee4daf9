/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gres/conf_cores.h"
#include "lib/gres.h"
#include "lib/topology.h"

struct conf_cores {
	const struct tessera_platform *platform;
	struct topology_shape shape; /* zeros: not known */
	bool missing;
	struct tessera_locality table;
};

struct conf_cores *conf_cores_find(const struct tessera_platform *p, struct tessera_error *why)
{
	const struct topology_source here = {0};
	struct conf_cores *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return NULL;
	c->platform = p;
	if (topology_read(&here, p, &c->table, why) < 0) {
		free(c);
		return NULL;
	}
	c->missing = why->code == TESSERA_ERR_MISSING;
	topology_shape(&here, &c->shape);
	return c;
}

bool conf_cores_known(const struct conf_cores *c)
{
	return c->table.numas > 1 && !tessera_tileset_empty(&c->table.rdus);
}

bool conf_cores_missing(const struct conf_cores *c)
{
	return c->missing;
}

bool conf_cores_print_shape(const struct conf_cores *c)
{
	if (c->shape.sockets == 0)
		return false;
	printf(" Sockets=%u CoresPerSocket=%u ThreadsPerCore=%u", c->shape.sockets, c->shape.cores,
	       c->shape.threads);
	return true;
}

/* The cores to which none is nearer. */
static void find_near(const struct tessera_locality *l, unsigned rdu, struct tessera_cpuset *near)
{
	unsigned least = LOCALITY_DISTANCE_MAX;

	*near = (struct tessera_cpuset){0};
	for (unsigned i = 0; i < l->numas; i++)
		least = l->distance[rdu][i] < least ? l->distance[rdu][i] : least;
	for (unsigned i = 0; i < l->numas; i++)
		for (unsigned n = 0; n < TESSERA_CPUS_MAX && l->distance[rdu][i] == least; n++)
			if (tessera_cpuset_has(&l->numa[i].cores, n))
				tessera_cpuset_add(near, n);
}

/* The first RDU after FIRST that is near other cores than NEAR, which are FIRST's. */
static unsigned end_of_group(const struct conf_cores *c, unsigned first, struct tessera_cpuset *near)
{
	unsigned end = first + 1;
	struct tessera_cpuset other;

	find_near(&c->table, first, near);
	for (; end < tessera_platform_rdus(c->platform); end++) {
		find_near(&c->table, end, &other);
		if (memcmp(near, &other, sizeof(other)) != 0)
			break;
	}
	return end;
}

/* "DIR/rdu[0-3]" */
static void print_files(const char *dir, const char *name, unsigned first, unsigned end)
{
	printf(" File=%s/%s", dir, name);
	if (end > first + 1)
		printf("[%u-%u]", first, end - 1);
	else
		printf("%u", first);
}

/* Of each RDU there are EACH. */
static void print_lines(const struct conf_cores *c, const char *nodes, const char *dir, const char *gres,
			const char *name, unsigned each)
{
	struct tessera_cpuset near;

	for (unsigned first = 0, end; first < tessera_platform_rdus(c->platform); first = end) {
		end = end_of_group(c, first, &near);
		printf("NodeName=%s Name=%s", nodes, gres);
		print_files(dir, name, first * each, end * each);
		fputs(" Cores=", stdout);
		locality_print_set(stdout, &near);
		putchar('\n');
	}
}

void conf_cores_print_gres(const struct conf_cores *c, const char *nodes, const char *dir)
{
	const struct tessera_platform *p = c->platform;
	unsigned rdus = tessera_platform_rdus(p), each = tessera_platform_gres(p) / rdus;

	printf("# once on each node: mkdir -p %s && touch %s/rdu{0..%u} %s/tile{0..%u}\n", dir, dir,
	       rdus * each - 1, dir, tessera_platform_tiles(p) - 1);
	print_lines(c, nodes, dir, GRES_RDU, "rdu", each);
	print_lines(c, nodes, dir, GRES_RDU_TILE, "tile", p->tiles_per_rdu);
}

void conf_cores_print_comment(const struct conf_cores *c)
{
	struct tessera_cpuset near;

	for (unsigned first = 0, end; first < tessera_platform_rdus(c->platform); first = end) {
		end = end_of_group(c, first, &near);
		printf("# rdu%u", first);
		if (end > first + 1)
			printf("-%u", end - 1);
		fputs(end > first + 1 ? " are near cores " : " is near cores ", stdout);
		locality_print_set(stdout, &near);
		putchar('\n');
	}
}
