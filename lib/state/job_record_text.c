/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/state/job_record_internal.h"
#include "lib/util/scan.h"
#include "lib/util/strbuf.h"
#include "lib/util/utf8.h"

#define TITLE "tessera-job 1\n"

static const char *const states[] = {
	[TESSERA_JOB_RECORD_MAKING] = "making",   [TESSERA_JOB_RECORD_READY] = "ready",
	[TESSERA_JOB_RECORD_FAILED] = "failed",   [TESSERA_JOB_RECORD_REFUSED] = "refused",
	[TESSERA_JOB_RECORD_LEAVING] = "leaving",
};

const char *tessera_job_record_state_name(enum tessera_job_record_state state)
{
	return state >= TESSERA_JOB_RECORD_MAKING && state <= TESSERA_JOB_RECORD_LEAVING
		       ? states[state]
		       : "?";
}

static const char *text_or_dash(const char *text)
{
	return text[0] != '\0' ? text : "-";
}

/* Append KEY and TEXT. Bytes of TEXT that may not be shown become ?. */
static void put_text(struct strbuf *s, const char *key, const char *text)
{
	char clean[sizeof(((struct tessera_job_record *)0)->text)];

	snprintf(clean, sizeof(clean), "%s", text_or_dash(text));
	utf8_clean(clean);
	strbuf_put(s, "%s %s", key, clean);
}

size_t job_record_format(const struct tessera_job_record *record, char *buf, size_t len)
{
	struct strbuf s = strbuf_start(buf, len);

	strbuf_put(&s, TITLE "job %" PRIu32 " uid %" PRIu32 " restarts %" PRIu32 "\n", record->job,
		   record->uid, record->restarts);
	strbuf_put(&s, "state %s\n", tessera_job_record_state_name(record->state));
	strbuf_put(&s, "ipus %u gcds %u owner %u limit %u\n", record->ipus, record->gcds,
		   record->owner ? 1 : 0, record->limit);
	put_text(&s, "partition", record->partition);
	put_text(&s, "\ncontroller", record->host);
	strbuf_put(&s, " port %u timeout %u\n", record->port, record->timeout);
	for (size_t i = 0; i < record->pool_count; i++) {
		put_text(&s, "pool", record->pools[i].name);
		strbuf_put(&s, " %u\n", record->pools[i].count);
	}
	put_text(&s, "text", record->text);
	strbuf_put(&s, "\nend\n");
	return strbuf_is_cut(&s) ? len - 1 : s.used;
}

static uint32_t scan_u32(struct scan *r, const char *before)
{
	return (uint32_t)scan_number(r, before, UINT32_MAX);
}

static enum tessera_job_record_state scan_state(struct scan *r)
{
	char word[16];

	scan_text(r, "state ", "\n", word, sizeof(word));
	for (enum tessera_job_record_state s = TESSERA_JOB_RECORD_MAKING;
	     s <= TESSERA_JOB_RECORD_LEAVING; s++)
		if (strcmp(word, states[s]) == 0)
			return s;
	r->failed = true;
	return TESSERA_JOB_RECORD_MAKING;
}

static void scan_pools(struct scan *r, struct tessera_job_record *record)
{
	while (scan_follows(r, "pool ")) {
		if (record->pool_count == TESSERA_POOLS_MAX) {
			r->failed = true;
			return;
		}
		scan_word(r, "pool ", " \n", record->pools[record->pool_count].name,
			  sizeof(record->pools[0].name));
		record->pools[record->pool_count].count = scan_u32(r, " ");
		scan_expect(r, "\n");
		record->pool_count++;
	}
}

int job_record_parse(const char *text, size_t len, struct tessera_job_record *record)
{
	struct scan r = {.at = text};
	char again[JOB_RECORD_TEXT_MAX];
	uint32_t owner;

	*record = (struct tessera_job_record){0};
	scan_expect(&r, TITLE);
	record->job = scan_u32(&r, "job ");
	record->uid = scan_u32(&r, " uid ");
	record->restarts = scan_u32(&r, " restarts ");
	scan_expect(&r, "\n");
	record->state = scan_state(&r);
	record->ipus = scan_u32(&r, "\nipus ");
	record->gcds = scan_u32(&r, " gcds ");
	owner = scan_u32(&r, " owner ");
	record->limit = scan_u32(&r, " limit ");
	scan_text(&r, "\npartition ", " \n", record->partition, sizeof(record->partition));
	scan_text(&r, "\ncontroller ", " \n", record->host, sizeof(record->host));
	record->port = scan_u32(&r, " port ");
	record->timeout = scan_u32(&r, " timeout ");
	scan_expect(&r, "\n");
	scan_pools(&r, record);
	scan_text(&r, "text ", "\n", record->text, sizeof(record->text));
	scan_expect(&r, "\nend\n");
	record->owner = owner == 1;
	/* A ready job with IPUs has a partition, and a partition has a controller. */
	if (r.failed || record->job == 0 ||
	    (record->ipus > 0 && record->state == TESSERA_JOB_RECORD_READY &&
	     (record->partition[0] == '\0' || record->host[0] == '\0')))
		return -1;
	/* Formatting it again must give the same text: so the parser skipped nothing. */
	return job_record_format(record, again, sizeof(again)) == len &&
			       memcmp(again, text, len) == 0
		       ? 0
		       : -1;
}
