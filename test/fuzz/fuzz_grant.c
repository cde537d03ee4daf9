/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/grant.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char head[] = "tessera-grant 1 cluster ";

/* What is accepted is about something, and is written again byte for byte. */
static void read_text(const char *text)
{
	struct tessera_grant grant;
	char again[TESSERA_GRANT_TEXT_MAX];

	if (tessera_grant_parse(text, &grant, NULL) < 0)
		return;
	if (grant.job == 0 || (tessera_tileset_empty(&grant.tiles) && grant.partition[0] == '\0') ||
	    tessera_grant_format(&grant, again, sizeof(again)) != strlen(text) || strcmp(again, text) != 0)
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
	read_text(text);
	memcpy(text, head, sizeof(head) - 1);
	memcpy(text + sizeof(head) - 1, data, size);
	text[size + sizeof(head) - 1] = '\0';
	read_text(text);
	free(text);
	return 0;
}
