/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which processes have a device open, as /proc says it. Only names are looked at, never the files behind them: one of a
 * server that does not answer would keep us. Not installed: for libtessera, the plugins and the command.
 */
#ifndef TESSERA_HOLDERS_H
#define TESSERA_HOLDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "error.h"

struct holder {
	pid_t pid;
	pid_t parent;     /* when it was found */
	uint64_t start;   /* as tessera_ledger_process_start() has it: an id given anew is another process */
	uint32_t uid;     /* its real user */
	char command[64]; /* its name in /proc/PID/comm, with ? for all that is not plain ASCII */
	char file[256];   /* the first that matched, the same way */
};

#define HOLDERS_ALL UINT32_MAX

#define HOLDERS_MAX_SECONDS 5 /* that a search should take at most: a process may have a million files open */

/*
 * The processes of user UID, or of all (HOLDERS_ALL), that have a file open whose name matches PATTERN (fnmatch(3), no
 * flags), in the order of their numbers. PROC is "/proc", or what a test puts in its place. *LIST is to be freed. A
 * process that ends meanwhile is none. A kernel thread has no files.
 *
 * Not seen are: what is mapped into memory, its descriptor closed (to read that, the process would have to let us); what
 * only a later thread of a living process has open, in a table of files of its own (unshare(2)); a descriptor on its way
 * through a socket, which is in no process's table; a device under another name, by a bind mount in a mount namespace or by
 * a container's wish (its number would tell, but not all filesystems give one without asking their server, even with
 * AT_STATX_DONT_SYNC, and one would keep us for ever); and, when one user's are looked for, those in a user namespace that
 * have subordinate ids, which are other users, and those whose effective user is another, as a set-user-ID program's. Who
 * hides so means to.
 *
 * Returns how many, or -1 with ERR (TESSERA_ERR_MISSING) when PROC cannot be read or memory is out. At END (deadline.h) the
 * search is given up: then *CUT is true, ERR says so, and the list has those found until then. So it is when a process of
 * that user could not be looked at, init excepted; the others were. Root with CAP_SYS_PTRACE may look at all, in whatever
 * namespaces they hide, unless a security module forbids it. With CUT NULL that is -1, too.
 */
int holders_find(const char *proc, const char *pattern, uint32_t uid, int64_t end, struct holder **list, bool *cut,
		 struct tessera_error *err);

/*
 * Is the process in a control group of a job other than JOB? Slurm calls them job_ and the number, in both versions of
 * control groups. *OTHER is that number; 0 if the list of its groups is too long to be read: then it may be in one.
 */
bool holders_in_other_job(const char *proc, pid_t pid, uint32_t job, uint32_t *other);

/* What there is to know of process PID itself; FILE is "". False if there is none. */
bool holders_describe(const char *proc, pid_t pid, struct holder *holder);

/*
 * Send SIGNAL to the process, if it is still that one. Returns 0, also when it is gone; or -1 with ERR (TESSERA_ERR_DENIED,
 * TESSERA_ERR_MISSING).
 */
int holders_signal(const struct holder *holder, int signal, struct tessera_error *err);

/*
 * Does a process look as if it were one of a job's step, though slurmd says it is of none? slurmd says so, too, when it
 * could not ask the step, and proctrack/linuxproc of a process with a blank in its name. It descends from a slurmstepd of
 * root, or is in a cgroup called as Slurm calls those of another job than ENDED, outside of what systemd lets users have
 * (/user.slice). Who may make cgroups elsewhere, or run programs as root under names of his choice, can make a process look
 * so; none can make itself look otherwise.
 */
bool holders_look_owned(const char *proc, pid_t pid, uint32_t ended);

#endif /* TESSERA_HOLDERS_H */
