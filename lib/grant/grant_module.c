/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera_grant.so: the part of the plugin that needs libmunge. slurmstepd loads it, and only for
 * jobs that have tiles or IPUs.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "lib/grant/grant_module.h"
#include "lib/grant/grant_munge.h"
#include "lib/util/deadline.h"

#define REPEAT_US 20000 /* libmunge reconnects up to ten times: shut each connection down */

/*
 * libmunge waits ten seconds for a munged that hangs, and has no option for a shorter timeout.
 * Calling it in a child process would cost a fork() of slurmstepd, 2 to 4 ms of CPU. A task has no
 * threads, so that the number of libmunge's next descriptor is known: at the deadline, a signal
 * handler shuts that socket down, and libmunge sees the end of the connection.
 */
static int munge_socket = -1;

static void end_connection(int signal)
{
	int saved = errno;

	(void)signal;
	shutdown(munge_socket, SHUT_RDWR);
	errno = saved;
}

/* The process's previous settings, to be restored. */
struct guard {
	struct sigaction action;
	struct itimerval timer;
	sigset_t mask;
};

static void start_guard(struct guard *guard, unsigned seconds)
{
	struct sigaction action = {.sa_handler = end_connection};
	struct itimerval timer = {.it_value.tv_sec = seconds, .it_interval.tv_usec = REPEAT_US};
	sigset_t alarm;

	/* The lowest free descriptor, which socket(2) will return. */
	munge_socket = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (munge_socket >= 0)
		close(munge_socket);
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigaction(SIGALRM, &action, &guard->action);
	sigprocmask(SIG_UNBLOCK, &alarm, &guard->mask);
	setitimer(ITIMER_REAL, &timer, &guard->timer);
}

static void end_guard(const struct guard *guard)
{
	setitimer(ITIMER_REAL, &guard->timer, NULL);
	sigprocmask(SIG_SETMASK, &guard->mask, NULL);
	sigaction(SIGALRM, &guard->action, NULL);
	munge_socket = -1;
}

char *tessera_grant_module_encode_within(const char *text, const char *socket, unsigned seconds,
					 char *why, size_t len)
{
	int64_t end = deadline_after(seconds);
	struct tessera_error err = {0};
	struct guard guard;
	char *credential;

	start_guard(&guard, seconds);
	credential = grant_munge_encode(text, socket, &err);
	end_guard(&guard);
	if (credential == NULL && deadline_left(end) == 0)
		snprintf(why, len, "timed out after %u s waiting for munged%s%s", seconds,
			 socket[0] != '\0' ? " at " : "", socket);
	else
		snprintf(why, len, "%s", err.text);
	return credential;
}
