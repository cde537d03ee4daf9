/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finding the options of pools in tessera.conf without parsing it: every srun and sbatch registers
 * these options, although most do not request an accelerator. Not installed.
 */
#ifndef TESSERA_CONF_SCAN_H
#define TESSERA_CONF_SCAN_H

#include "lib/conf/conf.h"

#define CONF_MAX_MIB 1 /* largest size of tessera.conf */

/*
 * Find the option of each pool block in TEXT, in the order of the file. Returns their number, or -1
 * if the syntax is unusual or wrong: the caller must then parse the file. If this function finds
 * options, parsing finds the same ones, or an error elsewhere in the file.
 */
int conf_scan_pools(const char *text, char options[TESSERA_POOLS_MAX][TESSERA_NAME_MAX]);

#endif /* TESSERA_CONF_SCAN_H */
