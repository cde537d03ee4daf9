/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/conf/conf_vipu.h"

void tessera_vipu_partition_name(const struct tessera_vipu_site *site, uint32_t job, char *buf,
				 size_t len)
{
	snprintf(buf, len, "%s%u", site->prefix, job);
}

uint32_t tessera_vipu_partition_job(const struct tessera_vipu_site *site, const char *name)
{
	size_t len = strlen(site->prefix), digits;
	unsigned long long job;

	if (strncmp(name, site->prefix, len) != 0)
		return 0;
	name += len;
	digits = strspn(name, "0123456789");
	if (digits == 0 || digits > 10 || name[0] == '0' || name[digits] != '\0')
		return 0;
	job = strtoull(name, NULL, 10);
	return job <= UINT32_MAX ? (uint32_t)job : 0;
}
