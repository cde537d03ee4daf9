/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the tests of requests: a configuration from a text, and a request read with it.
 */
#ifndef TESSERA_REQUEST_UNIT_H
#define TESSERA_REQUEST_UNIT_H

#include "lib/request/request.h"
#include "test/unit/unit.h"

static struct tessera_conf *read_conf(const char *text)
{
	struct tessera_error err = {0};
	struct tessera_conf *conf = tessera_conf_parse("test", text != NULL ? text : "", &err);

	ck_assert_msg(conf != NULL, "%s", err.text);
	return conf;
}

/* Returns what tessera_request_read() does; REQ's platform is freed. */
static inline int read_request(const char *conf_text, const char *platform,
			       const struct tessera_options *opt, struct tessera_request *req,
			       struct tessera_error *err)
{
	struct tessera_conf *conf = read_conf(conf_text);
	const struct tessera_platform *p = NULL;
	int rc;

	if (platform != NULL) {
		p = tessera_conf_platform(conf, platform, err);
		ck_assert_msg(p != NULL, "%s", err->text);
	}
	rc = tessera_request_read(conf, p, opt, req, err);
	ck_assert_msg(rc < 0 || req->platform == p, "platform");
	req->platform = NULL;
	tessera_conf_free(conf);
	return rc;
}

#endif /* TESSERA_REQUEST_UNIT_H */
