/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm.conf's keys. What its file has is looked at first; if that is right, whether slurmctld runs with it.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "gres/doctor.h"
#include "lib/gres.h"

/* A list of words, joined by commas. */
struct words {
	char text[DOCTOR_TEXT_MAX];
};

static void add_word(struct words *w, const char *prefix, const char *word)
{
	size_t used = strlen(w->text);

	snprintf(w->text + used, sizeof(w->text) - used, "%s%s%s", used > 0 ? "," : "", prefix, word);
}

/* Those of WANTED that LIST does not have. */
static struct words missing(const struct words *wanted, const char *list)
{
	struct words copy = *wanted, lacks = {""};
	char *rest = NULL;

	for (char *word = strtok_r(copy.text, ",", &rest); word != NULL; word = strtok_r(NULL, ",", &rest))
		if (!slurm_list_has(list, word))
			add_word(&lacks, "", word);
	return lacks;
}

/* A key whose list must have certain words. */
struct need {
	const char *check;
	const char *key;
	enum severity severity;
	const char *file;    /* its value in slurm.conf */
	const char *running; /* and in slurmctld */
	const char *why;
};

static void check_list(struct doctor *d, const struct need *need, const struct words *wanted)
{
	struct words lacks = missing(wanted, need->file);
	struct finding *f;

	if (lacks.text[0] != '\0') {
		f = doctor_find(d, need->severity, need->check, d->slurm_path, "%s lacks %s: %s", need->key,
				lacks.text, need->why);
		doctor_write(f, "%s=%s%s%s", need->key, need->file != NULL ? need->file : "",
			     need->file != NULL ? "," : "", lacks.text);
		return;
	}
	lacks = missing(wanted, need->running);
	if (d->ctl == NULL || lacks.text[0] == '\0')
		return;
	f = doctor_find(d, need->severity, need->check, "slurmctld",
			"slurmctld runs without %s in %s, though slurm.conf has it now: %s", lacks.text, need->key,
			need->why);
	doctor_run(f, "systemctl restart slurmctld");
}

static void check_gres_types(struct doctor *d)
{
	struct need need = {.check = "gres_types",
			    .key = "GresTypes",
			    .severity = DOCTOR_ERROR,
			    .file = d->file.gres_types,
			    .running = d->running.gres_types,
			    .why = "Slurm does not count what is not named there"};
	struct words wanted = {""};

	if (d->rdus) {
		add_word(&wanted, "", GRES_RDU);
		add_word(&wanted, "", GRES_RDU_TILE);
	}
	if (d->ipus && tessera_conf_ipu_model(d->conf) == TESSERA_IPU_GRES)
		add_word(&wanted, "", tessera_conf_ipu_name(d->conf));
	check_list(d, &need, &wanted);
}

/* What Slurm does not know by itself has a number in the database. */
static void check_no_storage(struct doctor *d)
{
	const char *list = d->file.storage_tres, *end;
	struct words named = {""};

	for (; list != NULL && *list != '\0'; list = *end == ',' ? end + 1 : end) {
		char word[64];

		end = list + strcspn(list, ",");
		snprintf(word, sizeof(word), "%.*s", (int)(end - list), list);
		if (strncasecmp(word, "gres/", 5) == 0 || strncasecmp(word, "license/", 8) == 0)
			add_word(&named, "", word);
	}
	if (named.text[0] == '\0')
		return;
	doctor_write(doctor_find(d, DOCTOR_ERROR, "accounting_tres", d->slurm_path,
				 "slurmctld does not start: AccountingStorageTRES has %s, which need slurmdbd, but "
				 "AccountingStorageType is not " SLURM_WITH_DATABASE,
				 named.text),
		     "AccountingStorageType=" SLURM_WITH_DATABASE ", or slurm.conf without AccountingStorageTRES");
}

static void check_storage_tres(struct doctor *d)
{
	struct need need = {.check = "accounting_tres",
			    .key = "AccountingStorageTRES",
			    .severity = DOCTOR_WARNING,
			    .file = d->file.storage_tres,
			    .running = d->running.storage_tres,
			    .why = "slurmdbd does not remember what is not named there, and reports lack it"};
	const struct tessera_pool *pool;
	struct words wanted = {""};

	/* A cluster without a database remembers nothing anyway. */
	if (d->file.storage_type == NULL || strcasecmp(d->file.storage_type, SLURM_WITH_DATABASE) != 0) {
		check_no_storage(d);
		return;
	}
	if (d->rdus) {
		add_word(&wanted, "gres/", GRES_RDU);
		add_word(&wanted, "gres/", GRES_RDU_TILE);
	}
	if (d->ipus)
		add_word(&wanted, tessera_conf_ipu_model(d->conf) == TESSERA_IPU_GRES ? "gres/" : "license/",
			 tessera_conf_ipu_name(d->conf));
	for (size_t i = 0; (pool = tessera_conf_pool_at(d->conf, i)) != NULL; i++)
		add_word(&wanted, "license/", pool->license);
	check_list(d, &need, &wanted);
}

static void check_job_submit(struct doctor *d)
{
	struct need need = {.check = "job_submit",
			    .key = "JobSubmitPlugins",
			    .severity = DOCTOR_ERROR,
			    .file = d->file.job_submit_plugins,
			    .running = d->running.job_submit_plugins,
			    .why = "slurmctld does not check requests and changes, and users can release what is "
				   "counted while they keep what they have"};
	struct words wanted = {""};

	add_word(&wanted, "", "tessera");
	check_list(d, &need, &wanted);
}

/* All these bring Alloc along. */
static bool has_alloc(const char *flags)
{
	static const char *const words[] = {"alloc",    "contain",           "x11", "nohold", "deferbatch",
					    "runinjob", "forcerequeueonfail"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (slurm_list_has(flags, words[i]))
			return true;
	return false;
}

static void check_prolog_flags(struct doctor *d)
{
	static const char *const why =
		"without it a job's prolog runs at its first step, and a batch script or salloc "
		"finds no tiles and no partition";
	const char *flags = d->file.prolog_flags;
	struct finding *f;

	if (!has_alloc(flags)) {
		f = doctor_find(d, DOCTOR_ERROR, "prolog_flags", d->slurm_path, "PrologFlags lacks Alloc: %s", why);
		doctor_write(f, "PrologFlags=%s%sAlloc", flags != NULL ? flags : "", flags != NULL ? "," : "");
	} else if (d->ctl != NULL && !has_alloc(d->running.prolog_flags)) {
		f = doctor_find(d, DOCTOR_ERROR, "prolog_flags", "slurmctld",
				"slurmctld runs without PrologFlags=Alloc, though slurm.conf has it now: %s", why);
		doctor_run(f, "scontrol reconfigure");
	}
}

/* slurmd runs one prolog or epilog at a time then, and a prolog that waits for tiles waits for epilogs. */
static void check_prolog_serial(struct doctor *d)
{
	unsigned wait = tessera_conf_place_wait(d->conf);
	const char *flags = d->file.prolog_flags;
	struct finding *f = NULL;
	char others[DOCTOR_TEXT_MAX];

	if (!d->rdus || wait == 0)
		return;
	if (slurm_list_has(flags, "serial")) {
		f = doctor_find(d, DOCTOR_WARNING, "prolog_serial", d->slurm_path,
				"PrologFlags has Serial, and PlaceWait is %u: a job that waits for tiles holds up "
				"all other prologs and epilogs of the node for up to %u s, also those epilogs "
				"that would release tiles",
				wait, wait);
		doctor_without(flags, "serial", others, sizeof(others));
		doctor_write(f, "PrologFlags=%s, or PlaceWait = 0 in tessera.conf",
			     others[0] != '\0' ? others : "Alloc");
	} else if (d->ctl != NULL && slurm_list_has(d->running.prolog_flags, "serial")) {
		f = doctor_find(d, DOCTOR_WARNING, "prolog_serial", "slurmctld",
				"slurmctld runs with PrologFlags=Serial, although slurm.conf no longer has it, and "
				"PlaceWait is %u",
				wait);
		doctor_run(f, "scontrol reconfigure");
	}
}

/* Is the submitter's limit of locked memory the job's? */
static bool propagates_memlock(const struct settings *s)
{
	if (s->propagate_except != NULL)
		return !slurm_list_has(s->propagate_except, "MEMLOCK") &&
		       !slurm_list_has(s->propagate_except, "ALL");
	return s->propagate == NULL || slurm_list_has(s->propagate, "ALL") ||
	       slurm_list_has(s->propagate, "MEMLOCK");
}

static void check_memlock(struct doctor *d)
{
	static const char *const why = "IPU programs lock memory, and a login node's small limit makes them fail";
	const char *except = d->file.propagate_except;
	struct finding *f;

	if (!d->ipus)
		return;
	if (propagates_memlock(&d->file)) {
		f = doctor_find(d, DOCTOR_ERROR, "memlock", d->slurm_path,
				"the submitter's limit of locked memory goes along with the job: %s", why);
		doctor_write(f, "PropagateResourceLimitsExcept=%s%sMEMLOCK", except != NULL ? except : "",
			     except != NULL ? "," : "");
	} else if (d->ctl != NULL && propagates_memlock(&d->running)) {
		f = doctor_find(
			d, DOCTOR_ERROR, "memlock", "slurmctld",
			"slurmctld runs without PropagateResourceLimitsExcept=MEMLOCK, though slurm.conf has "
			"it now: %s",
			why);
		doctor_run(f, "scontrol reconfigure");
	}
}

/* Jobs that ask for no tiles use those of others, unless the site has thought of them. */
static void check_unasked(struct doctor *d)
{
	const struct tessera_platform *p;
	const char *name;

	for (size_t i = 0; (p = tessera_conf_partition_at(d->conf, i, &name)) != NULL; i++) {
		struct finding *f;

		if (p->kind != TESSERA_KIND_RDU || tessera_conf_policy_at(d->conf, i)->unasked_said)
			continue;
		f = doctor_find(d, DOCTOR_WARNING, "unasked", d->conf_path,
				"partition %s has no Unasked: jobs that ask for no RDUs find no mask, and may use "
				"tiles that other jobs were granted",
				name);
		doctor_write(f, "Unasked = default in partition %s (or none, refuse; or leave, if that is meant)",
			     name);
	}
}

void doctor_check_settings(struct doctor *d)
{
	check_gres_types(d);
	check_storage_tres(d);
	check_job_submit(d);
	check_prolog_flags(d);
	check_prolog_serial(d);
	check_memlock(d);
	check_unasked(d);
}
