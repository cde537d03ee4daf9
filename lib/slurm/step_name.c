/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>

#include "lib/slurm/compat.h"
#include "lib/slurm/step_name.h"

const char *step_name(uint32_t job, uint32_t step, char *buf, size_t len)
{
	const char *word = step == SLURM_BATCH_SCRIPT       ? "batch"
			   : step == SLURM_INTERACTIVE_STEP ? "interactive"
			   : step == SLURM_EXTERN_CONT      ? "extern"
							    : NULL;

	if (word != NULL)
		snprintf(buf, len, "%u.%s", job, word);
	else
		snprintf(buf, len, "%u.%u", job, step);
	return buf;
}
