/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which processes have a device open, according to /proc. Reads the names of open files, and never
 * touches the files: one on a file server that does not answer would block the caller. Not
 * installed: for libtessera, the plugins and the command.
 */
#ifndef TESSERA_DEVICE_USERS_H
#define TESSERA_DEVICE_USERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/util/error.h"

struct device_user {
	pid_t pid;
	pid_t parent;     /* when it was found */
	uint64_t start;   /* as proc_start_time() returns it; differs if the pid was reused */
	uint32_t uid;     /* real user */
	char command[64]; /* /proc/PID/comm, with ? for each byte that is not printable ASCII */
	char file[256];   /* name of the first open file that matched, with ? likewise */
};

#define DEVICE_USERS_ALL UINT32_MAX

/* Recommended time limit of a search: a process may have a million files open. */
#define DEVICE_USERS_MAX_SECONDS 5

/*
 * Find the processes of user UID, or of all users (DEVICE_USERS_ALL), that have a file open whose
 * name matches PATTERN (fnmatch(3), no flags), sorted by pid. PROC is "/proc", or a test's
 * replacement. *LIST must be freed. A process that ends meanwhile does not count; kernel threads
 * have no files.
 *
 * Not found are:
 * - mappings whose descriptor is closed (reading these needs more rights over the process);
 * - files that only a later thread of a running process has open, after unshare(CLONE_FILES);
 * - a descriptor in flight through a socket, which is in no process's table;
 * - a device under another name, by a bind mount in a mount namespace or in a container. Its
 *   device number would show it, but stat(2) may block for ever on some file systems, even with
 *   AT_STATX_DONT_SYNC;
 * - if UID is one user: processes in a user namespace that run as a subordinate uid, and processes
 *   whose effective user is another, such as a set-user-ID program.
 * None of these happens by accident.
 *
 * Returns the number of processes, or -1 with ERR (TESSERA_ERR_UNAVAILABLE) when PROC cannot be
 * read or memory is exhausted. The search stops at END (deadline.h): then *CUT is true, ERR says
 * so, and the list has the processes found so far. *CUT is also true if a process of that user,
 * other than init, could not be inspected; the others were. Root with CAP_SYS_PTRACE can inspect
 * all processes in all namespaces, unless a security module forbids it. If CUT is NULL, both cases
 * return -1.
 */
int device_users_find(const char *proc, const char *pattern, uint32_t uid, int64_t end,
		      struct device_user **list, bool *cut, struct tessera_error *err);

/*
 * Is the process in a control group of a job other than JOB? Slurm names them job_ID, in both
 * versions of control groups. *OTHER is that job ID. It is 0, and the answer is true because it may
 * be another job's, if the list of its groups is too long to read, or if the group is named by a
 * SLUID, as in cgroup/v2 from 26.05 on: that does not tell the job ID.
 */
bool device_users_in_other_job(const char *proc, pid_t pid, uint32_t job, uint32_t *other);

/* Fill *USER for process PID; its file is "". False if there is no such process. */
bool device_users_describe(const char *proc, pid_t pid, struct device_user *user);

/*
 * Send SIGNAL to the process, unless its pid was reused. Returns 0, also when it has ended; or -1
 * with ERR (TESSERA_ERR_DENIED, TESSERA_ERR_UNAVAILABLE).
 */
int device_users_signal(const struct device_user *user, int signal, struct tessera_error *err);

/*
 * Does a process look like one of a job step although slurmd knows no job of it? slurmd also
 * reports no job when it could not query the step, and proctrack/linuxproc does so for a process
 * with a space in its name. True if the process descends from a slurmstepd of root, or is in a
 * cgroup named like Slurm's of a job other than ENDED, outside of /user.slice, where systemd lets
 * users create cgroups. Only root, or a user who may create cgroups elsewhere, can make a process
 * look like this; no process can hide that it does.
 */
bool device_users_look_owned(const char *proc, pid_t pid, uint32_t ended);

#endif /* TESSERA_DEVICE_USERS_H */
