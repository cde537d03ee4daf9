/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/tile/hostlist.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The input is one list, or two separated by a newline. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tessera_error err = {0};
	char *list = strndup((const char *)data, size);
	char host[256] = "";
	char *other;

	/* Longer lists find nothing new and take long, since each host is expanded. */
	if (list == NULL || size > 200) {
		free(list);
		return 0;
	}
	other = strchr(list, '\n');
	if (other != NULL)
		*other++ = '\0';
	else
		other = list;
	if (tessera_hostlist_check(list, &err) < 0) {
		if (err.code != TESSERA_ERR_INPUT || tessera_hostlist_has(list, other) ||
		    tessera_hostlist_common(list, other, host, sizeof(host)))
			abort();
	} else if (tessera_hostlist_common(list, other, host, sizeof(host))) {
		if (!tessera_hostlist_has(list, host) || !tessera_hostlist_has(other, host))
			abort();
	} else if (other == list) {
		/* A valid list names a host, and overlaps with itself. */
		abort();
	}
	free(list);
	return 0;
}
