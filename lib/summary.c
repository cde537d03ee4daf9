/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/reader.h"
#include "lib/summary.h"

#define MARK        "{\"tessera\":"
#define HEAD        MARK "1,\"nodes\":{"
#define NODE_CHARS  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
#define NODE_MAX    255
#define COMMENT_MAX ((size_t)65535) /* what slurmdbd's column holds */

/* What one node saw, as it stands in the text. */
struct member {
	const char *start; /* of "NODE":{...} */
	const char *end;   /* behind it */
	const char *node;
	size_t node_len;
	uint64_t tile, ipu, outside, seen;
};

/* Seconds, or null. */
static uint64_t value(struct reader *r, const char *before)
{
	reader_expect(r, before);
	if (!reader_follows(r, "null"))
		return reader_number(r, "", TESSERA_SECONDS_MAX);
	reader_expect(r, "null");
	return TESSERA_UNKNOWN;
}

static void read_member(struct reader *r, struct member *m)
{
	m->start = r->at;
	reader_expect(r, "\"");
	if (r->failed)
		return;
	m->node = r->at;
	m->node_len = strspn(r->at, NODE_CHARS);
	if (m->node_len == 0 || m->node_len > NODE_MAX) {
		r->failed = true;
		return;
	}
	r->at += m->node_len;
	m->tile = value(r, "\":{\"tile\":");
	m->ipu = value(r, ",\"ipu\":");
	m->outside = value(r, ",\"outside\":");
	m->seen = value(r, ",\"seen\":");
	reader_expect(r, "}");
	m->end = r->at;
}

static void add(uint64_t *sum, uint64_t value)
{
	*sum = *sum == TESSERA_UNKNOWN || value == TESSERA_UNKNOWN ? TESSERA_UNKNOWN : *sum + value;
}

/*
 * Our object at AT, which starts with MARK. SUMMARY gets its sums, FOUND the member of NODE, its start NULL if it has
 * none; NODE may be NULL. Returns the end of the object, NULL if it is not as we write it.
 */
static const char *read_object(const char *at, struct tessera_summary *summary, const char *node,
			       struct member *found)
{
	struct reader r = {.at = at};
	struct member m;

	*summary = (struct tessera_summary){0};
	found->start = NULL;
	reader_expect(&r, HEAD);
	while (!r.failed) {
		read_member(&r, &m);
		if (r.failed)
			break;
		summary->nodes++;
		add(&summary->tile_seconds, m.tile);
		add(&summary->ipu_seconds, m.ipu);
		add(&summary->outside_seconds, m.outside);
		add(&summary->seen_seconds, m.seen);
		if (node != NULL && strlen(node) == m.node_len && memcmp(node, m.node, m.node_len) == 0)
			*found = m;
		if (!reader_follows(&r, ","))
			break;
		r.at++;
	}
	reader_expect(&r, "}}");
	return r.failed ? NULL : r.at;
}

/*
 * The first whole object of ours in COMMENT. Returns its start, and its end in *END; NULL if there is none, with
 * *DAMAGED the first that is not whole, or NULL.
 */
static const char *find_object(const char *comment, const char *node, struct tessera_summary *summary,
			       struct member *found, const char **end, const char **damaged)
{
	*damaged = NULL;
	for (const char *at = strstr(comment, MARK); at != NULL; at = strstr(at + 1, MARK)) {
		*end = read_object(at, summary, node, found);
		if (*end != NULL)
			return at;
		*damaged = *damaged != NULL ? *damaged : at;
	}
	return NULL;
}

int tessera_summary_read(const char *comment, struct tessera_summary *summary, struct tessera_error *err)
{
	const char *end, *damaged;
	struct member found;

	if (comment != NULL && find_object(comment, NULL, summary, &found, &end, &damaged) != NULL)
		return 0;
	*summary = (struct tessera_summary){.tile_seconds = TESSERA_UNKNOWN,
					    .ipu_seconds = TESSERA_UNKNOWN,
					    .outside_seconds = TESSERA_UNKNOWN,
					    .seen_seconds = TESSERA_UNKNOWN};
	if (comment == NULL || damaged == NULL)
		return 1;
	return tessera_error_set(
		err, TESSERA_ERR_INPUT,
		"what is written in AdminComment of the job's use is damaged, or of a version that is "
		"not known: %.60s",
		damaged);
}

static void format_value(bool known, uint64_t value, char *buf, size_t len)
{
	snprintf(buf, len, known ? "%" PRIu64 : "null", value);
}

/* "NODE":{...}. Returns its length. */
static size_t format_member(const char *node, const struct tessera_used *used, char *buf, size_t len)
{
	char tile[24], ipu[24], outside[24];

	/* One look, with no time behind it, has seen nothing of use; who looked at no tiles saw nobody on them. */
	format_value(used->has_tiles && used->seen > 0, used->tile_seconds, tile, sizeof(tile));
	format_value(used->has_ipus && used->seen > 0, used->ipu_seconds, ipu, sizeof(ipu));
	format_value(used->has_tiles && used->seen > 0, used->outside_seconds, outside, sizeof(outside));
	return (size_t)snprintf(buf, len, "\"%s\":{\"tile\":%s,\"ipu\":%s,\"outside\":%s,\"seen\":%" PRIu64 "}",
				node, tile, ipu, outside, used->seen);
}

static int check(const char *node, const struct tessera_used *used, struct tessera_error *err)
{
	size_t len = strlen(node);

	if (len == 0 || len > NODE_MAX || node[strspn(node, NODE_CHARS)] != '\0')
		return tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"\"%.80s\" is no name of a node: it must have 1 to %d letters, digits or -_.", node,
			NODE_MAX);
	if ((used->has_tiles &&
	     (used->tile_seconds > TESSERA_SECONDS_MAX || used->outside_seconds > TESSERA_SECONDS_MAX)) ||
	    (used->has_ipus && used->ipu_seconds > TESSERA_SECONDS_MAX) || used->seen > TESSERA_SECONDS_MAX)
		return tessera_error_set(err, TESSERA_ERR_INPUT, "more than %" PRIu64 " seconds cannot be right",
					 TESSERA_SECONDS_MAX);
	return 0;
}

/* HEAD_LEN bytes of COMMENT, BEFORE, MEMBER, AFTER, and what COMMENT has from REST on. */
static char *compose(const char *comment, size_t head_len, const char *before, const char *member,
		     const char *after, const char *rest, struct tessera_error *err)
{
	size_t len = head_len + strlen(before) + strlen(member) + strlen(after) + strlen(rest);
	char *text = NULL;

	if (len > COMMENT_MAX) {
		tessera_error_set(err, TESSERA_ERR_INPUT,
				  "AdminComment would have %zu characters, but slurmdbd keeps at most %zu", len,
				  COMMENT_MAX);
		return NULL;
	}
	text = malloc(len + 1);
	if (text == NULL) {
		tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory for a comment of %zu characters", len);
		return NULL;
	}
	snprintf(text, len + 1, "%.*s%s%s%s%s", (int)head_len, comment, before, member, after, rest);
	return text;
}

char *tessera_summary_merge(const char *comment, const char *node, const struct tessera_used *used,
			    struct tessera_error *err)
{
	const char *start, *end = NULL, *damaged = NULL, *old = comment != NULL ? comment : "";
	struct tessera_summary summary;
	struct member found = {0};
	char member[NODE_MAX + 256];

	if (check(node, used, err) < 0)
		return NULL;
	format_member(node, used, member, sizeof(member));
	start = find_object(old, node, &summary, &found, &end, &damaged);
	if (start == NULL)
		return compose(old, strlen(old), old[0] != '\0' ? " " HEAD : HEAD, member, "}}", "", err);
	if (found.start != NULL)
		return compose(old, (size_t)(found.start - old), "", member, "", found.end, err);
	/* Behind the other nodes', before the two braces. */
	return compose(old, (size_t)(end - old) - 2, ",", member, "", end - 2, err);
}
