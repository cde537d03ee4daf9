/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of lib/holders*.c share. Not installed.
 */
#ifndef TESSERA_HOLDERS_PARTS_H
#define TESSERA_HOLDERS_PARTS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The start of PROC/PID/NAME into BUF, with a NUL after it; "" if it cannot be read. */
void holders_read(const char *proc, pid_t pid, const char *name, char *buf, size_t size);

/* The parent of a process and its real user; 0 and UINT32_MAX if it is gone. */
pid_t holders_parent(const char *proc, pid_t pid, uint32_t *uid);

/*
 * The first job that a line of /proc/PID/cgroup names as Slurm does, outside of systemd's groups for users; 0 if it names
 * none. *FROM and *LEN are what names it: the line as far as the end of the number.
 */
uint32_t holders_group_job(const char *line, size_t line_len, const char **from, size_t *len);

#endif /* TESSERA_HOLDERS_PARTS_H */
