/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/observe/process_env.h"
#include "lib/util/child.h"
#include "lib/util/deadline.h"

#define WAIT_S 3
#define BYTES  ((size_t)PROCESS_ENV_MIB * 1024 * 1024)
#define ROOM   (BYTES + 3) /* with errno and END, and one byte that child_call() does not fill */
#define END    '+'

/*
 * Runs in a child. Writes errno as one byte, 0 if there is no error, then the environment, then END
 * if it is complete. An ended process whose threads hang in a driver has no environment; newer
 * kernels fail with ESRCH then.
 */
static void write_environ(int out, void *arg)
{
	const char *path = arg;
	char chunk[65536];
	int in = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = 1;

	chunk[0] = (char)(in < 0 && errno != ESRCH ? errno : 0);
	if (write(out, chunk, 1) != 1)
		return;
	while (in >= 0 && n > 0) {
		n = read(in, chunk, sizeof(chunk));
		for (ssize_t done = 0, put; done < n; done += put) {
			put = write(out, chunk + done, (size_t)(n - done));
			if (put <= 0)
				return;
		}
	}
	chunk[0] = END;
	if (in < 0 || n == 0)
		(void)!write(out, chunk, 1);
}

static int set_read_error(pid_t pid, int number, struct tessera_error *err)
{
	return tessera_error_set(
		err,
		number == EACCES || number == EPERM ? TESSERA_ERR_DENIED : TESSERA_ERR_UNAVAILABLE,
		"cannot read the environment of process %jd: %s", (intmax_t)pid, strerror(number));
}

int process_env_read(const char *proc, pid_t pid, int64_t *left, struct process_env *env,
		     struct tessera_error *err)
{
	int64_t began = deadline_now(), end = deadline_after(WAIT_S);
	char path[512], *all;
	ssize_t len;

	*env = (struct process_env){0};
	if (left != NULL && *left <= 0)
		return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
					 "the environment of process %jd was not read: those of "
					 "others took all the time for that",
					 (intmax_t)pid);
	all = malloc(ROOM);
	if (all == NULL)
		return set_read_error(pid, ENOMEM, err);
	snprintf(path, sizeof(path), "%s/%jd/environ", proc, (intmax_t)pid);
	if (left != NULL)
		end = deadline_earlier(end, began + *left);
	len = child_call(write_environ, path, end, all, ROOM, err);
	if (left != NULL)
		*left -= deadline_now() - began;
	if (len < 2 || all[0] != 0 || all[len - 1] != END) {
		if (len >= 0)
			set_read_error(pid, len > 0 && all[0] != 0 ? all[0] : EIO, err);
		else
			tessera_error_prefix(err, "the environment of process %jd", (intmax_t)pid);
		free(all);
		return -1;
	}
	env->len = (size_t)len - 2;
	memmove(all, all + 1, env->len);
	all[env->len] = '\0';
	env->text = all;
	return 0;
}

const char *process_env_find(const struct process_env *env, const char *name)
{
	const char *at = env->text, *end = env->text + env->len;
	size_t len = strlen(name);

	for (; at != NULL && at < end; at += strlen(at) + 1)
		if (strncmp(at, name, len) == 0 && at[len] == '=')
			return at + len + 1;
	return NULL;
}

bool process_env_empty(const struct process_env *env)
{
	const char *at = env->text, *end = env->text + env->len;

	for (; at != NULL && at < end; at += strlen(at) + 1) {
		size_t len = strspn(
			at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");

		if (len > 0 && at[len] == '=')
			return false;
	}
	return true;
}

bool process_is_same(const char *proc, const struct device_user *process)
{
	struct device_user now;

	return device_users_describe(proc, process->pid, &now) && now.start == process->start &&
	       now.uid == process->uid;
}

void process_env_free(struct process_env *env)
{
	free(env->text);
	*env = (struct process_env){0};
}
