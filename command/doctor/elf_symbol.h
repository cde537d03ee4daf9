/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Read a number that a shared object exports without loading it: the Slurm release that a plugin
 * was built for.
 */
#ifndef TESSERA_ELF_SYMBOL_H
#define TESSERA_ELF_SYMBOL_H

#include <stdint.h>

#include "lib/util/error.h"

/*
 * Read the 32-bit symbol NAME of the file PATH. Returns 0, or -1 with ERR: TESSERA_ERR_IO if it
 * cannot be opened, TESSERA_ERR_INPUT if it is not a shared object for this machine or has no such
 * symbol.
 */
int elf_symbol(const char *path, const char *name, uint32_t *number, struct tessera_error *err);

#endif /* TESSERA_ELF_SYMBOL_H */
