/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the commands share: each is a function that gets its own name as argv[0] and returns the exit code.
 */
#ifndef TESSERA_COMMAND_H
#define TESSERA_COMMAND_H

#endif /* TESSERA_COMMAND_H */
