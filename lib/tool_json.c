/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/text.h"
#include "lib/tool_json.h"

/* Blanks are the same to JSON between its parts; within a string it takes no other. */
static void blank(char *text)
{
	for (; *text != '\0'; text++)
		if (strchr("\t\r\n", *text) != NULL)
			*text = ' ';
}

json_t *tool_json_load(const char *text, json_error_t *where)
{
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, where);
	char *copy = root == NULL ? strdup(text) : NULL;
	json_error_t again;

	/* WHERE stays that of the text as it was printed. */
	if (copy != NULL) {
		blank(copy);
		text_clean(copy);
		root = json_loads(copy, JSON_REJECT_DUPLICATES, &again);
		free(copy);
	}
	return root;
}
