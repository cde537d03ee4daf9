/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>

#include "lib/util/array.h"

void *array_grow(void *list, size_t count, size_t size)
{
	/* There is room until COUNT reaches the next power of two. */
	if (count > 0 && (count & (count - 1)) != 0)
		return list;
	if (count > SIZE_MAX / 2 / size)
		return NULL;
	return realloc(list, (count > 0 ? 2 * count : 1) * size);
}
