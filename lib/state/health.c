/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/state/health_internal.h"
#include "lib/util/statefile.h"

#define TITLE   "tessera-health 1 "
#define ADVICE  "remove it and run tessera health"
#define SKEW    60 /* seconds by which a clock may be set back without effect */
#define ENTRIES (TESSERA_SOURCES_MAX + 1)

/* The file's text */

char *health_format(const struct tessera_platform *p, const struct tessera_health *health)
{
	char *text = NULL;
	size_t len = 0, rows = health->count;
	FILE *fp = open_memstream(&text, &len);

	if (fp == NULL)
		return NULL;
	fprintf(fp, TITLE "%s\n", p->name);
	for (size_t i = 0; i < health->count; i++) {
		const struct tessera_health_source *s = &health->sources[i];

		fprintf(fp, "source %s time %" PRId64, s->name, s->time);
		health_put_tiles(fp, " known ", p, &s->known);
		health_put_tiles(fp, " bad ", p, &s->bad);
		health_put_text(fp, " text ", s->text);
		fputc('\n', fp);
	}
	if (health->ipus.name[0] != '\0') {
		fprintf(fp, "ipus %s time %" PRId64 " seen %u bad %u", health->ipus.name,
			health->ipus.time, health->ipus.seen, health->ipus.bad);
		health_put_text(fp, " text ", health->ipus.text);
		fputc('\n', fp);
		rows++;
	}
	fprintf(fp, "end %zu\n", rows);
	return health_end_text(fp, &text);
}

static void read_source(struct scan *r, const struct tessera_platform *p,
			struct tessera_health *health)
{
	struct tessera_health_source *s = &health->sources[health->count];

	if (health->count == TESSERA_SOURCES_MAX || p->kind != TESSERA_KIND_RDU) {
		r->failed = true;
		return;
	}
	*s = (struct tessera_health_source){0};
	scan_word(r, "source ", " \n", s->name, sizeof(s->name));
	s->time = (int64_t)scan_number(r, " time ", HEALTH_TIME_MAX);
	health_get_tiles(r, " known ", p, &s->known);
	health_get_tiles(r, " bad ", p, &s->bad);
	health_get_text(r, s->text, sizeof(s->text));
	if (!tessera_tileset_subset(&s->bad, &s->known))
		r->failed = true;
	for (size_t i = 0; i < health->count; i++)
		if (strcmp(health->sources[i].name, s->name) == 0)
			r->failed = true;
	health->count++;
}

static void read_ipus(struct scan *r, const struct tessera_platform *p,
		      struct tessera_health *health)
{
	struct tessera_health_ipus *ipus = &health->ipus;

	if (ipus->name[0] != '\0' || p->kind != TESSERA_KIND_IPU) {
		r->failed = true;
		return;
	}
	scan_word(r, "ipus ", " \n", ipus->name, sizeof(ipus->name));
	ipus->time = (int64_t)scan_number(r, " time ", HEALTH_TIME_MAX);
	ipus->seen = (unsigned)scan_number(r, " seen ", UINT32_MAX);
	ipus->bad = (unsigned)scan_number(r, " bad ", UINT32_MAX);
	health_get_text(r, ipus->text, sizeof(ipus->text));
}

int health_parse(const struct tessera_platform *p, const char *name, const char *text, size_t len,
		 struct tessera_health *health, struct tessera_error *err)
{
	struct scan r = {.at = text};
	uint64_t rows;

	*health = (struct tessera_health){0};
	scan_expect(&r, TITLE);
	if (r.failed)
		return health_damaged(&r, name, text, "not a health file of format 1: " ADVICE,
				      err);
	scan_expect(&r, p->name);
	scan_expect(&r, "\n");
	if (r.failed)
		return health_damaged(&r, name, text, "written for another platform: " ADVICE, err);
	while (scan_follows(&r, "source ") || scan_follows(&r, "ipus ")) {
		if (scan_follows(&r, "source "))
			read_source(&r, p, health);
		else
			read_ipus(&r, p, health);
		scan_expect(&r, "\n");
	}
	rows = scan_number(&r, "end ", ENTRIES);
	scan_expect(&r, "\n");
	if (!r.failed && r.at == text + len &&
	    rows == health->count + (health->ipus.name[0] != '\0'))
		return 0;
	*health = (struct tessera_health){0};
	return health_damaged(&r, name, text, "the file is damaged: " ADVICE, err);
}

/* The file */

int tessera_health_read(const char *dir, const struct tessera_platform *p,
			struct tessera_health *health, struct tessera_error *err)
{
	char name[512], *text = NULL;
	size_t len = 0;
	int rc = statefile_read_file(dir, HEALTH_FILE, &text, &len, err);

	*health = (struct tessera_health){0};
	snprintf(name, sizeof(name), "%s/" HEALTH_FILE, dir);
	if (rc == 0)
		rc = health_parse(p, name, text, len, health, err);
	free(text);
	return rc < 0 ? -1 : 0;
}

int tessera_health_write(const char *dir, const struct tessera_platform *p,
			 const struct tessera_health *health, struct tessera_error *err)
{
	char *text = health_format(p, health);
	struct tessera_health again;
	int rc = -1;

	if (text == NULL)
		return tessera_error_nomem(err);
	/* Never replace a good file by one that could not be parsed. */
	if (health_parse(p, "new " HEALTH_FILE ", not written", text, strlen(text), &again, err) ==
	    0)
		rc = statefile_write_file(dir, HEALTH_FILE, text, strlen(text), err);
	free(text);
	return rc;
}

/* The verdict */

bool tessera_health_counts(const struct tessera_health_conf *conf, int64_t when, int64_t now)
{
	if (when == 0 || tessera_health_is_ahead(when, now))
		return false;
	return conf->max == 0 || when >= now - (int64_t)conf->max;
}

bool tessera_health_is_ahead(int64_t when, int64_t now)
{
	return when > now + SKEW;
}

void tessera_health_judge(const struct tessera_platform *p, const struct tessera_health_conf *conf,
			  const struct tessera_health *health, const struct tessera_marks *marks,
			  int64_t now, struct tessera_health_verdict *verdict)
{
	*verdict = (struct tessera_health_verdict){0};
	if (conf->snfadm[0] != '\0' || conf->snconfig[0] != '\0')
		tessera_tileset_all(p, &verdict->unknown);
	for (size_t i = 0; i < health->count; i++) {
		const struct tessera_health_source *s = &health->sources[i];
		bool counts = tessera_health_counts(conf, s->time, now);

		if (counts || tessera_health_is_ahead(s->time, now))
			tessera_tileset_or(&verdict->bad, &s->bad);
		if (counts)
			tessera_tileset_minus(&verdict->unknown, &s->known);
	}
	for (size_t i = 0; marks != NULL && i < marks->count; i++)
		tessera_tileset_add(&verdict->bad, marks->list[i].tile);
	tessera_tileset_minus(&verdict->unknown, &verdict->bad);
	verdict->unusable = verdict->bad;
	if (conf->avoid_unknown != 0)
		tessera_tileset_or(&verdict->unusable, &verdict->unknown);
}

int tessera_health_of_node(const struct tessera_conf *conf, const char *node,
			   const struct tessera_platform *p, struct tessera_health_verdict *verdict,
			   struct tessera_error *err)
{
	const struct tessera_health_conf *health_conf = tessera_conf_health(conf);
	char dir[512];
	struct tessera_health health = {0};
	struct tessera_marks marks = {0};
	int rc = 0, marks_rc;

	if (tessera_conf_state_dir(conf, node, dir, sizeof(dir), err) < 0 ||
	    tessera_health_read(dir, p, &health, err) < 0)
		rc = -1;
	marks_rc = tessera_conf_marks_dir(conf, node, dir, sizeof(dir), err);
	if (marks_rc == 0)
		marks_rc = tessera_marks_read(dir, p, &marks, err);
	tessera_health_judge(p, health_conf, &health, &marks, time(NULL), verdict);
	/* The administrator may have marked any tile. */
	if (marks_rc < 0) {
		tessera_tileset_all(p, &verdict->unknown);
		tessera_tileset_minus(&verdict->unknown, &verdict->bad);
		if (health_conf->avoid_unknown != 0)
			tessera_tileset_or(&verdict->unusable, &verdict->unknown);
	}
	tessera_marks_free(&marks);
	return marks_rc < 0 ? -1 : rc;
}
