/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/request/gres_counts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An accepted text is formatted with other counts, and parsed again with these. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct tessera_counts new = {.rdu = {true, 7}, .tile = {true, 1024}};
	const char *usual = "rdu:sn30:8,rdu_tile:64";
	const struct tessera_platform *p = tessera_platform_find_builtin("sn30-8");
	struct tessera_counts was, is;
	struct tessera_tileset bad;
	unsigned named;
	char *text = malloc(size + 1), *written = malloc(size + 128);

	if (text == NULL || written == NULL)
		goto cleanup;
	memcpy(text, data, size);
	text[size] = '\0';
	if (tessera_gres_counts_read(text, &was, NULL) == 0 &&
	    (tessera_gres_counts_write(text, usual, &new, written, size + 128, NULL) < 0 ||
	     tessera_gres_counts_read(written, &is, NULL) < 0 || is.rdu.count != 7 ||
	     is.tile.count != 1024))
		abort();
	/* A buffer that is too small is never overrun. */
	if (size > 0 &&
	    tessera_gres_counts_write(text, usual, &new, written, size / 2 + 1, NULL) == 0 &&
	    strlen(written) > size / 2)
		abort();
	if (was.rdu.count > 0 && !was.rdu.given)
		abort();
	/* A reason names all of its bad tiles, or says only how many there are. */
	named = tessera_gres_counts_reason_bad(p, text, &bad);
	if (named > TESSERA_TILES_MAX ||
	    (!tessera_tileset_empty(&bad) && tessera_tileset_count(&bad) != named))
		abort();
cleanup:
	free(text);
	free(written);
	return 0;
}
