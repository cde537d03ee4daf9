/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/util/error.h"
#include "lib/util/utf8.h"

int tessera_error_set(struct tessera_error *err, enum tessera_errcode code, const char *fmt, ...)
{
	va_list ap;

	if (err == NULL)
		return -1;
	err->code = code;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	/* The text may quote user input, and root reads it in terminals and logs. */
	utf8_clean(err->text);
	return -1;
}

int tessera_error_prefix(struct tessera_error *err, const char *fmt, ...)
{
	char rest[sizeof(err->text)];
	size_t used;
	va_list ap;

	if (err == NULL)
		return -1;
	memcpy(rest, err->text, sizeof(rest));
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	used = strlen(err->text);
	snprintf(err->text + used, sizeof(err->text) - used, ": %s", rest);
	utf8_clean(err->text);
	return -1;
}

int tessera_error_nomem(struct tessera_error *err)
{
	return tessera_error_set(err, TESSERA_ERR_NOMEM, "out of memory");
}

int tessera_error_exit(const struct tessera_error *err)
{
	return err->code == TESSERA_ERR_IO || err->code == TESSERA_ERR_NOMEM
		       ? TESSERA_ERR_UNAVAILABLE
		       : (int)err->code;
}

void tessera_error_clear(struct tessera_error *err)
{
	if (err == NULL)
		return;
	err->code = TESSERA_OK;
	err->text[0] = '\0';
}
