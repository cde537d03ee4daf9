/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/summary.h"
#include "lib/used_parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char head[] = "{\"tessera\":1,\"nodes\":{\"";

/* What we put in is found again, and nothing of what was there is lost; putting it in twice is as once. */
static void merge(const char *comment)
{
	const struct tessera_used used = {.has_tiles = true, .tile_seconds = 5, .seen = 7};
	struct tessera_summary before, after;
	int had = tessera_summary_read(comment, &before, NULL);
	char *once = tessera_summary_merge(comment, "n1", &used, NULL);
	char *twice = once != NULL ? tessera_summary_merge(once, "n1", &used, NULL) : NULL;

	if (once == NULL)
		return;
	if (twice == NULL || strcmp(once, twice) != 0 || tessera_summary_read(once, &after, NULL) != 0 ||
	    after.nodes < (had == 0 ? before.nodes : 1) ||
	    (had != 0 && strncmp(once, comment, strlen(comment)) != 0))
		abort();
	free(once);
	free(twice);
}

/* A file of a job's use: what is accepted is written again byte for byte. */
static void read_used(const char *text, size_t size)
{
	struct tessera_used used;
	char again[USED_TEXT_MAX];

	if (used_parse(text, size, &used) < 0)
		return;
	if (used_format(&used, again, sizeof(again)) != size || memcmp(again, text, size) != 0)
		abort();
}

/* As it is, and behind the start of our object. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + sizeof(head));

	if (text == NULL)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	read_used(text, size);
	merge(text);
	memcpy(text, head, sizeof(head) - 1);
	memcpy(text + sizeof(head) - 1, data, size);
	text[size + sizeof(head) - 1] = '\0';
	merge(text);
	free(text);
	return 0;
}
