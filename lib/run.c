/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/deadline.h"
#include "lib/run.h"
#include "lib/vipu_reply.h"

#define PIPE_BYTES 65536 /* what may still be in it when the program has ended */
#define LOOK_MS    50    /* how often is looked whether it ended, when others still hold its output */

struct child {
	pid_t pid;
	int fd;
	char tail[1024]; /* the last of what it wrote */
	size_t len;
};

/* In the new process. Only functions that are safe after fork(). */
static void become(char *const argv[], pid_t parent, int out)
{
	static char path[] = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
	char *env[] = {path, NULL};
	int in = open("/dev/null", O_RDONLY);
	sigset_t none;

	setpgid(0, 0);
	/* Who kills us kills it too: it has a group of its own. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || in < 0 || dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
	    dup2(out, STDERR_FILENO) < 0)
		_exit(127);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	execve(argv[0], argv, env);
	_exit(127);
}

static int start(struct child *c, char *const argv[], struct tessera_error *err)
{
	pid_t parent = getpid();
	int ends[2];

	if (access(argv[0], X_OK) < 0)
		return tessera_error_set(err, TESSERA_ERR_MISSING, "%s: %s", argv[0], strerror(errno));
	if (pipe2(ends, O_CLOEXEC) < 0)
		return tessera_error_set(err, TESSERA_ERR_MISSING, "%s: no pipe: %s", argv[0], strerror(errno));
	c->pid = fork();
	if (c->pid == 0)
		become(argv, parent, ends[1]);
	close(ends[1]);
	if (c->pid < 0) {
		close(ends[0]);
		return tessera_error_set(err, TESSERA_ERR_MISSING, "%s: no process: %s", argv[0], strerror(errno));
	}
	setpgid(c->pid, c->pid); /* whoever of us two is first */
	c->fd = ends[0];
	fcntl(c->fd, F_SETFL, O_NONBLOCK);
	return 0;
}

/* Read what is there, and keep the end of it. Returns false when no more will come. */
static bool listen_to(struct child *c)
{
	char chunk[sizeof(c->tail) / 2];
	ssize_t n = read(c->fd, chunk, sizeof(chunk));

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	if (c->len + (size_t)n > sizeof(c->tail)) {
		size_t keep = sizeof(c->tail) - (size_t)n;

		memmove(c->tail, c->tail + c->len - keep, keep);
		c->len = keep;
	}
	memcpy(c->tail + c->len, chunk, (size_t)n);
	c->len += (size_t)n;
	return n > 0;
}

/* Until it ends, which is true, or DEADLINE. Whoever has inherited its output may keep that open. */
static bool wait_for(struct child *c, int64_t deadline, int *status)
{
	bool more = true;
	pid_t ended = 0;

	while (ended == 0 && deadline_left(deadline) > 0) {
		struct pollfd p = {.fd = more ? c->fd : -1, .events = POLLIN};
		int64_t ms = deadline_nearer(LOOK_MS, deadline_left(deadline));

		/* With its output closed it will end at once, in all likelihood. */
		if (poll(&p, 1, more ? (int)ms : 1) > 0)
			more = listen_to(c);
		ended = waitpid(c->pid, status, WNOHANG);
	}
	for (size_t n = 0; ended > 0 && more && n <= PIPE_BYTES; n += sizeof(c->tail) / 2) {
		struct pollfd p = {.fd = c->fd, .events = POLLIN};

		more = poll(&p, 1, 0) > 0 && listen_to(c);
	}
	return ended != 0;
}

static void last_line(struct child *c, char said[RUN_SAID_MAX])
{
	size_t end = c->len, begin, len;

	while (end > 0 && strchr(" \t\r\n", c->tail[end - 1]) != NULL)
		end--;
	for (begin = end; begin > 0 && c->tail[begin - 1] != '\n'; begin--)
		;
	len = end - begin < RUN_SAID_MAX - 1 ? end - begin : RUN_SAID_MAX - 1;
	for (size_t i = 0; i < len; i++)
		said[i] = (char)(c->tail[begin + i] != '\0' ? c->tail[begin + i] : '?');
	said[len] = '\0';
	vipu_text_clean(said);
}

int run_program(char *const argv[], int64_t deadline, char said[RUN_SAID_MAX], struct tessera_error *err)
{
	int64_t began = deadline_now();
	struct child c = {0};
	int status = 0;
	bool ended;

	said[0] = '\0';
	if (start(&c, argv, err) < 0)
		return -1;
	ended = wait_for(&c, deadline, &status);
	/* What it started does not outlive it. */
	kill(-c.pid, SIGKILL);
	if (!ended)
		waitpid(c.pid, &status, 0);
	close(c.fd);
	last_line(&c, said);
	if (!ended)
		return tessera_error_set(err, TESSERA_ERR_MISSING,
					 "%s did not end within %lld seconds, and was killed", argv[0],
					 (long long)(deadline_now() - began + 500) / 1000);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
