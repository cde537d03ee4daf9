/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parse a request, complete it, and complete the result again. The input is lines: a control line
 * of numbers, then gres, licenses, ipus, tiles-per-task, tile-affinity, tile-bind, ipu-gcds and the
 * options of two pools. An empty line stands for an option that was not given.
 */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/tessera.h"

#define LINES 10

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool right, const char *what)
{
	if (right)
		return;
	fprintf(stderr, "broken: %s\n", what);
	abort();
}

static void check_request(const struct tessera_request *req, const struct tessera_options *opt)
{
	const struct tessera_platform *p = req->platform;
	const struct tessera_shape *s = &req->shape;

	check(req->bind >= TESSERA_BIND_NONE && req->bind <= TESSERA_BIND_MAP, "bind");
	check(req->tasks > 0, "tasks");
	check(req->map_len <= TESSERA_MAP_MAX, "map_len");
	check(req->tiles <= tessera_platform_tiles(p) && req->ipus <= p->ipus,
	      "more than there is");
	check(req->rdus == 0 || req->tiles == req->rdus * p->tiles_per_gres, "rdus and tiles");
	if (req->tiles > 0 && !req->has_wish)
		check(s->whole * p->tiles_per_rdu + s->blocks * s->block == req->tiles, "shape");
	if (req->tiles > 0 && req->has_wish)
		check(tessera_tileset_count(&req->wish) == req->tiles, "wish");
	check((req->ipus > 0) == (req->domains > 0), "domains");
	if (req->ipus > 0)
		check(req->gcds >= req->domains && req->gcds <= req->ipus &&
			      (req->gcds & (req->gcds - 1)) == 0,
		      "GCDs");
	check(req->gcds == 0 || opt->step || req->ipus > 0, "GCDs of nothing");
	check(req->pools[0] <= 2 && (req->pools[1] & (req->pools[1] - 1)) == 0 &&
		      req->pools[2] == 0,
	      "pools");
	check(opt->step || req->tiles > 0 || req->ipus > 0 ||
		      (opt->tile_bind == NULL && opt->ipus == NULL),
	      "nothing asked for");
}

static void try_request(const struct tessera_conf *conf, const struct tessera_platform *p,
			struct tessera_options *opt, size_t len)
{
	char *text[4] = {malloc(len), malloc(len), malloc(len), malloc(len)};
	struct tessera_error err = {0};
	struct tessera_request req;

	if (tessera_request_read(conf, p, opt, &req, &err) < 0) {
		check(err.code == TESSERA_ERR_INPUT && err.text[0] != '\0', "a refusal says why");
	} else {
		check_request(&req, opt);
		check(tessera_request_scheduler(conf, opt, &req, text[0], len, text[1], len,
						&err) == 0,
		      "fits");
		opt->gres = text[0];
		opt->licenses = text[1];
		check(tessera_request_read(conf, p, opt, &req, &err) == 0,
		      "its own words are understood");
		check(tessera_request_scheduler(conf, opt, &req, text[2], len, text[3], len,
						&err) == 0,
		      "fits again");
		check(strcmp(text[0], text[2]) == 0 && strcmp(text[1], text[3]) == 0,
		      "the same when said twice");
	}
	for (size_t n = 0; n < 4; n++)
		free(text[n]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const confs[] = {
		"pool csx {\nMax = 2\n}\npool big {\nLicense = b@c\nMax = 8\nSizes = powers\n}\n",
		"RduScope = task\n", "IpuModel = gres\n",
		"platform halves {\n Like = sn30-8\n TilesPerGres = 4\n}\nIpuName = bow\n"};
	static const char *const platforms[] = {"sn10-8", "sn30-8", "pod64", "pod256", "halves"};
	char *copy = malloc(size + 1);
	const char *line[LINES] = {NULL};
	const struct tessera_platform *p;
	struct tessera_options opt = {0};
	struct tessera_conf *conf;
	uint8_t control[5] = {0};
	char *rest = copy;

	if (copy == NULL)
		return 0;
	memcpy(copy, data, size);
	copy[size] = '\0';
	for (size_t n = 0; n < LINES && rest != NULL; n++) {
		const char *start = strsep(&rest, "\n");

		line[n] = *start != '\0' ? start : NULL;
	}
	if (line[0] != NULL)
		memcpy(control, line[0], strnlen(line[0], sizeof(control)));
	opt = (struct tessera_options){.gres = line[1],
				       .licenses = line[2],
				       .ipus = line[3],
				       .tiles_per_task = line[4],
				       .tile_affinity = line[5],
				       .tile_bind = line[6],
				       .ipu_gcds = line[7],
				       .pools = {line[8], line[9]},
				       .nodes = control[2] % 8,
				       .ntasks = control[3] % 65,
				       .ntasks_per_node = control[4] % 17,
				       .step = control[0] >= 128};
	conf = tessera_conf_parse("fuzz", confs[control[0] % 4], NULL);
	check(conf != NULL, "configuration");
	p = tessera_conf_platform(conf, platforms[control[1] % (control[0] % 4 == 3 ? 5 : 4)],
				  NULL);
	check(p != NULL, "platform");
	(void)tessera_options_any(conf, &opt);
	try_request(conf, p, &opt, 8 * size + 256);
	tessera_conf_free(conf);
	free(copy);
	return 0;
}
