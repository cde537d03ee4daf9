/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/doctor/doctor_slurm.h"
#include "lib/util/child.h"
#include "lib/util/deadline.h"
#include "lib/util/strbuf.h"
#include "lib/util/utf8.h"

#define LOG_LINE_MAX 512
#define INIT_WAIT_S  10 /* slurm_init() only reads files, which a file server may delay */
#define INIT_LOG_MAX 16384
#define INIT_DONE    '\004' /* never in a log line */

static void read_file_settings(struct doctor *d)
{
	const struct conf_file *f = &d->slurm;

	d->file = (struct settings){
		.gres_types = conf_file_value(f, "GresTypes", NULL),
		.job_submit_plugins = conf_file_value(f, "JobSubmitPlugins", NULL),
		.licenses = conf_file_value(f, "Licenses", NULL),
		.preempt_parameters = conf_file_value(f, "PreemptParameters", NULL),
		.prolog_flags = conf_file_value(f, "PrologFlags", NULL),
		.propagate = conf_file_value(f, "PropagateResourceLimits", NULL),
		.propagate_except = conf_file_value(f, "PropagateResourceLimitsExcept", NULL),
		.storage_type = conf_file_value(f, "AccountingStorageType", NULL),
		.storage_tres = conf_file_value(f, "AccountingStorageTRES", NULL),
	};
}

/* Join the lines of FROM, LEN bytes, to one LINE, truncated if too long. */
static void join_lines(const char *from, size_t len, char line[LOG_LINE_MAX])
{
	size_t used = 0;

	for (size_t i = 0; i < len && used < LOG_LINE_MAX - 1; i++)
		line[used++] = (char)((unsigned char)from[i] < ' ' ? ' ' : from[i]);
	while (used > 0 && line[used - 1] == ' ')
		used--;
	line[used] = '\0';
	utf8_clean(line);
}

/* Runs in a child. Writes libslurm's log messages, and INIT_DONE if slurm_init() returned. */
static void init_slurm(int fd, void *arg)
{
	static const char done = INIT_DONE;

	(void)arg;
	dup2(fd, STDERR_FILENO);
	slurm_init(NULL);
	(void)!write(fd, &done, 1);
}

/*
 * slurm_init() ends the process if it cannot read slurm.conf, so a child tries it first. Returns 0,
 * or -1 with what libslurm logged, or why there is no result, in WHY.
 */
static int try_slurm_init(char why[LOG_LINE_MAX])
{
	struct tessera_error err = {0};
	char log[INIT_LOG_MAX];
	ssize_t len =
		child_call(init_slurm, NULL, deadline_after(INIT_WAIT_S), log, sizeof(log), &err);

	if (len > 0 && log[len - 1] == INIT_DONE)
		return 0;
	if (len < 0)
		join_lines(err.text, strlen(err.text), why);
	else
		join_lines(log, (size_t)len, why);
	return -1;
}

int doctor_read_slurm_conf(struct doctor *d)
{
	struct tessera_error err = {0};
	char why[LOG_LINE_MAX];

	if (conf_file_find(d->slurm_path, sizeof(d->slurm_path)) < 0) {
		doctor_blind(d, "%s does not exist; set SLURM_CONF if it is elsewhere",
			     d->slurm_path);
		return -1;
	}
	if (conf_file_read(&d->slurm, d->slurm_path, &err) < 0) {
		doctor_blind(d, "%s", err.text);
		return -1;
	}
	read_file_settings(d);
	if (try_slurm_init(why) == 0)
		return 0;
	doctor_find(d, DOCTOR_ERROR, "slurm_conf", d->slurm_path, "Slurm cannot read it: %s", why);
	return -1;
}

/* A copy_value of TEXT; NULL if it is not set, which slurmctld may send as "(null)". */
static char *copy_value(const char *text)
{
	return text != NULL && text[0] != '\0' && strcmp(text, "(null)") != 0 ? strdup(text) : NULL;
}

/* The flags that doctor checks, as slurm.conf has them. */
static char *format_prolog_flags(const slurm_conf_t *conf)
{
	char text[64];
	struct strbuf list = strbuf_start(text, sizeof(text));

	if (conf->prolog_flags & PROLOG_FLAG_ALLOC)
		strbuf_put(&list, ",Alloc");
	if (conf->prolog_flags & PROLOG_FLAG_SERIAL)
		strbuf_put(&list, ",Serial");
	if (TESSERA_RUNS_IN_JOB(conf))
		strbuf_put(&list, ",RunInJob");
	return list.used > 0 ? copy_value(text + 1) : NULL;
}

static void read_running_settings(struct doctor *d)
{
	const slurm_conf_t *ctl = d->ctl;

	d->running = (struct settings){
		.gres_types = copy_value(ctl->gres_plugins),
		.job_submit_plugins = copy_value(ctl->job_submit_plugins),
		.licenses = copy_value(ctl->licenses),
		.prolog_flags = format_prolog_flags(ctl),
		.propagate = copy_value(ctl->propagate_rlimits),
		.propagate_except = copy_value(ctl->propagate_rlimits_except),
		.storage_type = copy_value(ctl->accounting_storage_type),
		.storage_tres = copy_value(ctl->accounting_storage_tres),
	};
}

void doctor_ask_slurmctld(struct doctor *d)
{
	slurm_init(NULL);
	if (slurm_load_ctl_conf(0, &d->ctl) != SLURM_SUCCESS ||
	    slurm_load_node(0, &d->nodes, SHOW_ALL | SHOW_DETAIL) != SLURM_SUCCESS ||
	    slurm_load_licenses(0, &d->licenses, SHOW_ALL) != SLURM_SUCCESS) {
		const char *why = slurm_strerror(errno);
		char *log = conf_file_value(&d->slurm, "SlurmctldLogFile", NULL);

		doctor_blind(d,
			     "slurmctld does not respond: %s (on its host: systemctl status "
			     "slurmctld%s%s)",
			     why, log != NULL ? ", tail " : "", log != NULL ? log : "");
		free(log);
		return;
	}
	read_running_settings(d);
}

static void free_settings(struct settings *s)
{
	free(s->gres_types);
	free(s->job_submit_plugins);
	free(s->licenses);
	free(s->preempt_parameters);
	free(s->prolog_flags);
	free(s->propagate);
	free(s->propagate_except);
	free(s->storage_type);
	free(s->storage_tres);
}

void doctor_forget_slurm(struct doctor *d)
{
	conf_file_free(&d->slurm);
	free_settings(&d->file);
	free_settings(&d->running);
	if (d->ctl != NULL)
		slurm_free_ctl_conf(d->ctl);
	if (d->nodes != NULL)
		slurm_free_node_info_msg(d->nodes);
	if (d->licenses != NULL)
		slurm_free_license_info_msg(d->licenses);
}
