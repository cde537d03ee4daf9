/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gres/doctor.h"

struct finding *doctor_find(struct doctor *d, enum severity severity, const char *check, const char *where,
			    const char *fmt, ...)
{
	struct finding *f;
	va_list ap;

	if (d->count == d->room) {
		size_t room = d->room > 0 ? 2 * d->room : 16;
		struct finding *more = reallocarray(d->findings, room, sizeof(*more));

		if (more == NULL) {
			doctor_blind(d, "out of memory for %zu findings", room);
			return NULL;
		}
		d->findings = more;
		d->room = room;
	}
	f = &d->findings[d->count++];
	*f = (struct finding){.severity = severity, .check = check};
	snprintf(f->where, sizeof(f->where), "%s", where);
	va_start(ap, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, ap);
	va_end(ap);
	return f;
}

void doctor_write(struct finding *f, const char *fmt, ...)
{
	va_list ap;

	if (f == NULL)
		return;
	va_start(ap, fmt);
	vsnprintf(f->write, sizeof(f->write), fmt, ap);
	va_end(ap);
}

void doctor_run(struct finding *f, const char *fmt, ...)
{
	va_list ap;

	if (f == NULL)
		return;
	va_start(ap, fmt);
	vsnprintf(f->run, sizeof(f->run), fmt, ap);
	va_end(ap);
}

void doctor_blind(struct doctor *d, const char *fmt, ...)
{
	va_list ap;

	d->blind = true;
	fputs("tessera: could not look: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

bool doctor_is_local(const struct doctor *d, const char *node)
{
	if (d->c.node != NULL)
		return strcmp(d->c.node, node) == 0;
	for (uint32_t i = 0; d->nodes != NULL && i < d->nodes->record_count; i++) {
		const node_info_t *info = &d->nodes->node_array[i];

		if (info->name == NULL || strcmp(info->name, node) != 0)
			continue;
		return strcmp(info->node_hostname != NULL ? info->node_hostname : info->name, d->host) == 0;
	}
	return false;
}
