/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/tileset.h"
#include "lib/unasked.h"
#include "plugin/step_unasked.h"

/* "MASK PARTITION,PARTITION", or "" where no task finds an empty mask. */
void step_unasked_remember(const struct node *node)
{
	const struct tessera_tileset none = {0};
	const char *title;
	char mask[4096], *text;
	size_t size = sizeof(mask) + 1, used = 0;

	for (size_t i = 0; tessera_conf_partition_at(node->conf, i, &title) != NULL; i++)
		size += strlen(title) + 1;
	text = malloc(size);
	if (text == NULL)
		return;
	text[0] = '\0';
	for (size_t i = 0; tessera_conf_partition_at(node->conf, i, &title) != NULL; i++) {
		if (!unasked_masks(node->conf, title, node->platform))
			continue;
		if (used == 0) {
			tessera_tileset_format(node->platform, &none, TESSERA_FORM_MASK, mask, sizeof(mask));
			used = (size_t)snprintf(text, size, "%s ", mask);
		}
		used += (size_t)snprintf(text + used, size - used, "%s,", title);
	}
	setenv(UNASKED_REMEMBERED, text, 1);
	free(text);
}
