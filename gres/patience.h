/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libslurm waits for slurmdbd without an end, and gives no way to say how long. So the program itself ends, with a
 * sentence: it has printed nothing yet, and changed nothing by halves.
 */
#ifndef TESSERA_PATIENCE_H
#define TESSERA_PATIENCE_H

#define PATIENCE_S 120 /* for one question; the slowest that was seen took a few seconds */

/* From here to patience_over() is one question to slurmdbd. If it takes longer, the program exits with 3. */
void patience_ask(void);
void patience_over(void);

#endif /* TESSERA_PATIENCE_H */
