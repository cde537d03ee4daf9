/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera_grant.so: the part of the plugin that needs libmunge. slurmstepd loads it, and only for jobs that have tiles or
 * IPUs.
 */
#include "config.h"

#include <stdio.h>

#include "lib/grant_parts.h"
#include "plugin/grant_module.h"

char *tessera_grant_module_encode(const char *text, const char *socket, char *why, size_t len)
{
	struct tessera_error err = {0};
	char *credential = grant_munge_encode(text, socket, &err);

	snprintf(why, len, "%s", err.text);
	return credential;
}
