/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text that users, programs or other machines wrote, before it reaches a log or a terminal. The one rule of what may be
 * shown there: UTF-8 without control characters (C0, DEL and C1), line separators and marks that turn the direction of what
 * follows. Not installed.
 */
#ifndef TESSERA_TEXT_H
#define TESSERA_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Of the names in tessera.conf: of platforms, partitions and pools. */
#define TEXT_NAME_CHARS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.@"

/* How many bytes the character at TEXT has, which ends in a NUL; 0 if it may not be shown, or is not UTF-8. Of "" it is 0. */
size_t text_character(const char *text);

/* Each byte of what may not be shown becomes a question mark; the length stays. */
void text_clean(char *text);

/* May all of it be shown? */
bool text_is_clean(const char *text);

#endif /* TESSERA_TEXT_H */
