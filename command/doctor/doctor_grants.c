/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks of grants: tessera_grant.so is installed beside the plugin, and munged responds. Without
 * them jobs run, but tessera guard cannot tell them from programs started outside Slurm.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command/doctor/doctor.h"
#include "lib/grant/grant_module.h"
#include "lib/grant/grant_munge.h"
#include "lib/util/child.h"
#include "lib/util/deadline.h"

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
	.advice = "make install in Tessera's source, or set Grants = no in tessera.conf",
};

/* Runs in a child, as libmunge may crash or hang. Writes "+", or why there is no credential. */
static void query_munged(int fd, void *arg)
{
	const struct tessera_grant_conf *const *conf = arg;
	struct tessera_error err = {0};
	const char *answer = "+";

	if (grant_munge_encode("tessera-doctor", (*conf)->socket, &err) == NULL)
		answer = err.text;
	(void)!write(fd, answer, strlen(answer));
}

/* munged creates no credential. With another AuthType a site may well have none. */
static void report_munged(struct doctor *d, const char *why)
{
	const char *auth = d->ctl != NULL ? d->ctl->authtype : NULL;

	if (auth == NULL || strcmp(auth, "auth/munge") == 0)
		doctor_run(doctor_find(d, DOCTOR_WARNING, "munged", d->conf_path,
				       "jobs run without TESSERA_GRANT: %s", why),
			   "systemctl start munge, or set MungeSocket = \"PATH\" in tessera.conf");
	else
		doctor_write(doctor_find(d, DOCTOR_WARNING, "munged", d->conf_path,
					 "jobs run without TESSERA_GRANT: grants need munge, and "
					 "Slurm uses %s: %s",
					 auth, why),
			     "Grants = no, or have munge on every node with grants");
}

static void check_munged(struct doctor *d, const struct tessera_grant_conf *conf)
{
	char why[sizeof(((struct tessera_error *)NULL)->text)];
	struct tessera_error err = {0};
	ssize_t len = child_call(query_munged, &conf, deadline_after(MUNGE_WAIT_S), why,
				 sizeof(why), &err);

	if (len > 0 && strcmp(why, "+") == 0)
		return;
	if (len == 0)
		tessera_error_set(&err, TESSERA_ERR_UNAVAILABLE, "libmunge crashed");
	if (len < 0)
		tessera_error_prefix(&err, "munged%s%s for %d s",
				     conf->socket[0] != '\0' ? " at " : "", conf->socket,
				     MUNGE_WAIT_S);
	report_munged(d, len > 0 ? why : err.text);
}

void doctor_check_grants(struct doctor *d)
{
	const struct tessera_grant_conf *conf = tessera_conf_grants(d->conf);

	if (!conf->enabled || !has_local_node(d))
		return;
	doctor_check_module(d, &module);
	check_munged(d, conf);
}
