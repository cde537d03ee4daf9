/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>

#include "lib/state/ledger_internal.h"

static void set_text(struct tessera_row *row, const char *text)
{
	snprintf(row->text, sizeof(row->text), "%s", text);
	ledger_tidy_text(row->text, sizeof(row->text));
}

int tessera_ledger_withhold(struct tessera_ledger *ledger, uint32_t job, const char *text,
			    struct tessera_error *err)
{
	const struct tessera_row *row = tessera_ledger_job(ledger, job);
	struct tessera_row withheld;

	if (row == NULL || row->state != TESSERA_ROW_HELD)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "job %u holds no tiles to withhold", job);
	withheld = *row;
	withheld.state = TESSERA_ROW_WITHHELD;
	set_text(&withheld, text);
	tessera_ledger_drop(ledger, job);
	/* Cannot fail: the row just dropped left room for this one. */
	return ledger_insert_row(ledger, &withheld, err);
}

/* The index of the row, or row_count. */
static size_t find_withheld(const struct tessera_ledger *ledger, uint32_t job,
			    const struct tessera_tileset *tiles)
{
	size_t n = 0;

	while (n < ledger->row_count &&
	       (ledger->rows[n].job != job || ledger->rows[n].state != TESSERA_ROW_WITHHELD ||
		!tessera_tileset_equal(&ledger->rows[n].tiles, tiles)))
		n++;
	return n;
}

bool tessera_ledger_reword(struct tessera_ledger *ledger, uint32_t job,
			   const struct tessera_tileset *tiles, const char *text)
{
	size_t n = find_withheld(ledger, job, tiles);

	if (n == ledger->row_count)
		return false;
	set_text(&ledger->rows[n], text);
	return true;
}

bool tessera_ledger_release(struct tessera_ledger *ledger, uint32_t job,
			    const struct tessera_tileset *tiles)
{
	size_t n = find_withheld(ledger, job, tiles);

	if (n == ledger->row_count)
		return false;
	ledger_remove_row(ledger, n);
	return true;
}
