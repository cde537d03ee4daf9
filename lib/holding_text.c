/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/holding_parts.h"
#include "lib/reader.h"
#include "lib/text.h"

static const char *const states[] = {
	[TESSERA_HOLDING_MAKING] = "making",   [TESSERA_HOLDING_READY] = "ready",
	[TESSERA_HOLDING_FAILED] = "failed",   [TESSERA_HOLDING_REFUSED] = "refused",
	[TESSERA_HOLDING_LEAVING] = "leaving",
};

const char *tessera_holding_state_name(enum tessera_holding_state state)
{
	return state >= TESSERA_HOLDING_MAKING && state <= TESSERA_HOLDING_LEAVING ? states[state] : "?";
}

/* A text being written: no control characters, and "-" for nothing. */
struct page {
	char *buf;
	size_t len;
	size_t used;
};

__attribute__((format(printf, 2, 3))) static void put(struct page *page, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (page->used >= page->len)
		return;
	va_start(ap, fmt);
	n = vsnprintf(page->buf + page->used, page->len - page->used, fmt, ap);
	va_end(ap);
	text_clean(page->buf + page->used);
	page->used += n > 0 ? (size_t)n : 0;
}

static void end_line(struct page *page)
{
	if (page->used + 1 < page->len) {
		page->buf[page->used++] = '\n';
		page->buf[page->used] = '\0';
	}
}

static const char *or_none(const char *text)
{
	return text[0] != '\0' ? text : "-";
}

size_t holding_format(const struct tessera_holding *h, char *buf, size_t len)
{
	struct page page = {.buf = buf, .len = len};

	put(&page, "tessera-holding 1");
	end_line(&page);
	put(&page, "job %" PRIu32 " uid %" PRIu32 " restarts %" PRIu32, h->job, h->uid, h->restarts);
	end_line(&page);
	put(&page, "state %s", tessera_holding_state_name(h->state));
	end_line(&page);
	put(&page, "ipus %u gcds %u owner %u limit %u", h->ipus, h->gcds, h->owner ? 1 : 0, h->limit);
	end_line(&page);
	put(&page, "partition %s", or_none(h->partition));
	end_line(&page);
	put(&page, "controller %s port %u timeout %u", or_none(h->host), h->port, h->timeout);
	end_line(&page);
	for (size_t i = 0; i < h->pool_count; i++) {
		put(&page, "pool %s %u", h->pools[i].name, h->pools[i].count);
		end_line(&page);
	}
	put(&page, "text %s", or_none(h->text));
	end_line(&page);
	put(&page, "end");
	end_line(&page);
	return page.used < len ? page.used : len - 1;
}

static uint32_t number(struct reader *r, const char *before)
{
	return (uint32_t)reader_number(r, before, UINT32_MAX);
}

static enum tessera_holding_state state(struct reader *r)
{
	char word[16];

	reader_text(r, "state ", "\n", word, sizeof(word));
	for (enum tessera_holding_state s = TESSERA_HOLDING_MAKING; s <= TESSERA_HOLDING_LEAVING; s++)
		if (strcmp(word, states[s]) == 0)
			return s;
	r->failed = true;
	return TESSERA_HOLDING_MAKING;
}

static void pools(struct reader *r, struct tessera_holding *h)
{
	while (reader_follows(r, "pool ")) {
		if (h->pool_count == TESSERA_POOLS_MAX) {
			r->failed = true;
			return;
		}
		reader_text(r, "pool ", " \n", h->pools[h->pool_count].name, sizeof(h->pools[0].name));
		h->pools[h->pool_count].count = number(r, " ");
		reader_expect(r, "\n");
		h->pool_count++;
	}
}

int holding_parse(const char *all, size_t len, struct tessera_holding *h)
{
	struct reader r = {.at = all};
	char again[HOLDING_TEXT_MAX];
	uint32_t owner;

	*h = (struct tessera_holding){0};
	reader_expect(&r, "tessera-holding 1\n");
	h->job = number(&r, "job ");
	h->uid = number(&r, " uid ");
	h->restarts = number(&r, " restarts ");
	reader_expect(&r, "\n");
	h->state = state(&r);
	h->ipus = number(&r, "\nipus ");
	h->gcds = number(&r, " gcds ");
	owner = number(&r, " owner ");
	h->limit = number(&r, " limit ");
	reader_text(&r, "\npartition ", " \n", h->partition, sizeof(h->partition));
	reader_text(&r, "\ncontroller ", " \n", h->host, sizeof(h->host));
	h->port = number(&r, " port ");
	h->timeout = number(&r, " timeout ");
	reader_expect(&r, "\n");
	pools(&r, h);
	reader_text(&r, "text ", "\n", h->text, sizeof(h->text));
	reader_expect(&r, "\nend\n");
	h->owner = owner == 1;
	/* IPUs are in a partition, and a partition has a controller. */
	if (r.failed || h->job == 0 ||
	    (h->ipus > 0 && h->state == TESSERA_HOLDING_READY && (h->partition[0] == '\0' || h->host[0] == '\0')))
		return -1;
	/* What is written again as it was has nothing in it that was passed over. */
	return holding_format(h, again, sizeof(again)) == len && memcmp(again, all, len) == 0 ? 0 : -1;
}
