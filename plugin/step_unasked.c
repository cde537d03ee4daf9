/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/tileset.h"
#include "lib/unasked.h"
#include "plugin/client.h"
#include "plugin/step_unasked.h"

static char mask[4096]; /* "": tasks without tiles are left alone. One slurmstepd runs one step */

/* Is any of PARTITIONS, a list as Slurm has it, in LIST? */
static bool any_listed(const char *partitions, const char *list)
{
	for (const char *at = partitions; *at != '\0';) {
		size_t len = strcspn(at, ",");

		for (const char *other = list; len > 0 && *other != '\0'; other += strspn(other, ",")) {
			size_t other_len = strcspn(other, ",");

			if (other_len == len && memcmp(at, other, len) == 0)
				return true;
			other += other_len;
		}
		at += len;
		at += strspn(at, ",");
	}
	return false;
}

static void find_remembered(const char *partitions)
{
	const char *text = getenv(UNASKED_REMEMBERED);
	size_t len = text != NULL ? strcspn(text, " ") : 0;

	if (len == 0 || len >= sizeof(mask) || text[len] == '\0' || !any_listed(partitions, text + len + 1))
		return;
	memcpy(mask, text, len);
	mask[len] = '\0';
}

void step_unasked_find(spank_t sp, const struct node *node)
{
	const struct tessera_tileset none = {0};
	char partitions[4096];

	mask[0] = '\0';
	if (spank_getenv(sp, "SLURM_JOB_PARTITION", partitions, sizeof(partitions)) != ESPANK_SUCCESS)
		return;
	if (node->conf == NULL)
		find_remembered(partitions);
	else if (unasked_masks(node->conf, partitions, node->platform))
		tessera_tileset_format(node->platform, &none, TESSERA_FORM_MASK, mask, sizeof(mask));
}

int step_unasked_give(spank_t sp, struct tessera_error *err)
{
	if (mask[0] == '\0')
		return 0;
	if (spank_setenv(sp, CLIENT_MASK, mask, 1) == ESPANK_SUCCESS &&
	    spank_setenv(sp, CLIENT_MASK_COPY, mask, 1) == ESPANK_SUCCESS)
		return 0;
	return tessera_error_set(err, TESSERA_ERR_MISSING, "the task's environment cannot be set");
}
