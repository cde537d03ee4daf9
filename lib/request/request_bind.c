/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <string.h>
#include <strings.h>

#include "lib/request/request_internal.h"

/* The longest mask, with room to spare. */
#define MAP_ITEM_MAX 512

static int read_repeat(const char *star, unsigned *repeat, struct tessera_error *err)
{
	const char *count = star + 1;
	unsigned n = 0;

	if (gres_count("--tile-bind", star, strlen(star), count, strlen(count), &n, err) < 0)
		return -1;
	if (n == 0)
		return tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"--tile-bind=map: an entry is repeated 0 times; the minimum is 1");
	*repeat = n;
	return 0;
}

/* One entry, SET or SET*TIMES. Modifies ITEM. */
static int add_map_item(struct tessera_request *req, char *item, struct tessera_error *err)
{
	struct tessera_tileset set;
	char *star = strchr(item, '*');
	unsigned repeat = 1;
	unsigned count;

	if (star != NULL && read_repeat(star, &repeat, err) < 0)
		return -1;
	if (star != NULL)
		*star = '\0';
	if (tessera_tileset_parse(req->platform, item, &set, err) < 0)
		return tessera_error_prefix(err, "--tile-bind=map: entry '" SHOWN "'", item);
	if (repeat > TESSERA_MAP_MAX - req->map_len)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "--tile-bind=map: has more than %d entries; a shorter "
					 "list starts again for further tasks",
					 TESSERA_MAP_MAX);
	count = tessera_tileset_count(&set);
	if (req->tiles_per_task != 0 && count != req->tiles_per_task)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "--tile-bind=map: gives a task %u tile%s ('" SHOWN
					 "'), but --tiles-per-task is %u; omit --tiles-per-task, "
					 "or name %u tile%s in each entry",
					 count, count == 1 ? "" : "s", item, req->tiles_per_task,
					 req->tiles_per_task, req->tiles_per_task == 1 ? "" : "s");
	while (repeat-- > 0)
		req->map[req->map_len++] = set;
	return 0;
}

static int read_map(struct tessera_request *req, const char *list, struct tessera_error *err)
{
	char item[MAP_ITEM_MAX];

	for (;;) {
		size_t len = strcspn(list, ",");

		if (len >= sizeof(item))
			return tessera_error_set(err, TESSERA_ERR_INPUT,
						 "--tile-bind=map: '" SHOWN
						 "...' is too long for a set of tiles",
						 list);
		memcpy(item, list, len);
		item[len] = '\0';
		if (add_map_item(req, item, err) < 0)
			return -1;
		if (list[len] == '\0')
			return 0;
		list += len + 1;
	}
}

/* The wish is all tiles of the map; or --tile-affinity, which must include them. */
static int read_map_wish(const struct tessera_options *opt, struct tessera_request *req,
			 struct tessera_error *err)
{
	struct tessera_tileset all;

	tessera_tileset_clear(&all);
	for (unsigned i = 0; i < req->map_len; i++)
		tessera_tileset_or(&all, &req->map[i]);
	if (!req->has_wish) {
		req->has_wish = true;
		req->wish = all;
		return 0;
	}
	if (tessera_tileset_subset(&all, &req->wish))
		return 0;
	tessera_tileset_minus(&all, &req->wish);
	return tessera_error_set(
		err, TESSERA_ERR_INPUT,
		"--tile-bind=map: names tile %u, which is not in --tile-affinity=" SHOWN
		"; name it in both or in neither",
		tessera_tileset_next(&all, 0), opt->tile_affinity);
}

static int read_tile_bind(const struct tessera_options *opt, struct tessera_request *req,
			  struct tessera_error *err)
{
	static const struct {
		const char *word;
		enum tessera_bind bind;
	} words[] = {
		{"none", TESSERA_BIND_NONE},
		{"block", TESSERA_BIND_BLOCK},
		{"cyclic", TESSERA_BIND_CYCLIC},
		{"closest", TESSERA_BIND_CLOSEST},
	};
	const char *how = opt->tile_bind;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcasecmp(how, words[i].word) == 0) {
			req->bind = words[i].bind;
			return 0;
		}
	}
	if (strncasecmp(how, "map:", 4) != 0)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "--tile-bind=" SHOWN
					 " is not valid; use none, block, cyclic, closest or "
					 "map:LIST, such as map:rdu0,rdu1",
					 how);
	req->bind = TESSERA_BIND_MAP;
	if (read_map(req, how + 4, err) < 0)
		return -1;
	return read_map_wish(opt, req, err);
}

int request_read_bind(const struct tessera_options *opt, struct tessera_request *req,
		      struct tessera_error *err)
{
	req->bind = 0;
	if (opt->tile_affinity != NULL) {
		if (tessera_tileset_parse(req->platform, opt->tile_affinity, &req->wish, err) < 0)
			return tessera_error_prefix(err, "--tile-affinity=" SHOWN,
						    opt->tile_affinity);
		req->has_wish = true;
	}
	if (opt->tile_bind != NULL && read_tile_bind(opt, req, err) < 0)
		return -1;
	if (req->tiles_per_task != 0 && req->bind == TESSERA_BIND_NONE)
		return tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"--tile-bind=none gives every task all tiles, but --tiles-per-task=%u "
			"gives each its own; omit one of them",
			req->tiles_per_task);
	return 0;
}
