/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cleaning text from users, programs or other machines before it reaches a log or a terminal. Clean
 * text is UTF-8 without control characters (C0, DEL and C1), line separators and marks that change
 * the text direction. Not installed.
 */
#ifndef TESSERA_UTF8_H
#define TESSERA_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Characters allowed in the names of platforms, partitions and pools in tessera.conf. */
#define TEXT_NAME_CHARS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.@"

/*
 * The length in bytes of the first character of TEXT; 0 if it is not clean, or TEXT is "".
 */
size_t utf8_character(const char *text);

/* Replace each byte that is not part of a clean character with a question mark. */
void utf8_clean(char *text);

/* Is all of TEXT clean? */
bool utf8_is_clean(const char *text);

/* How many of the LEN bytes of TEXT fit into MAX bytes without splitting a character. */
size_t utf8_cut(const char *text, size_t len, size_t max);

#endif /* TESSERA_UTF8_H */
