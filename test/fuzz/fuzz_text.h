/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TEST_FUZZ_FUZZ_TEXT_H
#define TEST_FUZZ_FUZZ_TEXT_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * Call READ_TEXT with the input as a string, and again with it behind HEAD, the beginning of a
 * valid text, which the fuzzer would need long to find.
 */
static inline void fuzz_text(const uint8_t *data, size_t size, const char *head,
			     void (*read_text)(const char *text, size_t size))
{
	size_t head_size = strlen(head);
	char *text = malloc(head_size + size + 1);

	if (text == NULL)
		return;
	memcpy(text, data, size);
	text[size] = '\0';
	read_text(text, size);
	memcpy(text, head, head_size);
	memcpy(text + head_size, data, size);
	text[head_size + size] = '\0';
	read_text(text, head_size + size);
	free(text);
}

#endif
