/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/view/tilemap.h"

#define LINE_WIDTH  80
#define LABEL_WIDTH 8 /* "XRDU_0" and the gap after it */
#define GAP         3 /* between RDUs */

bool tilemap_escapes(FILE *out)
{
	const char *term = getenv("TERM");

	return isatty(fileno(out)) && term != NULL && *term != '\0' && strcmp(term, "dumb") != 0;
}

bool tilemap_colour(FILE *out)
{
	const char *no = getenv("NO_COLOR");

	return tilemap_escapes(out) && (no == NULL || *no == '\0');
}

static unsigned find_widest(const struct tilemap_cell *cells, unsigned count)
{
	size_t width = 1;

	for (unsigned i = 0; i < count; i++) {
		size_t len = strlen(cells[i].text);

		width = len > width ? len : width;
	}
	return (unsigned)width;
}

static void print_rdu(FILE *out, const struct tilemap_cell *cells, unsigned tiles, unsigned width,
		      bool colour)
{
	for (unsigned t = 0; t < tiles; t++) {
		bool lit = colour && cells[t].colour > 0;

		fputs(t > 0 ? " " : "", out);
		if (lit)
			fprintf(out, "\033[1;3%dm", cells[t].colour);
		fprintf(out, "%*s", (int)width, cells[t].text);
		fputs(lit ? "\033[0m" : "", out);
	}
}

/* The layout of the map, which is the same in each row. */
struct layout {
	unsigned cell; /* width of a tile */
	unsigned rdu;  /* width of an RDU's tiles, or of its name if that is wider */
	unsigned pad;  /* rdu minus the width of the tiles */
	unsigned per_line;
	bool colour;
};

static struct layout lay_out(const struct tessera_platform *p, const struct tilemap_cell *cells,
			     bool colour)
{
	struct layout l = {.cell = find_widest(cells, tessera_platform_tiles(p)), .colour = colour};
	unsigned tiles = p->tiles_per_rdu * (l.cell + 1) - 1;
	unsigned name = (unsigned)snprintf(NULL, 0, "rdu%u", tessera_platform_rdus(p) - 1);

	l.rdu = tiles > name ? tiles : name;
	l.pad = l.rdu - tiles;
	l.per_line = (LINE_WIDTH - LABEL_WIDTH + GAP) / (l.rdu + GAP);
	if (l.per_line == 0)
		l.per_line = 1;
	if (l.per_line > p->rdus_per_xrdu)
		l.per_line = p->rdus_per_xrdu;
	return l;
}

/* RDUs FIRST to LAST - 1 of the node, side by side: their names, then NAME and their tiles. */
static void print_row(FILE *out, const struct tessera_platform *p, const struct tilemap_cell *cells,
		      const struct layout *l, unsigned first, unsigned last, const char *name)
{
	char label[32];

	fprintf(out, "%*s", LABEL_WIDTH, "");
	for (unsigned rdu = first; rdu < last; rdu++) {
		snprintf(label, sizeof(label), "rdu%u", rdu);
		fprintf(out, "%-*s", rdu + 1 < last ? (int)(l->rdu + GAP) : 0, label);
	}
	fprintf(out, "\n%-*s", LABEL_WIDTH, name);
	for (unsigned rdu = first; rdu < last; rdu++) {
		fprintf(out, "%*s", rdu > first ? (int)(l->pad + GAP) : 0, "");
		print_rdu(out, cells + rdu * p->tiles_per_rdu, p->tiles_per_rdu, l->cell,
			  l->colour);
	}
	fputc('\n', out);
}

void tilemap_print(FILE *out, const struct tessera_platform *p, const struct tilemap_cell *cells,
		   bool colour)
{
	struct layout l = lay_out(p, cells, colour);

	for (unsigned xrdu = 0; xrdu < p->xrdus; xrdu++) {
		unsigned end = (xrdu + 1) * p->rdus_per_xrdu;
		char name[32];

		snprintf(name, sizeof(name), "XRDU_%u", xrdu);
		for (unsigned first = end - p->rdus_per_xrdu; first < end; first += l.per_line) {
			print_row(out, p, cells, &l, first,
				  first + l.per_line < end ? first + l.per_line : end, name);
			name[0] = '\0'; /* further lines of the same XRDU */
		}
	}
}
