/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "plugin/helper.h"

#define WORDS_MAX 16
#define GO_ON_MS  2000 /* between two questions whether it is still wanted */
#define LAST_MS   200  /* for a process that has closed its output to end */
#define SAID_MAX  600

/* One of its two outputs. What does not fit is read and forgotten. */
struct output {
	int fd;
	char *buf;
	size_t len;
	size_t used;
};

static long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

const char *helper_number(char *buf, size_t len, const char *name, uint32_t number)
{
	snprintf(buf, len, "--%s=%u", name, number);
	return buf;
}

/* Who can write it can be root. */
static int check_program(const char *path, struct tessera_error *err)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return tessera_error_set(err, TESSERA_ERR_MISSING, "%s: %s (VipuHelper in tessera.conf names it)",
					 path, strerror(errno));
	if ((st.st_uid != 0 && st.st_uid != geteuid()) || (st.st_mode & (S_IWGRP | S_IWOTH)) != 0)
		return tessera_error_set(err, TESSERA_ERR_DENIED,
					 "%s is not run: it must belong to root and be writable by nobody else",
					 path);
	return 0;
}

/* In the child. Nothing of ours goes along: no file, no variable, no signal that is blocked or ignored. */
static void become(const char *program, const char *const *argv, int out, int said)
{
	static char path[] = "PATH=/usr/local/bin:/usr/bin:/bin", locale[] = "LC_ALL=C";
	static char *const environment[] = {path, locale, NULL};
	int null = open("/dev/null", O_RDONLY);
	char *const *line;
	sigset_t none;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGCHLD, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	if (null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(said, 2) < 0 || chdir("/") < 0)
		_exit(127);
	close_range(3, ~0U, 0);
	/* It takes what it only reads without const. */
	memcpy(&line, &argv, sizeof(line));
	execve(program, line, environment);
	_exit(127);
}

static void read_some(struct output *o)
{
	char chunk[1024];
	ssize_t n = read(o->fd, chunk, sizeof(chunk));
	size_t take;

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		close(o->fd);
		o->fd = -1;
		return;
	}
	take = o->len > o->used + 1 ? o->len - o->used - 1 : 0;
	take = take < (size_t)n ? take : (size_t)n;
	if (take > 0)
		memcpy(o->buf + o->used, chunk, take);
	o->used += take;
	if (o->len > 0)
		o->buf[o->used] = '\0';
}

/* Until both outputs are closed. Returns NULL, or why it must be killed. */
static const char *listen_to(const struct helper *h, struct output *out, struct output *said)
{
	long end = now_ms() + 1000L * h->seconds, ask = now_ms() + GO_ON_MS;

	while (out->fd >= 0 || said->fd >= 0) {
		struct pollfd fds[2] = {{.fd = out->fd, .events = POLLIN}, {.fd = said->fd, .events = POLLIN}};
		long now = now_ms(), until = h->go_on != NULL && ask < end ? ask : end;

		if (now >= end)
			return "took too long and was ended";
		if (h->go_on != NULL && now >= ask) {
			if (!h->go_on(h->arg))
				return "was ended: the job is gone";
			ask = now_ms() + GO_ON_MS;
			continue;
		}
		if (poll(fds, 2, until > now ? (int)(until - now) : 0) < 0 && errno != EINTR)
			return "could not be listened to";
		if (fds[0].revents != 0)
			read_some(out);
		if (fds[1].revents != 0)
			read_some(said);
	}
	return NULL;
}

/* It has closed its outputs, or shall be killed. Returns its status as of waitpid(), -1 if nobody knows. */
static int await_end(pid_t pid, bool kill_it)
{
	long end = now_ms() + LAST_MS;
	int status = 0;
	pid_t got = 0;

	while (!kill_it && (got = waitpid(pid, &status, WNOHANG)) == 0 && now_ms() < end)
		nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
	if (got == 0) {
		kill(-pid, SIGKILL);
		kill(pid, SIGKILL);
		while ((got = waitpid(pid, &status, 0)) < 0 && errno == EINTR) {
		}
	}
	return got == pid ? status : -1;
}

/* What it said, as ours. */
static int tell(const struct helper *h, int status, const char *why, const char *said, struct tessera_error *err)
{
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	size_t len = strcspn(said, "\n");

	if (why != NULL)
		return tessera_error_set(err, TESSERA_ERR_MISSING,
					 "%s %s (%u s); it is in tessera.conf as VipuHelper", h->program, why,
					 h->seconds);
	if (status >= 0 && code == TESSERA_OK)
		return 0;
	if (status >= 0 && WIFSIGNALED(status))
		return tessera_error_set(err, TESSERA_ERR_MISSING, "%s was killed by signal %d", h->program,
					 WTERMSIG(status));
	if (code > TESSERA_ERR_SHORTAGE || code < 0 || len == 0)
		return tessera_error_set(err, TESSERA_ERR_MISSING, "%s ended with %d and said '%.*s'", h->program,
					 code, (int)(len < 200 ? len : 200), said);
	return tessera_error_set(err, (enum tessera_errcode)code, "%.*s", (int)len, said);
}

/* The whole command line; what it is told is ours and the configuration's. Returns 0, or -1 if that is too much. */
static int make_line(const struct helper *h, const char *const *words, char *conf, char *node, size_t len,
		     const char **argv)
{
	size_t n = 0;

	if (snprintf(conf, len, "--conf=%s", h->conf_path) >= (int)len ||
	    snprintf(node, len, "--node=%s", h->node) >= (int)len)
		return -1;
	argv[n++] = h->program;
	argv[n++] = conf;
	argv[n++] = node;
	while (*words != NULL && n < WORDS_MAX - 1)
		argv[n++] = *words++;
	argv[n] = NULL;
	return *words == NULL ? 0 : -1;
}

int helper_run(const struct helper *h, const char *const *words, char *out, size_t len, struct tessera_error *err)
{
	const char *argv[WORDS_MAX];
	char conf[1024], node[1024], said_text[SAID_MAX] = "";
	struct sigaction old, normal = {.sa_handler = SIG_DFL};
	struct output output = {.buf = out, .len = out != NULL ? len : 0};
	struct output said = {.buf = said_text, .len = sizeof(said_text)};
	int out_pipe[2], said_pipe[2];
	const char *why;
	int status;
	pid_t pid;

	if (output.len > 0)
		out[0] = '\0';
	if (check_program(h->program, err) < 0)
		return -1;
	if (make_line(h, words, conf, node, sizeof(conf), argv) < 0)
		return tessera_error_set(err, TESSERA_ERR_INPUT, "too many words for %s", h->program);
	if (pipe2(out_pipe, O_CLOEXEC) < 0)
		return tessera_error_set(err, TESSERA_ERR_MISSING, "no pipe for %s: %s", h->program,
					 strerror(errno));
	if (pipe2(said_pipe, O_CLOEXEC) < 0) {
		close(out_pipe[0]);
		close(out_pipe[1]);
		return tessera_error_set(err, TESSERA_ERR_MISSING, "no pipe for %s: %s", h->program,
					 strerror(errno));
	}
	/* Whoever loaded us may not care for its children; we need to hear how this one ended. */
	sigaction(SIGCHLD, &normal, &old);
	pid = fork();
	if (pid == 0)
		become(h->program, argv, out_pipe[1], said_pipe[1]);
	close(out_pipe[1]);
	close(said_pipe[1]);
	output.fd = out_pipe[0];
	said.fd = said_pipe[0];
	why = pid > 0 ? listen_to(h, &output, &said) : "could not be started";
	status = pid > 0 ? await_end(pid, why != NULL) : -1;
	if (output.fd >= 0)
		close(output.fd);
	if (said.fd >= 0)
		close(said.fd);
	sigaction(SIGCHLD, &old, NULL);
	return tell(h, status, why, said_text, err);
}
