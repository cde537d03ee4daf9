/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/state/ledger_internal.h"
#include "lib/util/proc.h"
#include "lib/util/utf8.h"

bool ledger_row_before(const struct tessera_row *a, const struct tessera_row *b)
{
	bool withheld = a->state == TESSERA_ROW_WITHHELD;

	if (a->job != b->job)
		return a->job < b->job;
	if (withheld != (b->state == TESSERA_ROW_WITHHELD))
		return !withheld;
	return withheld && tessera_tileset_next(&a->tiles, 0) < tessera_tileset_next(&b->tiles, 0);
}

/* The index of ROW, or of the row that it replaces; or the index at which to insert it. */
static size_t find_row_index(const struct tessera_ledger *ledger, const struct tessera_row *row)
{
	size_t low = 0, high = ledger->row_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ledger_row_before(&ledger->rows[middle], row))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct tessera_row *find_ordinary_row(const struct tessera_ledger *ledger, uint32_t job)
{
	struct tessera_row *row;
	size_t n = find_row_index(ledger, &(struct tessera_row){.job = job});

	if (n == ledger->row_count)
		return NULL;
	row = &ledger->rows[n];
	return row->job == job && row->state != TESSERA_ROW_WITHHELD ? row : NULL;
}

static bool step_before(const struct tessera_step_row *a, uint32_t job, uint32_t step)
{
	return a->job < job || (a->job == job && a->step < step);
}

/* The index of the step, or the one at which to insert it. */
static size_t find_step_index(const struct tessera_ledger *ledger, uint32_t job, uint32_t step)
{
	size_t n = ledger->step_count;

	while (n > 0 && !step_before(&ledger->steps[n - 1], job, step))
		n--;
	return n;
}

const struct tessera_row *tessera_ledger_job(const struct tessera_ledger *ledger, uint32_t job)
{
	return find_ordinary_row(ledger, job);
}

const struct tessera_row *tessera_ledger_row(const struct tessera_ledger *ledger, size_t n)
{
	return n < ledger->row_count ? &ledger->rows[n] : NULL;
}

const struct tessera_step_row *tessera_ledger_step_row(const struct tessera_ledger *ledger,
						       size_t n)
{
	return n < ledger->step_count ? &ledger->steps[n] : NULL;
}

void tessera_ledger_free_tiles(const struct tessera_ledger *ledger, struct tessera_tileset *tiles)
{
	tessera_tileset_all(&ledger->platform, tiles);
	for (size_t i = 0; i < ledger->row_count; i++)
		tessera_tileset_minus(tiles, &ledger->rows[i].tiles);
}

void tessera_ledger_withheld(const struct tessera_ledger *ledger, struct tessera_tileset *tiles)
{
	tessera_tileset_clear(tiles);
	for (size_t i = 0; i < ledger->row_count; i++)
		if (ledger->rows[i].state == TESSERA_ROW_WITHHELD)
			tessera_tileset_or(tiles, &ledger->rows[i].tiles);
}

void tessera_ledger_free_of_job(const struct tessera_ledger *ledger, uint32_t job,
				struct tessera_tileset *tiles)
{
	const struct tessera_row *row = find_ordinary_row(ledger, job);

	tessera_tileset_clear(tiles);
	if (row == NULL)
		return;
	*tiles = row->tiles;
	for (size_t i = 0; i < ledger->step_count; i++)
		if (ledger->steps[i].job == job && ledger_step_running(&ledger->steps[i]))
			tessera_tileset_minus(tiles, &ledger->steps[i].tiles);
}

void tessera_ledger_owner(unsigned tile, char *buf, size_t len, void *arg)
{
	const struct tessera_ledger *ledger = arg;

	if (len > 0)
		buf[0] = '\0';
	for (size_t i = 0; i < ledger->row_count; i++)
		if (tessera_tileset_has(&ledger->rows[i].tiles, tile))
			ledger_name_owner(&ledger->rows[i], buf, len);
}

/* Changing */

/*
 * Returns LIST, or its replacement, with room for one more than COUNT rows of SIZE bytes; or NULL
 * with ERR. The room never shrinks, which tessera_ledger_withhold() relies on: hence not
 * array_grow().
 */
static void *grow_rows(const struct tessera_ledger *ledger, void *list, size_t size, size_t count,
		       size_t *room, struct tessera_error *err)
{
	size_t more = *room + *room / 2 + 16;

	if (ledger->row_count + ledger->step_count >= TESSERA_LEDGER_ROWS_MAX) {
		tessera_error_set(err, TESSERA_ERR_SHORTAGE,
				  "the ledger is full: %d rows is the maximum",
				  TESSERA_LEDGER_ROWS_MAX);
		return NULL;
	}
	if (count < *room)
		return list;
	list = realloc(list, more * size);
	if (list == NULL)
		tessera_error_nomem(err);
	else
		*room = more;
	return list;
}

int ledger_insert_row(struct tessera_ledger *ledger, const struct tessera_row *row,
		      struct tessera_error *err)
{
	struct tessera_row *list = grow_rows(ledger, ledger->rows, sizeof(*row), ledger->row_count,
					     &ledger->row_room, err);
	size_t n;

	if (list == NULL)
		return -1;
	ledger->rows = list;
	n = find_row_index(ledger, row);
	memmove(&list[n + 1], &list[n], (ledger->row_count - n) * sizeof(*row));
	list[n] = *row;
	ledger->row_count++;
	return 0;
}

int ledger_insert_step(struct tessera_ledger *ledger, const struct tessera_step_row *row,
		       struct tessera_error *err)
{
	struct tessera_step_row *list = grow_rows(ledger, ledger->steps, sizeof(*row),
						  ledger->step_count, &ledger->step_room, err);
	size_t n;

	if (list == NULL)
		return -1;
	ledger->steps = list;
	n = find_step_index(ledger, row->job, row->step);
	memmove(&list[n + 1], &list[n], (ledger->step_count - n) * sizeof(*row));
	list[n] = *row;
	ledger->step_count++;
	return 0;
}

/* Drop the steps for which MATCHES returns true. Returns whether there was one. */
static bool drop_steps(struct tessera_ledger *ledger,
		       bool (*matches)(const struct tessera_step_row *, const void *),
		       const void *arg)
{
	size_t remaining = 0, count = ledger->step_count;

	for (size_t i = 0; i < count; i++)
		if (!matches(&ledger->steps[i], arg))
			ledger->steps[remaining++] = ledger->steps[i];
	ledger->step_count = remaining;
	return remaining < count;
}

static bool is_step_of_job(const struct tessera_step_row *row, const void *job)
{
	return row->job == *(const uint32_t *)job;
}

static bool is_same_step(const struct tessera_step_row *row, const void *id)
{
	const struct tessera_step_row *other = id;

	return row->job == other->job && row->step == other->step;
}

static bool has_ended(const struct tessera_step_row *row, const void *unused)
{
	(void)unused;
	return !ledger_step_running(row);
}

void ledger_tidy_text(char *text, size_t size)
{
	text[size - 1] = '\0';
	if (strcmp(text, "-") == 0)
		text[0] = '\0';
	utf8_clean(text);
}

int tessera_ledger_put(struct tessera_ledger *ledger, const struct tessera_row *row,
		       struct tessera_error *err)
{
	struct tessera_row *old = find_ordinary_row(ledger, row->job);
	struct tessera_row new = *row;

	if (row->state == TESSERA_ROW_WITHHELD)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "job %u: only a held row can become withheld", row->job);
	ledger_tidy_text(new.text, sizeof(new.text));
	if (ledger_check_row(ledger, &new, err) < 0)
		return -1;
	if (old == NULL)
		return ledger_insert_row(ledger, &new, err);
	if (!tessera_tileset_equal(&old->tiles, &new.tiles))
		drop_steps(ledger, is_step_of_job, &new.job);
	*old = new;
	return 0;
}

int tessera_ledger_put_step(struct tessera_ledger *ledger, const struct tessera_step_row *row,
			    struct tessera_error *err)
{
	struct tessera_step_row new = *row;
	size_t n;

	drop_steps(ledger, has_ended, NULL);
	if (ledger_check_step(ledger, &new, err) < 0)
		return -1;
	n = find_step_index(ledger, new.job, new.step);
	if (n == ledger->step_count || !is_same_step(&ledger->steps[n], &new))
		return ledger_insert_step(ledger, &new, err);
	ledger->steps[n] = new;
	return 0;
}

void ledger_remove_row(struct tessera_ledger *ledger, size_t n)
{
	ledger->row_count--;
	memmove(&ledger->rows[n], &ledger->rows[n + 1],
		(ledger->row_count - n) * sizeof(*ledger->rows));
}

bool tessera_ledger_drop(struct tessera_ledger *ledger, uint32_t job)
{
	struct tessera_row *row = find_ordinary_row(ledger, job);

	if (row == NULL)
		return false;
	drop_steps(ledger, is_step_of_job, &job);
	ledger_remove_row(ledger, (size_t)(row - ledger->rows));
	return true;
}

bool tessera_ledger_drop_step(struct tessera_ledger *ledger, uint32_t job, uint32_t step)
{
	struct tessera_step_row id = {.job = job, .step = step};

	return drop_steps(ledger, is_same_step, &id);
}

bool ledger_step_running(const struct tessera_step_row *row)
{
	uint64_t start = proc_start_time(row->pid);

	return start != 0 && start == row->start;
}
