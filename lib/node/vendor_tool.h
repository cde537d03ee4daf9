/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Running the vendor tools that tessera.conf names. */
#ifndef TESSERA_VENDOR_TOOL_H
#define TESSERA_VENDOR_TOOL_H

#include "lib/util/error.h"

/*
 * Run CONFIGURED, the value of KEY in tessera.conf, with NODE for each %n, without a shell, for at
 * most WAIT seconds. Returns its standard output, to be freed; or NULL with ERR:
 * TESSERA_ERR_UNAVAILABLE if it could not be started, failed, timed out or printed more than 1 MiB;
 * TESSERA_ERR_INPUT if the command is too long or empty. *STATUS, unless STATUS is NULL, is what
 * run_program() returned.
 */
char *vendor_tool_run(const char *key, const char *configured, const char *node, unsigned wait,
		      int *status, struct tessera_error *err);

/*
 * The same for a tool that may exit with a status other than 0 because of what it found: its output
 * is returned then too, and ERR is set. STATUS must not be NULL.
 */
char *vendor_tool_ask(const char *key, const char *configured, const char *node, unsigned wait,
		      int *status, struct tessera_error *err);

#endif /* TESSERA_VENDOR_TOOL_H */
