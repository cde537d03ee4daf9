/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses JSON that a vendor tool printed, which may quote text that users can choose, such as names
 * of commands. Not installed: for the tessera command.
 */
#ifndef TESSERA_TOOL_JSON_H
#define TESSERA_TOOL_JSON_H

#include <jansson.h>

/*
 * Parse TEXT. Control characters and invalid UTF-8, which a tool may copy from a command's name,
 * are replaced. A duplicate key is an error: a name that the tool did not escape may have inserted
 * it. Returns the value, to be released with json_decref(); or NULL with WHERE.
 */
json_t *tool_json_load(const char *text, json_error_t *where);

#endif /* TESSERA_TOOL_JSON_H */
