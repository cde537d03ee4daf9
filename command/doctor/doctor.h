/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State and findings of tessera doctor. Each check is a function that adds findings.
 */
#ifndef TESSERA_DOCTOR_H
#define TESSERA_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "command/view/cli_options.h"
#include "lib/conf/conf.h"
#include "lib/slurm/compat.h"
#include "lib/slurm/conf_file.h"
#include "lib/slurm/plugstack.h"
#include "lib/util/error.h"

#define DOCTOR_TEXT_MAX 1024
#define DOCTOR_SPANK    PLUGSTACK_PLUGIN

enum severity {
	DOCTOR_WARNING = 1, /* jobs run */
	DOCTOR_ERROR = 2,   /* jobs fail, or run without the accelerators that they were granted */
};

/* One problem. */
struct finding {
	enum severity severity;
	const char *check;           /* name of the check: a stable interface */
	char where[DOCTOR_TEXT_MAX]; /* a file, a node or a daemon */
	char text[DOCTOR_TEXT_MAX];
	char write[DOCTOR_TEXT_MAX]; /* line to write; "": none */
	char run[DOCTOR_TEXT_MAX];   /* command to run; "": none */
};

/* Keys of slurm.conf, from the file or from slurmctld. NULL: not set. */
struct settings {
	char *gres_types;
	char *job_submit_plugins;
	char *licenses;
	char *preempt_parameters; /* only from the file */
	char *prolog_flags;
	char *propagate;
	char *propagate_except;
	char *storage_type;
	char *storage_tres;
};

struct doctor {
	struct cli_options c;
	char slurm_path[512];
	char conf_path[512];
	char spank[512]; /* path of spank_tessera.so from plugstack.conf; "": not found */
	char host[256];  /* name of this machine without the domain */
	struct conf_file slurm;
	struct tessera_conf *conf;
	bool rdus, ipus; /* tessera.conf has nodes or partitions of that kind */
	struct settings file;
	struct settings running; /* from slurmctld */
	slurm_conf_t *ctl;       /* NULL, as are nodes and licenses, if slurmctld did not respond */
	node_info_msg_t *nodes;
	license_info_msg_t *licenses;

	struct finding *findings;
	size_t count;
	bool blind; /* some checks could not be made */
};

/*
 * Add a finding. Returns NULL when out of memory, after doctor_blind().
 */
struct finding *doctor_find(struct doctor *d, enum severity severity, const char *check,
			    const char *where, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

/* Set the line to write or the command to run. F may be NULL. */
void doctor_write(struct finding *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void doctor_run(struct finding *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A module that the plugin loads; it must be beside spank_tessera.so and trusted by root. */
struct doctor_module {
	const char *name;
	enum severity severity;
	const char *check;
	const char *without; /* the effect if it is missing */
	const char *advice;  /* what to run then */
};
void doctor_check_module(struct doctor *d, const struct doctor_module *module);

/* PLUGSTACK: path of plugstack.conf, which names the plugin. CHANGED: its modification time. */
void doctor_check_slurmd(struct doctor *d, const char *plugstack, time_t changed);

/*
 * Format the command that makes systemd start NAME.timer now and at boot. DIR: directory of the
 * timer and its service. Returns BUF.
 */
const char *doctor_enable(const char *dir, const char *name, char *buf, size_t len);

/*
 * Copy LIST, comma-separated or NULL, into BUF without the items called NAME, ignoring case.
 * Returns BUF.
 */
const char *doctor_without(const char *list, const char *name, char *buf, size_t len);

/*
 * The release of slurmctld as SLURM_VERSION_NUM() has it; 0 if unknown. slurm_api_version() is no
 * help: it is the version of libslurm's interface.
 */
uint32_t doctor_slurmctld_version(const struct doctor *d);

/* Report on standard error that a check could not be made. */
void doctor_blind(struct doctor *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Is NODE on this machine, according to slurmctld? With --node, only that one is. */
bool doctor_is_local(const struct doctor *d, const char *node);

/*
 * The name of slurmctld's node I, and its platform in *P, if the node is on this machine and
 * tessera.conf has a platform for it; else NULL. I is less than d->nodes->record_count.
 */
const char *doctor_local_node(const struct doctor *d, uint32_t i,
			      const struct tessera_platform **p);

/*
 * Store the StateDir of NODE in DIR. Returns false if it does not exist or cannot be trusted;
 * doctor_check_site() reports why.
 */
bool doctor_state_dir(const struct doctor *d, const char *node, char *dir, size_t len);

/* The checks. */
void doctor_check_settings(struct doctor *d); /* keys of slurm.conf, in the file and slurmctld */
void doctor_check_licenses(struct doctor *d);
void doctor_check_nodes(struct doctor *d);   /* nodes, partitions, counts in gres.conf */
void doctor_check_health(struct doctor *d);  /* vendor tools, marks, slurmctld's counts */
void doctor_check_grants(struct doctor *d);  /* tessera_grant.so and munged */
void doctor_check_install(struct doctor *d); /* plugstack.conf, plugins, slurmd */
void doctor_check_site(struct doctor *d);    /* mode of tessera.conf, StateDir, V-IPU controllers */
void doctor_check_state(struct doctor *d);   /* ledger, locality table, DeviceFiles */
void doctor_check_database(struct doctor *d); /* slurmdbd's MariaDB, on slurmdbd's host */

#endif /* TESSERA_DOCTOR_H */
