/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/tile/tileset.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * Each notation of a parsed set is parsed as the same set, also after a buffer that was too short.
 */
static void round_trip(const struct tessera_platform *p, const struct tessera_tileset *set)
{
	static char text[TESSERA_TILESET_TEXT_MAX];

	for (int form = TESSERA_FORM_MASK; form <= TESSERA_FORM_PATHS; form++) {
		struct tessera_tileset back;
		size_t len = tessera_tileset_format(p, set, (enum tessera_form)form, text, 7);

		if (strlen(text) != (len < 6 ? len : 6))
			abort();
		if (tessera_tileset_format(p, set, (enum tessera_form)form, text, sizeof(text)) !=
			    len ||
		    len >= sizeof(text) || strlen(text) != len)
			abort();
		if (tessera_tileset_parse(p, text, &back, NULL) < 0 ||
		    !tessera_tileset_equal(&back, set))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tessera_platform odd = {.name = "odd",
				       .kind = TESSERA_KIND_RDU,
				       .xrdus = 5,
				       .rdus_per_xrdu = 3,
				       .tiles_per_rdu = 11,
				       .mask_bits = 168};
	const struct tessera_platform *platforms[] = {tessera_platform_find_builtin("sn10-8"),
						      tessera_platform_find_builtin("sn30-8"),
						      tessera_platform_find_builtin("pod64"), &odd};
	char *text = strndup((const char *)data, size);

	if (text == NULL)
		return 0;
	for (size_t i = 0; i < sizeof(platforms) / sizeof(platforms[0]); i++) {
		struct tessera_error err = {0};
		struct tessera_tileset set, all;

		if (tessera_tileset_parse(platforms[i], text, &set, &err) < 0) {
			if (err.code != TESSERA_ERR_INPUT || err.text[0] == '\0')
				abort();
			continue;
		}
		tessera_tileset_all(platforms[i], &all);
		if (tessera_tileset_empty(&set) || !tessera_tileset_subset(&set, &all))
			abort();
		round_trip(platforms[i], &set);
	}
	free(text);
	return 0;
}
