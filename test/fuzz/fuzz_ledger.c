/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/state/ledger_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An empty ledger fits any platform. */
static bool is_of_another(const struct tessera_ledger *ledger, const char *text)
{
	return ledger->row_count == 0 && strncmp(text, "tessera-ledger 1 sn30-8\n", 24) != 0;
}

/* An accepted ledger obeys the rules, and is formatted again byte for byte. */
static void check_rows(struct tessera_ledger *ledger, const char *text, size_t size)
{
	struct tessera_tileset seen, left, all;
	const struct tessera_step_row *step;
	const struct tessera_row *row;
	char *again = ledger_format(ledger);

	if (again == NULL)
		abort();
	if (!is_of_another(ledger, text) &&
	    (strlen(again) != size || memcmp(again, text, size) != 0))
		abort();
	free(again);
	tessera_tileset_clear(&seen);
	for (size_t i = 0; (row = tessera_ledger_row(ledger, i)) != NULL; i++) {
		bool stale = row->state == TESSERA_ROW_WITHHELD;

		if ((tessera_ledger_job(ledger, row->job) != row) != stale ||
		    tessera_tileset_overlap(&seen, &row->tiles))
			abort();
		if (tessera_tileset_empty(&row->tiles) !=
		    (row->state != TESSERA_ROW_HELD && !stale))
			abort();
		tessera_tileset_or(&seen, &row->tiles);
	}
	tessera_ledger_free_tiles(ledger, &left);
	tessera_tileset_all(&ledger->platform, &all);
	if (tessera_tileset_overlap(&left, &seen) || !tessera_tileset_subset(&seen, &all))
		abort();
	for (size_t i = 0; (step = tessera_ledger_step_row(ledger, i)) != NULL; i++) {
		row = tessera_ledger_job(ledger, step->job);
		if (row == NULL || !tessera_tileset_subset(&step->tiles, &row->tiles))
			abort();
	}
	while ((row = tessera_ledger_row(ledger, 0)) != NULL) {
		struct tessera_tileset tiles = row->tiles;

		if (row->state == TESSERA_ROW_WITHHELD
			    ? !tessera_ledger_release(ledger, row->job, &tiles)
			    : !tessera_ledger_drop(ledger, row->job))
			abort();
	}
	if (tessera_ledger_step_row(ledger, 0) != NULL)
		abort();
}

static void read_text(const char *text, size_t size)
{
	struct tessera_ledger *ledger = ledger_new(tessera_platform_find_builtin("sn30-8"), "f");
	struct tessera_error err = {0};

	if (ledger == NULL)
		return;
	if (ledger_parse(ledger, "f/ledger", text, size, &err) == 0)
		check_rows(ledger, text, size);
	else if (err.code != TESSERA_ERR_INPUT || strncmp(err.text, "f/ledger:", 9) != 0)
		abort();
	tessera_ledger_close(ledger);
}

/* Bytes from 128 on stand for pieces of a ledger that the fuzzer would need long to find. */
static const char *const pieces[] = {
	"job ",
	" uid 1 state held restarts 0 tiles ",
	" text -\n",
	" uid 4294967295 state short restarts ",
	" tiles - text ",
	"step ",
	".0 pid 1 start 1 tiles ",
	"0-7",
	"8-15",
	"63",
	"\n",
	"state refused",
	" uid 1 state stale restarts 0 tiles ",
	" since ",
	" tasks 2 of 4",
	" own",
	".1 pid 2147483647 start 18446744073709551615 tiles ",
	"1",
	"2",
	"4294967295",
};

#define PIECES (sizeof(pieces) / sizeof(pieces[0]))

/* The input as it is, and assembled from pieces between a first and a last line. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = NULL;
	size_t len = 0, rows = 0;
	FILE *fp = open_memstream(&text, &len);

	if (fp == NULL)
		return 0;
	read_text((const char *)data, size);
	fputs("tessera-ledger 1 sn30-8\n", fp);
	for (size_t i = 0; i < size; i++)
		if (data[i] < 128)
			fputc(data[i], fp);
		else
			fputs(pieces[data[i] % PIECES], fp);
	fflush(fp);
	for (size_t i = 0; i < len; i++)
		rows += text[i] == '\n';
	fprintf(fp, "end %zu\n", rows - 1);
	fclose(fp);
	read_text(text, len);
	free(text);
	return 0;
}
