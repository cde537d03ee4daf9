/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks of the installation: plugstack.conf, the plugins, and the Slurm release that they were
 * built for.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/doctor/doctor.h"
#include "command/doctor/elf_symbol.h"
#include "lib/conf/conf_module.h"
#include "lib/util/file.h"

#define SPANK      DOCTOR_SPANK
#define JOB_SUBMIT "job_submit_tessera.so"
#define SLURMS_OWN "select_cons_tres.so" /* every Slurm has it in its plugin directory */

/* Find the file NAME in PluginDir and store its PATH. */
static bool find_plugin(const struct doctor *d, const char *name, char *path, size_t len)
{
	char *dirs = conf_file_value(&d->slurm, "PluginDir", NULL), *rest = NULL;
	bool found = false;

	if (dirs == NULL)
		dirs = strdup(TESSERA_SLURM_PLUGINDIR);
	for (char *dir = dirs != NULL ? strtok_r(dirs, ":", &rest) : NULL; dir != NULL && !found;
	     dir = strtok_r(NULL, ":", &rest)) {
		snprintf(path, len, "%s/%s", dir, name);
		found = access(path, F_OK) == 0;
	}
	free(dirs);
	return found;
}

/*
 * The release of the Slurm that loads plugins on this host, which is also known while slurmctld
 * does not start because of one of them; *WORD says where it is from. 0 if unknown.
 */
static uint32_t find_slurm_version(const struct doctor *d, const char **word)
{
	uint32_t version = 0;
	char path[PATH_MAX];

	*word = "installed here";
	if (find_plugin(d, SLURMS_OWN, path, sizeof(path)) &&
	    elf_symbol(path, "plugin_version", &version, NULL) == 0)
		return version;
	*word = "running";
	return doctor_slurmctld_version(d);
}

/* MASK: the part of the version that must be that of Slurm. */
static void check_version(struct doctor *d, const char *path, uint32_t mask)
{
	const char *word;
	uint32_t built = 0, runs = find_slurm_version(d, &word);
	struct tessera_error err = {0};
	struct finding *f;

	if (elf_symbol(path, "plugin_version", &built, &err) < 0) {
		f = doctor_find(d, DOCTOR_ERROR, "plugin_version", path, "%s", err.text);
	} else if (runs != 0 && (built & mask) != (runs & mask)) {
		f = doctor_find(d, DOCTOR_ERROR, "plugin_version", path,
				"built for Slurm %u.%02u.%u, but Slurm %u.%02u.%u is %s and will "
				"not load it",
				SLURM_VERSION_MAJOR(built), SLURM_VERSION_MINOR(built),
				SLURM_VERSION_MICRO(built), SLURM_VERSION_MAJOR(runs),
				SLURM_VERSION_MINOR(runs), SLURM_VERSION_MICRO(runs), word);
	} else {
		return;
	}
	doctor_run(f, "./configure && make install in Tessera's source, with the headers of this "
		      "Slurm");
}

/* Is this machine a SlurmctldHost in slurm.conf, "HOST(ADDRESS)"? slurmctld may not be running. */
static bool is_controller(const struct doctor *d)
{
	bool found = false;

	for (size_t i = 0; i < d->slurm.count && !found; i++) {
		char *host = slurm_line_value(d->slurm.lines[i].text, "SlurmctldHost");

		if (host != NULL) {
			host[strcspn(host, "(.")] = '\0';
			found = strcmp(host, d->host) == 0;
		}
		free(host);
	}
	return found;
}

static void check_job_submit(struct doctor *d)
{
	char path[PATH_MAX];

	if (!slurm_list_has(d->file.job_submit_plugins, "tessera"))
		return;
	if (find_plugin(d, JOB_SUBMIT, path, sizeof(path)))
		check_version(d, path, UINT32_MAX);
	else if (is_controller(d))
		doctor_run(doctor_find(d, DOCTOR_ERROR, "plugin_missing", d->slurm_path,
				       "slurmctld cannot start: JobSubmitPlugins has tessera, "
				       "but " JOB_SUBMIT " is not in PluginDir"),
			   "make install in Tessera's source, or remove tessera from "
			   "JobSubmitPlugins");
}

/* Store the PATH of a plugstack.conf line, "required PATH [ARGUMENT]...", if it is our plugin's. */
static bool read_plugin_path(const struct doctor *d, const char *line, char *path, size_t len)
{
	char name[512];

	if (!plugstack_plugin(line, name, sizeof(name)))
		return false;
	/* Slurm searches PluginDir for a name without a directory. */
	if (strchr(name, '/') != NULL || !find_plugin(d, name, path, len))
		snprintf(path, len, "%s", name);
	return true;
}

static void check_plugstack(struct doctor *d)
{
	struct tessera_error err = {0};
	struct conf_file f = {0};
	char path[PATH_MAX];
	bool found = false;

	plugstack_path(&d->slurm, d->slurm_path, path, sizeof(path));
	if (conf_file_read(&f, path, &err) < 0) {
		doctor_write(doctor_find(d, DOCTOR_ERROR, "plugstack", path, "%s", err.text),
			     "required " TESSERA_SLURM_PLUGINDIR "/" SPANK);
		conf_file_free(&f);
		return;
	}
	for (size_t i = 0; i < f.count && !found; i++)
		found = read_plugin_path(d, f.lines[i].text, d->spank, sizeof(d->spank));
	if (!found)
		doctor_write(doctor_find(d, DOCTOR_ERROR, "plugstack", path,
					 "no line loads " SPANK
					 ": srun has no Tessera options, and no job gets tiles"),
			     "required " TESSERA_SLURM_PLUGINDIR "/" SPANK);
	else
		/* Slurm loads SPANK plugins of the same major release. */
		check_version(d, d->spank, ~(uint32_t)0xff);
	if (found)
		doctor_check_slurmd(d, path, f.changed);
	conf_file_free(&f);
}

void doctor_check_module(struct doctor *d, const struct doctor_module *module)
{
	const char *slash = strrchr(d->spank, '/');
	struct tessera_error err = {0};
	char path[PATH_MAX + 64];
	struct stat st;

	if (slash == NULL)
		return;
	snprintf(path, sizeof(path), "%.*s/%s", (int)(slash - d->spank), d->spank, module->name);
	if (stat(path, &st) < 0)
		doctor_run(doctor_find(d, module->severity, module->check, path, "%s: %s",
				       strerror(errno), module->without),
			   "%s", module->advice);
	else if (file_check_trust(path, &st, &err) < 0)
		doctor_run(doctor_find(d, module->severity, module->check, path,
				       "%s; root's processes will not load it: %s", err.text,
				       module->without),
			   "chown root %s && chmod 755 %s", path, path);
}

static const struct doctor_module conf_module = {
	.name = CONF_MODULE,
	.severity = DOCTOR_ERROR,
	.check = "conf_module",
	.without = "tessera.conf is not read, and no job gets accelerators",
	.advice = "make install in Tessera's source",
};

void doctor_check_install(struct doctor *d)
{
	check_plugstack(d);
	/* If the plugin is missing, one finding is enough. */
	if (access(d->spank, F_OK) == 0)
		doctor_check_module(d, &conf_module);
	check_job_submit(d);
}
