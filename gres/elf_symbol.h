/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A number that a shared object exports, without loading it: for what release of Slurm was this plugin built?
 */
#ifndef TESSERA_ELF_SYMBOL_H
#define TESSERA_ELF_SYMBOL_H

#include <stdint.h>

#include "lib/error.h"

/*
 * The 32 bits of the symbol NAME in the file PATH. Returns 0, or -1 with ERR: TESSERA_ERR_MISSING if there is no such
 * file, TESSERA_ERR_INPUT if it is not a shared object of this machine, or has no such number.
 */
int elf_symbol(const char *path, const char *name, uint32_t *number, struct tessera_error *err);

#endif /* TESSERA_ELF_SYMBOL_H */
