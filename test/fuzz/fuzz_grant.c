/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/grant/grant.h"
#include "test/fuzz/fuzz_text.h"

/* An accepted grant names a job and tiles or a partition, and is formatted again byte for byte. */
static void read_text(const char *text, size_t size)
{
	struct tessera_grant grant;
	char again[TESSERA_GRANT_TEXT_MAX];

	(void)size; /* the parser stops at a NUL */
	if (tessera_grant_parse(text, &grant, NULL) < 0)
		return;
	if (grant.job == 0 || (tessera_tileset_empty(&grant.tiles) && grant.partition[0] == '\0') ||
	    tessera_grant_format(&grant, again, sizeof(again)) != strlen(text) ||
	    strcmp(again, text) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_text(data, size, "tessera-grant 1 cluster ", read_text);
	return 0;
}
