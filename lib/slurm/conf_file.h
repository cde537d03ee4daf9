/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads Slurm's configuration files by Slurm's rules for comments, continued lines and included
 * files. The caller interprets the lines.
 */
#ifndef TESSERA_CONF_FILE_H
#define TESSERA_CONF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "lib/util/error.h"

/* AccountingStorageType of a cluster with slurmdbd. */
#define SLURM_WITH_DATABASE "accounting_storage/slurmdbd"

struct slurm_line {
	char *path;
	unsigned number; /* of its first line */
	char *text;      /* without comment and outer white space; never empty */
};

struct conf_file {
	struct slurm_line *lines;
	size_t count;
	time_t changed; /* the latest modification time of its files */
};

/*
 * Find slurm.conf: the path in SLURM_CONF, else the default path, else slurmd's copy on a
 * configless node. Returns 0, or -1 if there is none, with the default path in BUF.
 */
int conf_file_find(char *buf, size_t len);

/*
 * Read PATH and the files that it includes; their names are relative to PATH's directory, and may
 * contain * and ?. Lines are appended to F, which must be zeroed before the first call and freed
 * even after a failure. Returns 0, or -1 with ERR (TESSERA_ERR_UNAVAILABLE: a file cannot be read
 * or contains a NUL byte, or includes are nested too deep; TESSERA_ERR_NOMEM).
 */
int conf_file_read(struct conf_file *f, const char *path, struct tessera_error *err);
void conf_file_free(struct conf_file *f);

/*
 * The value of KEY, ignoring case, in a line of the form Key=Value Key="a value". To be freed; NULL
 * if the line does not have KEY, or out of memory.
 */
char *slurm_line_value(const char *text, const char *key);

/*
 * The same in all lines of F: the last one counts, as for Slurm. *WHERE, unless WHERE is NULL, is
 * set to its line.
 */
char *conf_file_value(const struct conf_file *f, const char *key, const struct slurm_line **where);

/*
 * Is WORD an item of the comma-separated LIST, ignoring case? In an item, : or = ends the name.
 * LIST may be NULL.
 */
bool slurm_list_has(const char *list, const char *word);

#endif /* TESSERA_CONF_FILE_H */
