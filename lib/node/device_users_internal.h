/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by lib/node/device_users*.c. */
#ifndef TESSERA_DEVICE_USERS_INTERNAL_H
#define TESSERA_DEVICE_USERS_INTERNAL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Read the start of PROC/PID/NAME into BUF, NUL-terminated; "" if it cannot be read. */
void device_users_read(const char *proc, pid_t pid, const char *name, char *buf, size_t size);

/* The parent of a process, and its real user in *UID; 0 and UINT32_MAX if it has ended. */
pid_t device_users_parent(const char *proc, pid_t pid, uint32_t *uid);

/*
 * The first job in a line of /proc/PID/cgroup that has Slurm's form and is outside of /user.slice;
 * 0 if there is none. *FROM and *LEN are the part of the line that identifies the job: from its
 * start to the end of the job ID.
 */
uint32_t device_users_group_job(const char *line, size_t line_len, const char **from, size_t *len);

#endif /* TESSERA_DEVICE_USERS_INTERNAL_H */
