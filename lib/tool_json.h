/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON that a vendor's tool printed. It may quote users' texts, as the names of commands. Not installed: for the tessera
 * command.
 */
#ifndef TESSERA_TOOL_JSON_H
#define TESSERA_TOOL_JSON_H

#include <jansson.h>

/*
 * Read TEXT. A name that the tool quoted with control characters or without regard to UTF-8 does not spoil the rest: such
 * bytes are replaced. A key that an object has twice does: a name that was not quoted at all may have brought it. Returns
 * what it says, to be given back with json_decref(); or NULL with WHERE.
 */
json_t *tool_json_load(const char *text, json_error_t *where);

#endif /* TESSERA_TOOL_JSON_H */
