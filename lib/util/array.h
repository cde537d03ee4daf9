/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Growing an array by one element at a time. Not installed. */
#ifndef TESSERA_ARRAY_H
#define TESSERA_ARRAY_H

#include <stddef.h>

/*
 * Make room for one more element after the COUNT elements of SIZE bytes in LIST. LIST must be NULL
 * if COUNT is 0, and must only ever have grown by this function: its capacity is derived from
 * COUNT, as the next power of two. Returns LIST or its replacement, to be freed with free(); or
 * NULL when out of memory, with LIST unchanged.
 */
void *array_grow(void *list, size_t count, size_t size);

#endif /* TESSERA_ARRAY_H */
