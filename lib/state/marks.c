/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/state/health_internal.h"
#include "lib/util/statefile.h"

#define TITLE  "tessera-marks 1 "
#define ADVICE "remove it and mark the tiles again (tessera mark)"

char *marks_format(const struct tessera_platform *p, const struct tessera_marks *marks)
{
	char *text = NULL;
	size_t len = 0;
	FILE *fp = open_memstream(&text, &len);

	if (fp == NULL)
		return NULL;
	fprintf(fp, TITLE "%s\n", p->name);
	for (size_t i = 0; i < marks->count; i++) {
		const struct tessera_mark *m = &marks->list[i];

		fprintf(fp, "bad %u time %" PRId64 " uid %" PRIu32, m->tile, m->time, m->uid);
		health_put_text(fp, " text ", m->text);
		fputc('\n', fp);
	}
	fprintf(fp, "end %zu\n", marks->count);
	return health_end_text(fp, &text);
}

/* One row. Rows are in ascending order of tiles, so that no tile occurs twice. */
static void read_mark(struct scan *r, const struct tessera_platform *p, struct tessera_marks *marks)
{
	struct tessera_mark *m = &marks->list[marks->count];
	unsigned tiles = tessera_platform_tiles(p);

	*m = (struct tessera_mark){0};
	m->tile = (unsigned)scan_number(r, "bad ", TESSERA_TILES_MAX);
	if (m->tile >= tiles || (marks->count > 0 && m->tile <= marks->list[marks->count - 1].tile))
		r->failed = true;
	m->time = (int64_t)scan_number(r, " time ", HEALTH_TIME_MAX);
	m->uid = (uint32_t)scan_number(r, " uid ", UINT32_MAX);
	health_get_text(r, m->text, sizeof(m->text));
	scan_expect(r, "\n");
	marks->count++;
}

int marks_parse(const struct tessera_platform *p, const char *name, const char *text, size_t len,
		struct tessera_marks *marks, struct tessera_error *err)
{
	struct scan r = {.at = text};
	uint64_t rows;

	*marks = (struct tessera_marks){0};
	scan_expect(&r, TITLE);
	if (r.failed)
		return health_damaged(&r, name, text, "not a marks file of format 1: " ADVICE, err);
	scan_expect(&r, p->name);
	scan_expect(&r, "\n");
	if (r.failed)
		return health_damaged(&r, name, text, "written for another platform: " ADVICE, err);
	/* One row more than there are tiles: read_mark() stores a row before the check fails. */
	marks->list = calloc(tessera_platform_tiles(p) + 1, sizeof(*marks->list));
	if (marks->list == NULL)
		return tessera_error_nomem(err);
	while (scan_follows(&r, "bad "))
		read_mark(&r, p, marks);
	rows = scan_number(&r, "end ", TESSERA_TILES_MAX);
	scan_expect(&r, "\n");
	if (!r.failed && r.at == text + len && rows == marks->count)
		return 0;
	tessera_marks_free(marks);
	return health_damaged(&r, name, text, "the file is damaged: " ADVICE, err);
}

void tessera_marks_free(struct tessera_marks *marks)
{
	free(marks->list);
	*marks = (struct tessera_marks){0};
}

int tessera_marks_read(const char *dir, const struct tessera_platform *p,
		       struct tessera_marks *marks, struct tessera_error *err)
{
	char name[512], *text = NULL;
	size_t len = 0;
	int rc = statefile_read_file(dir, MARKS_FILE, &text, &len, err);

	*marks = (struct tessera_marks){0};
	snprintf(name, sizeof(name), "%s/" MARKS_FILE, dir);
	if (rc == 0)
		rc = marks_parse(p, name, text, len, marks, err);
	free(text);
	return rc < 0 ? -1 : 0;
}

int tessera_marks_write(const char *dir, const struct tessera_platform *p,
			const struct tessera_marks *marks, struct tessera_error *err)
{
	char *text = marks_format(p, marks);
	struct tessera_marks again = {0};
	int rc = -1;

	if (text == NULL)
		return tessera_error_nomem(err);
	/* Never replace a good file by one that could not be parsed. */
	if (marks_parse(p, "new " MARKS_FILE ", not written", text, strlen(text), &again, err) == 0)
		rc = statefile_write_file(dir, MARKS_FILE, text, strlen(text), err);
	tessera_marks_free(&again);
	free(text);
	return rc;
}
