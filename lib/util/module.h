/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Modules of the plugin that link libraries such as munge and libconfuse. They are installed beside
 * the plugin and loaded only by the processes that need them. Not installed.
 */
#ifndef TESSERA_MODULE_H
#define TESSERA_MODULE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/util/error.h"

/* The path the plugin was loaded from. Returns 0, or -1 with ERR (TESSERA_ERR_UNAVAILABLE). */
int module_own_path(char *buf, size_t len, struct tessera_error *err);

/*
 * Load the module NAME and look up SYMBOL in it. FUNCTION is the address of a function pointer,
 * which is set. The module is never unloaded. If TRUSTED, file_check_trust() must accept its file.
 * Returns 0, or -1 with ERR (TESSERA_ERR_UNAVAILABLE, TESSERA_ERR_IO, TESSERA_ERR_DENIED).
 */
int module_load(const char *name, const char *symbol, bool trusted, void *function,
		struct tessera_error *err);

#endif /* TESSERA_MODULE_H */
