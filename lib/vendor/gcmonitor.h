/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses the output of Graphcore's gc-monitor --json, which lists a host's IPUs: an object with
 * `cards`, each with `ipus`. An IPU that a process of this host is attached to has a PID. Not
 * installed: for the tessera command.
 */
#ifndef TESSERA_GCMONITOR_H
#define TESSERA_GCMONITOR_H

#include <sys/types.h>

#include "lib/tile/platform.h"
#include "lib/util/error.h"

/* An IPU in use. */
struct gcmonitor_ipu {
	pid_t pid;
	char partition[2 * TESSERA_NAME_MAX]; /* "": unknown */
};

/*
 * Parse TEXT. *IPUS is set to the IPUs in use, to be freed with free(). Other members are ignored,
 * whatever their type; names of commands are text that any user can choose. Returns the number of
 * IPUs, or -1 with ERR: TESSERA_ERR_INPUT if TEXT cannot be parsed (not JSON, a duplicate key, no
 * cards, a card without ipus, a PID that is not a number), TESSERA_ERR_NOMEM.
 */
int gcmonitor_read(const char *text, struct gcmonitor_ipu **ipus, struct tessera_error *err);

#endif /* TESSERA_GCMONITOR_H */
