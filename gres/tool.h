/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Running the vendors' tools that tessera.conf names.
 */
#ifndef TESSERA_TOOL_H
#define TESSERA_TOOL_H

#include "lib/error.h"

/*
 * Run CONFIGURED, which KEY of tessera.conf gave, with NODE for each %n, for WAIT seconds at most, without a shell. Returns
 * what it printed, to be freed. NULL with ERR: TESSERA_ERR_MISSING when it could not be started, failed, had to be
 * killed or printed more than a MiB, with *STATUS as run_program() returned it unless that is NULL, TESSERA_ERR_INPUT
 * when the command is too long, or none.
 */
char *tool_run(const char *key, const char *configured, const char *node, unsigned wait, int *status,
	       struct tessera_error *err);

/*
 * The same for one that may end with another status than 0 because of what it has found: then too what it printed is
 * returned, and ERR says that it failed. *STATUS must not be NULL.
 */
char *tool_ask(const char *key, const char *configured, const char *node, unsigned wait, int *status,
	       struct tessera_error *err);

#endif /* TESSERA_TOOL_H */
