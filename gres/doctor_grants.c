/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Grants: the part of the plugin that makes them lies beside it, and munged answers. Without either jobs run, but nobody
 * can tell theirs from what somebody ran by hand.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gres/doctor.h"
#include "lib/apart.h"
#include "lib/deadline.h"
#include "lib/grant_parts.h"
#include "plugin/grant_module.h"

#define MUNGE_WAIT_S 2

static bool has_local_node(const struct doctor *d)
{
	const struct tessera_platform *p;

	for (uint32_t i = 0; d->nodes != NULL && i < d->nodes->record_count; i++)
		if (doctor_local_node(d, i, &p) != NULL)
			return true;
	return false;
}

static const struct doctor_module module = {
	.name = GRANT_MODULE,
	.severity = DOCTOR_WARNING,
	.check = "grant_module",
	.without = "jobs run without TESSERA_GRANT",
	.advice = "make install in Tessera's source, or write Grants = no in tessera.conf",
};

/* Says +, or why there is no credential. One who dies of it says nothing. */
static void ask_munged(int fd, void *arg)
{
	const struct tessera_grant_conf *const *conf = arg;
	struct tessera_error err = {0};
	const char *answer = "+";

	if (grant_munge_encode("tessera-doctor", (*conf)->socket, &err) == NULL)
		answer = err.text;
	(void)!write(fd, answer, strlen(answer));
}

static void check_munged(struct doctor *d, const struct tessera_grant_conf *conf)
{
	char why[sizeof(((struct tessera_error *)NULL)->text)];
	struct tessera_error err = {0};
	ssize_t len = apart_do(ask_munged, &conf, deadline_after(MUNGE_WAIT_S), why, sizeof(why), &err);

	if (len > 0 && strcmp(why, "+") == 0)
		return;
	if (len == 0)
		tessera_error_set(&err, TESSERA_ERR_MISSING, "libmunge died");
	if (len < 0)
		tessera_error_prefix(&err, "munged%s%s for %d s", conf->socket[0] != '\0' ? " at " : "",
				     conf->socket, MUNGE_WAIT_S);
	doctor_run(doctor_find(d, DOCTOR_WARNING, "munged", d->conf_path, "jobs run without TESSERA_GRANT: %s",
			       len > 0 ? why : err.text),
		   "systemctl start munge, or name its socket in tessera.conf: MungeSocket = \"PATH\"");
}

void doctor_check_grants(struct doctor *d)
{
	const struct tessera_grant_conf *conf = tessera_conf_grants(d->conf);

	if (!conf->enabled || !has_local_node(d))
		return;
	doctor_check_module(d, &module);
	check_munged(d, conf);
}
