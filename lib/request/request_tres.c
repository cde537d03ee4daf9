/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/conf/gres_list.h"
#include "lib/request/request.h"
#include "lib/request/request_internal.h"
#include "lib/request/request_tres.h"
#include "lib/util/strbuf.h"

static void put_comma(struct strbuf *list)
{
	if (list->used > 0)
		strbuf_put(list, ",");
}

static int check_fits(const struct strbuf *list, const char *option, struct tessera_error *err)
{
	if (!strbuf_is_cut(list))
		return 0;
	if (list->len > 0)
		list->buf[0] = '\0';
	return tessera_error_set(err, TESSERA_ERR_INPUT,
				 "%s is too long; ask for fewer kinds of resources", option);
}

static void put_bytes(struct strbuf *list, const char *text, size_t len)
{
	strbuf_put(list, "%.*s", (int)len, text);
}

/* ITEM with COUNT instead of its own count. */
static void put_count(struct strbuf *list, const struct gres_item *item, unsigned count)
{
	unsigned own;

	if (gres_item_count(item, "--gres", &own, NULL) < 0 || own == count) {
		put_bytes(list, item->text, item->len);
	} else if (item->count == NULL) {
		put_bytes(list, item->text, item->len);
		strbuf_put(list, ":%u", count);
	} else {
		put_bytes(list, item->text, item->len - item->count_len);
		strbuf_put(list, "%u", count);
	}
}

/* The RDUs, tiles and IPUs in --gres. */
struct found {
	struct gres_sum rdu;
	struct gres_sum tile;
	struct gres_sum ipu;
	unsigned rdu_items;
	struct gres_item first; /* of any name: new items get its prefix */
};

static int find_own_items(const char *text, const char *ipu, struct found *found,
			  struct tessera_error *err)
{
	struct gres_walk walk;
	struct gres_item item;

	*found = (struct found){0};
	gres_walk_start(&walk, text, GRES_LIST_GRES);
	while (gres_walk_next(&walk, &item)) {
		if (found->first.text == NULL)
			found->first = item;
		if (gres_item_is(&item, GRES_RDU))
			found->rdu_items++;
	}
	if (gres_sum(text, GRES_LIST_GRES, GRES_RDU, "--gres", &found->rdu, err) < 0 ||
	    gres_sum(text, GRES_LIST_GRES, GRES_RDU_TILE, "--gres", &found->tile, err) < 0)
		return -1;
	return gres_sum(text, GRES_LIST_GRES, ipu, "--gres", &found->ipu, err);
}

/* Add the tiles that are requested by options only. */
static void put_option_tiles(struct strbuf *list, const struct found *found,
			     const struct tessera_request *req)
{
	int len = (int)found->first.prefix_len;
	const char *prefix = len > 0 ? found->first.text : "";

	if (req->tiles == 0 || found->rdu.count > 0 || found->tile.count > 0)
		return;
	put_comma(list);
	if (req->rdus > 0)
		strbuf_put(list, "%.*srdu:%u,", len, prefix, req->rdus);
	strbuf_put(list, "%.*srdu_tile:%u", len, prefix, req->tiles);
}

static int write_gres(const struct tessera_conf *conf, const struct tessera_options *opt,
		      const struct tessera_request *req, struct strbuf *out,
		      struct tessera_error *err)
{
	bool ipu_gres = tessera_conf_ipu_model(conf) == TESSERA_IPU_GRES;
	const char *ipu = tessera_conf_ipu_name(conf);
	struct gres_walk walk;
	struct gres_item item;
	struct found found;
	unsigned rdu_items = 0;

	if (req->tiles == 0 && req->ipus == 0) {
		strbuf_put(out, "%s", gres_given(opt->gres) != NULL ? opt->gres : "");
		return check_fits(out, "--gres", err);
	}
	if (find_own_items(opt->gres, ipu, &found, err) < 0)
		return -1;
	gres_walk_start(&walk, opt->gres, GRES_LIST_GRES);
	while (gres_walk_next(&walk, &item)) {
		bool rdu = gres_item_is(&item, GRES_RDU);

		if (req->ipus > 0 && !ipu_gres && gres_item_is(&item, ipu))
			continue;
		put_comma(out);
		/* tessera_request_read() has refused a GRES that occurs twice. */
		if (rdu && found.rdu.count > 0 && req->rdus > 0)
			put_count(out, &item, req->rdus);
		else
			put_bytes(out, item.text, item.len);
		rdu_items += rdu;
		if (rdu && rdu_items == found.rdu_items && found.rdu.count > 0 && !found.tile.given)
			strbuf_put(out, ",%.*srdu_tile:%u", (int)item.prefix_len, item.text,
				   req->tiles);
	}
	put_option_tiles(out, &found, req);
	if (req->ipus > 0 && ipu_gres && !found.ipu.given && !opt->step) {
		put_comma(out);
		strbuf_put(out, "%.*s%s:%u", (int)found.first.prefix_len,
			   found.first.prefix_len > 0 ? found.first.text : "", ipu,
			   req->ipus / request_nodes(opt));
	}
	return check_fits(out, "--gres", err);
}

/* Add COUNT licenses of NAME, unless --licenses has them. A step uses its job's licenses. */
static int put_license(struct strbuf *list, const struct tessera_options *opt, const char *name,
		       unsigned count, struct tessera_error *err)
{
	struct gres_sum have;

	if (count == 0 || opt->step)
		return 0;
	if (gres_sum(opt->licenses, GRES_LIST_LICENSES, name, "--licenses", &have, err) < 0)
		return -1;
	if (!have.given) {
		put_comma(list);
		strbuf_put(list, "%s:%u", name, count);
	}
	return 0;
}

static int write_licenses(const struct tessera_conf *conf, const struct tessera_options *opt,
			  const struct tessera_request *req, struct strbuf *out,
			  struct tessera_error *err)
{
	const char *text = gres_given(opt->licenses);
	const struct tessera_pool *pool;

	if (text != NULL)
		strbuf_put(out, "%s", text);
	if (tessera_conf_ipu_model(conf) == TESSERA_IPU_LICENSE &&
	    put_license(out, opt, tessera_conf_ipu_name(conf), req->ipus, err) < 0)
		return -1;
	for (size_t i = 0; i < TESSERA_POOLS_MAX && (pool = tessera_conf_pool_at(conf, i)) != NULL;
	     i++)
		if (put_license(out, opt, pool->license, req->pools[i], err) < 0)
			return -1;
	return check_fits(out, "--licenses", err);
}

int tessera_request_scheduler(const struct tessera_conf *conf, const struct tessera_options *opt,
			      const struct tessera_request *req, char *gres, size_t gres_len,
			      char *licenses, size_t licenses_len, struct tessera_error *err)
{
	struct strbuf gres_out = strbuf_start(gres, gres_len);
	struct strbuf license_out = strbuf_start(licenses, licenses_len);

	if (write_gres(conf, opt, req, &gres_out, err) < 0)
		return -1;
	return write_licenses(conf, opt, req, &license_out, err);
}

struct request_tres *request_tres_new(const struct tessera_conf *conf,
				      const struct tessera_platform *platform,
				      const struct tessera_options *opt, struct tessera_error *err)
{
	struct request_tres *tres = calloc(1, sizeof(*tres));
	/*
	 * A count may grow from one digit to ten, and two GRES and a license for each pool may be
	 * added.
	 */
	size_t gres_len = 256 + (opt->gres != NULL ? 12 * strlen(opt->gres) : 0);
	size_t licenses_len = (TESSERA_POOLS_MAX + 1) * (TESSERA_NAME_MAX + 16) +
			      (opt->licenses != NULL ? strlen(opt->licenses) : 0);

	if (tres == NULL) {
		tessera_error_nomem(err);
		return NULL;
	}
	tres->gres = malloc(gres_len);
	tres->licenses = malloc(licenses_len);
	if (tres->gres == NULL || tres->licenses == NULL) {
		tessera_error_nomem(err);
		goto fail;
	}
	if (tessera_request_read(conf, platform, opt, &tres->req, err) < 0 ||
	    tessera_request_scheduler(conf, opt, &tres->req, tres->gres, gres_len, tres->licenses,
				      licenses_len, err) < 0)
		goto fail;
	return tres;
fail:
	request_tres_free(tres);
	return NULL;
}

/* Can each task have TILES of its own, and does --tiles-per-task, if GIVEN, say the same? */
static int check_per_task(const struct tessera_platform *p, unsigned tiles, const char *given,
			  struct tessera_error *err)
{
	char sizes[128];
	unsigned count;

	if (given != NULL && gres_option_count("--tiles-per-task", given, &count, err) < 0)
		return -1;
	if (given != NULL && count != tiles)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "--tres-per-task asks for %u tiles for each task, "
					 "--tiles-per-task=%u for %u; omit one of them",
					 tiles, count, count);
	if (tessera_platform_block_ok(p, tiles))
		return 0;
	tessera_platform_block_sizes(p, sizes, sizeof(sizes));
	return tessera_error_set(err, TESSERA_ERR_INPUT,
				 "--tres-per-task: %u tiles for each task is not a valid size on "
				 "%s: use %s",
				 tiles, p->name, sizes);
}

struct request_tres *request_tres_per_task(const struct tessera_conf *conf,
					   const struct tessera_platform *platform,
					   const char *text, const char *given,
					   struct tessera_error *err)
{
	const struct tessera_options opt = {.gres = text};
	struct request_tres *tres = request_tres_new(conf, platform, &opt, err);

	if (tres == NULL) {
		tessera_error_prefix(err, "--tres-per-task");
		return NULL;
	}
	if (check_per_task(platform, tres->req.tiles, given, err) == 0)
		return tres;
	request_tres_free(tres);
	return NULL;
}

void request_tres_free(struct request_tres *tres)
{
	if (tres == NULL)
		return;
	free(tres->gres);
	free(tres->licenses);
	free(tres);
}

bool request_tres_differs(const char *a, const char *b)
{
	return strcmp(a != NULL ? a : "", b != NULL ? b : "") != 0;
}
