/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "plugin/normalise.h"

struct normalised *normalise(const struct tessera_conf *conf, const struct tessera_platform *platform,
			     const struct tessera_options *opt, struct tessera_error *err)
{
	struct normalised *normal = calloc(1, sizeof(*normal));
	/* Each item may get a multiplied count, and two more may follow; of licences one for each pool. */
	size_t gres_len = 256 + (opt->gres != NULL ? 12 * strlen(opt->gres) : 0);
	size_t licenses_len = (TESSERA_POOLS_MAX + 1) * (TESSERA_NAME_MAX + 16) +
			      (opt->licenses != NULL ? strlen(opt->licenses) : 0);

	if (normal == NULL) {
		tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory");
		return NULL;
	}
	normal->gres = malloc(gres_len);
	normal->licenses = malloc(licenses_len);
	if (normal->gres == NULL || normal->licenses == NULL) {
		tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory");
		goto fail;
	}
	if (tessera_request_read(conf, platform, opt, &normal->req, err) < 0 ||
	    tessera_request_scheduler(conf, opt, &normal->req, normal->gres, gres_len, normal->licenses,
				      licenses_len, err) < 0)
		goto fail;
	return normal;
fail:
	normalised_free(normal);
	return NULL;
}

void normalised_free(struct normalised *normal)
{
	if (normal == NULL)
		return;
	free(normal->gres);
	free(normal->licenses);
	free(normal);
}

bool normalised_differs(const char *a, const char *b)
{
	return strcmp(a != NULL ? a : "", b != NULL ? b : "") != 0;
}
