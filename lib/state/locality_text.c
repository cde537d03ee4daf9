/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/state/locality_table.h"
#include "lib/util/scan.h"

#define TITLE "tessera-locality 1 "

/* Writing */

/* The first number from FROM on that is in SET, or with IN false, that is not. */
static unsigned find_next(const struct tessera_cpuset *set, unsigned from, bool in)
{
	while (from < TESSERA_CPUS_MAX && tessera_cpuset_has(set, from) != in)
		from++;
	return from;
}

void locality_print_set(FILE *out, const struct tessera_cpuset *set)
{
	unsigned first = find_next(set, 0, true);

	for (const char *comma = ""; first < TESSERA_CPUS_MAX; comma = ",") {
		unsigned end = find_next(set, first, false);

		fprintf(out, "%s%u", comma, first);
		if (end > first + 1)
			fprintf(out, "-%u", end - 1);
		first = find_next(set, end, true);
	}
}

static bool have_same_distances(const struct tessera_locality *l, unsigned a, unsigned b)
{
	return memcmp(l->distance[a], l->distance[b], l->numas * sizeof(l->distance[a][0])) == 0;
}

/* One line for FIRST and the RDUs after it with the same distances. Returns the next RDU. */
static unsigned print_rdus(FILE *out, const struct tessera_locality *l, unsigned first)
{
	unsigned end = first + 1;

	while (tessera_tileset_has(&l->rdus, end) && have_same_distances(l, first, end))
		end++;
	fprintf(out, "rdu %u", first);
	if (end > first + 1)
		fprintf(out, "-%u", end - 1);
	fputs(" distances ", out);
	for (unsigned i = 0; i < l->numas; i++)
		fprintf(out, "%s%u", i > 0 ? "," : "", l->distance[first][i]);
	fputc('\n', out);
	return end;
}

char *locality_format(const struct tessera_locality *l, size_t *len)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, len);
	unsigned lines = l->numas;

	if (out == NULL)
		return NULL;
	fprintf(out, TITLE "%s\nboot %s\n", l->platform, l->boot);
	for (unsigned i = 0; i < l->numas; i++) {
		fprintf(out, "numa %u cores ", l->numa[i].number);
		locality_print_set(out, &l->numa[i].cores);
		fputs(" cpus ", out);
		locality_print_set(out, &l->numa[i].cpus);
		fputc('\n', out);
	}
	for (unsigned rdu = 0; (rdu = tessera_tileset_next(&l->rdus, rdu)) < TESSERA_TILES_MAX;
	     lines++)
		rdu = print_rdus(out, l, rdu);
	fprintf(out, "end %u\n", lines);
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

/* Reading */

static unsigned scan_unsigned(struct scan *r, const char *before, unsigned max)
{
	return (unsigned)scan_number(r, before, max);
}

/* N or N-M. */
static void scan_range(struct scan *r, const char *before, unsigned max, unsigned *first,
		       unsigned *last)
{
	*first = *last = scan_unsigned(r, before, max);
	if (scan_follows(r, "-"))
		*last = scan_unsigned(r, "-", max);
	if (*last < *first)
		r->failed = true;
}

/* Add comma-separated ranges to OUT and to ALL, the union so far, which must not have them yet. */
static void scan_set(struct scan *r, const char *before, struct tessera_cpuset *all,
		     struct tessera_cpuset *out)
{
	unsigned first, last;

	do {
		scan_range(r, before, TESSERA_CPUS_MAX - 1, &first, &last);
		for (unsigned n = first; n <= last && !r->failed; n++) {
			r->failed = tessera_cpuset_has(all, n);
			tessera_cpuset_add(all, n);
			tessera_cpuset_add(out, n);
		}
		before = ",";
	} while (scan_follows(r, before));
}

static void scan_numas(struct scan *r, struct tessera_locality *l)
{
	struct tessera_cpuset cores = {0}, cpus = {0};

	while (scan_follows(r, "numa ")) {
		struct locality_numa *numa = &l->numa[l->numas];

		if (l->numas == TESSERA_NUMAS_MAX) {
			r->failed = true;
			return;
		}
		memset(numa, 0, sizeof(*numa));
		numa->number = scan_unsigned(r, "numa ", LOCALITY_NUMBER_MAX);
		scan_set(r, " cores ", &cores, &numa->cores);
		scan_set(r, " cpus ", &cpus, &numa->cpus);
		scan_expect(r, "\n");
		if (l->numas > 0 && numa->number <= numa[-1].number)
			r->failed = true;
		l->numas++;
	}
	if (l->numas == 0)
		r->failed = true;
}

static void scan_rdus(struct scan *r, struct tessera_locality *l)
{
	unsigned first, last;

	while (scan_follows(r, "rdu ")) {
		scan_range(r, "rdu ", TESSERA_TILES_MAX - 1, &first, &last);
		for (unsigned i = 0; i < l->numas; i++)
			l->distance[first][i] = (uint16_t)scan_unsigned(
				r, i > 0 ? "," : " distances ", LOCALITY_DISTANCE_MAX);
		scan_expect(r, "\n");
		if (r->failed)
			return;
		for (unsigned rdu = first + 1; rdu <= last; rdu++)
			memcpy(l->distance[rdu], l->distance[first],
			       l->numas * sizeof(l->distance[first][0]));
		tessera_tileset_add_range(&l->rdus, first, last - first + 1);
	}
}

int locality_parse(const char *text, size_t len, struct tessera_locality *l)
{
	struct scan r = {.at = text};
	size_t again_len = 0;
	char *again;
	int rc;

	/* Clear only these fields: the struct has 200 kB, and parsing is part of a job launch. */
	l->platform[0] = l->boot[0] = '\0';
	l->numas = 0;
	tessera_tileset_clear(&l->rdus);
	scan_word(&r, TITLE, " \n", l->platform, sizeof(l->platform));
	scan_word(&r, "\nboot ", " \n", l->boot, sizeof(l->boot));
	scan_expect(&r, "\n");
	scan_numas(&r, l);
	scan_rdus(&r, l);
	if (r.failed)
		return -1;
	/* Formatting it again must give the same text: nothing skipped, out of order or missing. */
	again = locality_format(l, &again_len);
	rc = again != NULL && again_len == len && memcmp(again, text, len) == 0 ? 0 : -1;
	free(again);
	return rc;
}
