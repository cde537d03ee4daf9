/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gres/doctor_slurm.h"
#include "lib/text.h"

#define SAID_MAX 512

static void keep_file(struct doctor *d)
{
	const struct slurm_file *f = &d->slurm;

	d->file = (struct settings){
		.gres_types = slurm_file_value(f, "GresTypes", NULL),
		.job_submit_plugins = slurm_file_value(f, "JobSubmitPlugins", NULL),
		.licenses = slurm_file_value(f, "Licenses", NULL),
		.preempt_parameters = slurm_file_value(f, "PreemptParameters", NULL),
		.prolog_flags = slurm_file_value(f, "PrologFlags", NULL),
		.propagate = slurm_file_value(f, "PropagateResourceLimits", NULL),
		.propagate_except = slurm_file_value(f, "PropagateResourceLimitsExcept", NULL),
		.storage_type = slurm_file_value(f, "AccountingStorageType", NULL),
		.storage_tres = slurm_file_value(f, "AccountingStorageTRES", NULL),
	};
}

/* What FD has to say, in SAID, cut; lines become one. */
static void listen_to(int fd, char said[SAID_MAX])
{
	char buf[256];
	size_t used = 0;
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0)
		for (ssize_t i = 0; i < n && used < SAID_MAX - 1; i++)
			said[used++] = (char)((unsigned char)buf[i] < ' ' ? ' ' : buf[i]);
	while (used > 0 && said[used - 1] == ' ')
		used--;
	said[used] = '\0';
	text_clean(said);
}

/*
 * Slurm's library ends the process if it cannot read slurm.conf. So it is tried in another one first. Returns 0, or -1
 * with what it said.
 */
static int try_slurm_init(char said[SAID_MAX])
{
	int fds[2], status = -1;
	pid_t child;

	said[0] = '\0';
	if (pipe(fds) < 0)
		return 0;
	child = fork();
	if (child == 0) {
		dup2(fds[1], STDERR_FILENO);
		close(fds[0]);
		close(fds[1]);
		slurm_init(NULL);
		_exit(0);
	}
	close(fds[1]);
	if (child > 0) {
		listen_to(fds[0], said);
		waitpid(child, &status, 0);
	}
	close(fds[0]);
	return child > 0 && status != 0 ? -1 : 0;
}

int doctor_read_slurm_conf(struct doctor *d)
{
	struct tessera_error err = {0};
	char said[SAID_MAX];

	if (slurm_file_find(d->slurm_path, sizeof(d->slurm_path)) < 0) {
		doctor_blind(d, "there is no %s; SLURM_CONF can name another", d->slurm_path);
		return -1;
	}
	if (slurm_file_read(&d->slurm, d->slurm_path, &err) < 0) {
		doctor_blind(d, "%s", err.text);
		return -1;
	}
	keep_file(d);
	if (try_slurm_init(said) == 0)
		return 0;
	doctor_find(d, DOCTOR_ERROR, "slurm_conf", d->slurm_path, "Slurm itself cannot read it: %s", said);
	return -1;
}

static char *copy(const char *text)
{
	return text != NULL && text[0] != '\0' && strcmp(text, "(null)") != 0 ? strdup(text) : NULL;
}

/* Those that are looked at, as slurm.conf writes them. */
static const char *prolog_flags(uint16_t flags)
{
	bool serial = (flags & PROLOG_FLAG_SERIAL) != 0;

	if (flags & PROLOG_FLAG_ALLOC)
		return serial ? "Alloc,Serial" : "Alloc";
	return serial ? "Serial" : NULL;
}

static void keep_running(struct doctor *d)
{
	const slurm_conf_t *ctl = d->ctl;

	d->running = (struct settings){
		.gres_types = copy(ctl->gres_plugins),
		.job_submit_plugins = copy(ctl->job_submit_plugins),
		.licenses = copy(ctl->licenses),
		.prolog_flags = copy(prolog_flags(ctl->prolog_flags)),
		.propagate = copy(ctl->propagate_rlimits),
		.propagate_except = copy(ctl->propagate_rlimits_except),
		.storage_type = copy(ctl->accounting_storage_type),
		.storage_tres = copy(ctl->accounting_storage_tres),
	};
}

void doctor_ask_slurmctld(struct doctor *d)
{
	slurm_init(NULL);
	if (slurm_load_ctl_conf(0, &d->ctl) != SLURM_SUCCESS ||
	    slurm_load_node(0, &d->nodes, SHOW_ALL | SHOW_DETAIL) != SLURM_SUCCESS ||
	    slurm_load_licenses(0, &d->licenses, SHOW_ALL) != SLURM_SUCCESS) {
		const char *why = slurm_strerror(errno);
		char *log = slurm_file_value(&d->slurm, "SlurmctldLogFile", NULL);

		doctor_blind(d, "slurmctld does not answer: %s (on its host: systemctl status slurmctld%s%s)", why,
			     log != NULL ? ", tail " : "", log != NULL ? log : "");
		free(log);
		return;
	}
	keep_running(d);
}

static void forget(struct settings *s)
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
	slurm_file_free(&d->slurm);
	forget(&d->file);
	forget(&d->running);
	if (d->ctl != NULL)
		slurm_free_ctl_conf(d->ctl);
	if (d->nodes != NULL)
		slurm_free_node_info_msg(d->nodes);
	if (d->licenses != NULL)
		slurm_free_license_info_msg(d->licenses);
}
