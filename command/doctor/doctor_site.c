/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks of tessera.conf itself, of StateDir, and of the V-IPU controllers.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/doctor/doctor.h"
#include "lib/node/vipu_helper.h"
#include "lib/tile/hostlist.h"
#include "lib/util/file.h"

/*
 * Only root may be able to write tessera.conf, and all users must be able to read it. Returns
 * whether root's processes trust the file.
 */
static bool check_mode(struct doctor *d)
{
	struct tessera_error err = {0};
	struct finding *f = NULL;
	struct stat st;

	if (stat(d->conf_path, &st) < 0)
		return false; /* read_tessera_conf() has reported it */
	if (file_check_trust(d->conf_path, &st, &err) < 0)
		f = doctor_find(d, DOCTOR_ERROR, "conf_mode", d->conf_path, "%s", err.text);
	else if ((st.st_mode & S_IROTH) == 0)
		f = doctor_find(d, DOCTOR_ERROR, "conf_mode", d->conf_path,
				"mode %03o: srun, sbatch and salloc cannot read it",
				(unsigned)(st.st_mode & 0777));
	if (f != NULL)
		doctor_run(f, "chown root %s && chmod 644 %s", d->conf_path, d->conf_path);
	return err.code == TESSERA_OK;
}

/* If DIR does not exist yet, check its parent. Changes DIR. */
static void check_dir(struct doctor *d, const char *node, char *dir)
{
	struct tessera_error err = {0};
	char *slash = strrchr(dir, '/');
	struct finding *f;
	struct stat st;

	if (lstat(dir, &st) < 0 && errno == ENOENT && slash != NULL && slash > dir) {
		*slash = '\0';
		if (lstat(dir, &st) == 0 && S_ISDIR(st.st_mode))
			return;
		f = doctor_find(
			d, DOCTOR_ERROR, "state_dir", node,
			"the parent directory of StateDir, %s, does not exist: Tessera only "
			"creates the last directory",
			dir);
		doctor_run(f, "mkdir -p %s", dir);
		return;
	}
	if (!S_ISDIR(st.st_mode)) {
		doctor_find(d, DOCTOR_ERROR, "state_dir", node, "StateDir %s is not a directory",
			    dir);
	} else if (file_check_trust(dir, &st, &err) < 0) {
		f = doctor_find(d, DOCTOR_ERROR, "state_dir", node, "StateDir %s", err.text);
		doctor_run(f, "chown root %s && chmod 755 %s", dir, dir);
	}
}

static void check_state_dirs(struct doctor *d)
{
	for (uint32_t i = 0; d->nodes != NULL && i < d->nodes->record_count; i++) {
		const char *name = d->nodes->node_array[i].name;
		struct tessera_error err = {0};
		char dir[512];

		if (name == NULL || !doctor_is_local(d, name) ||
		    tessera_conf_node_platform(d->conf, name) == NULL)
			continue;
		if (tessera_conf_state_dir(d->conf, name, dir, sizeof(dir), &err) < 0)
			doctor_find(d, DOCTOR_ERROR, "state_dir", name, "%s", err.text);
		else
			check_dir(d, name, dir);
	}
}

/* A node of this machine in SITE, to be freed by the caller; NULL if there is none. */
static char *find_local_host(const struct doctor *d, const struct tessera_vipu_site *site)
{
	tessera_slurm_hostlist list = slurm_hostlist_create(site->nodes);
	char *node, *found = NULL;

	while (list != NULL && found == NULL && (node = slurm_hostlist_shift(list)) != NULL) {
		if (doctor_is_local(d, node))
			found = node;
		else
			free(node);
	}
	if (list != NULL)
		slurm_hostlist_destroy(list);
	return found;
}

/* Only the IPU hosts of a controller need to reach it. */
static void check_vipu(struct doctor *d, const struct tessera_vipu_site *site)
{
	char *node = find_local_host(d, site), version[128], where[TESSERA_HOST_MAX + 32];
	const char *words[] = {"version", NULL};
	struct vipu_helper helper = {
		.program = tessera_conf_vipu_helper(d->conf),
		.conf_path = d->conf_path,
		.node = node,
		.seconds = site->call_wait + HELPER_GRACE_S,
	};
	struct tessera_error err = {0};
	struct finding *f;

	if (node == NULL || vipu_helper_run(&helper, words, version, sizeof(version), &err) == 0)
		goto cleanup;
	if (err.code == TESSERA_ERR_DENIED && geteuid() != 0) {
		doctor_blind(d, "V-IPU controller of %s: %s (run doctor as root)", node, err.text);
		goto cleanup;
	}
	snprintf(where, sizeof(where), "%s:%u", site->host, site->port);
	f = doctor_find(d, DOCTOR_ERROR, "vipu", where,
			"query of the V-IPU controller of %s failed: %s", node, err.text);
	doctor_run(f, "%s --conf=%s --node=%s version", helper.program, d->conf_path, node);
cleanup:
	free(node);
}

void doctor_check_site(struct doctor *d)
{
	const struct tessera_vipu_site *site;
	bool trusted = check_mode(d);

	check_state_dirs(d);
	for (size_t i = 0; trusted && (site = tessera_conf_vipu_at(d->conf, i)) != NULL; i++)
		check_vipu(d, site);
}
