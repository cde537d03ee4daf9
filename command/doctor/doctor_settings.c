/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks of the keys of slurm.conf. If the file is right, check that slurmctld runs with it.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "command/doctor/doctor.h"
#include "lib/conf/gres_list.h"

/* A comma-separated list. */
struct words {
	char text[DOCTOR_TEXT_MAX];
};

static void add_word(struct words *w, const char *prefix, const char *word)
{
	size_t used = strlen(w->text);

	snprintf(w->text + used, sizeof(w->text) - used, "%s%s%s", used > 0 ? "," : "", prefix,
		 word);
}

/* The words of WANTED that LIST lacks. */
static struct words find_missing(const struct words *wanted, const char *list)
{
	struct words copy = *wanted, lacks = {""};
	char *rest = NULL;

	for (char *word = strtok_r(copy.text, ",", &rest); word != NULL;
	     word = strtok_r(NULL, ",", &rest))
		if (!slurm_list_has(list, word))
			add_word(&lacks, "", word);
	return lacks;
}

/* A key whose list must have certain words. */
struct need {
	const char *check;
	const char *key;
	enum severity severity;
	const char *file;    /* value in slurm.conf; NULL: not set */
	const char *running; /* value in slurmctld; NULL: not set */
	const char *why;
};

static void check_list(struct doctor *d, const struct need *need, const struct words *wanted)
{
	struct words lacks = find_missing(wanted, need->file);
	struct finding *f;

	if (lacks.text[0] != '\0') {
		f = doctor_find(d, need->severity, need->check, d->slurm_path, "%s lacks %s: %s",
				need->key, lacks.text, need->why);
		doctor_write(f, "%s=%s%s%s", need->key, need->file != NULL ? need->file : "",
			     need->file != NULL ? "," : "", lacks.text);
		return;
	}
	lacks = find_missing(wanted, need->running);
	if (d->ctl == NULL || lacks.text[0] == '\0')
		return;
	f = doctor_find(d, need->severity, need->check, "slurmctld",
			"slurmctld runs without %s in %s, although slurm.conf now has it: %s",
			lacks.text, need->key, need->why);
	doctor_run(f, "systemctl restart slurmctld");
}

static void check_gres_types(struct doctor *d)
{
	struct need need = {.check = "gres_types",
			    .key = "GresTypes",
			    .severity = DOCTOR_ERROR,
			    .file = d->file.gres_types,
			    .running = d->running.gres_types,
			    .why = "Slurm only counts the GRES listed there"};
	struct words wanted = {""};

	if (d->rdus) {
		add_word(&wanted, "", GRES_RDU);
		add_word(&wanted, "", GRES_RDU_TILE);
	}
	if (d->ipus && tessera_conf_ipu_model(d->conf) == TESSERA_IPU_GRES)
		add_word(&wanted, "", tessera_conf_ipu_name(d->conf));
	check_list(d, &need, &wanted);
}

/* slurmdbd assigns the IDs of gres/ and license/ TRES: they need the database. */
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
				 "slurmctld cannot start: AccountingStorageTRES has %s, which "
				 "requires slurmdbd, but AccountingStorageType is "
				 "not " SLURM_WITH_DATABASE,
				 named.text),
		     "AccountingStorageType=" SLURM_WITH_DATABASE
		     ", or remove AccountingStorageTRES");
}

static void check_storage_tres(struct doctor *d)
{
	struct need need = {
		.check = "accounting_tres",
		.key = "AccountingStorageTRES",
		.severity = DOCTOR_WARNING,
		.file = d->file.storage_tres,
		.running = d->running.storage_tres,
		.why = "slurmdbd only stores the TRES listed there, and reports lack the others"};
	const struct tessera_pool *pool;
	struct words wanted = {""};

	/* A cluster without slurmdbd needs no such list. */
	if (d->file.storage_type == NULL ||
	    strcasecmp(d->file.storage_type, SLURM_WITH_DATABASE) != 0) {
		check_no_storage(d);
		return;
	}
	if (d->rdus) {
		add_word(&wanted, "gres/", GRES_RDU);
		add_word(&wanted, "gres/", GRES_RDU_TILE);
	}
	if (d->ipus)
		add_word(&wanted,
			 tessera_conf_ipu_model(d->conf) == TESSERA_IPU_GRES ? "gres/" : "license/",
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
			    .why = "slurmctld does not check requests and changes, and users can "
				   "reduce the counts of a job that keeps its tiles or IPUs"};
	struct words wanted = {""};

	add_word(&wanted, "", "tessera");
	check_list(d, &need, &wanted);
}

/* All these flags imply Alloc. */
static bool has_alloc(const char *flags)
{
	static const char *const words[] = {
		"alloc",    "contain",           "x11", "nohold", "deferbatch",
		"runinjob", "forcerequeueonfail"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (slurm_list_has(flags, words[i]))
			return true;
	return false;
}

/* slurm.conf is right, but slurmctld still runs HOW. */
static void find_outdated(struct doctor *d, enum severity severity, const char *check,
			  const char *how, const char *why)
{
	doctor_run(doctor_find(d, severity, check, "slurmctld", "slurmctld runs %s: %s", how, why),
		   "scontrol reconfigure");
}

static void check_prolog_flags(struct doctor *d)
{
	static const char *const why =
		"without it the prolog runs at the job's first step, and a batch script or salloc "
		"has neither tiles nor partition";
	const char *flags = d->file.prolog_flags;
	struct finding *f;

	if (!has_alloc(flags)) {
		f = doctor_find(d, DOCTOR_ERROR, "prolog_flags", d->slurm_path,
				"PrologFlags lacks Alloc: %s", why);
		doctor_write(f, "PrologFlags=%s%sAlloc", flags != NULL ? flags : "",
			     flags != NULL ? "," : "");
	} else if (d->ctl != NULL && !has_alloc(d->running.prolog_flags)) {
		find_outdated(d, DOCTOR_ERROR, "prolog_flags",
			      "without PrologFlags=Alloc, although slurm.conf now has it", why);
	}
}

/*
 * With Serial, slurmd runs one prolog or epilog at a time, so a prolog that waits for tiles blocks
 * the epilogs that would release them.
 */
static void check_prolog_serial(struct doctor *d)
{
	unsigned wait = tessera_conf_place_wait(d->conf);
	const char *flags = d->file.prolog_flags;
	char others[DOCTOR_TEXT_MAX], why[192];
	struct finding *f;

	if (!d->rdus || wait == 0)
		return;
	snprintf(why, sizeof(why),
		 "a job that waits for tiles blocks all other prologs and epilogs of the node for "
		 "up to %u s, including the epilogs that would release tiles",
		 wait);
	if (slurm_list_has(flags, "serial")) {
		f = doctor_find(d, DOCTOR_WARNING, "prolog_serial", d->slurm_path,
				"PrologFlags has Serial and PlaceWait is %u: %s", wait, why);
		doctor_without(flags, "serial", others, sizeof(others));
		doctor_write(f, "PrologFlags=%s, or PlaceWait = 0 in tessera.conf",
			     others[0] != '\0' ? others : "Alloc");
	} else if (d->ctl != NULL && slurm_list_has(d->running.prolog_flags, "serial")) {
		find_outdated(d, DOCTOR_WARNING, "prolog_serial",
			      "with PrologFlags=Serial, although slurm.conf no longer has it", why);
	}
}

/* The extern step reserves nothing: it has neither a SPANK prolog nor the job's options. */
static void check_run_in_job(struct doctor *d)
{
	static const char *const why =
		"Slurm runs no SPANK prolog or epilog then, and every job that requests tiles or "
		"IPUs fails";
	const char *flags = d->file.prolog_flags;
	char others[DOCTOR_TEXT_MAX];
	struct finding *f;

	if (slurm_list_has(flags, "runinjob")) {
		f = doctor_find(d, DOCTOR_ERROR, "prolog_run_in_job", d->slurm_path,
				"PrologFlags has RunInJob: %s", why);
		doctor_without(flags, "runinjob", others, sizeof(others));
		doctor_write(f, "PrologFlags=%s%s", others,
			     slurm_list_has(others, "contain") ? ""
			     : others[0] != '\0'               ? ",Contain"
							       : "Contain");
	} else if (d->ctl != NULL && slurm_list_has(d->running.prolog_flags, "runinjob")) {
		find_outdated(d, DOCTOR_ERROR, "prolog_run_in_job",
			      "with PrologFlags=RunInJob, although slurm.conf no longer has it",
			      why);
	}
}

/* Does Slurm propagate the submitter's limit of locked memory to the job? */
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
	static const char *const why =
		"IPU programs lock memory, and fail with the small limit of a login node";
	const char *except = d->file.propagate_except;
	struct finding *f;

	if (!d->ipus)
		return;
	if (propagates_memlock(&d->file)) {
		f = doctor_find(
			d, DOCTOR_ERROR, "memlock", d->slurm_path,
			"Slurm propagates the submitter's limit of locked memory to jobs: %s", why);
		doctor_write(f, "PropagateResourceLimitsExcept=%s%sMEMLOCK",
			     except != NULL ? except : "", except != NULL ? "," : "");
	} else if (d->ctl != NULL && propagates_memlock(&d->running)) {
		find_outdated(d, DOCTOR_ERROR, "memlock",
			      "without PropagateResourceLimitsExcept=MEMLOCK, although slurm.conf "
			      "now has it",
			      why);
	}
}

/* Without Unasked, jobs that request no tiles can use those of other jobs. */
static void check_unasked(struct doctor *d)
{
	const struct tessera_platform *p;
	const char *name;

	for (size_t i = 0; (p = tessera_conf_partition_at(d->conf, i, &name)) != NULL; i++) {
		struct finding *f;

		if (p->kind != TESSERA_KIND_RDU || tessera_conf_policy_at(d->conf, i)->unasked_said)
			continue;
		f = doctor_find(d, DOCTOR_WARNING, "unasked", d->conf_path,
				"partition %s has no Unasked: jobs that request no RDUs get no "
				"mask, and may use tiles of other jobs",
				name);
		doctor_write(f,
			     "Unasked = default in partition %s (or none or refuse; or leave, to "
			     "allow that)",
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
	check_run_in_job(d);
	check_memlock(d);
	check_unasked(d);
}
