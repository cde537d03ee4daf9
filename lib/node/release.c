/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "lib/node/release.h"
#include "lib/slurm/compat.h"
#include "lib/util/deadline.h"

#define REVIEW_MS 1000 /* a prolog that waits for tiles has nothing else to do meanwhile */

uint32_t release_ended_job(const struct tessera_ledger *ledger, const struct tessera_row *row,
			   uint64_t *again)
{
	const struct tessera_row *now = tessera_ledger_job(ledger, row->job);

	*again = now != NULL ? now->since : 0;
	return now == NULL ? row->job : 0;
}

/* Is the job's ordinary row still ROW, and not one of a later run? */
static bool is_current(const struct tessera_ledger *ledger, const struct tessera_row *row)
{
	const struct tessera_row *now = tessera_ledger_job(ledger, row->job);

	return now != NULL && now->uid == row->uid && now->restarts == row->restarts &&
	       tessera_tileset_equal(&now->tiles, &row->tiles);
}

/* Under the lock. Returns false if the ledger no longer has ROW. */
static bool apply_action(struct tessera_ledger *ledger, const struct tessera_row *row,
			 enum release_action action, const char *text)
{
	switch (action) {
	case RELEASE_ACTION_LEAVE:
		break;
	case RELEASE_ACTION_DROP:
		return is_current(ledger, row) && tessera_ledger_drop(ledger, row->job);
	case RELEASE_ACTION_RELEASE:
		return tessera_ledger_release(ledger, row->job, &row->tiles);
	case RELEASE_ACTION_WITHHOLD:
		return is_current(ledger, row) &&
		       tessera_ledger_withhold(ledger, row->job, text, NULL) == 0;
	case RELEASE_ACTION_REWORD:
		return tessera_ledger_reword(ledger, row->job, &row->tiles, text);
	}
	return true;
}

int64_t release_share(int64_t end, size_t count)
{
	return deadline_now() + deadline_left(end) / (int64_t)(count > 0 ? count : 1);
}

int release_or_withhold(const struct node *node, struct leftovers *leftovers,
			struct tessera_row *row, uint32_t ended, int64_t end,
			struct tessera_error *err)
{
	struct tessera_ledger *ledger = NULL;
	char text[sizeof(row->text)] = "";
	enum device_use use = device_in_use(node, leftovers, row, ended, end, text, sizeof(text));
	struct release_decision decision =
		release_rule_row(row->state, use, strcmp(text, row->text) == 0);
	bool found;
	int rc;

	if (decision.action == RELEASE_ACTION_LEAVE)
		return decision.result;
	if (tessera_ledger_open(node->dir, node->platform, NODE_LOCK_WAIT_MS, &ledger, err) < 0)
		return -1;
	found = apply_action(ledger, row, decision.action, text);
	rc = found ? tessera_ledger_commit(ledger, err) : 0;
	tessera_ledger_close(ledger);
	if (rc < 0)
		return -1;
	if (!found)
		return RELEASE_GONE;
	if (release_is_withheld(decision.result)) {
		row->state = TESSERA_ROW_WITHHELD;
		memcpy(row->text, text, sizeof(text));
	}
	return decision.result;
}

int release_find_row(const struct node *node, uint32_t job, struct tessera_row *row,
		     struct tessera_error *err)
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

int release_or_withhold_job(const struct node *node, struct leftovers *leftovers,
			    struct tessera_row *row, int64_t end, struct tessera_error *err)
{
	int rc = release_or_withhold(node, leftovers, row, row->job, end, err);

	if (release_is_withheld(rc))
		release_log_withheld(node, row);
	return rc;
}

void release_log_withheld(const struct node *node, const struct tessera_row *row)
{
	char tiles[256];

	tessera_tileset_format(node->platform, &row->tiles, TESSERA_FORM_RDUS, tiles,
			       sizeof(tiles));
	node_log(node, NODE_INFO, "job %u ended; withholding %s: %s", row->job, tiles, row->text);
}

void release_log_released(const struct node *node, const struct tessera_row *row)
{
	char tiles[256];

	tessera_tileset_format(node->platform, &row->tiles, TESSERA_FORM_RDUS, tiles,
			       sizeof(tiles));
	node_log(node, NODE_INFO, "job %u: no process uses the device any more; released %s",
		 row->job, tiles);
}

static void review_row(const struct node *node, struct leftovers *leftovers,
		       const struct tessera_row *row, uint32_t ended, int64_t end)
{
	struct tessera_row copy = *row;
	struct tessera_error err = {0};
	int rc = release_or_withhold(node, leftovers, &copy, ended, end, &err);

	if (rc == RELEASE_DONE)
		release_log_released(node, row);
	else if (rc < 0)
		node_log(node, NODE_ERROR, "job %u: cannot release its tiles: %s", row->job,
			 err.text);
}

void release_review(const struct node *node)
{
	static int64_t next;
	/* kept for the next call: slurmd need not be queried again about the same processes */
	static struct leftovers leftovers;
	struct tessera_ledger *ledger = NULL;
	const struct tessera_row *row;
	int64_t end = deadline_now() + REVIEW_MS;
	size_t withheld = 0;

	if (deadline_left(next) > 0)
		return;
	next = end;
	/* The caller opens the ledger itself, and reports what is wrong with it. */
	if (tessera_ledger_read(node->dir, node->platform, &ledger, NULL) < 0)
		return;
	for (size_t n = 0; (row = tessera_ledger_row(ledger, n)) != NULL; n++)
		withheld += row->state == TESSERA_ROW_WITHHELD;
	for (size_t n = 0; (row = tessera_ledger_row(ledger, n)) != NULL; n++) {
		uint32_t ended = release_ended_job(ledger, row, &leftovers.again);

		if (row->state == TESSERA_ROW_WITHHELD)
			review_row(node, &leftovers, row, ended, release_share(end, withheld--));
	}
	leftovers_renew(&leftovers);
	tessera_ledger_close(ledger);
	next = deadline_now() + REVIEW_MS;
}
