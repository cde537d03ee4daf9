/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A SPANK plugin that runs before ours and records what reaches a node in the file FILE, its
 * argument: a line for each option and for the share of a step, with the job and the context. Built
 * by request_reaches_node.sh.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <slurm/slurm.h>
#include <slurm/spank.h>

SPANK_PLUGIN(probe, 1)

#define OPTION "_SLURM_SPANK_OPTION_tessera_"

static const char *const options[] = {"tiles_per_task", "tile_affinity", "tile_bind",
				      "ipus",           "ipu_gcds",      "csx"};

int slurm_spank_init(spank_t sp, int argc, char **argv)
{
	uint32_t job = 0, step = 0;
	char name[128], value[8192];
	FILE *out;

	if (spank_context() != S_CTX_REMOTE || argc < 1 || (out = fopen(argv[0], "a")) == NULL)
		return 0;
	spank_get_item(sp, S_JOB_ID, &job);
	spank_get_item(sp, S_JOB_STEPID, &step);
	snprintf(name, sizeof(name), step == SLURM_BATCH_SCRIPT ? "batch" : "step %u", step);
	fprintf(out, "%u %s:", job, name);
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		snprintf(name, sizeof(name), OPTION "%s", options[i]);
		if (spank_getenv(sp, name, value, sizeof(value)) == ESPANK_SUCCESS)
			fprintf(out, " %s=%s", options[i], value);
	}
	if (spank_getenv(sp, "SLURM_TESSERA_STEP_TILES", value, sizeof(value)) == ESPANK_SUCCESS)
		fprintf(out, " share=%s", value);
	fputc('\n', out);
	fclose(out);
	return 0;
}

int slurm_spank_job_prolog(spank_t sp, int argc, char **argv)
{
	uint32_t job = 0;
	char name[128];
	FILE *out;

	if (argc < 1 || (out = fopen(argv[0], "a")) == NULL)
		return 0;
	spank_get_item(sp, S_JOB_ID, &job);
	fprintf(out, "%u prolog:", job);
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		const char *value;

		snprintf(name, sizeof(name), "SPANK_" OPTION "%s", options[i]);
		value = getenv(name);
		if (value != NULL)
			fprintf(out, " %s=%s", options[i], value);
	}
	fputc('\n', out);
	fclose(out);
	return 0;
}
