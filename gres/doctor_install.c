/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is installed: plugstack.conf, the plugins and the release that they were built for, and daemons that are older.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gres/doctor.h"
#include "gres/elf_symbol.h"
#include "lib/file.h"
#include "plugin/conf_module.h"

#define SPANK      DOCTOR_SPANK
#define JOB_SUBMIT "job_submit_tessera.so"

/*
 * The running release, as slurmctld tells it; 0 if it does not. The library that we run with cannot: what it calls its
 * version is the number of its interface.
 */
static uint32_t slurm_version(const struct doctor *d)
{
	unsigned major, minor, micro;

	if (d->ctl != NULL && d->ctl->version != NULL &&
	    sscanf(d->ctl->version, "%u.%u.%u", &major, &minor, &micro) == 3) // NOLINT(cert-err34-c)
		return SLURM_VERSION_NUM(major, minor, micro);
	return 0;
}

/* Find NAME in Slurm's directories of plugins. False if it is in none. */
static bool find_plugin(const struct doctor *d, const char *name, char *path, size_t len)
{
	char *dirs = slurm_file_value(&d->slurm, "PluginDir", NULL), *rest = NULL;
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

/* MASK: the part of the version that must be the running Slurm's. */
static void check_version(struct doctor *d, const char *path, uint32_t mask)
{
	uint32_t built = 0, runs = slurm_version(d);
	struct tessera_error err = {0};
	struct finding *f;

	if (elf_symbol(path, "plugin_version", &built, &err) < 0) {
		f = doctor_find(d, DOCTOR_ERROR, "plugin_version", path, "%s", err.text);
	} else if (runs != 0 && (built & mask) != (runs & mask)) {
		f = doctor_find(d, DOCTOR_ERROR, "plugin_version", path,
				"it was built for Slurm %u.%02u.%u, but %u.%02u.%u runs: Slurm will not load it",
				SLURM_VERSION_MAJOR(built), SLURM_VERSION_MINOR(built), SLURM_VERSION_MICRO(built),
				SLURM_VERSION_MAJOR(runs), SLURM_VERSION_MINOR(runs), SLURM_VERSION_MICRO(runs));
	} else {
		return;
	}
	doctor_run(f, "./configure && make install in Tessera's source, with that Slurm's headers");
}

/* By slurm.conf: slurmctld may not be running. "HOST(ADDRESS)" */
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
				       "slurmctld does not start: JobSubmitPlugins has tessera, but " JOB_SUBMIT
				       " is in none of PluginDir's directories"),
			   "make install in Tessera's source, or take tessera out of JobSubmitPlugins");
}

/* The path of our plugin in a line of plugstack.conf: "required PATH [ARGUMENT]...". */
static bool spank_path(const struct doctor *d, const char *line, char *path, size_t len)
{
	char *copy = strdup(line), *rest = NULL, *word;
	const char *slash;
	bool ours = false;

	strtok_r(copy != NULL ? copy : (char[]){""}, " \t", &rest);
	word = copy != NULL ? strtok_r(NULL, " \t", &rest) : NULL;
	if (word != NULL) {
		slash = strrchr(word, '/');
		ours = strcmp(slash != NULL ? slash + 1 : word, SPANK) == 0;
		/* Without a directory it is looked for among Slurm's own. */
		if (ours && (slash != NULL || !find_plugin(d, word, path, len)))
			snprintf(path, len, "%s", word);
	}
	free(copy);
	return ours;
}

static void check_plugstack(struct doctor *d)
{
	const char *slash = strrchr(d->slurm_path, '/');
	char *named = slurm_file_value(&d->slurm, "PlugStackConfig", NULL);
	struct tessera_error err = {0};
	struct slurm_file f = {0};
	char path[PATH_MAX];
	bool found = false;

	if (named != NULL)
		snprintf(path, sizeof(path), "%s", named);
	else
		snprintf(path, sizeof(path), "%.*s/plugstack.conf", (int)(slash - d->slurm_path), d->slurm_path);
	free(named);
	if (slurm_file_read(&f, path, &err) < 0) {
		doctor_write(doctor_find(d, DOCTOR_ERROR, "plugstack", path, "%s", err.text),
			     "required " TESSERA_SLURM_PLUGINDIR "/" SPANK);
		slurm_file_free(&f);
		return;
	}
	for (size_t i = 0; i < f.count && !found; i++)
		found = spank_path(d, f.lines[i].text, d->spank, sizeof(d->spank));
	if (!found)
		doctor_write(doctor_find(d, DOCTOR_ERROR, "plugstack", path,
					 "no line has " SPANK
					 ": srun does not know the options, and no job gets tiles"),
			     "required " TESSERA_SLURM_PLUGINDIR "/" SPANK);
	else
		/* SPANK plugins must be of the same major release only. */
		check_version(d, d->spank, ~(uint32_t)0xff);
	if (found)
		doctor_check_slurmd(d, path, f.changed);
	slurm_file_free(&f);
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
		doctor_run(doctor_find(d, module->severity, module->check, path, "%s: %s", strerror(errno),
				       module->without),
			   "%s", module->advice);
	else if (file_check_trust(path, &st, &err) < 0)
		doctor_run(doctor_find(d, module->severity, module->check, path, "%s: root does not load it: %s",
				       err.text, module->without),
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
	/* Without the plugin one finding is enough. */
	if (access(d->spank, F_OK) == 0)
		doctor_check_module(d, &conf_module);
	check_job_submit(d);
}
