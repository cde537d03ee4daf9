/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Appending text piece by piece to a buffer that the caller provides. Not installed. */
#ifndef TESSERA_STRBUF_H
#define TESSERA_STRBUF_H

#include <stdbool.h>
#include <stddef.h>

struct strbuf {
	char *buf;   /* NUL-terminated, unless len is 0 */
	size_t len;  /* size of buf; 0: only count, buf may be NULL */
	size_t used; /* length of the whole text, like snprintf(3) returns; may exceed len */
};

/* Start an empty text in LEN bytes of BUF. */
struct strbuf strbuf_start(char *buf, size_t len);

/* Append text formatted as by printf(3). Text that does not fit is cut, but counted in used. */
__attribute__((format(printf, 2, 3))) void strbuf_put(struct strbuf *s, const char *fmt, ...);

/* Was the text cut? */
bool strbuf_is_cut(const struct strbuf *s);

#endif /* TESSERA_STRBUF_H */
