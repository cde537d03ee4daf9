/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The chart as an SVG image: one file without scripts or external resources. Names of users and
 * accounts are escaped.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "command/view/report.h"

/* In pixels. */
#define WIDTH      720
#define NAME_WIDTH 180
#define BAR_WIDTH  420
#define LINE       22
#define MARGIN     16

static void print_text(FILE *out, const char *text)
{
	for (; *text != '\0'; text++) {
		switch (*text) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		default:
			/*
			 * XML does not allow control characters, and bytes of another encoding
			 * would make the file invalid.
			 */
			fputc((unsigned char)*text >= ' ' && (unsigned char)*text < 0x7f ? *text
											 : '?',
			      out);
		}
	}
}

/* Draw PART of ALL seconds, starting at X. Returns the start of the next part. */
static double print_rect(FILE *out, double x, unsigned y, uint64_t part, uint64_t all,
			 const char *class)
{
	double width = (double)part / (double)all * BAR_WIDTH;

	if (part > 0)
		fprintf(out,
			"<rect class=\"%s\" x=\"%.1f\" y=\"%u\" width=\"%.1f\" height=\"%d\"/>\n",
			class, x, y, width, LINE - 6);
	return x + width;
}

static void print_row(FILE *out, const struct report *report, const struct report_series *series,
		      const struct tessera_usage_row *row, uint64_t largest, unsigned y)
{
	uint64_t held = report_held(series, row);
	double end = MARGIN + NAME_WIDTH;
	struct report_parts parts;

	fprintf(out, "<text x=\"%d\" y=\"%u\" text-anchor=\"end\">", MARGIN + NAME_WIDTH - 8,
		y + LINE - 10);
	print_text(out, report_name(report, row));
	fputs("</text>\n", out);
	if (held == TESSERA_UNKNOWN) {
		fprintf(out, "<text x=\"%.1f\" y=\"%u\">unknown</text>\n", end + 6, y + LINE - 10);
		return;
	}
	parts = report_parts(series, row, held);
	end = print_rect(out, end, y, parts.used, largest, "used");
	end = print_rect(out, end, y, parts.idle, largest, "idle");
	end = print_rect(out, end, y, parts.unknown, largest, "unknown");
	fprintf(out, "<text x=\"%.1f\" y=\"%u\">%.2f</text>\n", end + 6, y + LINE - 10,
		(double)held / 3600);
}

static void print_legend(FILE *out, unsigned y)
{
	static const struct {
		const char *class;
		const char *text;
		int x;
	} part[] = {{"used", "used", 0},
		    {"idle", "held, not used", 90},
		    {"unknown", "held, unknown (not sampled)", 220}};

	for (size_t n = 0; n < sizeof(part) / sizeof(*part); n++)
		fprintf(out,
			"<rect class=\"%s\" x=\"%d\" y=\"%u\" width=\"12\" height=\"12\"/><text "
			"x=\"%d\" "
			"y=\"%u\">%s</text>\n",
			part[n].class, MARGIN + NAME_WIDTH + part[n].x, y,
			MARGIN + NAME_WIDTH + part[n].x + 18, y + 11, part[n].text);
}

static void print_image(FILE *out, const struct report *report)
{
	struct report_series series[REPORT_SERIES_MAX];
	size_t count = report_series(report, series);
	unsigned y = MARGIN + LINE;
	char from[32] = "", to[32] = "";
	struct tm tm = {0};

	if (localtime_r(&report->start, &tm) != NULL)
		strftime(from, sizeof(from), "%Y-%m-%d %H:%M", &tm);
	if (localtime_r(&report->end, &tm) != NULL)
		strftime(to, sizeof(to), "%Y-%m-%d %H:%M", &tm);
	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%zu\" "
		"font-family=\"sans-serif\" "
		"font-size=\"12\">\n"
		"<style>.used{fill:#1b6ca8}.idle{fill:#e08a1e}.unknown{fill:#d0d0d0}</style>\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
		"<text x=\"%d\" y=\"%d\" font-weight=\"bold\">Accelerators held, %s to %s</text>\n",
		WIDTH, (size_t)MARGIN * 2 + LINE * (2 + count * (report->count + 2)), MARGIN,
		MARGIN + 12, from, to);
	for (size_t s = 0; s < count; s++) {
		uint64_t largest = report_largest(report, &series[s]);

		fprintf(out, "<text x=\"%d\" y=\"%u\" font-weight=\"bold\">", MARGIN + NAME_WIDTH,
			y + LINE - 10);
		print_text(out, series[s].title);
		fputs("</text>\n", out);
		y += LINE;
		for (size_t n = 0; n < report->count; n++, y += LINE)
			print_row(out, report, &series[s], report->rows[n], largest, y);
		y += LINE;
	}
	print_legend(out, y);
	fputs("</svg>\n", out);
}

int report_svg(const struct report *report, const char *path, struct tessera_error *err)
{
	FILE *out = fopen(path, "we");
	bool whole;

	if (out == NULL)
		return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE, "cannot write %s: %s", path,
					 strerror(errno));
	print_image(out, report);
	whole = fflush(out) == 0 && !ferror(out);
	if (fclose(out) != 0 || !whole)
		return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE, "cannot write all of %s: %s",
					 path, strerror(errno));
	return 0;
}
