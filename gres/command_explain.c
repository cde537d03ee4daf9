/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera explain: what a request would ask of the scheduler, and what it would get on an empty healthy node.
 */
#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <libsmartcols.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gres/command.h"
#include "gres/tilemap.h"
#include "lib/tessera.h"

/* What was typed, and whatever is found out about it. */
struct explain {
	const char *conf_path;
	const char *platform_name;
	const char *partition;
	bool json;
	struct tessera_options opt;

	struct tessera_conf *conf;
	struct tessera_request req;
	char *gres; /* the scheduler's */
	char *licenses;
	struct tessera_tileset tiles; /* of the job, on a node */
	struct tessera_tileset *each; /* of the tasks: req.tasks sets; NULL: no tiles */
	char text[TESSERA_TILESET_TEXT_MAX];
};

static void print_help(void)
{
	puts("Usage: tessera explain [OPTION]...\n"
	     "\n"
	     "A dry run: says what a request would ask of the scheduler, and which tiles each\n"
	     "task would get on an empty node; or what is wrong with it, as srun would say it.\n"
	     "\n"
	     "  --platform=P           the machine, such as sn30-8\n"
	     "  -p, --partition=LIST   or the Slurm partitions that tessera.conf knows\n"
	     "  --conf=FILE            instead of " TESSERA_CONF_PATH "\n"
	     "  --json                 one JSON object instead of words and a picture\n"
	     "\n"
	     "The request, as srun, sbatch and salloc take it:\n"
	     "  -N, --nodes=N          -n, --ntasks=N          --ntasks-per-node=N\n"
	     "  --gres=LIST            -L, --licenses=LIST     --ipus=N\n"
	     "  --tiles-per-task=N     --tile-affinity=SET     --tile-bind=HOW\n"
	     "\n"
	     "Example: tessera explain --platform=sn30-8 --gres=rdu:8 -n 16 --tiles-per-task=4");
}

/* The set in FORM; good until the next call. */
static const char *set_text(struct explain *ex, const struct tessera_tileset *set, enum tessera_form form)
{
	tessera_tileset_format(ex->req.platform, set, form, ex->text, sizeof(ex->text));
	return ex->text;
}

static void print_json_string(const char *text)
{
	putchar('"');
	for (; *text != '\0'; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			printf("\\%c", c);
		else if (c < 0x20 || c == 0x7f)
			printf("\\u%04x", c);
		else
			putchar(c);
	}
	putchar('"');
}

static void print_json_member(const char *before, const char *key, const char *value)
{
	printf("%s\"%s\": ", before, key);
	print_json_string(value);
}

static void print_json(struct explain *ex)
{
	const struct tessera_platform *p = ex->req.platform;
	bool tiles = ex->each != NULL;

	print_json_member("{\n  ", "platform", p != NULL ? p->name : "");
	print_json_member(",\n  ", "gres", ex->gres);
	print_json_member(",\n  ", "licenses", ex->licenses);
	printf(",\n  \"ipus\": %u", ex->req.ipus);
	print_json_member(",\n  ", "tiles", tiles ? set_text(ex, &ex->tiles, TESSERA_FORM_RDUS) : "");
	print_json_member(",\n  ", "mask", tiles ? set_text(ex, &ex->tiles, TESSERA_FORM_MASK) : "");
	printf(",\n  \"tasks\": [");
	for (unsigned task = 0; tiles && task < ex->req.tasks; task++) {
		printf("%s\n    {\"task\": %u", task > 0 ? "," : "", task);
		print_json_member(", ", "tiles", set_text(ex, &ex->each[task], TESSERA_FORM_RDUS));
		print_json_member(", ", "mask", set_text(ex, &ex->each[task], TESSERA_FORM_MASK));
		putchar('}');
	}
	printf("%s]\n}\n", tiles ? "\n  " : "");
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
		    scols_line_set_data(line, 1, set_text(ex, &ex->each[task], TESSERA_FORM_RDUS)) != 0 ||
		    scols_line_set_data(line, 2, set_text(ex, &ex->each[task], TESSERA_FORM_MASK)) != 0)
			goto cleanup;
	}
	rc = scols_print_table(table) == 0 ? 0 : -1;
cleanup:
	scols_unref_table(table);
	return rc;
}

static void fill_cell(const struct explain *ex, unsigned tile, struct tilemap_cell *cell)
{
	unsigned holders = 0, holder = 0;

	for (unsigned task = 0; task < ex->req.tasks && holders < 2; task++) {
		if (tessera_tileset_has(&ex->each[task], tile)) {
			holder = task;
			holders++;
		}
	}
	cell->colour = holders == 0 ? 0 : 1 + (int)(holder % 6);
	if (holders == 1)
		snprintf(cell->text, sizeof(cell->text), "%u", holder);
	else if (holders > 1)
		strcpy(cell->text, "*");
	else
		strcpy(cell->text, tessera_tileset_has(&ex->tiles, tile) ? "-" : ".");
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
		puts("0, 1, ...  the task that has the tile");
	if (seen['*'])
		puts("*          shared by several tasks");
	if (seen['-'])
		puts("-          the job's, but no task's");
	if (seen['.'])
		puts(".          free");
}

static int print_words(struct explain *ex)
{
	const struct tessera_platform *p = ex->req.platform;

	if (p != NULL)
		printf("platform  %s (%s)\n", p->name, p->title);
	printf("gres      %s\n", *ex->gres != '\0' ? ex->gres : "nothing");
	printf("licenses  %s\n", *ex->licenses != '\0' ? ex->licenses : "nothing");
	if (p == NULL)
		return 0;
	if (ex->req.ipus > 0)
		printf("ipus      %u of the pool's %u, for the whole job\n", ex->req.ipus, p->ipus);
	if (ex->each == NULL)
		return 0;
	printf("tiles     %s", set_text(ex, &ex->tiles, TESSERA_FORM_RDUS));
	printf(" (%u of a node's %u)\n", ex->req.tiles, tessera_platform_tiles(p));
	printf("mask      %s\n\n", set_text(ex, &ex->tiles, TESSERA_FORM_MASK));
	if (print_tasks(ex) < 0)
		return -1;
	putchar('\n');
	print_map(ex);
	return 0;
}

static int find_platform(struct explain *ex, const struct tessera_platform **p, struct tessera_error *err)
{
	*p = NULL;
	/* A partition that is not known is no mistake as long as nothing of ours is asked for. */
	if (ex->platform_name == NULL && ex->partition != NULL)
		return tessera_conf_partition_platform(ex->conf, ex->partition, p, err);
	*p = command_platform(ex->conf, ex->platform_name, err);
	return *p != NULL ? 0 : -1;
}

/* What the scheduler would be asked for, and the tiles of job and tasks. */
static int work_out(struct explain *ex, struct tessera_error *err)
{
	struct tessera_request *req = &ex->req;
	size_t len = 1024 + (ex->opt.gres != NULL ? 4 * strlen(ex->opt.gres) : 0) +
		     (ex->opt.licenses != NULL ? strlen(ex->opt.licenses) : 0);
	const struct tessera_platform *p;
	struct tessera_tileset all;

	if (find_platform(ex, &p, err) < 0 || tessera_request_read(ex->conf, p, &ex->opt, req, err) < 0)
		return -1;
	ex->gres = malloc(len);
	ex->licenses = malloc(len);
	if (ex->gres == NULL || ex->licenses == NULL)
		return tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory");
	if (tessera_request_scheduler(ex->conf, &ex->opt, req, ex->gres, len, ex->licenses, len, err) < 0)
		return -1;
	if (req->tiles == 0)
		return 0;
	tessera_tileset_all(p, &all);
	if (tessera_place(&(struct tessera_place){.platform = p,
						  .free = &all,
						  .shape = req->shape,
						  .wish = req->has_wish ? &req->wish : NULL},
			  &ex->tiles, err) < 0)
		return -1;
	ex->each = calloc(req->tasks, sizeof(*ex->each));
	if (ex->each == NULL)
		return tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory for %u tasks", req->tasks);
	return tessera_split(&(struct tessera_split){.platform = p,
						     .tiles = &ex->tiles,
						     .tasks = req->tasks,
						     .bind = req->bind,
						     .tiles_per_task = req->tiles_per_task,
						     .map = req->map,
						     .map_len = req->map_len},
			     ex->each, err);
}

static int explain(struct explain *ex)
{
	struct tessera_error err = {0};
	int code = TESSERA_OK;

	ex->conf = command_conf(ex->conf_path, &err);
	if (ex->conf == NULL || work_out(ex, &err) < 0) {
		code = command_fail(&err);
	} else if (ex->json) {
		print_json(ex);
	} else if (print_words(ex) < 0) {
		tessera_error_set(&err, TESSERA_ERR_MISSING, "the table could not be printed: %s", strerror(errno));
		code = command_fail(&err);
	}
	free(ex->each);
	free(ex->gres);
	free(ex->licenses);
	tessera_conf_free(ex->conf);
	return code;
}

static int read_number(char **argv, const char *option, unsigned *number)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(optarg, &end, 10);
	if (*optarg < '0' || *optarg > '9' || *end != '\0' || errno != 0 || value == 0 || value > UINT_MAX)
		return command_usage(argv[0], "--%s=%s is not a number from 1 to %u", option, optarg, UINT_MAX);
	*number = (unsigned)value;
	return TESSERA_OK;
}

static const struct option options[] = {
	{"conf", required_argument, NULL, 'c'},
	{"gres", required_argument, NULL, 'g'},
	{"help", no_argument, NULL, 'h'},
	{"ipus", required_argument, NULL, 'i'},
	{"json", no_argument, NULL, 'j'},
	{"licenses", required_argument, NULL, 'L'},
	{"nodes", required_argument, NULL, 'N'},
	{"ntasks", required_argument, NULL, 'n'},
	{"ntasks-per-node", required_argument, NULL, 'T'},
	{"partition", required_argument, NULL, 'p'},
	{"platform", required_argument, NULL, 'P'},
	{"tasks-per-node", required_argument, NULL, 'T'}, /* as srun has it */
	{"tile-affinity", required_argument, NULL, 'a'},
	{"tile-bind", required_argument, NULL, 'b'},
	{"tiles-per-task", required_argument, NULL, 't'},
	{NULL, 0, NULL, 0},
};

/* Where the text of an option goes; NULL if it is no text. */
static const char **text_of(struct explain *ex, int got)
{
	switch (got) {
	case 'a':
		return &ex->opt.tile_affinity;
	case 'b':
		return &ex->opt.tile_bind;
	case 'c':
		return &ex->conf_path;
	case 'g':
		return &ex->opt.gres;
	case 'i':
		return &ex->opt.ipus;
	case 'L':
		return &ex->opt.licenses;
	case 'p':
		return &ex->partition;
	case 'P':
		return &ex->platform_name;
	case 't':
		return &ex->opt.tiles_per_task;
	default:
		return NULL;
	}
}

static int read_option(struct explain *ex, char **argv, int got)
{
	const char **text = text_of(ex, got);

	if (text != NULL) {
		*text = optarg;
		return TESSERA_OK;
	}
	switch (got) {
	case 'j':
		ex->json = true;
		return TESSERA_OK;
	case 'N':
		return read_number(argv, "nodes", &ex->opt.nodes);
	case 'n':
		return read_number(argv, "ntasks", &ex->opt.ntasks);
	case 'T':
		return read_number(argv, "ntasks-per-node", &ex->opt.ntasks_per_node);
	default:
		return command_bad_option(argv, got);
	}
}

int command_explain(int argc, char **argv)
{
	struct explain ex = {0};
	int got, code;

	while ((got = getopt_long(argc, argv, ":hL:n:N:p:", options, NULL)) != -1) {
		if (got == 'h') {
			print_help();
			return TESSERA_OK;
		}
		code = read_option(&ex, argv, got);
		if (code != TESSERA_OK)
			return code;
	}
	if (optind != argc)
		return command_usage(argv[0], "'%s' is not an option", argv[optind]);
	return explain(&ex);
}
