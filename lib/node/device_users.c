/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "lib/node/device_users.h"
#include "lib/util/array.h"
#include "lib/util/deadline.h"
#include "lib/util/proc.h"

#define FILES_PER_CHECK 1024   /* files between two checks of the deadline */
#define PROC_MAGIC      0x9fa0 /* f_type of the kernel's own /proc */

struct search {
	const char *pattern;
	uint32_t uid;
	int64_t end;
	/* skip processes by the owner of their directory in /proc, which is the effective user */
	bool by_owner;
	struct device_user *list;
	size_t count;
	bool unsure; /* a process could not be inspected */
};

/* Result of inspecting a process or its files. FOUND_UNSURE: it failed, with errno set. */
enum found { FOUND_NOT, FOUND, FOUND_TOO_LATE, FOUND_UNSURE };

/* After a failed read: a process that has ended has nothing open. */
static enum found classify_errno(void)
{
	return errno == ENOENT || errno == ESRCH ? FOUND_NOT : FOUND_UNSURE;
}

/* Users choose these names: control characters must not reach a log or a terminal. */
static void copy_plain(char *to, size_t size, const char *from)
{
	size_t i;

	for (i = 0; i < size - 1 && from[i] != '\0'; i++)
		to[i] = from[i];
	to[i] = '\0';
	for (; *to != '\0'; to++)
		if (*to < ' ' || *to > '~')
			*to = '?';
}

/* The real user, first of four in /proc/PID/status. False with errno; ESRCH if there is none. */
static bool read_uid(int process, uint32_t *uid)
{
	unsigned long number;
	char status[1024];

	if (proc_read(process, "status", status, sizeof(status)) < 0)
		return false;
	errno = ESRCH;
	if (!proc_number(status, "Uid", &number))
		return false;
	*uid = (uint32_t)number;
	return true;
}

static void read_command(int process, struct device_user *user)
{
	char comm[64];

	proc_read(process, "comm", comm, sizeof(comm));
	comm[strcspn(comm, "\n")] = '\0';
	copy_plain(user->command, sizeof(user->command), comm);
}

static DIR *open_directory(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;

	if (stream == NULL && fd >= 0)
		close(fd);
	return stream;
}

/*
 * Read the name of the file behind the link NAME; "" if it is no longer open. A name that is too
 * long for the kernel is not a device's, and any user can create one. A process that is just ending
 * gives EACCES once, and ENOENT when tried again. False with errno.
 */
static bool read_link(int dir, const char *name, char link[PATH_MAX])
{
	ssize_t len = readlinkat(dir, name, link, PATH_MAX - 1);

	if (len < 0 && errno == EACCES)
		len = readlinkat(dir, name, link, PATH_MAX - 1);
	link[len > 0 ? len : 0] = '\0';
	return len >= 0 || errno == ENAMETOOLONG || classify_errno() == FOUND_NOT;
}

/* The next name that does not begin with a dot; NULL at the end, with errno 0, or on an error. */
static const char *next_name(DIR *stream)
{
	struct dirent *entry;

	errno = 0;
	while ((entry = readdir(stream)) != NULL && entry->d_name[0] == '.')
		;
	return entry != NULL ? entry->d_name : NULL;
}

/* Returns FOUND, unless that is FOUND_NOT and errno says that reading stopped early. */
static enum found close_directory(DIR *stream, enum found found)
{
	int saved = errno;

	closedir(stream);
	errno = saved;
	return found == FOUND_NOT && errno != 0 ? classify_errno() : found;
}

/* Copy the name of the first open file that matches, of those in the directory NAME, to FILE. */
static enum found inspect_files(const struct search *search, int dir, const char *name, char *file,
				size_t size)
{
	DIR *stream = open_directory(dir, name);
	enum found found = FOUND_NOT;
	char link[PATH_MAX];

	if (stream == NULL)
		return classify_errno();
	for (unsigned n = 1; found == FOUND_NOT && (name = next_name(stream)) != NULL; n++) {
		if (!read_link(dirfd(stream), name, link)) {
			found = FOUND_UNSURE;
		} else if (link[0] != '\0' && fnmatch(search->pattern, link, 0) == 0) {
			copy_plain(file, size, link);
			found = FOUND;
		} else if (n % FILES_PER_CHECK == 0 && deadline_left(search->end) == 0) {
			found = FOUND_TOO_LATE;
		}
	}
	return close_directory(stream, found);
}

/*
 * In a killed process with a thread that hangs in the driver, the first thread is a zombie without
 * files, and the hanging one still has all of them open.
 */
static enum found inspect_threads(const struct search *search, int process, char *file, size_t size)
{
	DIR *stream = open_directory(process, "task");
	enum found found = FOUND_NOT;
	const char *thread;
	char name[NAME_MAX + sizeof("/fd")];

	if (stream == NULL)
		return classify_errno();
	while (found == FOUND_NOT && (thread = next_name(stream)) != NULL) {
		snprintf(name, sizeof(name), "%s/fd", thread);
		found = inspect_files(search, dirfd(stream), name, file, size);
		if (found == FOUND_NOT && deadline_left(search->end) == 0)
			found = FOUND_TOO_LATE;
	}
	return close_directory(stream, found);
}

/* PROCESS, a descriptor of /proc/PID, stays that of the process even if its pid is reused. */
static enum found inspect_process(const struct search *search, int process,
				  struct device_user *user)
{
	char stat[1024], state;
	enum found found;

	user->uid = DEVICE_USERS_ALL;
	if (!read_uid(process, &user->uid))
		return classify_errno();
	if (search->uid != DEVICE_USERS_ALL && user->uid != search->uid)
		return FOUND_NOT;
	found = inspect_files(search, process, "fd", user->file, sizeof(user->file));
	if (found == FOUND_TOO_LATE || found == FOUND_UNSURE)
		return found;
	if (proc_read(process, "stat", stat, sizeof(stat)) < 0)
		return classify_errno();
	user->start = proc_parse_start(stat, &state);
	user->parent = proc_parent(stat);
	if (found == FOUND_NOT && state == 'Z')
		found = inspect_threads(search, process, user->file, sizeof(user->file));
	if (found == FOUND && user->start == 0)
		found = FOUND_NOT;
	return found;
}

static int add_user(struct search *search, const struct device_user *user,
		    struct tessera_error *err)
{
	struct device_user *list = array_grow(search->list, search->count, sizeof(*list));

	if (list == NULL)
		return tessera_error_nomem(err);
	search->list = list;
	search->list[search->count++] = *user;
	return 0;
}

/* Record the first process that could not be inspected. The search goes on with the others. */
static void record_unsure(struct search *search, int process, struct device_user *user, int error,
			  struct tessera_error *err)
{
	char owner[32] = "an unknown user";

	if (search->unsure)
		return;
	search->unsure = true;
	if (process >= 0)
		read_command(process, user);
	if (user->uid != DEVICE_USERS_ALL)
		snprintf(owner, sizeof(owner), "uid %u", user->uid);
	tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
			  "cannot inspect process %jd (%s) of %s: %s%s", (intmax_t)user->pid,
			  user->command[0] != '\0' ? user->command : "?", owner, strerror(error),
			  error == EACCES || error == EPERM ? ": CAP_SYS_PTRACE is needed" : "");
}

/*
 * Few of a node's thousands of processes are the user's. One system call rules out each of the
 * others, at a tenth of the cost of reading /proc/PID/status.
 */
static bool is_other_users(const struct search *search, int proc, const char *name)
{
	struct stat st;

	return search->by_owner && fstatat(proc, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       st.st_uid != search->uid;
}

/* Is UID the real user of no process? One system call, for which the kernel searches its list. */
static bool has_no_process(uint32_t uid)
{
	errno = 0;
	return getpriority(PRIO_USER, uid) == -1 && errno == ESRCH;
}

/* Inspect process NAME of PROC. Returns 0; 1 if the time is up; or -1 with ERR. */
static int inspect_pid(struct search *search, int proc, const char *name, struct tessera_error *err)
{
	struct device_user user = {.pid = (pid_t)strtol(name, NULL, 10), .uid = DEVICE_USERS_ALL};
	int process = openat(proc, name, O_PATH | O_DIRECTORY | O_CLOEXEC), rc = 0;
	enum found found = process < 0 ? classify_errno() : inspect_process(search, process, &user);

	/* init does not use the device, but a security module may hide it even from root. */
	if (found == FOUND_UNSURE && user.pid != 1)
		record_unsure(search, process, &user, errno, err);
	if (found == FOUND) {
		read_command(process, &user);
		rc = add_user(search, &user, err);
	}
	if (process >= 0)
		close(process);
	return rc < 0 ? -1 : found == FOUND_TOO_LATE || deadline_left(search->end) == 0;
}

static int compare_pid(const void *a, const void *b)
{
	const struct device_user *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

int device_users_find(const char *proc, const char *pattern, uint32_t uid, int64_t end,
		      struct device_user **list, bool *cut, struct tessera_error *err)
{
	struct search search = {.pattern = pattern, .uid = uid, .end = end};
	DIR *stream = opendir(proc);
	struct statfs fs;
	const char *name;
	int rc = 0;

	*list = NULL;
	if (cut != NULL)
		*cut = false;
	if (stream == NULL)
		return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE, "cannot read %s: %s", proc,
					 strerror(errno));
	/* For the kernel's own /proc only. getpriority() takes 0 as the caller, not as root. */
	search.by_owner = uid != DEVICE_USERS_ALL && uid != 0 && fstatfs(dirfd(stream), &fs) == 0 &&
			  fs.f_type == PROC_MAGIC;
	if (search.by_owner && has_no_process(uid)) {
		closedir(stream);
		return 0;
	}
	while (rc == 0 && (name = next_name(stream)) != NULL)
		if (name[0] > '0' && name[0] <= '9' &&
		    !is_other_users(&search, dirfd(stream), name))
			rc = inspect_pid(&search, dirfd(stream), name, err);
	if (rc == 0 && errno != 0)
		rc = tessera_error_set(err, TESSERA_ERR_UNAVAILABLE, "cannot read %s: %s", proc,
				       strerror(errno));
	closedir(stream);
	if (rc > 0)
		tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
				  "timed out inspecting processes: the node has too many processes "
				  "and open files");
	if (rc == 0 && search.unsure)
		rc = 1;
	if (rc < 0 || (rc > 0 && cut == NULL)) {
		free(search.list);
		return -1;
	}
	if (rc > 0)
		*cut = true;
	if (search.count > 0)
		qsort(search.list, search.count, sizeof(*search.list), compare_pid);
	*list = search.list;
	return (int)search.count;
}

bool device_users_describe(const char *proc, pid_t pid, struct device_user *user)
{
	char path[PATH_MAX], stat[1024], state;
	int process;

	*user = (struct device_user){.pid = pid};
	snprintf(path, sizeof(path), "%s/%jd", proc, (intmax_t)pid);
	process = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (process < 0)
		return false;
	proc_read(process, "stat", stat, sizeof(stat));
	user->start = proc_parse_start(stat, &state);
	user->parent = proc_parent(stat);
	read_command(process, user);
	if (!read_uid(process, &user->uid))
		user->start = 0;
	close(process);
	return user->start != 0;
}

/* Is the process with that pid still the one that was found? */
static bool is_same_process(const struct device_user *user)
{
	char path[64], stat[1024], state;

	snprintf(path, sizeof(path), "/proc/%jd/stat", (intmax_t)user->pid);
	proc_read(AT_FDCWD, path, stat, sizeof(stat));
	return proc_parse_start(stat, &state) == user->start;
}

static int set_signal_error(const struct device_user *user, struct tessera_error *err)
{
	enum tessera_errcode code = errno == EPERM ? TESSERA_ERR_DENIED : TESSERA_ERR_UNAVAILABLE;

	return tessera_error_set(err, code, "cannot send a signal to process %jd (%s): %s%s",
				 (intmax_t)user->pid, user->command, strerror(errno),
				 errno == ENOSYS ? ": Linux 5.3 or newer is needed" : "");
}

/*
 * Through a pidfd: if the pid still is that of the process found after the descriptor was opened,
 * the descriptor refers to that process, even if the pid is reused later.
 */
int device_users_signal(const struct device_user *user, int signal, struct tessera_error *err)
{
	int fd, rc = 0;

	/* 0 and negative numbers are process groups, 1 is init. */
	if (user->pid <= 1 || user->start == 0)
		return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
					 "not sending a signal to process %jd",
					 (intmax_t)user->pid);
	fd = (int)syscall(SYS_pidfd_open, user->pid, 0);
	if (fd < 0)
		return errno == ESRCH ? 0 : set_signal_error(user, err);
	if (is_same_process(user) && syscall(SYS_pidfd_send_signal, fd, signal, NULL, 0) < 0 &&
	    errno != ESRCH)
		rc = set_signal_error(user, err);
	close(fd);
	return rc;
}
