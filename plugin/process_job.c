/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/apart.h"
#include "lib/deadline.h"
#include "plugin/process_job.h"
#include "plugin/slurm_compat.h"

int process_job(const struct node *node, pid_t pid, uint32_t *job, struct tessera_error *err)
{
	/* By this name it finds the slurmd to ask, where a machine has several. */
	setenv("SLURMD_NODENAME", node->name, 1);
	errno = 0;
	if (slurm_pid2jobid(pid, job) == SLURM_SUCCESS)
		return 1;
	if (errno == ESLURM_INVALID_JOB_ID)
		return 0;
	return tessera_error_set(err, TESSERA_ERR_MISSING, "slurmd does not say whose process %jd is: %s",
				 (intmax_t)pid, slurm_strerror(errno));
}

struct question {
	const struct node *node;
	pid_t pid;
};

struct answer {
	int rc;
	uint32_t job;
	struct tessera_error err;
};

static void ask_apart(int fd, void *arg)
{
	const struct question *question = arg;
	struct answer answer;

	/* It goes through a pipe whole, with what lies between its members. */
	memset(&answer, 0, sizeof(answer));
	answer.rc = process_job(question->node, question->pid, &answer.job, &answer.err);
	if (write(fd, &answer, sizeof(answer)) < 0)
		return;
}

int process_job_until(const struct node *node, pid_t pid, int64_t end, uint32_t *job, struct tessera_error *err)
{
	struct question question = {.node = node, .pid = pid};
	char buf[sizeof(struct answer) + 1];
	struct answer answer;
	struct tessera_error why = {0};

	if (deadline_left(end) == 0)
		return tessera_error_set(err, TESSERA_ERR_MISSING,
					 "there was no time left to ask slurmd whose process %jd is",
					 (intmax_t)pid);
	if (apart_do(ask_apart, &question, end, buf, sizeof(buf), &why) != (ssize_t)sizeof(answer))
		return tessera_error_set(err, TESSERA_ERR_MISSING, "slurmd does not say whose process %jd is: %s",
					 (intmax_t)pid, why.text[0] != '\0' ? why.text : "the question failed");
	memcpy(&answer, buf, sizeof(answer));
	if (answer.rc < 0 && err != NULL)
		*err = answer.err;
	else if (answer.rc > 0)
		*job = answer.job;
	return answer.rc;
}
