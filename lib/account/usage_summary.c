/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/account/usage_summary.h"
#include "lib/util/scan.h"

#define MARK        "{\"tessera\":"
#define HEAD        MARK "1,\"nodes\":{"
#define NODE_CHARS  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
#define NODE_MAX    255
#define COMMENT_MAX ((size_t)65535) /* the size of slurmdbd's column */

/* The member of one node, in the text. */
struct member {
	const char *start; /* of "NODE":{...} */
	const char *end;   /* after it */
	const char *node;
	size_t node_len;
	uint64_t tile, ipu, outside, seen;
};

/* Parse seconds, or null, after the text BEFORE. */
static uint64_t read_value(struct scan *r, const char *before)
{
	scan_expect(r, before);
	if (!scan_follows(r, "null"))
		return scan_number(r, "", TESSERA_SECONDS_MAX);
	scan_expect(r, "null");
	return TESSERA_UNKNOWN;
}

static void read_member(struct scan *r, struct member *m)
{
	m->start = r->at;
	scan_expect(r, "\"");
	if (r->failed)
		return;
	m->node = r->at;
	m->node_len = strspn(r->at, NODE_CHARS);
	if (m->node_len == 0 || m->node_len > NODE_MAX) {
		r->failed = true;
		return;
	}
	r->at += m->node_len;
	m->tile = read_value(r, "\":{\"tile\":");
	m->ipu = read_value(r, ",\"ipu\":");
	m->outside = read_value(r, ",\"outside\":");
	m->seen = read_value(r, ",\"seen\":");
	scan_expect(r, "}");
	m->end = r->at;
}

static void add_seconds(uint64_t *sum, uint64_t value)
{
	*sum = *sum == TESSERA_UNKNOWN || value == TESSERA_UNKNOWN ? TESSERA_UNKNOWN : *sum + value;
}

/*
 * Parse our object at AT, which starts with MARK. SUMMARY is set to its sums, FOUND to the member
 * of NODE, which may be NULL; its start is NULL if there is none. Returns the end of the object, or
 * NULL if it is damaged.
 */
static const char *read_object(const char *at, struct tessera_usage_summary *summary,
			       const char *node, struct member *found)
{
	struct scan r = {.at = at};
	struct member m;

	*summary = (struct tessera_usage_summary){0};
	found->start = NULL;
	scan_expect(&r, HEAD);
	while (!r.failed) {
		read_member(&r, &m);
		if (r.failed)
			break;
		summary->nodes++;
		add_seconds(&summary->tile_seconds, m.tile);
		add_seconds(&summary->ipu_seconds, m.ipu);
		add_seconds(&summary->outside_seconds, m.outside);
		add_seconds(&summary->seen_seconds, m.seen);
		if (node != NULL && strlen(node) == m.node_len &&
		    memcmp(node, m.node, m.node_len) == 0)
			*found = m;
		if (!scan_follows(&r, ","))
			break;
		r.at++;
	}
	scan_expect(&r, "}}");
	return r.failed ? NULL : r.at;
}

/*
 * Find our first valid object in COMMENT. Returns its start, and its end in *END; or NULL with
 * *DAMAGED set to the first damaged one, or NULL.
 */
static const char *find_object(const char *comment, const char *node,
			       struct tessera_usage_summary *summary, struct member *found,
			       const char **end, const char **damaged)
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

int tessera_usage_summary_read(const char *comment, struct tessera_usage_summary *summary,
			       struct tessera_error *err)
{
	const char *end, *damaged;
	struct member found;

	if (comment != NULL && find_object(comment, NULL, summary, &found, &end, &damaged) != NULL)
		return 0;
	*summary = (struct tessera_usage_summary){.tile_seconds = TESSERA_UNKNOWN,
						  .ipu_seconds = TESSERA_UNKNOWN,
						  .outside_seconds = TESSERA_UNKNOWN,
						  .seen_seconds = TESSERA_UNKNOWN};
	if (comment == NULL || damaged == NULL)
		return 1;
	return tessera_error_set(err, TESSERA_ERR_INPUT,
				 "the job's use in AdminComment is damaged or of an unknown "
				 "version: %.60s",
				 damaged);
}

bool tessera_usage_summary_has(const char *comment, const char *node)
{
	struct tessera_usage_summary summary;
	const char *end, *damaged;
	struct member found;

	return comment != NULL &&
	       find_object(comment, node, &summary, &found, &end, &damaged) != NULL &&
	       found.start != NULL;
}

static void format_value(bool known, uint64_t value, char *buf, size_t len)
{
	snprintf(buf, len, known ? "%" PRIu64 : "null", value);
}

/* "NODE":{...}. Returns its length. */
static size_t format_member(const char *node, const struct tessera_sample_record *used, char *buf,
			    size_t len)
{
	char tile[24], ipu[24], outside[24];

	/*
	 * A single sample covers no time, so nothing is known of the use; and without samples of
	 * tiles, their use outside an allocation is unknown.
	 */
	format_value(used->has_tiles && used->seen > 0, used->tile_seconds, tile, sizeof(tile));
	format_value(used->has_ipus && used->seen > 0, used->ipu_seconds, ipu, sizeof(ipu));
	format_value(used->has_tiles && used->seen > 0, used->outside_seconds, outside,
		     sizeof(outside));
	return (size_t)snprintf(
		buf, len, "\"%s\":{\"tile\":%s,\"ipu\":%s,\"outside\":%s,\"seen\":%" PRIu64 "}",
		node, tile, ipu, outside, used->seen);
}

static int check_member(const char *node, const struct tessera_sample_record *used,
			struct tessera_error *err)
{
	size_t len = strlen(node);

	if (len == 0 || len > NODE_MAX || node[strspn(node, NODE_CHARS)] != '\0')
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "\"%.80s\" is not a valid node name: it must have 1 to %d "
					 "letters, digits or -_.",
					 node, NODE_MAX);
	if ((used->has_tiles && (used->tile_seconds > TESSERA_SECONDS_MAX ||
				 used->outside_seconds > TESSERA_SECONDS_MAX)) ||
	    (used->has_ipus && used->ipu_seconds > TESSERA_SECONDS_MAX) ||
	    used->seen > TESSERA_SECONDS_MAX)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "the number of seconds exceeds the maximum of %" PRIu64,
					 TESSERA_SECONDS_MAX);
	return 0;
}

/* Join HEAD_LEN bytes of COMMENT, BEFORE, MEMBER, AFTER and REST. Returns NULL with ERR. */
static char *compose_comment(const char *comment, size_t head_len, const char *before,
			     const char *member, const char *after, const char *rest,
			     struct tessera_error *err)
{
	size_t len = head_len + strlen(before) + strlen(member) + strlen(after) + strlen(rest);
	char *text = NULL;

	if (len > COMMENT_MAX) {
		tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"AdminComment would have %zu characters, but slurmdbd keeps at most %zu",
			len, COMMENT_MAX);
		return NULL;
	}
	text = malloc(len + 1);
	if (text == NULL) {
		tessera_error_nomem(err);
		return NULL;
	}
	snprintf(text, len + 1, "%.*s%s%s%s%s", (int)head_len, comment, before, member, after,
		 rest);
	return text;
}

char *tessera_usage_summary_merge(const char *comment, const char *node,
				  const struct tessera_sample_record *used,
				  struct tessera_error *err)
{
	const char *start, *end = NULL, *damaged = NULL, *old = comment != NULL ? comment : "";
	struct tessera_usage_summary summary;
	struct member found = {0};
	char member[NODE_MAX + 256];

	if (check_member(node, used, err) < 0)
		return NULL;
	format_member(node, used, member, sizeof(member));
	start = find_object(old, node, &summary, &found, &end, &damaged);
	if (start == NULL)
		return compose_comment(old, strlen(old), old[0] != '\0' ? " " HEAD : HEAD, member,
				       "}}", "", err);
	if (found.start != NULL)
		return compose_comment(old, (size_t)(found.start - old), "", member, "", found.end,
				       err);
	/* After the other members, before the two closing braces. */
	return compose_comment(old, (size_t)(end - old) - 2, ",", member, "", end - 2, err);
}
