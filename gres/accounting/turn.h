/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which node of an ended job may write the job's AdminComment now: always one at most.
 *
 * Each node has a part of its own, and slurmdbd can only replace the whole text. Two nodes that
 * write at once lose a part; if MariaDB has innodb_snapshot_isolation (the default from 11.6.2 on),
 * the second write ends slurmdbd. Nodes share no file system and cannot talk to one another, so
 * they take turns by what all of them know: the job's node list and its end, both from slurmdbd,
 * the parts that the comment already has, and the time.
 *
 * Time since the end of the job is divided into windows. The nodes own them in the order of the
 * node list, again and again. In a window the owner writes, then the next node, which sees that the
 * owner's part is there, and so on: usually all nodes of a job write in the first window. A node
 * that has no part to write, or is down, stops the row until a later node owns a window. So nobody
 * waits for a node for ever, and no part is given up.
 *
 * In every second round only the owner writes. A node can replace a part that is already there only
 * then, because later nodes do not wait for it.
 */
#ifndef TESSERA_TURN_H
#define TESSERA_TURN_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

/*
 * Nobody writes near the ends of a window, in which clocks of nodes may differ and a write may be
 * under way. The time between must be longer than the period of tessera-sample.timer with its
 * random delay (66 s): then each node looks at least once in each window.
 */
#define TURN_WINDOW_S 90
#define TURN_GUARD_S  10

/*
 * May node SELF of the job's COUNT nodes write now, SINCE_END seconds after the end of the job?
 * HAS_PART tells for each node whether its part is in the comment.
 */
bool turn_allows(time_t since_end, const bool *has_part, size_t count, size_t self);

#endif /* TESSERA_TURN_H */
