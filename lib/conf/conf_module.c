/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>

#include "lib/conf/conf.h"
#include "lib/conf/conf_module.h"
#include "lib/conf/conf_pack.h"

int tessera_conf_module_read(const char *path, int trusted, char **packed, size_t *len, char *why,
			     size_t why_len)
{
	struct tessera_error err = {0};
	struct tessera_conf *conf =
		trusted ? tessera_conf_read_trusted(path, &err) : tessera_conf_read(path, &err);

	*packed = conf != NULL ? conf_pack(conf, len) : NULL;
	if (conf != NULL && *packed == NULL)
		tessera_error_nomem(&err);
	tessera_conf_free(conf);
	snprintf(why, why_len, "%s", err.text);
	return (int)err.code;
}
