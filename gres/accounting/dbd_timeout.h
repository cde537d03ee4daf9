/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libslurm waits for slurmdbd for ever, and has no timeout to set. So the program exits, with a
 * message: it has printed nothing yet, and left no change half done.
 */
#ifndef TESSERA_DBD_TIMEOUT_H
#define TESSERA_DBD_TIMEOUT_H

#define DBD_TIMEOUT_S 120 /* for one query; the slowest seen took a few seconds */

/*
 * Call these before and after one query to slurmdbd. If it takes longer than the timeout, the
 * program exits with 3 (TESSERA_ERR_UNAVAILABLE).
 */
void dbd_timeout_start(void);
void dbd_timeout_stop(void);

#endif /* TESSERA_DBD_TIMEOUT_H */
