/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/state/health_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An accepted text is formatted again byte for byte. */
static void expect_same(char *again, const char *text, size_t size)
{
	if (again == NULL || strlen(again) != size || memcmp(again, text, size) != 0)
		abort();
	free(again);
}

static void read_text(const char *platform, const char *text, size_t size)
{
	const struct tessera_platform *p = tessera_platform_find_builtin(platform);
	struct tessera_health health;
	struct tessera_marks marks;

	if (health_parse(p, "fuzz", text, size, &health, NULL) == 0)
		expect_same(health_format(p, &health), text, size);
	if (marks_parse(p, "fuzz", text, size, &marks, NULL) == 0)
		expect_same(marks_format(p, &marks), text, size);
	tessera_marks_free(&marks);
}

/* The input as it is, and behind each first line. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct {
		const char *platform, *head;
	} as[] = {
		{"sn30-8", ""},
		{"sn30-8", "tessera-health 1 sn30-8\nsource snfadm time "},
		{"pod64", "tessera-health 1 pod64\nipus gcipuinfo time "},
		{"sn10-8", "tessera-marks 1 sn10-8\nbad "},
	};
	char *text = malloc(size + 64);

	if (text == NULL)
		return 0;
	for (size_t i = 0; i < sizeof(as) / sizeof(as[0]); i++) {
		size_t head = strlen(as[i].head);

		memcpy(text, as[i].head, head);
		memcpy(text + head, data, size);
		text[head + size] = '\0';
		read_text(as[i].platform, text, head + size);
	}
	free(text);
	return 0;
}
