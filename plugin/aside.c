/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plugin/aside.h"
#include "plugin/slurm_compat.h"

static pid_t fork_or_tell(void)
{
	pid_t pid = fork();

	if (pid < 0)
		slurm_error("tessera: no process for what is to be done when slurmd starts: %s: restart slurmd",
			    strerror(errno));
	return pid;
}

void aside_do(void (*work)(const struct node *node), const struct node *node)
{
	pid_t child = fork_or_tell();

	if (child == 0) {
		/* Once more, so that slurmd has no child that it does not know. */
		if (fork_or_tell() == 0)
			work(node);
		_exit(0);
	}
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) {
	}
}
