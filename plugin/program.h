/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The option table of the program that we are loaded into (srun, sbatch, salloc): what the user asked of Slurm, read
 * and changed by an option's name. Slurm has no interface for it; its programs export the table and the functions
 * that their own plugins use, with the same signatures since 20.11. They are looked up when they are needed, and who
 * calls must live without them.
 */
#ifndef TESSERA_PROGRAM_H
#define TESSERA_PROGRAM_H

#include <stdbool.h>

/* Has this program such a table? If not, nothing is set and nothing can be set. */
bool program_found(void);

/*
 * The value of the option NAME as Slurm writes it (GRES with "gres:" or "gres/" before each), or NULL if it was not
 * given, by command line, script or environment, or if this Slurm has no such option. To be freed with free().
 */
char *program_get(const char *name);

/* The number that the option's value starts with, which of a range is the lower end; 0 if it was not given. */
unsigned program_number(const char *name);

/* Returns 0, or -1 when Slurm does not take the value. "" is as if the option had not been given. */
int program_set(const char *name, const char *value);

#endif /* TESSERA_PROGRAM_H */
