/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/account/usage_summary.h"
#include "lib/state/sample_record_internal.h"
#include "test/fuzz/fuzz_text.h"

/* A merged node is read back, other text is kept, and merging it twice changes nothing. */
static void merge_comment(const char *comment)
{
	const struct tessera_sample_record used = {.has_tiles = true, .tile_seconds = 5, .seen = 7};
	struct tessera_usage_summary before, after;
	int had = tessera_usage_summary_read(comment, &before, NULL);
	char *once = tessera_usage_summary_merge(comment, "n1", &used, NULL);
	char *twice = once != NULL ? tessera_usage_summary_merge(once, "n1", &used, NULL) : NULL;

	if (once == NULL)
		return;
	if (twice == NULL || strcmp(once, twice) != 0 ||
	    tessera_usage_summary_read(once, &after, NULL) != 0 ||
	    after.nodes < (had == 0 ? before.nodes : 1) ||
	    (had != 0 && strncmp(once, comment, strlen(comment)) != 0))
		abort();
	free(once);
	free(twice);
}

/* An accepted sample record is formatted again byte for byte. */
static void read_record(const char *text, size_t size)
{
	struct tessera_sample_record used;
	char again[SAMPLE_RECORD_TEXT_MAX];

	if (sample_record_parse(text, size, &used) < 0)
		return;
	if (sample_record_format(&used, again, sizeof(again)) != size ||
	    memcmp(again, text, size) != 0)
		abort();
}

static void read_text(const char *text, size_t size)
{
	read_record(text, size);
	merge_comment(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_text(data, size, "{\"tessera\":1,\"nodes\":{\"", read_text);
	return 0;
}
