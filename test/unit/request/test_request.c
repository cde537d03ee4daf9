/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <strings.h>

#include "lib/conf/gres_list.h"
#include "test/unit/request/request_unit.h"

#define TASK_SCOPE "RduScope = task\n"
#define IPU_GRES   "IpuModel = gres\n"
#define HALVES     "platform halves {\n Like = sn30-8\n TilesPerGres = 4\n}\n"

/*
 * A short form of a request: RDUs and tiles, whole RDUs and blocks times their size, tasks times
 * tiles for each and their binding; or IPUs.
 */
static void describe(const struct tessera_request *req, char *buf, size_t len)
{
	static const char *const binds[] = {"0", "none", "block", "cyclic", "closest", "map"};
	const struct tessera_shape *s = &req->shape;
	unsigned bind = (unsigned)req->bind;
	char what[64];

	ck_assert_uint_le(bind, TESSERA_BIND_MAP);
	if (req->ipus > 0 && req->tiles == 0 && req->rdus == 0)
		snprintf(what, sizeof(what), "ipu:%u", req->ipus);
	else
		snprintf(what, sizeof(what), "rdu:%u tile:%u %u+%ux%u%s", req->rdus, req->tiles,
			 s->whole, s->blocks, s->block, req->ipus > 0 ? " and IPUs" : "");
	snprintf(buf, len, "%s, %ux%u %s", what, req->tasks, req->tiles_per_task, binds[bind]);
}

#define NOTHING "rdu:0 tile:0 0+0x0, 1x0 none"

static const struct accepted {
	const char *conf;
	const char *platform;
	struct tessera_options opt;
	const char *means;
} accepted[] = {
	/* Neither tiles nor IPUs: any platform, or none. */
	{NULL, NULL, {0}, NOTHING},
	{NULL, NULL, {.gres = "gpu:2,rdu_mem:100"}, NOTHING},
	{NULL, NULL, {.gres = "(null)", .licenses = "(null)"}, NOTHING},
	{NULL, NULL, {.gres = "none"}, NOTHING},
	{NULL, NULL, {.gres = "rdu:0,rdu_tile:0"}, NOTHING},
	{NULL, NULL, {.gres = "gpu:rdu", .licenses = "rdu:2"}, NOTHING},
	/* Whole RDUs, in every spelling. */
	{NULL, "sn30-8", {.gres = "rdu"}, "rdu:1 tile:8 1+0x0, 1x0 none"},
	{NULL, "sn30-8", {.gres = "rdu:2"}, "rdu:2 tile:16 2+0x0, 1x0 none"},
	{NULL, "sn10-8", {.gres = "gres:rdu:2"}, "rdu:2 tile:8 2+0x0, 1x0 none"},
	{NULL, "sn10-8", {.gres = "gpu:1,gres/rdu:8"}, "rdu:8 tile:32 8+0x0, 1x0 none"},
	{NULL, "sn30-8", {.gres = "rdu:sn30"}, "rdu:1 tile:8 1+0x0, 1x0 none"},
	{NULL, "sn30-8", {.gres = "rdu=2"}, "rdu:2 tile:16 2+0x0, 1x0 none"},
	{NULL, "sn30-8", {.gres = "rdu:2,rdu_tile:16"}, "rdu:2 tile:16 2+0x0, 1x0 none"},
	{NULL, "sn30-8", {.gres = "rdu:0,rdu_tile:4"}, "rdu:0 tile:4 0+1x4, 1x0 none"},
	/* Parts. */
	{NULL, "sn30-8", {.gres = "rdu_tile:4"}, "rdu:0 tile:4 0+1x4, 1x0 none"},
	{NULL, "sn30-8", {.gres = "rdu_tile"}, "rdu:0 tile:1 0+1x1, 1x0 none"},
	{NULL, "sn30-8", {.gres = "rdu_tile:20"}, "rdu:0 tile:20 2+1x4, 1x0 none"},
	{NULL, "sn30-8", {.gres = "rdu_tile:64"}, "rdu:0 tile:64 8+0x0, 1x0 none"},
	{NULL,
	 "sn30-8",
	 {.gres = "rdu_tile:6", .tiles_per_task = "2", .ntasks = 3},
	 "rdu:0 tile:6 0+3x2, 3x2 block"},
	/* A site whose GRES rdu is half an RDU. */
	{HALVES, "halves", {.gres = "rdu:16"}, "rdu:16 tile:64 0+16x4, 1x0 none"},
	{HALVES,
	 "halves",
	 {.gres = "rdu:4", .tiles_per_task = "8", .ntasks = 2},
	 "rdu:4 tile:16 2+0x0, 2x8 block"},
	{HALVES, "halves", {.tile_affinity = "rdu0"}, "rdu:0 tile:8 0+0x0, 1x0 none"},
	/* Tiles for each task. */
	{NULL,
	 "sn30-8",
	 {.gres = "rdu:8", .ntasks = 16, .tiles_per_task = "4"},
	 "rdu:8 tile:64 8+0x0, 16x4 block"},
	{NULL, "sn30-8", {.ntasks = 16, .tiles_per_task = "4"}, "rdu:0 tile:64 0+16x4, 16x4 block"},
	{NULL,
	 "sn30-8",
	 {.ntasks = 5, .nodes = 2, .tiles_per_task = "16"},
	 "rdu:0 tile:48 6+0x0, 3x16 block"},
	{NULL,
	 "sn30-8",
	 {.ntasks = 9, .ntasks_per_node = 2, .tiles_per_task = "1"},
	 "rdu:0 tile:2 0+2x1, 2x1 block"},
	{NULL,
	 "sn30-8",
	 {.gres = "rdu:1", .tiles_per_task = "2", .tile_bind = "Closest"},
	 "rdu:1 tile:8 1+0x0, 1x2 closest"},
	/* Binding. */
	{NULL,
	 "sn30-8",
	 {.gres = "rdu:2", .ntasks = 4, .tile_bind = "cyclic"},
	 "rdu:2 tile:16 2+0x0, 4x0 cyclic"},
	{NULL,
	 "sn30-8",
	 {.gres = "rdu_tile:12", .ntasks = 3, .tile_bind = "BLOCK"},
	 "rdu:0 tile:12 1+1x4, 3x0 block"},
	{NULL,
	 "sn30-8",
	 {.gres = "rdu_tile:12", .tile_bind = "block"},
	 "rdu:0 tile:12 1+1x4, 1x0 block"},
	{NULL,
	 "sn30-8",
	 {.gres = "rdu:1", .ntasks = 3, .tile_bind = "none"},
	 "rdu:1 tile:8 1+0x0, 3x0 none"},
	/* RDUs for each task, unless rdu_tile shows that they have already been multiplied. */
	{TASK_SCOPE,
	 "sn30-8",
	 {.gres = "rdu:1", .ntasks_per_node = 4},
	 "rdu:4 tile:32 4+0x0, 4x0 none"},
	{TASK_SCOPE,
	 "sn30-8",
	 {.gres = "rdu:1,rdu_tile:8", .ntasks = 4},
	 "rdu:1 tile:8 1+0x0, 4x0 none"},
	{TASK_SCOPE, "sn30-8", {.gres = "rdu_tile:4", .ntasks = 4}, "rdu:0 tile:4 0+1x4, 4x0 none"},
	/* A wish, of any shape. */
	{NULL,
	 "sn10-8",
	 {.gres = "rdu:2", .tile_affinity = "0xff000000"},
	 "rdu:2 tile:8 0+0x0, 1x0 none"},
	{NULL, "sn10-8", {.tile_affinity = "rdu6,rdu7"}, "rdu:2 tile:8 0+0x0, 1x0 none"},
	{NULL, "sn10-8", {.tile_affinity = "0-2"}, "rdu:0 tile:3 0+0x0, 1x0 none"},
	{NULL,
	 "sn10-8",
	 {.gres = "rdu_tile:3", .tile_affinity = "0-2"},
	 "rdu:0 tile:3 0+0x0, 1x0 none"},
	{NULL, "sn10-8", {.tile_affinity = "1-4"}, "rdu:0 tile:4 0+0x0, 1x0 none"},
	{NULL,
	 "sn10-8",
	 {.tile_affinity = "rdu1", .tiles_per_task = "2", .ntasks = 2},
	 "rdu:1 tile:4 0+0x0, 2x2 block"},
	{NULL,
	 "sn10-8",
	 {.tile_bind = "map:rdu0,rdu1", .ntasks = 2},
	 "rdu:2 tile:8 0+0x0, 2x0 map"},
	{NULL,
	 "sn10-8",
	 {.tile_bind = "MAP:0-3", .tiles_per_task = "4", .ntasks = 32},
	 "rdu:1 tile:4 0+0x0, 32x4 map"},
	/*
	 * A step inherits what it does not name; options that it may have inherited do not
	 * conflict.
	 */
	{NULL,
	 "sn30-8",
	 {.step = true, .tiles_per_task = "4", .ntasks = 2},
	 "rdu:0 tile:0 0+0x0, 2x4 block"},
	{NULL, "sn30-8", {.step = true, .tile_affinity = "rdu0"}, "rdu:0 tile:0 0+0x0, 1x0 none"},
	{NULL,
	 "sn30-8",
	 {.step = true, .tile_bind = "block", .ntasks = 3},
	 "rdu:0 tile:0 0+0x0, 3x0 block"},
	{NULL,
	 "sn30-8",
	 {.step = true, .gres = "none", .tiles_per_task = "4"},
	 "rdu:0 tile:0 0+0x0, 1x4 block"},
	{NULL, "sn30-8", {.step = true, .gres = "rdu:1"}, "rdu:1 tile:8 1+0x0, 1x0 none"},
	/* IPUs. */
	{NULL, "pod64", {.ipus = "1"}, "ipu:1, 1x0 none"},
	{NULL, "pod64", {.ipus = "64"}, "ipu:64, 1x0 none"},
	{NULL, "pod64", {.gres = "ipu:4"}, "ipu:4, 1x0 none"},
	{NULL, "pod64", {.licenses = "matlab@flex:2;ipu@db:4"}, "ipu:4, 1x0 none"},
	{NULL, "pod64", {.licenses = "ipu"}, "ipu:1, 1x0 none"},
	/* as slurmctld adds them */
	{NULL, "pod64", {.licenses = "ipu:4;ipu:3,ipu"}, "ipu:8, 1x0 none"},
	{NULL, "pod64", {.ipus = "4", .gres = "ipu:4", .licenses = "ipu:4"}, "ipu:4, 1x0 none"},
	{NULL, "pod128", {.ipus = "128", .ntasks = 2}, "ipu:128, 2x0 none"},
	{NULL, "pod256", {.ipus = "256", .nodes = 2, .ntasks_per_node = 2}, "ipu:256, 2x0 none"},
	{NULL, "pod128", {.ipus = "128", .step = true}, "ipu:128, 1x0 none"},
	{IPU_GRES, "pod64", {.ipus = "8", .nodes = 2}, "ipu:8, 1x0 none"},
	{IPU_GRES, "pod64", {.ipus = "8", .nodes = 2, .gres = "ipu:4"}, "ipu:8, 1x0 none"},
	{IPU_GRES, "pod64", {.ipus = "8", .licenses = "ipu:4"}, "ipu:8, 1x0 none"},
	{"IpuName = bow\n", "pod16", {.gres = "bow:16"}, "ipu:16, 1x0 none"},
	{"IpuName = bow\n", NULL, {.gres = "ipu:16"}, NOTHING},
};

START_TEST(valid_requests)
{
	const struct accepted *t = &accepted[_i];
	bool map = t->opt.tile_bind != NULL && strncasecmp(t->opt.tile_bind, "map:", 4) == 0;
	struct tessera_error err = {0};
	struct tessera_request req;
	char means[128];

	memset(&req, 0xa5, sizeof(req)); /* nothing may be left of what was there before */
	ck_assert_msg(read_request(t->conf, t->platform, &t->opt, &req, &err) == 0, "row %d: %s",
		      _i, err.text);
	describe(&req, means, sizeof(means));
	ck_assert_msg(strcmp(means, t->means) == 0, "row %d: '%s', not '%s'", _i, means, t->means);
	ck_assert_msg((req.map_len > 0) == map, "row %d: map of %u", _i, req.map_len);
	ck_assert_msg(req.has_wish == (t->opt.tile_affinity != NULL || map), "row %d: wish", _i);
}
END_TEST

/* Each with parts of its message: the number, what is allowed, what to type. */
static const struct refused {
	const char *conf;
	const char *platform;
	struct tessera_options opt;
	const char *says[4];
} refused[] = {
	/* Numbers. */
	{NULL, "sn30-8", {.tiles_per_task = "0"}, {"--tiles-per-task=0", "none"}},
	{NULL, "sn30-8", {.tiles_per_task = "-4"}, {"--tiles-per-task=-4", "negative"}},
	{NULL, "sn30-8", {.tiles_per_task = "four"}, {"--tiles-per-task=four", "not a number"}},
	{NULL, "sn30-8", {.tiles_per_task = ""}, {"--tiles-per-task=", "has no number"}},
	{NULL, "sn30-8", {.tiles_per_task = " 4"}, {"' 4'", "not a number"}},
	{NULL,
	 "sn30-8",
	 {.tiles_per_task = "4x"},
	 {"--tiles-per-task=4x", "'x' after the number 4"}},
	{NULL,
	 "sn30-8",
	 {.tiles_per_task = "4294967296"},
	 {"--tiles-per-task=4294967296", "larger number"}},
	{NULL, "pod64", {.ipus = "0"}, {"--ipus=0", "none"}},
	{NULL, "pod64", {.ipus = "-1"}, {"--ipus=-1", "negative"}},
	{NULL,
	 "pod64",
	 {.ipus = "99999999999999999999"},
	 {"--ipus=99999999999999999999", "larger number"}},
	{NULL, "pod64", {.ipus = "4 "}, {"--ipus=4 ", "after the number 4"}},
	{NULL, "sn30-8", {.gres = "rdu:-1"}, {"--gres=rdu:-1", "negative"}},
	{NULL, "sn30-8", {.gres = "rdu:"}, {"--gres=rdu:", "has no number"}},
	{NULL, "sn30-8", {.gres = "gpu:1,rdu:2k"}, {"--gres=rdu:2k", "'k' after the number 2"}},
	{NULL, "sn30-8", {.gres = "rdu:sn30:x"}, {"--gres=rdu:sn30:x", "'x' is not a number"}},
	{NULL, "sn30-8", {.gres = "rdu=x"}, {"--gres=rdu=x", "'x' is not a number"}},
	{NULL, "sn30-8", {.gres = "rdu:a:b:2"}, {"--gres=rdu:a:b:2", "name:type:count"}},
	{NULL, "sn30-8", {.gres = "rdu_tile:4294967295,rdu_tile:1"}, {"rdu_tile", "add up"}},
	/* Slurm uses the last of two equal items, and counts typed and untyped GRES separately. */
	{NULL,
	 "sn30-8",
	 {.gres = "rdu:1,rdu:1"},
	 {"--gres names rdu 2 times", "name it once: rdu:2"}},
	{NULL,
	 "sn30-8",
	 {.gres = "rdu:1,gpu:1,gres:rdu:sn30:2"},
	 {"rdu 2 times", "name it once: rdu:3"}},
	{NULL,
	 "sn30-8",
	 {.gres = "rdu_tile:8,rdu_tile:8,rdu_tile"},
	 {"rdu_tile 3 times", "once: rdu_tile:17"}},
	{NULL, "sn30-8", {.gres = "rdu:0,rdu:1"}, {"rdu 2 times", "name it once: rdu:1"}},
	{NULL, "pod64", {.gres = "ipu:4,ipu:4"}, {"ipu 2 times", "name it once: ipu:8"}},
	{IPU_GRES,
	 "pod64",
	 {.gres = "gres:ipu:31,gres:ipu:1", .nodes = 2},
	 {"ipu 2 times", "once: ipu:32"}},
	/* Slurm adds equal licenses, but not those of two servers. */
	{NULL,
	 "pod64",
	 {.licenses = "ipu@a:4,ipu@b:4"},
	 {"--licenses names ipu of different", "name one: ipu@a:8"}},
	{NULL,
	 "pod64",
	 {.licenses = "ipu:4;ipu@b:4"},
	 {"--licenses names ipu of different", "name one: ipu:8"}},
	{NULL, "pod64", {.licenses = "ipu:4x"}, {"--licenses=ipu:4x", "'x' after"}},
	{NULL, "pod64", {.gres = "ipu:-4"}, {"--gres=ipu:-4", "negative"}},
	/* More than the node has. */
	{NULL, "sn30-8", {.gres = "rdu:9"}, {"rdu:9", "sn30-8", "8", "rdu:8 or fewer"}},
	{NULL, "sn30-8", {.gres = "rdu_tile:65"}, {"rdu_tile:65", "sn30-8", "64"}},
	{NULL, "sn10-8", {.gres = "rdu_tile:33"}, {"rdu_tile:33", "sn10-8", "32"}},
	{HALVES, "halves", {.gres = "rdu:17"}, {"rdu:17", "16"}},
	{NULL, "sn30-8", {.tiles_per_task = "72"}, {"--tiles-per-task=72", "64"}},
	{NULL,
	 "sn30-8",
	 {.ntasks = 16, .tiles_per_task = "8"},
	 {"16 tasks", "128 tiles", "64", "--tiles-per-task=4"}},
	{NULL,
	 "sn30-8",
	 {.ntasks = 65, .tiles_per_task = "1"},
	 {"65 tasks", "64", "--ntasks-per-node=64"}},
	{NULL,
	 "sn30-8",
	 {.ntasks = 4294967295, .tiles_per_task = "64"},
	 {"4294967295 tasks", "274877906880 tiles"}},
	{NULL, "pod64", {.ipus = "128"}, {"128", "pod64", "64"}},
	/* The recipe of the tutorials, where rdu:1 is for each task. */
	{TASK_SCOPE,
	 "sn30-8",
	 {.gres = "rdu:1", .ntasks_per_node = 16},
	 {"16 RDUs", "has 8", "--tiles-per-task=4"}},
	{TASK_SCOPE,
	 "sn10-8",
	 {.gres = "rdu:1", .ntasks_per_node = 16},
	 {"16 RDUs", "--tiles-per-task=2"}},
	{TASK_SCOPE, "sn30-8", {.gres = "rdu:1", .ntasks = 65}, {"65 RDUs", "64 tasks or fewer"}},
	{TASK_SCOPE,
	 "sn30-8",
	 {.gres = "rdu:9", .ntasks = 2},
	 {"rdu:9 asks for more", "rdu:8 or fewer"}},
	/* Invalid sizes. */
	{NULL,
	 "sn30-8",
	 {.gres = "rdu_tile:3"},
	 {"rdu_tile:3", "1, 2, 4", "multiple of 8", "ask for rdu_tile:4"}},
	{NULL, "sn30-8", {.gres = "rdu_tile:6"}, {"rdu_tile:6", "ask for rdu_tile:8"}},
	{NULL, "sn30-8", {.gres = "rdu_tile:11"}, {"3 tiles", "ask for rdu_tile:12"}},
	{NULL, "sn10-8", {.gres = "rdu_tile:7"}, {"rdu_tile:7", "ask for rdu_tile:8"}},
	{NULL,
	 "sn30-8",
	 {.tiles_per_task = "3"},
	 {"--tiles-per-task=3", "1, 2, 4", "multiple of 8"}},
	{NULL, "sn30-8", {.tiles_per_task = "12"}, {"--tiles-per-task=12", "multiple of 8"}},
	/* Contradictions. */
	{NULL,
	 "sn30-8",
	 {.gres = "rdu:1,rdu_tile:4"},
	 {"rdu:1 is 8 tiles on sn30-8, rdu_tile:4 says 4", "one of them"}},
	{NULL, "sn30-8", {.gres = "rdu:1,rdu_tile:0"}, {"rdu:1 is 8 tiles", "rdu_tile:0 says 0"}},
	{NULL,
	 "sn30-8",
	 {.gres = "rdu:1", .ntasks = 16, .tiles_per_task = "4"},
	 {"16 tasks", "64", "8 are requested", "omit --gres"}},
	{NULL,
	 "sn30-8",
	 {.gres = "none", .tiles_per_task = "4"},
	 {"--gres=none", "--tiles-per-task"}},
	{NULL,
	 "sn30-8",
	 {.gres = "rdu:0", .tile_affinity = "rdu0"},
	 {"--gres=rdu:0", "--tile-affinity"}},
	{NULL, "sn30-8", {.gres = "rdu:2", .tile_affinity = "rdu0"}, {"names 8", "asks for 16"}},
	{NULL,
	 "sn30-8",
	 {.gres = "rdu_tile:2", .tile_affinity = "0.0"},
	 {"--tile-affinity names 1 tile, --gres asks for 2"}},
	{NULL,
	 "sn30-8",
	 {.ntasks = 2, .gres = "rdu_tile:1", .tile_bind = "block"},
	 {": 1 tile cannot be divided evenly among 2"}},
	{NULL,
	 "sn30-8",
	 {.ntasks = 1, .gres = "rdu_tile:1", .tiles_per_task = "4"},
	 {"for 1 task on a node is 4 tiles, but 1 is requested"}},
	{NULL,
	 "sn30-8",
	 {.tiles_per_task = "4", .tile_bind = "map:0.0"},
	 {"gives a task 1 tile ('0.0')", "name 4 tiles in each entry"}},
	{NULL,
	 "sn30-8",
	 {.tiles_per_task = "1", .tile_bind = "map:0.0-1"},
	 {"gives a task 2 tiles (", "name 1 tile in each entry"}},
	{NULL,
	 "sn30-8",
	 {.gres = "rdu:2", .tile_bind = "map:rdu0"},
	 {"map", "names 8", "asks for 16"}},
	{NULL,
	 "sn30-8",
	 {.tile_affinity = "rdu0", .tiles_per_task = "8", .ntasks = 2},
	 {"2 tasks", "16 tiles", "8 are named"}},
	{NULL,
	 "sn30-8",
	 {.tile_bind = "none", .tiles_per_task = "4"},
	 {"--tile-bind=none", "--tiles-per-task=4"}},
	{NULL,
	 "sn30-8",
	 {.tile_bind = "map:rdu0,0-3", .tiles_per_task = "8"},
	 {"4 tiles", "'0-3'", "--tiles-per-task is 8"}},
	{NULL,
	 "sn30-8",
	 {.tile_bind = "map:rdu0,rdu2", .tile_affinity = "rdu0,rdu1"},
	 {"tile 16", "rdu0,rdu1"}},
	{NULL,
	 "sn30-8",
	 {.gres = "rdu:1", .ntasks = 3, .tile_bind = "block"},
	 {"block", "8 tiles", "3 tasks", "1, 2, 4"}},
	{NULL,
	 "sn30-8",
	 {.gres = "rdu:3", .ntasks = 2, .tile_bind = "cyclic"},
	 {"24 tiles", "2 tasks"}},
	{NULL, "pod64", {.ipus = "4", .gres = "ipu:8"}, {"--ipus=4", "--gres=ipu:8", "once"}},
	{NULL, "pod64", {.ipus = "4", .licenses = "ipu:8"}, {"--ipus=4", "--licenses=ipu:8"}},
	{NULL,
	 "pod64",
	 {.gres = "ipu:4", .licenses = "ipu:8"},
	 {"--gres=ipu:4", "--licenses=ipu:8"}},
	{IPU_GRES,
	 "pod64",
	 {.ipus = "8", .gres = "ipu:8", .nodes = 2},
	 {"--ipus=8 asks for 8", "--gres=ipu:8 for 16"}},
	/* Invalid options. */
	{NULL,
	 "sn30-8",
	 {.tile_bind = "block"},
	 {"needs tiles to divide", "--gres=rdu:N", "--tiles-per-task=N"}},
	{NULL, "sn30-8", {.tile_bind = "block", .gres = "gpu:1"}, {"needs tiles to divide"}},
	{NULL,
	 "sn30-8",
	 {.tile_bind = "sideways"},
	 {"--tile-bind=sideways", "none, block, cyclic, closest or map:"}},
	{NULL,
	 "sn30-8",
	 {.tile_bind = ""},
	 {"--tile-bind=", "none, block, cyclic, closest or map:"}},
	{NULL, "sn30-8", {.tile_bind = "map:"}, {"--tile-bind=map:"}},
	{NULL, "sn30-8", {.tile_bind = "map:rdu0,"}, {"--tile-bind=map:"}},
	{NULL, "sn30-8", {.tile_bind = "map:rdu0,rdu9"}, {"--tile-bind=map:", "rdu9"}},
	{NULL, "sn30-8", {.tile_bind = "map:rdu0*0"}, {"repeated 0 times"}},
	{NULL, "sn30-8", {.tile_bind = "map:rdu0*x"}, {"'x' is not a number"}},
	{NULL, "sn30-8", {.tile_bind = "map:rdu0*"}, {"has no number"}},
	{NULL, "sn30-8", {.tile_bind = "map:0*256,1"}, {"more than 256 entries"}},
	{NULL, "sn30-8", {.tile_bind = "map:0*4294967295,1*2"}, {"more than 256 entries"}},
	{NULL, "sn30-8", {.tile_affinity = "0x0"}, {"--tile-affinity=0x0"}},
	{NULL, "sn30-8", {.tile_affinity = ""}, {"--tile-affinity="}},
	{NULL, "sn10-8", {.tile_affinity = "0x100000000"}, {"--tile-affinity=0x100000000"}},
	{NULL, "sn10-8", {.step = true, .tile_affinity = "rdu8"}, {"--tile-affinity=rdu8"}},
	/* The wrong platform. */
	{NULL, "pod64", {.gres = "rdu:1"}, {"pod64", "no RDUs", "--ipus"}},
	{NULL, "pod64", {.tile_bind = "block", .ipus = "4"}, {"pod64", "no RDUs"}},
	{NULL, "sn30-8", {.ipus = "4"}, {"sn30-8", "no IPUs", "rdu:N"}},
	{NULL, "sn30-8", {.gres = "rdu:1", .licenses = "ipu:4"}, {"sn30-8", "no IPUs"}},
	{NULL,
	 NULL,
	 {.gres = "rdu:1"},
	 {"no platform in tessera.conf", "partition NAME { Platform = ... }"}},
	{NULL, NULL, {.ipus = "4"}, {"IPUs", "no platform in tessera.conf"}},
	/* IPUs. */
	{NULL, "pod64", {.ipus = "3"}, {"3 IPUs", "power of two", "--ipus=4"}},
	{NULL, "pod64", {.ipus = "63"}, {"63 IPUs", "--ipus=64"}},
	{NULL,
	 "pod128",
	 {.ipus = "128"},
	 {"2 IPU-Link domains of 64", "--ntasks=1 is too few", "--ntasks=2"}},
	{NULL,
	 "pod256",
	 {.ipus = "256", .ntasks = 3},
	 {"4 IPU-Link domains of 64", "--ntasks=3 is too few", "--ntasks=4"}},
	{NULL, "pod64", {.ipus = "4", .licenses = "a:1|b:1"}, {"a:1|b:1", "alternatives"}},
	{NULL, "pod64", {.licenses = "a:1|ipu:4"}, {"a:1|ipu:4", "alternatives"}},
	{IPU_GRES, "pod64", {.ipus = "8", .nodes = 3}, {"8 IPUs", "3 nodes"}},
	{IPU_GRES,
	 "pod64",
	 {.gres = "ipu:4294967295", .nodes = 2},
	 {"2 nodes", "more than any pool"}},
};

START_TEST(invalid_requests)
{
	const struct refused *t = &refused[_i];
	struct tessera_error err = {0};
	struct tessera_request req;

	ck_assert_msg(read_request(t->conf, t->platform, &t->opt, &req, &err) == -1,
		      "row %d is accepted", _i);
	ck_assert_msg(err.code == TESSERA_ERR_INPUT, "row %d: code %d", _i, err.code);
	for (size_t n = 0; n < 4 && t->says[n] != NULL; n++)
		ck_assert_msg(strstr(err.text, t->says[n]) != NULL, "row %d: '%s' lacks '%s'", _i,
			      err.text, t->says[n]);
	ck_assert_msg(strlen(err.text) < sizeof(err.text) - 1, "row %d: cut: %s", _i, err.text);
	ck_assert_msg(err.text[strlen(err.text) - 1] != '.', "row %d: full stop: %s", _i, err.text);
	ck_assert_int_eq(read_request(t->conf, t->platform, &t->opt, &req, NULL), -1);
}
END_TEST

START_TEST(long_text_leaves_room_for_advice)
{
	struct tessera_error err = {0};
	struct tessera_request req;
	char text[4096];

	memset(text, '7', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	ck_assert_int_eq(
		read_request(NULL, "pod64", &(struct tessera_options){.ipus = text}, &req, &err),
		-1);
	ck_assert_ptr_nonnull(strstr(err.text, "larger number"));
	memcpy(text, "map:", 4);
	ck_assert_int_eq(read_request(NULL, "sn30-8", &(struct tessera_options){.tile_bind = text},
				      &req, &err),
			 -1);
	ck_assert_ptr_nonnull(strstr(err.text, "too long"));
	memcpy(text, "what", 4);
	ck_assert_int_eq(read_request(NULL, "sn30-8", &(struct tessera_options){.tile_bind = text},
				      &req, &err),
			 -1);
	ck_assert_ptr_nonnull(strstr(err.text, "map:rdu0,rdu1"));
}
END_TEST

START_TEST(map_entries)
{
	struct tessera_options opt = {.tile_bind = "map:rdu7,0-3*2,/XRDU_0/RDU_0/TILE_5,0xf0",
				      .ntasks = 9};
	static const uint64_t want[] = {0xffULL << 56, 0xf, 0xf, 0x20, 0xf0};
	struct tessera_error err = {0};
	struct tessera_request req;

	ck_assert_msg(read_request(NULL, "sn30-8", &opt, &req, &err) == 0, "%s", err.text);
	ck_assert_uint_eq(req.map_len, 5);
	for (unsigned n = 0; n < 5; n++)
		ck_assert_uint_eq(req.map[n].word[0], want[n]);
	ck_assert_uint_eq(req.wish.word[0], 0xff000000000000ffULL);
	ck_assert_uint_eq(req.tiles, 16);
	ck_assert_uint_eq(req.rdus, 2);

	opt = (struct tessera_options){.tile_bind = "map:0*255,1"};
	ck_assert_msg(read_request(NULL, "sn30-8", &opt, &req, &err) == 0, "%s", err.text);
	ck_assert_uint_eq(req.map_len, TESSERA_MAP_MAX);
	ck_assert_uint_eq(req.map[254].word[0], 1);
	ck_assert_uint_eq(req.map[255].word[0], 2);

	opt = (struct tessera_options){.tile_bind = "map:rdu1", .tile_affinity = "rdu0,rdu1"};
	ck_assert_msg(read_request(NULL, "sn30-8", &opt, &req, &err) == 0, "%s", err.text);
	ck_assert_uint_eq(req.wish.word[0], 0xffff);
	ck_assert_uint_eq(req.tiles, 16);
}
END_TEST

/* An overlong text is not parsed, and counts as a request. */
START_TEST(too_long_to_read)
{
	static char text[GRES_TEXT_MAX + 2];
	struct tessera_options gres = {.gres = text}, licenses = {.licenses = text};
	struct tessera_error err = {0};
	struct tessera_request req;

	memset(text, ',', GRES_TEXT_MAX);
	ck_assert_msg(read_request(NULL, "pod64", &gres, &req, &err) == 0, "%s", err.text);
	ck_assert(!tessera_options_any(NULL, &gres) && !tessera_options_any(NULL, &licenses));
	text[GRES_TEXT_MAX] = ',';
	ck_assert(tessera_options_any(NULL, &gres) && tessera_options_any(NULL, &licenses));
	ck_assert_int_eq(read_request(NULL, "pod64", &gres, &req, &err), -1);
	ck_assert_str_eq(err.text,
			 "--gres has more than 65536 characters; shorten it to 65536 or fewer");
	ck_assert_int_eq(read_request(NULL, "pod64", &licenses, &req, &err), -1);
	ck_assert_int_eq(strncmp(err.text, "--licenses has more than 65536", 30), 0);
}
END_TEST

static const struct any {
	struct tessera_options opt;
	bool want;
} any[] = {
	{{0}, false},
	{{.gres = "", .licenses = ""}, false},
	{{.gres = "(null)", .licenses = "(null)"}, false},
	{{.gres = "none", .nodes = 2, .ntasks = 4}, false},
	{{.gres = "gpu:2,rdu_mem:4,xrdu:1,gpu:rdu,rdu_tiles:2,rd:1,gres:rdux:1,ipus:4"}, false},
	{{.gres = "gres:gpu:rdu:2"}, false},
	{{.gres = "rdu:0,gres/rdu_tile:0"}, false},
	{{.licenses = "rdu:2,rdu_tile:2,xipu:1,ipus"}, false},
	{{.gres = "rdu"}, true},
	{{.gres = "gpu:1,rdu:1"}, true},
	{{.gres = "gres:rdu:1"}, true},
	{{.gres = "gres/rdu_tile:4"}, true},
	{{.gres = "rdu:sn30:2"}, true},
	{{.gres = "rdu:x:y:z"}, true}, /* counts as a request, so that its error is reported */
	{{.gres = "ipu:4"}, true},
	{{.licenses = "matlab,ipu@db:4"}, true},
	{{.licenses = "matlab|ipu"}, true},
	{{.ipus = ""}, true},
	{{.tiles_per_task = "4"}, true},
	{{.tile_affinity = "rdu0"}, true},
	{{.tile_bind = "none"}, true},
	{{.ipu_gcds = "1"}, true},
	{{.pools = {[TESSERA_POOLS_MAX - 1] = "0"}}, true},
	{{.licenses = "csx:1"}, false}, /* no configuration names this pool */
};

START_TEST(options_any)
{
	ck_assert_msg(tessera_options_any(NULL, &any[_i].opt) == any[_i].want, "row %d: %s", _i,
		      any[_i].opt.gres);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_loop_test(tcase, valid_requests, 0, sizeof(accepted) / sizeof(accepted[0]));
	tcase_add_loop_test(tcase, invalid_requests, 0, sizeof(refused) / sizeof(refused[0]));
	tcase_add_test(tcase, too_long_to_read);
	tcase_add_loop_test(tcase, options_any, 0, sizeof(any) / sizeof(any[0]));
	tcase_add_test(tcase, long_text_leaves_room_for_advice);
	tcase_add_test(tcase, map_entries);
}

UNIT_MAIN("request", add_tests)
