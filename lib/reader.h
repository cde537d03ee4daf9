/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading a text of ours piece by piece, where only one way of writing it is right. Once something was not there,
 * nothing is, so that only the end need be asked. Not installed: for libtessera.
 */
#ifndef TESSERA_READER_H
#define TESSERA_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct reader {
	const char *at; /* NUL-terminated */
	bool failed;
};

/* WORD must come next, and is passed over. */
void reader_expect(struct reader *r, const char *word);

/* Does WORD come next? It stays. */
bool reader_follows(const struct reader *r, const char *word);

/*
 * BEFORE, and then what stands up to one of ENDS, at least one character and none that may not be shown (text.h), into LEN
 * bytes of BUF; "-" alone stands for nothing, which is "". "" when it failed.
 */
void reader_text(struct reader *r, const char *before, const char *ends, char *buf, size_t len);

/* The same, where nothing is not allowed. */
void reader_word(struct reader *r, const char *before, const char *ends, char *buf, size_t len);

/* BEFORE, and then a decimal number without leading zeros, not larger than MAX. 0 when it failed. */
uint64_t reader_number(struct reader *r, const char *before, uint64_t max);

#endif /* TESSERA_READER_H */
