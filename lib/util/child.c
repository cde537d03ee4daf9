/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/util/child.h"
#include "lib/util/deadline.h"

#define END_S        1 /* how long to wait for a killed process to end */
#define PAUSE_MAX_MS 50

/* Read FD to its end. Returns the number of bytes, less than LEN, or -1 with ERR. */
static ssize_t read_result(int fd, int64_t deadline, char *buf, size_t len,
			   struct tessera_error *err)
{
	struct pollfd wait = {.fd = fd, .events = POLLIN};
	size_t used = 0;
	ssize_t n;

	for (;;) {
		int ready = poll(&wait, 1, (int)deadline_left(deadline));

		if (ready == 0 || (ready < 0 && errno == EINTR && deadline_left(deadline) == 0))
			return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE, "timed out");
		n = ready > 0 ? read(fd, buf + used, len - used) : -1;
		if (n < 0 && errno != EINTR)
			return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
						 "cannot read the result: %s", strerror(errno));
		if (n == 0)
			return (ssize_t)used;
		used += n > 0 ? (size_t)n : 0;
		if (used == len)
			return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
						 "the result has %zu bytes or more", len);
	}
}

bool child_has_ended(pid_t pid, int *status)
{
	int64_t until = deadline_after(END_S);
	unsigned pause = 1;
	pid_t got;

	while ((got = waitpid(pid, status, WNOHANG)) == 0 && deadline_left(until) > 0)
		deadline_pause(until, &pause, PAUSE_MAX_MS);
	return got != 0;
}

/* A child that CLOSED its end of the pipe is about to exit; any other is killed. */
static void end_child(pid_t pid, bool closed)
{
	int status;

	if (closed) {
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
		}
		return;
	}
	kill(pid, SIGKILL);
	child_has_ended(pid, &status);
}

ssize_t child_call(void (*work)(int fd, void *arg), void *arg, int64_t deadline, char *buf,
		   size_t len, struct tessera_error *err)
{
	struct sigaction old, normal = {.sa_handler = SIG_DFL};
	pid_t parent = getpid(), pid;
	ssize_t got;
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE, "cannot create a pipe: %s",
					 strerror(errno));
	/* The host program may ignore SIGCHLD; then waitpid() would not find this child. */
	sigaction(SIGCHLD, &normal, &old);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(fds[0]);
		if (getppid() == parent)
			work(fds[1], arg);
		_exit(0);
	}
	close(fds[1]);
	if (pid < 0)
		got = tessera_error_set(err, TESSERA_ERR_UNAVAILABLE, "cannot fork: %s",
					strerror(errno));
	else
		got = read_result(fds[0], deadline, buf, len, err);
	close(fds[0]);
	if (pid > 0)
		end_child(pid, got >= 0);
	sigaction(SIGCHLD, &old, NULL);
	if (got >= 0)
		buf[got] = '\0';
	return got;
}

/* The child exits with the errno of its own failed fork(), or with 0. */
static int reap_child(pid_t child)
{
	int status = 0;

	while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
	}
	if (!WIFEXITED(status) || WEXITSTATUS(status) == 0)
		return 0;
	errno = WEXITSTATUS(status);
	return -1;
}

int child_detach(void (*work)(const void *arg), const void *arg)
{
	pid_t child = fork();

	if (child == 0) {
		/* Fork twice, so that the host program gets no child that it does not know. */
		pid_t grandchild = fork();

		if (grandchild == 0)
			work(arg);
		_exit(grandchild < 0 ? errno : 0);
	}
	return child < 0 ? -1 : reap_child(child);
}
