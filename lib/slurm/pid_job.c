/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/slurm/compat.h"
#include "lib/slurm/pid_job.h"
#include "lib/util/child.h"
#include "lib/util/deadline.h"

int pid_job(pid_t pid, uint32_t *job, struct tessera_error *err)
{
	errno = 0;
	if (slurm_pid2jobid(pid, job) == SLURM_SUCCESS)
		return 1;
	if (errno == ESLURM_INVALID_JOB_ID)
		return 0;
	return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
				 "cannot query the job of process %jd from slurmd: %s",
				 (intmax_t)pid, slurm_strerror(errno));
}

struct answer {
	int rc;
	uint32_t job;
	struct tessera_error err;
};

static void query_in_child(int fd, void *arg)
{
	const pid_t *pid = arg;
	struct answer answer;

	/* It is written to a pipe with its padding, which must be initialized. */
	memset(&answer, 0, sizeof(answer));
	answer.rc = pid_job(*pid, &answer.job, &answer.err);
	if (write(fd, &answer, sizeof(answer)) < 0)
		return;
}

int pid_job_until(pid_t pid, int64_t end, uint32_t *job, struct tessera_error *err)
{
	char buf[sizeof(struct answer) + 1];
	struct answer answer;
	struct tessera_error why = {0};

	if (deadline_left(end) == 0)
		return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
					 "no time left to query the job of process %jd from slurmd",
					 (intmax_t)pid);
	if (child_call(query_in_child, &pid, end, buf, sizeof(buf), &why) !=
	    (ssize_t)sizeof(answer))
		return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
					 "cannot query the job of process %jd from slurmd: %s",
					 (intmax_t)pid,
					 why.text[0] != '\0' ? why.text : "the child failed");
	memcpy(&answer, buf, sizeof(answer));
	if (answer.rc < 0 && err != NULL)
		*err = answer.err;
	else if (answer.rc > 0)
		*job = answer.job;
	return answer.rc;
}
