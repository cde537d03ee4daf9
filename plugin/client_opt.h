/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slurm's own options in the program that loaded us (srun, sbatch, salloc), read and changed by
 * name. Slurm has no stable interface for this. Its programs export the option table and the
 * functions that Slurm's own plugins use, with the same signatures since 20.11. They are looked up
 * at run time, and callers must work without them.
 */
#ifndef TESSERA_CLIENT_OPT_H
#define TESSERA_CLIENT_OPT_H

#include <stdbool.h>

/* Were table and functions found? If not, no option is set and none can be set. */
bool client_opt_found(void);

/*
 * The value of option NAME as Slurm writes it (GRES with "gres:" or "gres/" before each), to be
 * freed; NULL if it was not given on the command line, in the script or in the environment, or if
 * this Slurm has no such option.
 */
char *client_opt_get(const char *name);

/*
 * The number at the start of the option's value, for a range its lower end; 0 if it was not given.
 */
unsigned client_opt_number(const char *name);

/*
 * "" resets the option. Returns 0, or -1 if Slurm rejects VALUE.
 */
int client_opt_set(const char *name, const char *value);

#endif /* TESSERA_CLIENT_OPT_H */
