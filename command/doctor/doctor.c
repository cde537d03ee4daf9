/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "command/doctor/doctor.h"
#include "lib/util/array.h"
#include "lib/util/file.h"
#include "lib/util/strbuf.h"
#include "lib/util/utf8.h"

struct finding *doctor_find(struct doctor *d, enum severity severity, const char *check,
			    const char *where, const char *fmt, ...)
{
	struct finding *f, *findings = array_grow(d->findings, d->count, sizeof(*findings));
	va_list ap;

	if (findings == NULL) {
		doctor_blind(d, "out of memory after %zu findings", d->count);
		return NULL;
	}
	d->findings = findings;
	f = &d->findings[d->count++];
	*f = (struct finding){.severity = severity, .check = check};
	snprintf(f->where, sizeof(f->where), "%s", where);
	va_start(ap, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, ap);
	va_end(ap);
	utf8_clean(f->text);
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

const char *doctor_enable(const char *dir, const char *name, char *buf, size_t len)
{
	/* systemd's search path: systemd.unit(5). */
	static const char *const known[] = {"/etc/systemd/system", "/usr/local/lib/systemd/system",
					    "/usr/lib/systemd/system", "/lib/systemd/system"};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(dir, known[i]) == 0) {
			snprintf(buf, len, "systemctl enable --now %s.timer", name);
			return buf;
		}
	snprintf(buf, len, "systemctl link %s/%s.service && systemctl enable --now %s/%s.timer",
		 dir, name, dir, name);
	return buf;
}

const char *doctor_without(const char *list, const char *name, char *buf, size_t len)
{
	struct strbuf rest = strbuf_start(buf, len);

	while (list != NULL && *list != '\0') {
		size_t item = strcspn(list, ",");
		bool same = strcspn(list, ",:=") == strlen(name) &&
			    strncasecmp(list, name, strlen(name)) == 0;

		if (!same)
			strbuf_put(&rest, "%s%.*s", rest.used > 0 ? "," : "", (int)item, list);
		list += item + (list[item] == ',');
	}
	return buf;
}

uint32_t doctor_slurmctld_version(const struct doctor *d)
{
	const char *version = d->ctl != NULL ? d->ctl->version : NULL;
	unsigned major, minor, micro;

	// NOLINTNEXTLINE(cert-err34-c)
	if (version == NULL || sscanf(version, "%u.%u.%u", &major, &minor, &micro) != 3)
		return 0;
	return SLURM_VERSION_NUM(major, minor, micro);
}

void doctor_blind(struct doctor *d, const char *fmt, ...)
{
	va_list ap;

	d->blind = true;
	fputs("tessera: cannot check: ", stderr);
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
		return strcmp(info->node_hostname != NULL ? info->node_hostname : info->name,
			      d->host) == 0;
	}
	return false;
}

const char *doctor_local_node(const struct doctor *d, uint32_t i, const struct tessera_platform **p)
{
	const char *name = d->nodes->node_array[i].name;

	*p = name != NULL ? tessera_conf_node_platform(d->conf, name) : NULL;
	return *p != NULL && doctor_is_local(d, name) ? name : NULL;
}

bool doctor_state_dir(const struct doctor *d, const char *node, char *dir, size_t len)
{
	struct stat st;

	return tessera_conf_state_dir(d->conf, node, dir, len, NULL) == 0 && stat(dir, &st) == 0 &&
	       file_check_trust(dir, &st, NULL) == 0;
}
