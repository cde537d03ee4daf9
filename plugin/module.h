/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parts of the plugin that bring libraries along, and so are loaded only by processes that need them. They lie beside it.
 */
#ifndef TESSERA_MODULE_H
#define TESSERA_MODULE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"

/* The path of the plugin itself, as it was loaded. Returns 0, or -1 with ERR (TESSERA_ERR_MISSING). */
int module_own_path(char *buf, size_t len, struct tessera_error *err);

/*
 * Load the module NAME, for good, and look up SYMBOL in it; FUNCTION is the address of a pointer to a function, which is
 * set. TRUSTED: only a file that nobody but root may write. Returns 0, or -1 with ERR (TESSERA_ERR_MISSING,
 * TESSERA_ERR_DENIED).
 */
int module_load(const char *name, const char *symbol, bool trusted, void *function, struct tessera_error *err);

#endif /* TESSERA_MODULE_H */
