/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "lib/deadline.h"
#include "plugin/slurm_compat.h"
#include "plugin/stale.h"

#define REVIEW_MS \
	1000 /* that a look takes at most, and a prolog that waits for tiles does nothing else before it looks again */

uint32_t stale_ended(const struct tessera_ledger *ledger, const struct tessera_row *row, uint64_t *again)
{
	const struct tessera_row *now = tessera_ledger_job(ledger, row->job);

	*again = now != NULL ? now->since : 0;
	return now == NULL ? row->job : 0;
}

/* Under the lock. TEXT: why the tiles are kept back; NULL: they are not. False if the row is no longer there. */
static bool change(struct tessera_ledger *ledger, const struct tessera_row *row, const char *text)
{
	const struct tessera_row *now = tessera_ledger_job(ledger, row->job);

	if (row->state == TESSERA_ROW_STALE)
		return text != NULL ? tessera_ledger_reword(ledger, row->job, &row->tiles, text)
				    : tessera_ledger_give_back(ledger, row->job, &row->tiles);
	if (now == NULL || now->uid != row->uid || now->restarts != row->restarts ||
	    !tessera_tileset_equal(&now->tiles, &row->tiles))
		return false;
	return text != NULL ? tessera_ledger_keep_back(ledger, row->job, text, NULL) == 0
			    : tessera_ledger_drop(ledger, row->job);
}

int64_t stale_share(int64_t end, size_t count)
{
	return deadline_now() + deadline_left(end) / (int64_t)(count > 0 ? count : 1);
}

int stale_settle(const struct node *node, struct stale_crowd *crowd, struct tessera_row *row, uint32_t ended,
		 int64_t end, struct tessera_error *err)
{
	struct tessera_ledger *ledger = NULL;
	char text[sizeof(row->text)];
	enum stale_hold hold = stale_held(node, crowd, row, ended, end, text, sizeof(text));
	int rc, kept = hold == STALE_IN_DOUBT ? STALE_KEPT_IN_DOUBT : STALE_KEPT_BACK;
	bool held = hold != STALE_FREE, there;

	/* Nothing new: no lock is needed to leave it so. */
	if (held && row->state == TESSERA_ROW_STALE && strcmp(text, row->text) == 0)
		return kept;
	if (tessera_ledger_open(node->dir, node->platform, NODE_LOCK_WAIT_MS, &ledger, err) < 0)
		return -1;
	there = change(ledger, row, held ? text : NULL);
	rc = there ? tessera_ledger_commit(ledger, err) : 0;
	tessera_ledger_close(ledger);
	if (rc < 0)
		return -1;
	if (!held || !there)
		return there ? STALE_GIVEN_BACK : STALE_GONE;
	row->state = TESSERA_ROW_STALE;
	memcpy(row->text, text, sizeof(text));
	return kept;
}

int stale_find_job(const struct node *node, uint32_t job, struct tessera_row *row, struct tessera_error *err)
{
	struct tessera_ledger *ledger = NULL;
	const struct tessera_row *found;

	if (tessera_ledger_read(node->dir, node->platform, &ledger, err) < 0)
		return -1;
	found = tessera_ledger_job(ledger, job);
	if (found != NULL)
		*row = *found;
	tessera_ledger_close(ledger);
	return found != NULL ? 0 : 1;
}

/* Without the lock: to look at all processes takes longer than others shall wait. */
int stale_settle_job(const struct node *node, struct stale_crowd *crowd, struct tessera_row *row, int64_t end,
		     struct tessera_error *err)
{
	int rc = stale_settle(node, crowd, row, row->job, end, err);

	if (stale_is_kept(rc))
		stale_log_kept_back(node, row);
	return rc;
}

void stale_log_kept_back(const struct node *node, const struct tessera_row *row)
{
	char tiles[256];

	tessera_tileset_format(node->platform, &row->tiles, TESSERA_FORM_RDUS, tiles, sizeof(tiles));
	slurm_info("%sjob %u has ended: %s kept back: %s", node->voice, row->job, tiles, row->text);
}

void stale_log_given_back(const struct node *node, const struct tessera_row *row)
{
	char tiles[256];

	tessera_tileset_format(node->platform, &row->tiles, TESSERA_FORM_RDUS, tiles, sizeof(tiles));
	slurm_info("%sjob %u: no process holds the device any more: %s given back", node->voice, row->job, tiles);
}

void stale_review(const struct node *node)
{
	static int64_t next;
	static struct stale_crowd crowd; /* a prolog that waits looks often, and need not ask the same each time */
	struct tessera_ledger *ledger = NULL;
	struct tessera_error err = {0};
	const struct tessera_row *row;
	int64_t end = deadline_now() + REVIEW_MS;
	size_t left = 0;

	if (deadline_left(next) > 0)
		return;
	next = end;
	/* What is wrong with the ledger is told by who needs it. */
	if (tessera_ledger_read(node->dir, node->platform, &ledger, NULL) < 0)
		return;
	for (size_t n = 0; (row = tessera_ledger_row(ledger, n)) != NULL; n++)
		left += row->state == TESSERA_ROW_STALE;
	for (size_t n = 0; (row = tessera_ledger_row(ledger, n)) != NULL; n++) {
		struct tessera_row copy = *row;
		uint32_t ended = stale_ended(ledger, row, &crowd.again);
		int rc;

		if (row->state != TESSERA_ROW_STALE)
			continue;
		rc = stale_settle(node, &crowd, &copy, ended, stale_share(end, left--), &err);
		if (rc == STALE_GIVEN_BACK)
			stale_log_given_back(node, row);
		else if (rc < 0)
			slurm_error("%sjob %u: its tiles could not be given back: %s", node->voice, row->job,
				    err.text);
	}
	stale_crowd_renew(&crowd);
	tessera_ledger_close(ledger);
	next = deadline_now() + REVIEW_MS;
}
