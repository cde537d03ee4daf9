/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <sys/wait.h>
#include <unistd.h>

#include "plugin/aside.h"

void aside_do(void (*work)(const struct node *node), const struct node *node)
{
	pid_t child = fork();

	if (child == 0) {
		/* Once more, so that slurmd has no child that it does not know. */
		if (fork() == 0)
			work(node);
		_exit(0);
	}
	if (child > 0)
		waitpid(child, NULL, 0);
}
