/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/util/utf8.h"
#include "lib/vendor/tool_json.h"

/* Outside strings JSON treats all white space alike; within strings only a space is valid. */
static void replace_white_space(char *text)
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

	/* WHERE keeps the position in the original text. */
	if (copy != NULL) {
		replace_white_space(copy);
		utf8_clean(copy);
		root = json_loads(copy, JSON_REJECT_DUPLICATES, &again);
		free(copy);
	}
	return root;
}
