/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Submit a held job through libslurm, as slurmrestd does, and print its number. An argument
 * FIELD=VALUE is a field of the job, spank=NAME=VALUE a variable of its control environment,
 * fill=COUNT fills that environment to COUNT variables, run=FILE starts the job at once with its
 * output in FILE, and script=COMMAND is its script. Built by the scenarios that use it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../lib/slurm/compat.h"

#define SPANK_MAX 5000

static char script[1024] = "#!/bin/sh\ntrue\n", root[] = "/", nowhere[] = "/dev/null",
	    path[] = "PATH=/usr/bin:/bin";

int main(int argc, char **argv)
{
	char *environment[] = {path, NULL}, *spank[SPANK_MAX];
	submit_response_msg_t *resp = NULL;
	job_desc_msg_t job;

	slurm_init(NULL);
	slurm_init_job_desc_msg(&job);
	job.min_nodes = 1;
	job.priority = 0;
	job.std_out = nowhere;
	for (int i = 1; i < argc; i++) {
		char *value = strchr(argv[i], '=');

		if (value == NULL)
			return 2;
		*value++ = '\0';
		if (strcmp(argv[i], "tres_per_node") == 0)
			job.tres_per_node = value;
		else if (strcmp(argv[i], "tres_per_task") == 0)
			job.tres_per_task = value;
		else if (strcmp(argv[i], "tres_per_job") == 0)
			job.tres_per_job = value;
		else if (strcmp(argv[i], "tres_per_socket") == 0)
			job.tres_per_socket = value;
		else if (strcmp(argv[i], "licenses") == 0)
			job.licenses = value;
		else if (strcmp(argv[i], "partition") == 0)
			job.partition = value;
		else if (strcmp(argv[i], "min_nodes") == 0)
			job.min_nodes = (uint32_t)strtoul(value, NULL, 10);
		else if (strcmp(argv[i], "num_tasks") == 0)
			job.num_tasks = (uint32_t)strtoul(value, NULL, 10);
		else if (strcmp(argv[i], "fill") == 0)
			while (job.spank_job_env_size < SPANK_MAX &&
			       job.spank_job_env_size < strtoul(value, NULL, 10))
				spank[job.spank_job_env_size++] = path;
		else if (strcmp(argv[i], "run") == 0) {
			job.priority = NO_VAL;
			job.std_out = value;
		} else if (strcmp(argv[i], "script") == 0) {
			snprintf(script, sizeof(script), "#!/bin/sh\n%s\n", value);
		} else if (strcmp(argv[i], "spank") == 0 && job.spank_job_env_size < SPANK_MAX)
			spank[job.spank_job_env_size++] = value;
		else
			return 2;
	}
	job.spank_job_env = spank;
	job.user_id = getuid();
	job.group_id = getgid();
	job.work_dir = root;
	job.script = script;
	job.environment = environment;
	job.env_size = 1;
	if (slurm_submit_batch_job(&job, &resp) != SLURM_SUCCESS) {
		slurm_perror("submit");
		return 1;
	}
	printf("%u\n", TESSERA_SUBMITTED_JOB(resp));
	return 0;
}
