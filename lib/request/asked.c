/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <string.h>

#include "lib/request/asked.h"

#define TILES "tiles="

struct asked asked_read(const char *text)
{
	struct asked asked = {0};

	for (const char *item = text; item != NULL && *item != '\0';) {
		const char *comma = strchr(item, ',');

		if (strncmp(item, TILES, strlen(TILES)) == 0)
			asked.tiles = true;
		else if (item != comma)
			asked.pools = true;
		item = comma != NULL ? comma + 1 : NULL;
	}
	return asked;
}
