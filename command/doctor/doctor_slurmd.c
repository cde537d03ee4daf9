/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks of the slurmds of this machine: each must have loaded the installed plugin, and have been
 * started after the last change of plugstack.conf.
 */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/doctor/doctor.h"
#include "lib/util/proc.h"
#include "lib/util/strbuf.h"

#define PID_FILE "/var/run/slurmd.pid" /* Slurm's default */
#define DELETED  " (deleted)\n"        /* the kernel's suffix in /proc/PID/maps */

enum loaded {
	LOADED_UNKNOWN, /* no process found, or no permission */
	LOADED_NO,
	LOADED_OLD, /* the file has been replaced since */
	LOADED_YES,
};

/* SlurmdPidFile with %n replaced by the node's name, and %h by the machine's. */
static void format_pid_path(const struct doctor *d, const char *node, char *buf, size_t len)
{
	char *named = conf_file_value(&d->slurm, "SlurmdPidFile", NULL);
	struct strbuf path = strbuf_start(buf, len);

	for (const char *p = named != NULL ? named : PID_FILE; *p != '\0'; p++) {
		const char *name = p[0] != '%'   ? NULL
				   : p[1] == 'n' ? node
				   : p[1] == 'h' ? d->host
						 : NULL;

		if (name != NULL)
			strbuf_put(&path, "%s", name);
		else
			strbuf_put(&path, "%c", *p);
		p += name != NULL;
	}
	free(named);
}

/* Returns the pid; 0 if unknown. The pid in a stale file may belong to another program. */
static unsigned long find_slurmd(const struct doctor *d, const char *node)
{
	char path[512], text[64];
	unsigned long pid;

	format_pid_path(d, node, path, sizeof(path));
	if (proc_read(AT_FDCWD, path, text, sizeof(text)) < 0)
		return 0;
	pid = strtoul(text, NULL, 10);
	snprintf(path, sizeof(path), "/proc/%lu/comm", pid);
	return proc_read(AT_FDCWD, path, text, sizeof(text)) == 0 && strcmp(text, "slurmd\n") == 0
		       ? pid
		       : 0;
}

static enum loaded read_maps(unsigned long pid)
{
	enum loaded loaded = LOADED_NO;
	char path[64], *line = NULL;
	size_t room = 0;
	ssize_t len;
	bool any = false;
	FILE *fp;

	snprintf(path, sizeof(path), "/proc/%lu/maps", pid);
	fp = pid > 0 ? fopen(path, "re") : NULL;
	while (fp != NULL && (len = getline(&line, &room, fp)) > 0) {
		size_t tail = strlen(DELETED);

		any = true;
		if (strstr(line, "/" DOCTOR_SPANK) == NULL)
			continue;
		if ((size_t)len < tail || strcmp(line + len - tail, DELETED) != 0)
			loaded = LOADED_YES;
		else if (loaded == LOADED_NO)
			loaded = LOADED_OLD;
	}
	free(line);
	if (fp != NULL)
		fclose(fp);
	return any ? loaded : LOADED_UNKNOWN;
}

static struct finding *check_slurmd(struct doctor *d, const node_info_t *info,
				    const char *plugstack, time_t changed)
{
	unsigned long pid = find_slurmd(d, info->name);
	enum loaded loaded = read_maps(pid);

	if (loaded == LOADED_NO)
		return doctor_find(d, DOCTOR_ERROR, "slurmd_plugin", info->name,
				   "slurmd (process %lu) runs without " DOCTOR_SPANK
				   ", which %s names: no job gets tiles or IPUs there",
				   pid, plugstack);
	if (info->slurmd_start_time != 0 && info->slurmd_start_time < changed)
		return doctor_find(d, DOCTOR_ERROR, "slurmd_age", info->name,
				   "slurmd was started before %s was last changed", plugstack);
	if (loaded == LOADED_OLD)
		return doctor_find(d, DOCTOR_WARNING, "slurmd_plugin", info->name,
				   "slurmd (process %lu) runs with an old " DOCTOR_SPANK
				   ", which has been replaced",
				   pid);
	return NULL;
}

void doctor_check_slurmd(struct doctor *d, const char *plugstack, time_t changed)
{
	for (uint32_t i = 0; d->nodes != NULL && i < d->nodes->record_count; i++) {
		const node_info_t *info = &d->nodes->node_array[i];

		if (info->name != NULL && doctor_is_local(d, info->name))
			doctor_run(check_slurmd(d, info, plugstack, changed),
				   "systemctl restart slurmd");
	}
}
