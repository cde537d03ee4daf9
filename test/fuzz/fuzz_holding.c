/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/holding_parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char head[] = "tessera-holding 1\njob ";

/* What is accepted is written again byte for byte. */
static void read_text(const char *text, size_t size)
{
	struct tessera_holding h;
	char again[HOLDING_TEXT_MAX];

	if (holding_parse(text, size, &h) < 0)
		return;
	if (h.job == 0 || h.pool_count > TESSERA_POOLS_MAX || holding_format(&h, again, sizeof(again)) != size ||
	    memcmp(again, text, size) != 0)
		abort();
}

/* As it is, and behind a title. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + sizeof(head));

	if (text == NULL)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	read_text(text, size);
	memcpy(text, head, sizeof(head) - 1);
	memcpy(text + sizeof(head) - 1, data, size);
	text[size + sizeof(head) - 1] = '\0';
	read_text(text, size + sizeof(head) - 1);
	free(text);
	return 0;
}
