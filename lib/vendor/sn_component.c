/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/vendor/sn_component.h"

#define PATH_MAX_LEN 256
#define MORE         "; ..."

int sn_component_read(const struct tessera_platform *p, const char *path, size_t len,
		      struct tessera_tileset *tiles, struct tessera_error *err)
{
	enum component kind = COMPONENT_OTHER;
	char text[PATH_MAX_LEN], *last;

	tessera_tileset_clear(tiles);
	if (len == 0 || len >= sizeof(text) || path[0] != '/')
		return COMPONENT_OTHER;
	memcpy(text, path, len);
	text[len] = '\0';
	last = strrchr(text, '/');
	if (strncmp(last, "/TILE_", 6) == 0)
		kind = COMPONENT_TILE;
	else if (strncmp(last, "/RDU_", 5) == 0)
		kind = COMPONENT_RDU;
	/* tessera_tileset_parse() accepts lists and ranges too, which no tool prints. */
	if (kind == COMPONENT_OTHER ||
	    (strchr(text, ',') == NULL && tessera_tileset_parse(p, text, tiles, NULL) == 0 &&
	     tessera_tileset_count(tiles) == (kind == COMPONENT_TILE ? 1 : p->tiles_per_rdu)))
		return (int)kind;
	tessera_tileset_clear(tiles);
	return tessera_error_set(
		err, TESSERA_ERR_INPUT,
		"platform %s has no %.60s; is the node's platform in tessera.conf right?", p->name,
		text);
}

int sn_component_check_platform(const struct tessera_platform *p, const char *title, size_t len,
				struct tessera_error *err)
{
	if (p->title[0] == '\0' || (strlen(p->title) == len && memcmp(p->title, title, len) == 0))
		return 0;
	return tessera_error_set(err, TESSERA_ERR_INPUT,
				 "the tool reports platform %.*s, but a %s is a %s; is the node's "
				 "platform in tessera.conf right?",
				 (int)(len < 60 ? len : 60), title, p->name, p->title);
}

void sn_component_remark(struct tessera_health_source *source, const char *fmt, ...)
{
	size_t used = strlen(source->text), room = sizeof(source->text) - sizeof(MORE);
	char remark[256];
	va_list ap;

	if (used >= sizeof(MORE) && strcmp(source->text + used - (sizeof(MORE) - 1), MORE) == 0)
		return;
	va_start(ap, fmt);
	vsnprintf(remark, sizeof(remark), fmt, ap);
	va_end(ap);
	if (used + strlen(remark) + 2 > room)
		snprintf(source->text + used, sizeof(source->text) - used, MORE);
	else
		snprintf(source->text + used, sizeof(source->text) - used, "%s%s",
			 used > 0 ? "; " : "", remark);
}

const char *sn_component_name(const struct tessera_platform *p, const struct tessera_tileset *tiles,
			      char *buf, size_t len)
{
	tessera_tileset_format(p, tiles, TESSERA_FORM_RDUS, buf, len);
	return buf;
}
