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

#include "lib/apart.h"
#include "lib/deadline.h"
#include "lib/run.h"
#include "lib/text.h"

#define PIPE_BYTES 65536 /* what may still be in one when the program has ended */
#define LOOK_MS    50    /* how often is looked whether it ended, when others still hold its output */
#define ASK_MS     2000  /* between two questions whether it is still wanted */

/* One of its outputs. */
struct output {
	int fd; /* -1: no more will come */
	char *buf;
	size_t len;
	size_t used;
	bool tail; /* the last of it is kept, otherwise the first */
};

struct child {
	pid_t pid;
	struct output out;
	struct output said;
};

int run_words(char *command, const char *argv[RUN_WORDS_MAX + 1], struct tessera_error *err)
{
	char *rest = NULL, *word = strtok_r(command, " \t", &rest);
	size_t count = 0;

	for (; word != NULL && count < RUN_WORDS_MAX; word = strtok_r(NULL, " \t", &rest))
		argv[count++] = word;
	argv[count] = NULL;
	if (count == 0)
		return tessera_error_set(err, TESSERA_ERR_INPUT, "there is no command to run");
	if (word != NULL)
		return tessera_error_set(err, TESSERA_ERR_INPUT, "%s and its options are more than %d words",
					 argv[0], RUN_WORDS_MAX);
	return 0;
}

/*
 * Close all descriptors above standard error, in the new process. Kernels before 5.9 and some filters of system calls refuse
 * close_range(): then those that /proc lists. Returns 0, or -1 if neither is possible. opendir() would call malloc().
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

			/* "." and ".." are 0, which stays. */
			entry = (const struct dirent64 *)(buf + at);
			fd = strtol(entry->d_name, NULL, 10);
			if (fd > STDERR_FILENO && fd != dir)
				close((int)fd);
		}
	}
	close(dir);
	return n < 0 ? -1 : 0;
}

/* In the new process. Only functions that are safe after fork(). */
static void become(const char *const *argv, pid_t parent, int out, int said)
{
	static char path[] = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
	static const char not_closed[] = "not run: cannot close inherited file descriptors\n";
	char *env[] = {path, NULL};
	int in = open("/dev/null", O_RDONLY);
	char *const *line;
	sigset_t none;

	setpgid(0, 0);
	/* Who kills us kills it too: it has a group of its own. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || in < 0 || dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
	    dup2(said, STDERR_FILENO) < 0 || chdir("/") < 0)
		_exit(127);
	if (close_inherited() < 0) {
		(void)!write(STDERR_FILENO, not_closed, sizeof(not_closed) - 1);
		_exit(127);
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGCHLD, SIG_DFL);
	/* It takes what it only reads without const. */
	memcpy(&line, &argv, sizeof(line));
	execve(argv[0], line, env);
	_exit(127);
}

static int failed(const char *program, const char *what, struct tessera_error *err)
{
	return tessera_error_set(err, TESSERA_ERR_MISSING, "%s: %s%s", program, what, strerror(errno));
}

static int start(const struct run *run, struct child *c, struct tessera_error *err)
{
	int out[2] = {-1, -1}, said[2];
	pid_t parent = getpid();

	if (access(run->argv[0], X_OK) < 0)
		return failed(run->argv[0], "", err);
	if (pipe2(said, O_CLOEXEC | O_NONBLOCK) < 0)
		return failed(run->argv[0], "no pipe: ", err);
	if (run->out != NULL && pipe2(out, O_CLOEXEC | O_NONBLOCK) < 0) {
		failed(run->argv[0], "no pipe: ", err);
		close(said[0]);
		close(said[1]);
		return -1;
	}
	/* Only our ends do not wait: the program's own writing would fail. */
	fcntl(said[1], F_SETFL, 0);
	if (out[1] >= 0)
		fcntl(out[1], F_SETFL, 0);
	c->pid = fork();
	if (c->pid == 0)
		become(run->argv, parent, run->out != NULL ? out[1] : said[1], said[1]);
	close(said[1]);
	if (out[1] >= 0)
		close(out[1]);
	c->said.fd = said[0];
	c->out.fd = out[0];
	if (c->pid < 0)
		return failed(run->argv[0], "no process: ", err);
	setpgid(c->pid, c->pid); /* whoever of us two is first */
	return 0;
}

static void keep(struct output *o, const char *text, size_t n)
{
	size_t room = o->len - 1;

	if (o->tail && o->used + n > room) {
		size_t stay = n < room ? room - n : 0;

		stay = stay < o->used ? stay : o->used;
		memmove(o->buf, o->buf + o->used - stay, stay);
		o->used = stay;
		text += n > room ? n - room : 0;
		n = n > room ? room : n;
	}
	n = n < room - o->used ? n : room - o->used;
	/* What is to be read as a text must not end in the middle. */
	for (size_t i = 0; i < n; i++)
		o->buf[o->used++] = (char)(text[i] != '\0' ? text[i] : '?');
	o->buf[o->used] = '\0';
}

/* Read what is there. */
static void read_some(struct output *o)
{
	char chunk[4096];
	ssize_t n = read(o->fd, chunk, sizeof(chunk));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0) {
		keep(o, chunk, (size_t)n);
		return;
	}
	close(o->fd);
	o->fd = -1;
}

/* Wait at most MS for either output. True if something came, or ended. */
static bool listen_to(struct child *c, int ms)
{
	struct pollfd fds[2] = {{.fd = c->out.fd, .events = POLLIN}, {.fd = c->said.fd, .events = POLLIN}};

	if (poll(fds, 2, ms) <= 0)
		return false;
	if (fds[0].revents != 0)
		read_some(&c->out);
	if (fds[1].revents != 0)
		read_some(&c->said);
	return true;
}

/*
 * Until it ends, which is NULL, or why it is to be killed. Whoever has inherited its output may keep that open. It is not
 * reaped: as long as it is there its group's number is nobody else's.
 */
static const char *wait_for(const struct run *run, struct child *c)
{
	int64_t ask = deadline_now() + ASK_MS;
	siginfo_t ended = {.si_pid = 0};
	int rc = 0;

	while (rc == 0 && ended.si_pid == 0) {
		bool open = c->out.fd >= 0 || c->said.fd >= 0;
		int64_t ms = deadline_nearer(LOOK_MS, deadline_left(run->deadline));

		if (ms == 0)
			return "did not end in time";
		if (run->go_on != NULL && deadline_left(ask) == 0 &&
		    (run->ask_until == 0 || deadline_left(run->ask_until) > 0)) {
			if (!run->go_on(run->arg))
				return "is no longer wanted";
			ask = deadline_now() + ASK_MS;
		}
		/* With its outputs closed it will end at once, in all likelihood. */
		listen_to(c, open ? (int)ms : 1);
		rc = waitid(P_PID, (id_t)c->pid, &ended, WEXITED | WNOHANG | WNOWAIT);
	}
	for (size_t n = 0; n <= PIPE_BYTES && listen_to(c, 0); n += 1024) {
	}
	/* Somebody else has reaped it, and whose its number is now nobody knows. */
	if (rc < 0)
		c->pid = -1;
	return rc == 0 ? NULL : "ended without a word to us";
}

/* What stands in the last line of TEXT that has something in it. */
static void last_line(char *text, char said[RUN_SAID_MAX])
{
	size_t end = strlen(text), begin;

	while (end > 0 && strchr(" \t\r\n", text[end - 1]) != NULL)
		end--;
	text[end] = '\0';
	for (begin = end; begin > 0 && text[begin - 1] != '\n'; begin--)
		;
	snprintf(said, RUN_SAID_MAX, "%s", text + begin);
	text_clean(said);
}

int run_program(const struct run *run, char said[RUN_SAID_MAX], struct tessera_error *err)
{
	char nothing[1], tail[2 * RUN_SAID_MAX] = "";
	struct child c = {
		.out = {.fd = -1,
			.buf = run->out != NULL ? run->out : nothing,
			.len = run->out != NULL ? run->len : 1},
		.said = {.fd = -1, .buf = tail, .len = sizeof(tail), .tail = true},
	};
	struct sigaction old, normal = {.sa_handler = SIG_DFL};
	int64_t began = deadline_now(), killed = began;
	const char *why = NULL;
	bool gone = true;
	int status = 0, rc;

	said[0] = '\0';
	c.out.buf[0] = '\0';
	/* Whoever loaded us may not care for its children; we need to hear how this one ended. */
	sigaction(SIGCHLD, &normal, &old);
	rc = start(run, &c, err);
	if (rc == 0) {
		why = wait_for(run, &c);
		killed = deadline_now();
	}
	if (c.pid > 0) {
		/* What it started does not outlive it. */
		kill(-c.pid, SIGKILL);
		gone = apart_gone(c.pid, &status);
	}
	sigaction(SIGCHLD, &old, NULL);
	if (c.out.fd >= 0)
		close(c.out.fd);
	if (c.said.fd >= 0)
		close(c.said.fd);
	last_line(tail, said);
	if (why != NULL)
		return tessera_error_set(err, TESSERA_ERR_MISSING, "%s %s, and was killed after %lld seconds%s",
					 run->argv[0], why, (long long)(killed - began + 500) / 1000,
					 gone ? "" : ", which it outlives: it is left behind");
	if (rc < 0)
		return -1;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
