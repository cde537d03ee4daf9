/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "gres/counts/counts_internal.h"
#include "lib/util/child.h"
#include "lib/util/proc.h"

/* Processes between slurmd and this one: a script or two. */
#define ANCESTORS_MAX 16

/*
 * slurmstepd, which runs a job of root, has another name, and is no child of slurmd by the time a
 * task runs.
 */
bool counts_run_by_slurmd(void)
{
	pid_t pid = getppid();
	char path[64], text[1024];

	for (unsigned i = 0; i < ANCESTORS_MAX && pid > 1; i++) {
		snprintf(path, sizeof(path), "/proc/%jd/comm", (intmax_t)pid);
		if (proc_read(AT_FDCWD, path, text, sizeof(text)) == 0 &&
		    strcmp(text, "slurmd\n") == 0)
			return true;
		snprintf(path, sizeof(path), "/proc/%jd/stat", (intmax_t)pid);
		proc_read(AT_FDCWD, path, text, sizeof(text));
		pid = proc_parent(text);
	}
	return false;
}

struct job {
	int (*work)(void *arg, struct tessera_error *err);
	void *arg;
};

/*
 * slurmd reads the output until nobody has it open, and then kills the process group of the health
 * check.
 */
static void leave_slurmd(void)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	setsid();
	for (int to = 0; fd >= 0 && to <= STDERR_FILENO; to++)
		dup2(fd, to);
}

static void run_job(const void *arg)
{
	const struct job *job = arg;
	struct tessera_error err = {0};

	leave_slurmd();
	if (job->work(job->arg, &err) == 0)
		return;
	openlog("tessera", LOG_PID, LOG_DAEMON);
	syslog(LOG_ERR, "%s", err.text);
}

int counts_detach(int (*work)(void *arg, struct tessera_error *err), void *arg,
		  struct tessera_error *err)
{
	struct job job = {.work = work, .arg = arg};

	/* What is printed so far must not be printed twice. */
	fflush(NULL);
	if (child_detach(run_job, &job) == 0)
		return 0;
	return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE, "cannot fork: %s", strerror(errno));
}
