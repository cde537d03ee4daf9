/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slurm's own configuration files, read as Slurm reads them: comments, lines that go on after a \, files that are
 * included. What the lines mean is the caller's matter.
 */
#ifndef TESSERA_SLURM_FILE_H
#define TESSERA_SLURM_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "lib/error.h"

/* AccountingStorageType of a cluster whose slurmdbd remembers jobs. */
#define SLURM_WITH_DATABASE "accounting_storage/slurmdbd"

struct slurm_line {
	char *path;
	unsigned number; /* where it begins */
	char *text;      /* without comment, and blanks at its ends; never empty */
};

struct slurm_file {
	struct slurm_line *lines;
	size_t count, room;
	time_t changed; /* when the last of its files was */
};

/*
 * Where slurm.conf is: where SLURM_CONF says, or where it usually is, or where slurmd keeps what slurmctld gave it.
 * Returns 0, or -1 if there is none, with the usual place in BUF.
 */
int slurm_file_find(char *buf, size_t len);

/*
 * Read PATH and what it includes; names there are relative to PATH's directory, and may have * and ? in them. F must be
 * zeros, or hold what was read before; to be freed in any case. Returns 0, or -1 with ERR (TESSERA_ERR_MISSING: a file
 * that cannot be read or is no text, or too many that include each other).
 */
int slurm_file_read(struct slurm_file *f, const char *path, struct tessera_error *err);
void slurm_file_free(struct slurm_file *f);

/*
 * The value of KEY (whatever the case) in a line of "Key=Value Key="a value"". To be freed by the caller; NULL if it
 * has none, or there is no memory.
 */
char *slurm_line_value(const char *text, const char *key);

/* The same in all lines of F: the last counts, as for Slurm. *WHERE is set to its line, unless that is NULL. */
char *slurm_file_value(const struct slurm_file *f, const char *key, const struct slurm_line **where);

/*
 * Is WORD among LIST's, which commas join, whatever the case? What follows : or = in an item is its count, not its
 * name. LIST may be NULL.
 */
bool slurm_list_has(const char *list, const char *word);

#endif /* TESSERA_SLURM_FILE_H */
