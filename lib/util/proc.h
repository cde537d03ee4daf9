/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading /proc. Not installed. */
#ifndef TESSERA_PROC_H
#define TESSERA_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Read at most SIZE - 1 bytes of the file NAME in the directory DIR (or AT_FDCWD) into BUF, and
 * terminate them with a NUL. Returns 0, or -1 with errno and BUF "".
 */
int proc_read(int dir, const char *name, char *buf, size_t size);

/*
 * Get the first number of the line KEY in STATUS, the contents of /proc/PID/status. Returns false
 * if there is no such line.
 */
bool proc_number(const char *status, const char *key, unsigned long *number);

/* The parent process in STAT, the contents of /proc/PID/stat; 0 if STAT cannot be parsed. */
pid_t proc_parent(const char *stat);

/*
 * The start time in STAT, as above, in clock ticks since boot; 0 if STAT cannot be parsed. *STATE
 * is set to the process state: 'R', 'S', 'Z' ...
 */
uint64_t proc_parse_start(const char *stat, char *state);

/*
 * The start time of process PID; 0 if it has ended or is a zombie. PID and start time together
 * identify a process, since the kernel reuses PIDs.
 */
uint64_t proc_start_time(pid_t pid);

#endif /* TESSERA_PROC_H */
