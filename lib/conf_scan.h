/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options of tessera.conf's pools, found without parsing the file: every srun and sbatch registers them, and most ask
 * for nothing of ours. Not installed.
 */
#ifndef TESSERA_CONF_SCAN_H
#define TESSERA_CONF_SCAN_H

#include "conf.h"

#define CONF_MAX_MIB 1 /* no tessera.conf is larger */

/*
 * The option of each pool block in TEXT, in the order of the file. Returns how many, or -1 if anything is not as plain as
 * it usually is: then the caller parses the file, which finds the same options or says what is wrong. Where this finds
 * options, parsing finds the same, or an error that has nothing to do with them.
 */
int conf_scan_pools(const char *text, char options[TESSERA_POOLS_MAX][TESSERA_NAME_MAX]);

#endif /* TESSERA_CONF_SCAN_H */
