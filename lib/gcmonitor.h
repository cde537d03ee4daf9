/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What gc-monitor --json, Graphcore's view of a host's IPUs, prints: an object with `cards`, each with `ipus`; an IPU that
 * a process of this host is attached to has a PID. Not installed: for the tessera command.
 */
#ifndef TESSERA_GCMONITOR_H
#define TESSERA_GCMONITOR_H

#include <sys/types.h>

#include "error.h"
#include "platform.h"

/* One IPU that is in use. */
struct gcmonitor_ipu {
	pid_t pid;
	char partition[2 * TESSERA_NAME_MAX]; /* "" if it does not say */
};

/*
 * Read TEXT. *IPUS are those in use, to be freed with free(). Members that are not needed may be there or not, and be of
 * any kind; the names of commands are any user's text. Returns how many, or -1 with ERR: TESSERA_ERR_INPUT when it was not
 * understood (no JSON, a key twice, no cards, a card without ipus, a PID that is no number), TESSERA_ERR_MISSING when out
 * of memory.
 */
int gcmonitor_read(const char *text, struct gcmonitor_ipu **ipus, struct tessera_error *err);

#endif /* TESSERA_GCMONITOR_H */
