/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scanning text with a strict format, such as Tessera's own files, piece by piece. After the first
 * mismatch all calls fail, so the caller needs to check `failed` only at the end. Not installed.
 */
#ifndef TESSERA_SCAN_H
#define TESSERA_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct scan {
	const char *at; /* NUL-terminated */
	bool failed;
};

/* Skip WORD, which must come next. */
void scan_expect(struct scan *r, const char *word);

/* Does WORD come next? It is not skipped. */
bool scan_follows(const struct scan *r, const char *word);

/*
 * Skip BEFORE, then copy the text up to one of the characters ENDS, or the end, into LEN bytes of
 * BUF. The text must not be empty, and must be clean (utf8.h). A text of "-" is read as "". BUF is
 * "" on failure.
 */
void scan_text(struct scan *r, const char *before, const char *ends, char *buf, size_t len);

/* The same, but "-" is a failure. */
void scan_word(struct scan *r, const char *before, const char *ends, char *buf, size_t len);

/* Skip BEFORE, then read a decimal number without leading zeros, at most MAX. 0 on failure. */
uint64_t scan_number(struct scan *r, const char *before, uint64_t max);

#endif /* TESSERA_SCAN_H */
