/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/gres.h"
#include "lib/request.h"
#include "lib/request_parts.h"

/* A list being written. */
struct list {
	char *buf;
	size_t len;
	size_t used;
	bool cut;
};

static void list_start(struct list *list, char *buf, size_t len)
{
	*list = (struct list){.buf = buf, .len = len};
	if (len > 0)
		buf[0] = '\0';
}

__attribute__((format(printf, 2, 3))) static void list_put(struct list *list, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (list->cut || list->used >= list->len) {
		list->cut = true;
		return;
	}
	va_start(ap, fmt);
	n = vsnprintf(list->buf + list->used, list->len - list->used, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= list->len - list->used)
		list->cut = true;
	else
		list->used += (size_t)n;
}

static void list_sep(struct list *list, char sep)
{
	if (list->used > 0)
		list_put(list, "%c", sep == '\0' ? ',' : sep);
}

static int list_end(const struct list *list, const char *what, struct tessera_error *err)
{
	if (!list->cut)
		return 0;
	if (list->len > 0)
		list->buf[0] = '\0';
	return tessera_error_set(err, TESSERA_ERR_INPUT,
				 "the text of %s is too long; ask for fewer kinds of things", what);
}

static void put_bytes(struct list *list, const char *text, size_t len)
{
	list_put(list, "%.*s", (int)len, text);
}

/* An item, with COUNT in the place of its own. */
static void put_count(struct list *list, const struct gres_item *item, unsigned count)
{
	unsigned own;

	if (gres_item_count(item, "--gres", &own, NULL) < 0 || own == count) {
		put_bytes(list, item->text, item->len);
	} else if (item->count == NULL) {
		put_bytes(list, item->text, item->len);
		list_put(list, ":%u", count);
	} else {
		put_bytes(list, item->text, item->len - item->count_len);
		list_put(list, "%u", count);
	}
}

/* What the GRES text has of ours before we touch it. */
struct found {
	struct gres_sum rdu;
	struct gres_sum tile;
	struct gres_sum ipu;
	unsigned rdu_items;
	struct gres_item first; /* of any name, for its prefix */
};

static int look(const char *text, const char *ipu, struct found *found, struct tessera_error *err)
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

/* What was asked for by options alone. */
static void put_derived(struct list *list, const struct found *found, const struct tessera_request *req)
{
	int len = (int)found->first.prefix_len;
	const char *prefix = len > 0 ? found->first.text : "";

	if (req->tiles == 0 || found->rdu.count > 0 || found->tile.count > 0)
		return;
	list_sep(list, ',');
	if (req->rdus > 0)
		list_put(list, "%.*srdu:%u,", len, prefix, req->rdus);
	list_put(list, "%.*srdu_tile:%u", len, prefix, req->tiles);
}

static int write_gres(const struct tessera_conf *conf, const struct tessera_options *opt,
		      const struct tessera_request *req, struct list *out, struct tessera_error *err)
{
	bool ipu_gres = tessera_conf_ipu_model(conf) == TESSERA_IPU_GRES;
	const char *ipu = tessera_conf_ipu_name(conf);
	struct gres_walk walk;
	struct gres_item item;
	struct found found;
	unsigned rdu_items = 0;

	if (req->tiles == 0 && req->ipus == 0) {
		list_put(out, "%s", gres_given(opt->gres) != NULL ? opt->gres : "");
		return list_end(out, "--gres", err);
	}
	if (look(opt->gres, ipu, &found, err) < 0)
		return -1;
	gres_walk_start(&walk, opt->gres, GRES_LIST_GRES);
	while (gres_walk_next(&walk, &item)) {
		bool rdu = gres_item_is(&item, GRES_RDU);

		if (req->ipus > 0 && !ipu_gres && gres_item_is(&item, ipu))
			continue;
		list_sep(out, ',');
		/* A GRES stands once in a request: two of a name were refused. */
		if (rdu && found.rdu.count > 0 && req->rdus > 0)
			put_count(out, &item, req->rdus);
		else
			put_bytes(out, item.text, item.len);
		rdu_items += rdu;
		if (rdu && rdu_items == found.rdu_items && found.rdu.count > 0 && !found.tile.given)
			list_put(out, ",%.*srdu_tile:%u", (int)item.prefix_len, item.text, req->tiles);
	}
	put_derived(out, &found, req);
	if (req->ipus > 0 && ipu_gres && !found.ipu.given && !opt->step) {
		list_sep(out, ',');
		list_put(out, "%.*s%s:%u", (int)found.first.prefix_len,
			 found.first.prefix_len > 0 ? found.first.text : "", ipu, req->ipus / request_nodes(opt));
	}
	return list_end(out, "--gres", err);
}

/* COUNT of NAME, unless TEXT has them already. A step has its job's licences. */
static int put_license(struct list *list, const struct tessera_options *opt, const char *name, unsigned count,
		       struct tessera_error *err)
{
	struct gres_sum have;

	if (count == 0 || opt->step)
		return 0;
	if (gres_sum(opt->licenses, GRES_LIST_LICENSES, name, "--licenses", &have, err) < 0)
		return -1;
	if (!have.given) {
		list_sep(list, ',');
		list_put(list, "%s:%u", name, count);
	}
	return 0;
}

static int write_licenses(const struct tessera_conf *conf, const struct tessera_options *opt,
			  const struct tessera_request *req, struct list *out, struct tessera_error *err)
{
	const char *text = gres_given(opt->licenses);
	const struct tessera_pool *pool;

	if (text != NULL)
		list_put(out, "%s", text);
	if (tessera_conf_ipu_model(conf) == TESSERA_IPU_LICENSE &&
	    put_license(out, opt, tessera_conf_ipu_name(conf), req->ipus, err) < 0)
		return -1;
	for (size_t i = 0; i < TESSERA_POOLS_MAX && (pool = tessera_conf_pool_at(conf, i)) != NULL; i++)
		if (put_license(out, opt, pool->license, req->pools[i], err) < 0)
			return -1;
	return list_end(out, "--licenses", err);
}

int tessera_request_scheduler(const struct tessera_conf *conf, const struct tessera_options *opt,
			      const struct tessera_request *req, char *gres, size_t gres_len, char *licenses,
			      size_t licenses_len, struct tessera_error *err)
{
	struct list gres_out, license_out;

	list_start(&gres_out, gres, gres_len);
	list_start(&license_out, licenses, licenses_len);
	if (write_gres(conf, opt, req, &gres_out, err) < 0)
		return -1;
	return write_licenses(conf, opt, req, &license_out, err);
}
