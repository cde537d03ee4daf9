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

#include "lib/deadline.h"
#include "lib/holders.h"
#include "lib/ledger_parts.h"
#include "lib/proc.h"

#define FILES_PER_LOOK 1024   /* the clock is looked at once in so many files */
#define PROC_MAGIC     0x9fa0 /* f_type of the kernel's own /proc */

struct search {
	const char *pattern;
	uint32_t uid;
	int64_t end;
	bool owners; /* a process's directory belongs to its effective user: no need to read whose it is */
	struct holder *list;
	size_t count, room;
	bool unsure; /* of a process that could not be looked at */
};

/* What came of looking at a process or its files. FOUND_UNSURE: errno says why nothing did. */
enum found { FOUND_NOT, FOUND, FOUND_TOO_LATE, FOUND_UNSURE };

/* Who is gone has nothing open; of whom anything else keeps us away, that is not known. */
static enum found not_read(void)
{
	return errno == ENOENT || errno == ESRCH ? FOUND_NOT : FOUND_UNSURE;
}

/* Names are their owners' to choose: what is not plain text could be read as something else where it is printed. */
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

/* Of the four ids in /proc/PID/status the first is the real one. False, and errno is ESRCH if there is none. */
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

static void read_command(int process, struct holder *holder)
{
	char comm[64];

	proc_read(process, "comm", comm, sizeof(comm));
	comm[strcspn(comm, "\n")] = '\0';
	copy_plain(holder->command, sizeof(holder->command), comm);
}

static DIR *open_list(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;

	if (stream == NULL && fd >= 0)
		close(fd);
	return stream;
}

/*
 * The name of the file behind the link NAME, "" if it is no longer open. One too long for the kernel to tell is no device's,
 * and anybody can make one. A process that ends in this instant gives EACCES, but not again: then it is gone.
 */
static bool read_link(int dir, const char *name, char link[PATH_MAX])
{
	ssize_t len = readlinkat(dir, name, link, PATH_MAX - 1);

	if (len < 0 && errno == EACCES)
		len = readlinkat(dir, name, link, PATH_MAX - 1);
	link[len > 0 ? len : 0] = '\0';
	return len >= 0 || errno == ENAMETOOLONG || not_read() == FOUND_NOT;
}

/* The next name in a list that is not "." or ".."; NULL at its end, and then errno is 0 if that was it. */
static const char *next_name(DIR *stream)
{
	struct dirent *entry;

	errno = 0;
	while ((entry = readdir(stream)) != NULL && entry->d_name[0] == '.')
		;
	return entry != NULL ? entry->d_name : NULL;
}

/* Close a list. If nothing was found in it, and it ended too soon, so it was with FOUND. */
static enum found close_list(DIR *stream, enum found found)
{
	int saved = errno;

	closedir(stream);
	errno = saved;
	return found == FOUND_NOT && errno != 0 ? not_read() : found;
}

/* The first file among the links of the directory NAME that matches, into FILE. */
static enum found look_at_files(const struct search *search, int dir, const char *name, char *file, size_t size)
{
	DIR *stream = open_list(dir, name);
	enum found found = FOUND_NOT;
	char link[PATH_MAX];

	if (stream == NULL)
		return not_read();
	for (unsigned n = 1; found == FOUND_NOT && (name = next_name(stream)) != NULL; n++) {
		if (!read_link(dirfd(stream), name, link)) {
			found = FOUND_UNSURE;
		} else if (link[0] != '\0' && fnmatch(search->pattern, link, 0) == 0) {
			copy_plain(file, size, link);
			found = FOUND;
		} else if (n % FILES_PER_LOOK == 0 && deadline_left(search->end) == 0) {
			found = FOUND_TOO_LATE;
		}
	}
	return close_list(stream, found);
}

/*
 * A process that is being ended while one of its threads hangs in the driver: the first thread is a zombie and has no
 * files any more, the one that hangs still has them all.
 */
static enum found look_at_threads(const struct search *search, int process, char *file, size_t size)
{
	DIR *stream = open_list(process, "task");
	enum found found = FOUND_NOT;
	const char *thread;
	char name[NAME_MAX + sizeof("/fd")];

	if (stream == NULL)
		return not_read();
	while (found == FOUND_NOT && (thread = next_name(stream)) != NULL) {
		snprintf(name, sizeof(name), "%s/fd", thread);
		found = look_at_files(search, dirfd(stream), name, file, size);
		if (found == FOUND_NOT && deadline_left(search->end) == 0)
			found = FOUND_TOO_LATE;
	}
	return close_list(stream, found);
}

/* The directory stays that of the process that was opened, even if its number is given anew. */
static enum found look_at_process(const struct search *search, int process, struct holder *holder)
{
	char stat[1024], state;
	enum found found;

	holder->uid = HOLDERS_ALL;
	if (!read_uid(process, &holder->uid))
		return not_read();
	if (search->uid != HOLDERS_ALL && holder->uid != search->uid)
		return FOUND_NOT;
	found = look_at_files(search, process, "fd", holder->file, sizeof(holder->file));
	if (found == FOUND_TOO_LATE || found == FOUND_UNSURE)
		return found;
	if (proc_read(process, "stat", stat, sizeof(stat)) < 0)
		return not_read();
	holder->start = ledger_start_in(stat, &state);
	holder->parent = proc_parent(stat);
	if (found == FOUND_NOT && state == 'Z')
		found = look_at_threads(search, process, holder->file, sizeof(holder->file));
	if (found == FOUND && holder->start == 0)
		found = FOUND_NOT;
	return found;
}

static int no_memory(struct tessera_error *err)
{
	return tessera_error_set(err, TESSERA_ERR_MISSING,
				 "there is no memory left for the processes of this node");
}

static int add(struct search *search, const struct holder *holder, struct tessera_error *err)
{
	if (search->count == search->room) {
		size_t room = search->room * 2 + 16;
		struct holder *list = realloc(search->list, room * sizeof(*list));

		if (list == NULL)
			return no_memory(err);
		search->list = list;
		search->room = room;
	}
	search->list[search->count++] = *holder;
	return 0;
}

/* The first is told, the others are looked for all the same: who holds the device is better to know than who may. */
static void tell_unsure(struct search *search, int process, struct holder *holder, int error,
			struct tessera_error *err)
{
	char who[32] = "an unknown user";

	if (search->unsure)
		return;
	search->unsure = true;
	if (process >= 0)
		read_command(process, holder);
	if (holder->uid != HOLDERS_ALL)
		snprintf(who, sizeof(who), "uid %u", holder->uid);
	tessera_error_set(err, TESSERA_ERR_MISSING, "process %jd (%s) of %s cannot be looked at: %s%s",
			  (intmax_t)holder->pid, holder->command[0] != '\0' ? holder->command : "?", who,
			  strerror(error),
			  error == EACCES || error == EPERM ? ": CAP_SYS_PTRACE is needed for that" : "");
}

/*
 * Of a node's thousands of processes a job's user has few. The kernel's own threads and the daemons are told apart by one
 * system call each, a tenth of what it costs to read /proc/PID/status.
 */
static bool is_of_others(const struct search *search, int proc, const char *name)
{
	struct stat st;

	return search->owners && fstatat(proc, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_uid != search->uid;
}

/* No process has UID as its real user. One question to the kernel, which goes through its list itself. */
static bool has_no_process(uint32_t uid)
{
	errno = 0;
	return getpriority(PRIO_USER, uid) == -1 && errno == ESRCH;
}

/* Returns 0; 1 if time is up; or -1 with ERR. */
static int look(struct search *search, int proc, const char *name, struct tessera_error *err)
{
	struct holder holder = {.pid = (pid_t)strtol(name, NULL, 10), .uid = HOLDERS_ALL};
	int process = openat(proc, name, O_PATH | O_DIRECTORY | O_CLOEXEC), rc = 0;
	enum found found = process < 0 ? not_read() : look_at_process(search, process, &holder);

	/* init is nobody's holder, but a security module may keep it even from root. */
	if (found == FOUND_UNSURE && holder.pid != 1)
		tell_unsure(search, process, &holder, errno, err);
	/* Who was found in the last moment has been found. */
	if (found == FOUND) {
		read_command(process, &holder);
		rc = add(search, &holder, err);
	}
	if (process >= 0)
		close(process);
	return rc < 0 ? -1 : found == FOUND_TOO_LATE || deadline_left(search->end) == 0;
}

static int by_number(const void *a, const void *b)
{
	const struct holder *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

int holders_find(const char *proc, const char *pattern, uint32_t uid, int64_t end, struct holder **list, bool *cut,
		 struct tessera_error *err)
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
		return tessera_error_set(err, TESSERA_ERR_MISSING, "%s cannot be read: %s", proc, strerror(errno));
	/* The kernel's answers are about its own /proc; 0 would mean the caller, not root. */
	search.owners =
		uid != HOLDERS_ALL && uid != 0 && fstatfs(dirfd(stream), &fs) == 0 && fs.f_type == PROC_MAGIC;
	if (search.owners && has_no_process(uid)) {
		closedir(stream);
		return 0;
	}
	while (rc == 0 && (name = next_name(stream)) != NULL)
		if (name[0] > '0' && name[0] <= '9' && !is_of_others(&search, dirfd(stream), name))
			rc = look(&search, dirfd(stream), name, err);
	if (rc == 0 && errno != 0)
		rc = tessera_error_set(err, TESSERA_ERR_MISSING, "%s cannot be read: %s", proc, strerror(errno));
	closedir(stream);
	if (rc > 0)
		tessera_error_set(err, TESSERA_ERR_MISSING,
				  "this node has too many processes and open files to look at all in time");
	if (rc == 0 && search.unsure)
		rc = 1;
	if (rc < 0 || (rc > 0 && cut == NULL)) {
		free(search.list);
		return -1;
	}
	if (rc > 0)
		*cut = true;
	if (search.count > 0)
		qsort(search.list, search.count, sizeof(*search.list), by_number);
	*list = search.list;
	return (int)search.count;
}

bool holders_describe(const char *proc, pid_t pid, struct holder *holder)
{
	char path[PATH_MAX], stat[1024], state;
	int process;

	*holder = (struct holder){.pid = pid};
	snprintf(path, sizeof(path), "%s/%jd", proc, (intmax_t)pid);
	process = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (process < 0)
		return false;
	proc_read(process, "stat", stat, sizeof(stat));
	holder->start = ledger_start_in(stat, &state);
	holder->parent = proc_parent(stat);
	read_command(process, holder);
	if (!read_uid(process, &holder->uid))
		holder->start = 0;
	close(process);
	return holder->start != 0;
}

/* Is the process of that number still the one that was found? */
static bool is_same(const struct holder *holder)
{
	char path[64], stat[1024], state;

	snprintf(path, sizeof(path), "/proc/%jd/stat", (intmax_t)holder->pid);
	proc_read(AT_FDCWD, path, stat, sizeof(stat));
	return ledger_start_in(stat, &state) == holder->start;
}

static int cannot_signal(const struct holder *holder, struct tessera_error *err)
{
	enum tessera_errcode code = errno == EPERM ? TESSERA_ERR_DENIED : TESSERA_ERR_MISSING;

	return tessera_error_set(err, code, "process %jd (%s) cannot be sent a signal: %s%s", (intmax_t)holder->pid,
				 holder->command, strerror(errno),
				 errno == ENOSYS ? ": Linux 5.3 or newer is needed" : "");
}

/*
 * By a descriptor of the process: one that was the process found both before and after the descriptor was made is
 * the one that the descriptor stands for, whatever becomes of its number.
 */
int holders_signal(const struct holder *holder, int signal, struct tessera_error *err)
{
	int fd, rc = 0;

	/* 0 and below would be groups of processes, 1 is init. */
	if (holder->pid <= 1 || holder->start == 0)
		return tessera_error_set(err, TESSERA_ERR_MISSING, "%jd is no process that a signal is sent to",
					 (intmax_t)holder->pid);
	fd = (int)syscall(SYS_pidfd_open, holder->pid, 0);
	if (fd < 0)
		return errno == ESRCH ? 0 : cannot_signal(holder, err);
	if (is_same(holder) && syscall(SYS_pidfd_send_signal, fd, signal, NULL, 0) < 0 && errno != ESRCH)
		rc = cannot_signal(holder, err);
	close(fd);
	return rc;
}
