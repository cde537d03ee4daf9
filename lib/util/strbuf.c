/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>

#include "lib/util/strbuf.h"

struct strbuf strbuf_start(char *buf, size_t len)
{
	if (len > 0)
		buf[0] = '\0';
	return (struct strbuf){.buf = buf, .len = len};
}

void strbuf_put(struct strbuf *s, const char *fmt, ...)
{
	size_t room = s->used < s->len ? s->len - s->used : 0;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(room > 0 ? s->buf + s->used : NULL, room, fmt, ap);
	va_end(ap);
	s->used += n > 0 ? (size_t)n : 0;
}

bool strbuf_is_cut(const struct strbuf *s)
{
	return s->used >= s->len;
}
