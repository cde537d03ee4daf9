/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <strings.h>

#include "lib/slurm/conf_nodes.h"
#include "lib/tile/hostlist.h"

const struct slurm_line *conf_file_find_node(const struct conf_file *f, const char *node,
					     char **gres)
{
	const struct slurm_line *found = NULL;
	char *default_gres = NULL;

	*gres = NULL;
	for (size_t i = 0; i < f->count && found == NULL; i++) {
		char *names = slurm_line_value(f->lines[i].text, "NodeName");

		if (names != NULL && strcasecmp(names, "DEFAULT") == 0) {
			char *value = slurm_line_value(f->lines[i].text, "Gres");

			if (value != NULL) {
				free(default_gres);
				default_gres = value;
			}
		} else if (names != NULL && tessera_hostlist_has(names, node)) {
			found = &f->lines[i];
			*gres = slurm_line_value(found->text, "Gres");
		}
		free(names);
	}
	if (found != NULL && *gres == NULL) {
		*gres = default_gres;
		default_gres = NULL;
	}
	free(default_gres);
	return found;
}
