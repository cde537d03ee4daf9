/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/util/child.h"
#include "lib/util/deadline.h"
#include "lib/util/run.h"
#include "lib/util/utf8.h"

#define PIPE_BYTES 65536 /* a pipe may still hold this much when the program has ended */
#define POLL_MS    50    /* how often to check for the end: its output may be held open */
#define GO_ON_MS   2000  /* between two calls of go_on */

/* Standard output or standard error of the program. */
struct output {
	int fd; /* -1: closed */
	char *buf;
	size_t len;
	size_t used;
	bool tail; /* keep the last bytes, not the first */
};

struct child {
	pid_t pid;
	struct output out;
	struct output errors;
};

int run_words(char *command, const char *argv[RUN_WORDS_MAX + 1], struct tessera_error *err)
{
	char *rest = NULL, *word = strtok_r(command, " \t", &rest);
	size_t count = 0;

	for (; word != NULL && count < RUN_WORDS_MAX; word = strtok_r(NULL, " \t", &rest))
		argv[count++] = word;
	argv[count] = NULL;
	if (count == 0)
		return tessera_error_set(err, TESSERA_ERR_INPUT, "no command to run");
	if (word != NULL)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "%s and its options have more than %d words", argv[0],
					 RUN_WORDS_MAX);
	return 0;
}

/*
 * In the child: close all descriptors above standard error. Kernels before 5.9 and some seccomp
 * filters refuse close_range(); then close those that /proc lists. Returns 0, or -1 if neither
 * works. Not with opendir(), which calls malloc().
 */
static int close_inherited(void)
{
	_Alignas(struct dirent64) char buf[2048];
	int dir;
	ssize_t n;

	if (close_range(STDERR_FILENO + 1, ~0U, 0) == 0)
		return 0;
	dir = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -1;
	while ((n = getdents64(dir, buf, sizeof(buf))) > 0) {
		const struct dirent64 *entry;

		for (ssize_t at = 0; at < n; at += entry->d_reclen) {
			long fd;

			/* "." and ".." parse as 0, which is not closed. */
			entry = (const struct dirent64 *)(buf + at);
			fd = strtol(entry->d_name, NULL, 10);
			if (fd > STDERR_FILENO && fd != dir)
				close((int)fd);
		}
	}
	close(dir);
	return n < 0 ? -1 : 0;
}

/* In the child: only async-signal-safe functions, because the host program may have threads. */
static void exec_program(const char *const *argv, pid_t parent, int out, int errors)
{
	static char path[] = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
	static const char not_closed[] = "not run: cannot close inherited file descriptors\n";
	char *env[] = {path, NULL};
	int in = open("/dev/null", O_RDONLY);
	char *const *exec_argv;
	sigset_t none;

	setpgid(0, 0);
	/* Needed because a signal to our process group does not reach this one. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || in < 0 || dup2(in, STDIN_FILENO) < 0 ||
	    dup2(out, STDOUT_FILENO) < 0 || dup2(errors, STDERR_FILENO) < 0 || chdir("/") < 0)
		_exit(127);
	if (close_inherited() < 0) {
		(void)!write(STDERR_FILENO, not_closed, sizeof(not_closed) - 1);
		_exit(127);
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGCHLD, SIG_DFL);
	/* execve() declares argv without const, although it does not modify it. */
	memcpy(&exec_argv, &argv, sizeof(exec_argv));
	execve(argv[0], exec_argv, env);
	_exit(127);
}

static int set_start_error(const char *program, const char *what, struct tessera_error *err)
{
	return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE, "%s: %s%s", program, what,
				 strerror(errno));
}

static int start_child(const struct run *run, struct child *c, struct tessera_error *err)
{
	int out[2] = {-1, -1}, errors[2];
	pid_t parent = getpid();

	if (access(run->argv[0], X_OK) < 0)
		return set_start_error(run->argv[0], "", err);
	if (pipe2(errors, O_CLOEXEC | O_NONBLOCK) < 0)
		return set_start_error(run->argv[0], "cannot create a pipe: ", err);
	if (run->out != NULL && pipe2(out, O_CLOEXEC | O_NONBLOCK) < 0) {
		set_start_error(run->argv[0], "cannot create a pipe: ", err);
		close(errors[0]);
		close(errors[1]);
		return -1;
	}
	/* Only the read ends are nonblocking: most programs cannot handle EAGAIN. */
	fcntl(errors[1], F_SETFL, 0);
	if (out[1] >= 0)
		fcntl(out[1], F_SETFL, 0);
	c->pid = fork();
	if (c->pid == 0)
		exec_program(run->argv, parent, run->out != NULL ? out[1] : errors[1], errors[1]);
	close(errors[1]);
	if (out[1] >= 0)
		close(out[1]);
	c->errors.fd = errors[0];
	c->out.fd = out[0];
	if (c->pid < 0)
		return set_start_error(run->argv[0], "cannot fork: ", err);
	setpgid(c->pid, c->pid); /* here and in the child: either may run first */
	return 0;
}

static void append_output(struct output *o, const char *text, size_t n)
{
	size_t room = o->len - 1;

	if (o->tail && o->used + n > room) {
		size_t kept = n < room ? room - n : 0;

		kept = kept < o->used ? kept : o->used;
		memmove(o->buf, o->buf + o->used - kept, kept);
		o->used = kept;
		text += n > room ? n - room : 0;
		n = n > room ? room : n;
	}
	n = n < room - o->used ? n : room - o->used;
	/* A NUL would end the text early. */
	for (size_t i = 0; i < n; i++)
		o->buf[o->used++] = (char)(text[i] != '\0' ? text[i] : '?');
	o->buf[o->used] = '\0';
}

/* Read what is available without blocking. */
static void read_available(struct output *o)
{
	char chunk[4096];
	ssize_t n = read(o->fd, chunk, sizeof(chunk));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0) {
		append_output(o, chunk, (size_t)n);
		return;
	}
	close(o->fd);
	o->fd = -1;
}

/* Wait at most MS milliseconds for output. True if data arrived or an output was closed. */
static bool poll_outputs(struct child *c, int ms)
{
	struct pollfd fds[2] = {{.fd = c->out.fd, .events = POLLIN},
				{.fd = c->errors.fd, .events = POLLIN}};

	if (poll(fds, 2, ms) <= 0)
		return false;
	if (fds[0].revents != 0)
		read_available(&c->out);
	if (fds[1].revents != 0)
		read_available(&c->errors);
	return true;
}

/*
 * Wait for the program to end. Returns NULL, or the reason to kill it. Its outputs may stay open in
 * processes that it started. It is not reaped here: until then, the kernel does not reuse the
 * number of its process group, which the caller kills.
 */
static const char *wait_for_end(const struct run *run, struct child *c)
{
	int64_t next_call = deadline_now() + GO_ON_MS;
	siginfo_t ended = {.si_pid = 0};
	int rc = 0;

	while (rc == 0 && ended.si_pid == 0) {
		bool open = c->out.fd >= 0 || c->errors.fd >= 0;
		int64_t ms = deadline_earlier(POLL_MS, deadline_left(run->deadline));

		if (ms == 0)
			return "timed out";
		if (run->go_on != NULL && deadline_left(next_call) == 0 &&
		    (run->ask_until == 0 || deadline_left(run->ask_until) > 0)) {
			if (!run->go_on(run->arg))
				return "is no longer wanted";
			next_call = deadline_now() + GO_ON_MS;
		}
		/* A program that has closed its outputs is most likely about to end. */
		poll_outputs(c, open ? (int)ms : 1);
		rc = waitid(P_PID, (id_t)c->pid, &ended, WEXITED | WNOHANG | WNOWAIT);
	}
	for (size_t n = 0; n <= PIPE_BYTES && poll_outputs(c, 0); n += 1024) {
	}
	/* Another thread of the host program reaped it: its PID may be reused already. */
	if (rc < 0)
		c->pid = -1;
	return rc == 0 ? NULL : "was reaped by another process";
}

/* Copy the last nonblank line of TEXT. */
static void copy_last_line(char *text, char last_line[RUN_SAID_MAX])
{
	size_t end = strlen(text), begin;

	while (end > 0 && strchr(" \t\r\n", text[end - 1]) != NULL)
		end--;
	text[end] = '\0';
	for (begin = end; begin > 0 && text[begin - 1] != '\n'; begin--)
		;
	snprintf(last_line, RUN_SAID_MAX, "%s", text + begin);
	utf8_clean(last_line);
}

int run_program(const struct run *run, char last_line[RUN_SAID_MAX], struct tessera_error *err)
{
	char unused[1], tail[2 * RUN_SAID_MAX] = "";
	struct child c = {
		.out = {.fd = -1,
			.buf = run->out != NULL ? run->out : unused,
			.len = run->out != NULL ? run->len : 1},
		.errors = {.fd = -1, .buf = tail, .len = sizeof(tail), .tail = true},
	};
	struct sigaction old, normal = {.sa_handler = SIG_DFL};
	int64_t began = deadline_now(), killed = began;
	const char *why = NULL;
	bool ended = true;
	int status = 0, rc;

	last_line[0] = '\0';
	c.out.buf[0] = '\0';
	/* The host program may ignore SIGCHLD; then the exit status would be lost. */
	sigaction(SIGCHLD, &normal, &old);
	rc = start_child(run, &c, err);
	if (rc == 0) {
		why = wait_for_end(run, &c);
		killed = deadline_now();
	}
	if (c.pid > 0) {
		/* Also ends the processes that the program started. */
		kill(-c.pid, SIGKILL);
		ended = child_has_ended(c.pid, &status);
	}
	sigaction(SIGCHLD, &old, NULL);
	if (c.out.fd >= 0)
		close(c.out.fd);
	if (c.errors.fd >= 0)
		close(c.errors.fd);
	copy_last_line(tail, last_line);
	if (why != NULL)
		return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
					 "%s %s and was killed after %lld seconds%s", run->argv[0],
					 why, (long long)(killed - began + 500) / 1000,
					 ended ? "" : ", but has not exited: leaving it behind");
	if (rc < 0)
		return -1;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
