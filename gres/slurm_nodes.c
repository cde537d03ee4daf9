/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <strings.h>

#include "gres/slurm_nodes.h"
#include "lib/hostlist.h"

const struct slurm_line *slurm_nodes_find(const struct slurm_file *f, const char *node, char **gres)
{
	const struct slurm_line *found = NULL;
	char *usual = NULL;

	*gres = NULL;
	for (size_t i = 0; i < f->count && found == NULL; i++) {
		char *names = slurm_line_value(f->lines[i].text, "NodeName");

		if (names != NULL && strcasecmp(names, "DEFAULT") == 0) {
			char *value = slurm_line_value(f->lines[i].text, "Gres");

			if (value != NULL) {
				free(usual);
				usual = value;
			}
		} else if (names != NULL && tessera_hostlist_has(names, node)) {
			found = &f->lines[i];
			*gres = slurm_line_value(found->text, "Gres");
		}
		free(names);
	}
	if (found != NULL && *gres == NULL) {
		*gres = usual;
		usual = NULL;
	}
	free(usual);
	return found;
}
