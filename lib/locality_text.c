/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/locality_parts.h"
#include "lib/reader.h"

#define TITLE "tessera-locality 1 "

/* Writing */

static unsigned next_in(const struct tessera_cpuset *set, unsigned from, bool in)
{
	while (from < TESSERA_CPUS_MAX && tessera_cpuset_has(set, from) != in)
		from++;
	return from;
}

void locality_print_set(FILE *out, const struct tessera_cpuset *set)
{
	unsigned first = next_in(set, 0, true);

	for (const char *comma = ""; first < TESSERA_CPUS_MAX; comma = ",") {
		unsigned end = next_in(set, first, false);

		fprintf(out, "%s%u", comma, first);
		if (end > first + 1)
			fprintf(out, "-%u", end - 1);
		first = next_in(set, end, true);
	}
}

static bool same_distances(const struct tessera_locality *l, unsigned a, unsigned b)
{
	return memcmp(l->distance[a], l->distance[b], l->numas * sizeof(l->distance[a][0])) == 0;
}

/* The RDUs from FIRST on that are as near as that one. Returns the first that is not. */
static unsigned print_rdus(FILE *out, const struct tessera_locality *l, unsigned first)
{
	unsigned end = first + 1;

	while (tessera_tileset_has(&l->rdus, end) && same_distances(l, first, end))
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
	for (unsigned rdu = 0; (rdu = tessera_tileset_next(&l->rdus, rdu)) < TESSERA_TILES_MAX; lines++)
		rdu = print_rdus(out, l, rdu);
	fprintf(out, "end %u\n", lines);
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

/* Reading */

static unsigned number(struct reader *r, const char *before, unsigned max)
{
	return (unsigned)reader_number(r, before, max);
}

/* N or N-M. */
static void range(struct reader *r, const char *before, unsigned max, unsigned *first, unsigned *last)
{
	*first = *last = number(r, before, max);
	if (reader_follows(r, "-"))
		*last = number(r, "-", max);
	if (*last < *first)
		r->failed = true;
}

/* Ranges joined by commas; nothing that is in ALL already, into which it goes too. */
static void set(struct reader *r, const char *before, struct tessera_cpuset *all, struct tessera_cpuset *out)
{
	unsigned first, last;

	do {
		range(r, before, TESSERA_CPUS_MAX - 1, &first, &last);
		for (unsigned n = first; n <= last && !r->failed; n++) {
			r->failed = tessera_cpuset_has(all, n);
			tessera_cpuset_add(all, n);
			tessera_cpuset_add(out, n);
		}
		before = ",";
	} while (reader_follows(r, before));
}

static void numas(struct reader *r, struct tessera_locality *l)
{
	struct tessera_cpuset cores = {0}, cpus = {0};

	while (reader_follows(r, "numa ")) {
		struct locality_numa *numa = &l->numa[l->numas];

		if (l->numas == TESSERA_NUMAS_MAX) {
			r->failed = true;
			return;
		}
		memset(numa, 0, sizeof(*numa));
		numa->number = number(r, "numa ", LOCALITY_NUMBER_MAX);
		set(r, " cores ", &cores, &numa->cores);
		set(r, " cpus ", &cpus, &numa->cpus);
		reader_expect(r, "\n");
		if (l->numas > 0 && numa->number <= numa[-1].number)
			r->failed = true;
		l->numas++;
	}
	if (l->numas == 0)
		r->failed = true;
}

static void rdus(struct reader *r, struct tessera_locality *l)
{
	unsigned first, last;

	while (reader_follows(r, "rdu ")) {
		range(r, "rdu ", TESSERA_TILES_MAX - 1, &first, &last);
		for (unsigned i = 0; i < l->numas; i++)
			l->distance[first][i] =
				(uint16_t)number(r, i > 0 ? "," : " distances ", LOCALITY_DISTANCE_MAX);
		reader_expect(r, "\n");
		if (r->failed)
			return;
		for (unsigned rdu = first + 1; rdu <= last; rdu++)
			memcpy(l->distance[rdu], l->distance[first], l->numas * sizeof(l->distance[first][0]));
		tessera_tileset_add_range(&l->rdus, first, last - first + 1);
	}
}

int locality_parse(const char *text, size_t len, struct tessera_locality *l)
{
	struct reader r = {.at = text};
	size_t again_len = 0;
	char *again;
	int rc;

	/* It has 200 kB, of which a launch must write only what the table says. */
	l->platform[0] = l->boot[0] = '\0';
	l->numas = 0;
	tessera_tileset_clear(&l->rdus);
	reader_word(&r, TITLE, " \n", l->platform, sizeof(l->platform));
	reader_word(&r, "\nboot ", " \n", l->boot, sizeof(l->boot));
	reader_expect(&r, "\n");
	numas(&r, l);
	rdus(&r, l);
	if (r.failed)
		return -1;
	/* What is written again as it was has nothing in it that was passed over, out of order or cut off. */
	again = locality_format(l, &again_len);
	rc = again != NULL && again_len == len && memcmp(again, text, len) == 0 ? 0 : -1;
	free(again);
	return rc;
}
