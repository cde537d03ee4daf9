/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The name of a step as Slurm's commands show it. Not installed.
 */
#ifndef TESSERA_STEP_NAME_H
#define TESSERA_STEP_NAME_H

#include <stddef.h>
#include <stdint.h>

#define STEP_NAME_MAX 32

/*
 * Write "12.0", or "12.batch", "12.interactive" or "12.extern" for a step that has no number of its
 * own. LEN should be STEP_NAME_MAX. Returns BUF.
 */
const char *step_name(uint32_t job, uint32_t step, char *buf, size_t len);

#endif /* TESSERA_STEP_NAME_H */
