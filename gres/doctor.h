/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What tessera doctor knows, and what it found. Each check is a function that looks at one thing and tells.
 */
#ifndef TESSERA_DOCTOR_H
#define TESSERA_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "gres/common.h"
#include "lib/conf.h"
#include "lib/error.h"
#include "plugin/slurm_compat.h"
#include "plugin/slurm_file.h"

#define DOCTOR_TEXT_MAX 1024
#define DOCTOR_SPANK    "spank_tessera.so"

enum severity {
	DOCTOR_WARNING = 1, /* something is not as it should be, but jobs run */
	DOCTOR_ERROR = 2,   /* jobs fail, or run without what they were given */
};

/* One thing that is wrong. */
struct finding {
	enum severity severity;
	const char *check;           /* its name: a promise */
	char where[DOCTOR_TEXT_MAX]; /* a file, a node, a daemon */
	char text[DOCTOR_TEXT_MAX];
	char write[DOCTOR_TEXT_MAX]; /* the line to write there, or "" */
	char run[DOCTOR_TEXT_MAX];   /* or what to run, or "" */
};

/* slurm.conf's keys that matter here, as its file has them or as slurmctld runs with them. NULL: not set. */
struct settings {
	char *gres_types;
	char *job_submit_plugins;
	char *licenses;
	char *preempt_parameters; /* of the file alone */
	char *prolog_flags;
	char *propagate;
	char *propagate_except;
	char *storage_type;
	char *storage_tres;
};

struct doctor {
	struct common c;
	char slurm_path[512];
	char conf_path[512];
	char spank[512]; /* our plugin, as plugstack.conf names it; "": not found */
	char host[256];  /* this machine, without its domain */
	struct slurm_file slurm;
	struct tessera_conf *conf;
	bool rdus, ipus; /* tessera.conf has nodes or partitions of that kind */
	struct settings file;
	struct settings running; /* of slurmctld */
	slurm_conf_t *ctl;       /* NULL: slurmctld did not answer; so are the nodes */
	node_info_msg_t *nodes;
	license_info_msg_t *licenses;

	struct finding *findings;
	size_t count, room;
	bool blind; /* something could not be looked at */
};

/* A new finding: where, and what is wrong. NULL when out of memory, which is then told, and makes it blind. */
struct finding *doctor_find(struct doctor *d, enum severity severity, const char *check, const char *where,
			    const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* What to do about it: the line to write, or what to run. F may be NULL. */
void doctor_write(struct finding *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void doctor_run(struct finding *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * The module NAME must lie beside spank_tessera.so and be root's, as root's processes look for it. WITHOUT: what happens
 * without it, and ADVICE what to run then.
 */
struct doctor_module {
	const char *name;
	enum severity severity;
	const char *check;
	const char *without;
	const char *advice;
};
void doctor_check_module(struct doctor *d, const struct doctor_module *module);

/* PLUGSTACK is the path of plugstack.conf, which names our plugin, and was CHANGED last. */
void doctor_check_slurmd(struct doctor *d, const char *plugstack, time_t changed);

/* What to run so that systemd starts NAME.timer now and at boot, from DIR, where its unit and its service are. Returns BUF. */
const char *doctor_enable(const char *dir, const char *name, char *buf, size_t len);

/* LIST, which commas join and may be NULL, without the items of that name, whatever the case, into BUF. Returns BUF. */
const char *doctor_without(const char *list, const char *name, char *buf, size_t len);

/* Something could not be looked at. */
void doctor_blind(struct doctor *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Is this node of this machine? By slurmctld's word; --node names one. */
bool doctor_is_local(const struct doctor *d, const char *node);

/*
 * The name of slurmctld's node I if it is of this machine and tessera.conf has a platform for it, which *P becomes; else
 * NULL. For I from 0 to d->nodes->record_count, if there are nodes.
 */
const char *doctor_local_node(const struct doctor *d, uint32_t i, const struct tessera_platform **p);

/*
 * Where NODE keeps its state, into DIR. False if nothing there can be looked at: what is wrong with it doctor_check_site()
 * tells.
 */
bool doctor_state_dir(const struct doctor *d, const char *node, char *dir, size_t len);

/* The checks. */
void doctor_check_settings(struct doctor *d); /* slurm.conf's keys, and slurmctld's */
void doctor_check_licenses(struct doctor *d);
void doctor_check_nodes(struct doctor *d);   /* who is where, and counts in slurm.conf and gres.conf */
void doctor_check_health(struct doctor *d);  /* tools that know what is bad are there, and were asked */
void doctor_check_grants(struct doctor *d);  /* grants can be made here */
void doctor_check_install(struct doctor *d); /* plugstack.conf, plugins, slurmd's age */
void doctor_check_site(struct doctor *d);    /* tessera.conf's mode, StateDir, V-IPU controllers */
void doctor_check_state(struct doctor *d);   /* what is in StateDir, and the device */

#endif /* TESSERA_DOCTOR_H */
