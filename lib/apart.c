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

#include "lib/apart.h"
#include "lib/deadline.h"

#define END_S        1 /* for a killed process to be gone: the kernel may be busy for it */
#define PAUSE_MAX_MS 50

/* Read until the end, the deadline, or LEN bytes. Returns how many came, or -1 with ERR. */
static ssize_t collect(int fd, int64_t deadline, char *buf, size_t len, struct tessera_error *err)
{
	struct pollfd wait = {.fd = fd, .events = POLLIN};
	size_t used = 0;
	ssize_t n;

	for (;;) {
		int ready = poll(&wait, 1, (int)deadline_left(deadline));

		if (ready == 0 || (ready < 0 && errno == EINTR && deadline_left(deadline) == 0))
			return tessera_error_set(err, TESSERA_ERR_MISSING, "no answer in time");
		n = ready > 0 ? read(fd, buf + used, len - used) : -1;
		if (n < 0 && errno != EINTR)
			return tessera_error_set(err, TESSERA_ERR_MISSING, "no answer: %s", strerror(errno));
		if (n == 0)
			return (ssize_t)used;
		used += n > 0 ? (size_t)n : 0;
		if (used == len)
			return tessera_error_set(err, TESSERA_ERR_MISSING, "an answer of %zu bytes or more", len);
	}
}

bool apart_gone(pid_t pid, int *status)
{
	int64_t until = deadline_after(END_S);
	unsigned pause = 1;
	pid_t got;

	while ((got = waitpid(pid, status, WNOHANG)) == 0 && deadline_left(until) > 0)
		deadline_pause(until, &pause, PAUSE_MAX_MS);
	return got != 0;
}

/* A process that closed its end is ending; another is made to. */
static void end(pid_t pid, bool closed)
{
	int status;

	if (closed) {
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
		}
		return;
	}
	kill(pid, SIGKILL);
	apart_gone(pid, &status);
}

ssize_t apart_do(void (*work)(int fd, void *arg), void *arg, int64_t deadline, char *buf, size_t len,
		 struct tessera_error *err)
{
	struct sigaction old, normal = {.sa_handler = SIG_DFL};
	pid_t parent = getpid(), pid;
	ssize_t got;
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return tessera_error_set(err, TESSERA_ERR_MISSING, "no pipe: %s", strerror(errno));
	/* Whoever loaded us may not care for its children; this one is ours to wait for. */
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
		got = tessera_error_set(err, TESSERA_ERR_MISSING, "no process: %s", strerror(errno));
	else
		got = collect(fds[0], deadline, buf, len, err);
	close(fds[0]);
	if (pid > 0)
		end(pid, got >= 0);
	sigaction(SIGCHLD, &old, NULL);
	if (got >= 0)
		buf[got] = '\0';
	return got;
}
