/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <libsmartcols.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "command/view/explain.h"
#include "command/view/tilemap.h"
#include "lib/util/utf8.h"

/* The set in FORM; valid until the next call. */
static const char *format_set(struct explain *ex, const struct tessera_tileset *set,
			      enum tessera_form form)
{
	tessera_tileset_format(ex->req.platform, set, form, ex->text, sizeof(ex->text));
	return ex->text;
}

static void print_json_string(const char *text)
{
	putchar('"');
	for (size_t n; *text != '\0'; text += n > 0 ? n : 1) {
		unsigned char c = (unsigned char)*text;

		n = utf8_character(text);
		if (c == '"' || c == '\\')
			printf("\\%c", c);
		else if (n > 0)
			printf("%.*s", (int)n, text);
		else if (c < 0x80)
			printf("\\u%04x", c);
		else
			putchar('?');
	}
	putchar('"');
}

static void print_json_member_name(const char *before, const char *key)
{
	printf("%s\"%s\": ", before, key);
}

static void print_json_member(const char *before, const char *key, const char *value)
{
	print_json_member_name(before, key);
	print_json_string(value);
}

/* GCDs are divided among all tasks of the job, not only those of one node. */
static unsigned count_gcd_tasks(const struct explain *ex)
{
	return ex->req.job_tasks > 0 ? ex->req.job_tasks : 1;
}

static unsigned find_gcd(const struct explain *ex, unsigned task)
{
	return tessera_request_gcd(ex->req.gcds, count_gcd_tasks(ex), task);
}

static void print_json_pools(const struct explain *ex)
{
	const struct tessera_pool *pool;

	printf(",\n  \"pools\": {");
	for (size_t i = 0; (pool = tessera_conf_pool_at(ex->conf, i)) != NULL; i++) {
		print_json_member_name(i > 0 ? ", " : "", pool->name);
		printf("%u", ex->req.pools[i]);
	}
	putchar('}');
}

void explain_print_json(struct explain *ex)
{
	const struct tessera_platform *p = ex->req.platform;
	bool tiles = ex->each != NULL;

	print_json_member("{\n  ", "platform", p != NULL ? p->name : "");
	print_json_member(",\n  ", "gres", ex->gres);
	print_json_member(",\n  ", "licenses", ex->licenses);
	printf(",\n  \"ipus\": %u,\n  \"gcds\": %u", ex->req.ipus, ex->req.gcds);
	print_json_pools(ex);
	print_json_member(",\n  ", "tiles",
			  tiles ? format_set(ex, &ex->tiles, TESSERA_FORM_RDUS) : "");
	print_json_member(",\n  ", "mask",
			  tiles ? format_set(ex, &ex->tiles, TESSERA_FORM_MASK) : "");
	print_json_member(",\n  ", "advice", ex->req.advice);
	printf(",\n  \"tasks\": [");
	for (unsigned task = 0; ex->req.ipus > 0 && task < count_gcd_tasks(ex); task++)
		printf("%s\n    {\"task\": %u, \"gcd\": %u}", task > 0 ? "," : "", task,
		       find_gcd(ex, task));
	for (unsigned task = 0; tiles && task < ex->req.tasks; task++) {
		printf("%s\n    {\"task\": %u", task > 0 ? "," : "", task);
		print_json_member(", ", "tiles",
				  format_set(ex, &ex->each[task], TESSERA_FORM_RDUS));
		print_json_member(", ", "mask", format_set(ex, &ex->each[task], TESSERA_FORM_MASK));
		putchar('}');
	}
	printf("%s]\n}\n", tiles || ex->req.ipus > 0 ? "\n  " : "");
}

/* One line for each task. Returns -1 when out of memory. */
static int print_tasks(struct explain *ex)
{
	struct libscols_table *table = scols_new_table();
	struct libscols_line *line;
	char number[16];
	int rc = -1;

	if (table == NULL || scols_table_new_column(table, "TASK", 0, SCOLS_FL_RIGHT) == NULL ||
	    scols_table_new_column(table, "TILES", 0, 0) == NULL ||
	    scols_table_new_column(table, "MASK", 0, 0) == NULL)
		goto cleanup;
	for (unsigned task = 0; task < ex->req.tasks; task++) {
		snprintf(number, sizeof(number), "%u", task);
		line = scols_table_new_line(table, NULL);
		if (line == NULL || scols_line_set_data(line, 0, number) != 0 ||
		    scols_line_set_data(line, 1,
					format_set(ex, &ex->each[task], TESSERA_FORM_RDUS)) != 0 ||
		    scols_line_set_data(line, 2,
					format_set(ex, &ex->each[task], TESSERA_FORM_MASK)) != 0)
			goto cleanup;
	}
	rc = scols_print_table(table) == 0 ? 0 : -1;
cleanup:
	scols_unref_table(table);
	return rc;
}

static void fill_cell(const struct explain *ex, unsigned tile, struct tilemap_cell *cell)
{
	unsigned owners = 0, owner = 0;

	for (unsigned task = 0; task < ex->req.tasks && owners < 2; task++) {
		if (tessera_tileset_has(&ex->each[task], tile)) {
			owner = task;
			owners++;
		}
	}
	cell->colour = owners == 0 ? 0 : 1 + (int)(owner % 6);
	if (owners == 1)
		snprintf(cell->text, sizeof(cell->text), "%u", owner);
	else if (owners > 1)
		snprintf(cell->text, sizeof(cell->text), "*");
	else
		snprintf(cell->text, sizeof(cell->text),
			 tessera_tileset_has(&ex->tiles, tile) ? "-" : ".");
}

static void print_map(const struct explain *ex)
{
	struct tilemap_cell cells[TESSERA_TILES_MAX];
	unsigned count = tessera_platform_tiles(ex->req.platform);
	bool seen[UCHAR_MAX + 1] = {false};

	for (unsigned tile = 0; tile < count; tile++) {
		fill_cell(ex, tile, &cells[tile]);
		seen[(unsigned char)cells[tile].text[0]] = true;
	}
	tilemap_print(stdout, ex->req.platform, cells, tilemap_colour(stdout));
	putchar('\n');
	if (!seen['*'] || ex->req.bind == TESSERA_BIND_MAP)
		puts("0, 1, ...  number of the task that has the tile");
	if (seen['*'])
		puts("*          shared by several tasks");
	if (seen['-'])
		puts("-          held by the job, but by no task");
	if (seen['.'])
		puts(".          free");
}

/* A line for each GCD, which consecutive tasks share. Returns -1 when out of memory. */
static int print_gcds(const struct explain *ex)
{
	struct libscols_table *table = scols_new_table();
	unsigned tasks = count_gcd_tasks(ex), first = 0;
	struct libscols_line *line;
	char text[32];
	int rc = -1;

	if (table == NULL || scols_table_new_column(table, "GCD", 0, SCOLS_FL_RIGHT) == NULL ||
	    scols_table_new_column(table, "TASKS", 0, 0) == NULL)
		goto cleanup;
	for (unsigned task = 0; task < tasks; task++) {
		if (task + 1 < tasks && find_gcd(ex, task + 1) == find_gcd(ex, first))
			continue;
		line = scols_table_new_line(table, NULL);
		snprintf(text, sizeof(text), "%u", find_gcd(ex, first));
		if (line == NULL || scols_line_set_data(line, 0, text) != 0)
			goto cleanup;
		snprintf(text, sizeof(text), first < task ? "%u-%u" : "%u", first, task);
		if (scols_line_set_data(line, 1, text) != 0)
			goto cleanup;
		first = task + 1;
	}
	rc = scols_print_table(table) == 0 ? 0 : -1;
cleanup:
	scols_unref_table(table);
	return rc;
}

static int print_ipus(const struct explain *ex)
{
	printf("ipus      %u of the pool's %u, for the whole job\n", ex->req.ipus,
	       ex->req.platform->ipus);
	printf("gcds      %u\n\n", ex->req.gcds);
	return print_gcds(ex);
}

static void print_pools(const struct explain *ex)
{
	const struct tessera_pool *pool;

	for (size_t i = 0; (pool = tessera_conf_pool_at(ex->conf, i)) != NULL; i++)
		if (ex->req.pools[i] > 0)
			printf("%-9s %u of the pool's %u, for the whole job\n", pool->name,
			       ex->req.pools[i], pool->max);
}

int explain_print_words(struct explain *ex)
{
	const struct tessera_platform *p = ex->req.platform;

	if (p != NULL)
		printf("platform  %s (%s)\n", p->name, p->title);
	printf("gres      %s\n", *ex->gres != '\0' ? ex->gres : "nothing");
	printf("licenses  %s\n", *ex->licenses != '\0' ? ex->licenses : "nothing");
	print_pools(ex);
	if (p == NULL)
		return 0;
	if (ex->req.ipus > 0)
		return print_ipus(ex);
	if (ex->each == NULL)
		return 0;
	printf("tiles     %s", format_set(ex, &ex->tiles, TESSERA_FORM_RDUS));
	printf(" (%u of a node's %u)\n", ex->req.tiles, tessera_platform_tiles(p));
	printf("mask      %s\n", format_set(ex, &ex->tiles, TESSERA_FORM_MASK));
	if (ex->req.advice[0] != '\0')
		printf("advice    %s\n", ex->req.advice);
	putchar('\n');
	if (print_tasks(ex) < 0)
		return -1;
	putchar('\n');
	print_map(ex);
	return 0;
}
