/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The job_submit plugin: slurmctld calls it for every job that any client submits or changes. Slurm
 * loads it only if plugin_version is its own full version, so the package is rebuilt for each
 * release.
 */
#include "config.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gres/submit/controller_conf.h"
#include "gres/submit/job_change.h"
#include "gres/submit/job_desc.h"
#include "lib/request/request.h"
#include "lib/slurm/compat.h"

/* slurmctld looks these up by name. */
#pragma GCC visibility push(default)

const char plugin_name[] = "tessera: accelerator requests";
const char plugin_type[] = "job_submit/tessera";
const uint32_t plugin_version = SLURM_VERSION_NUMBER;

int init(void);
int fini(void);
int job_submit(job_desc_msg_t *job_desc, uint32_t submit_uid, char **err_msg);
/* The plugin does not read struct job_record: its layout is private to Slurm. */
int job_modify(job_desc_msg_t *job_desc, struct job_record *job,
	       uint32_t submit_uid TESSERA_JOB_MODIFY_ERR_MSG);

#pragma GCC visibility pop

/*
 * Reads tessera.conf, so that an invalid file is logged when slurmctld starts. Succeeds even then:
 * jobs without accelerators must still run.
 */
int init(void)
{
	controller_conf_lock(NULL);
	controller_conf_unlock();
	return SLURM_SUCCESS;
}

int fini(void)
{
	controller_conf_free();
	return SLURM_SUCCESS;
}

/*
 * The partition of a job that names none. There is no public interface, and an RPC from slurmctld
 * to itself would wait for locks that it holds during this call. This variable exists in all
 * releases, and slurmctld holds its lock.
 */
static const char *find_default_partition(void)
{
	char **name = dlsym(RTLD_DEFAULT, "default_part_name");

	return name != NULL ? *name : NULL;
}

/*
 * Look up a private function of slurmctld; NULL in *FUNCTION if it has none, or if its signature in
 * this release is not known.
 */
static void find_function(const char *name, void *function)
{
	void *symbol = NULL;

#ifdef TESSERA_KNOWS_SLURMCTLD
	symbol = dlsym(RTLD_DEFAULT, name);
#endif
	memcpy(function, &symbol, sizeof(symbol));
}

/*
 * The job to be changed as a public job descriptor, to be freed with free_description(); NULL if
 * slurmctld cannot provide it: then a change has to name the partition, too.
 */
static job_desc_msg_t *describe_job(struct job_record *job)
{
	job_desc_msg_t *(*copy)(struct job_record *);

	find_function("copy_job_record_to_job_desc", &copy);
	return copy != NULL && job != NULL ? copy(job) : NULL;
}

/* Without slurmctld's functions: not an operator, and the job has started. */
static struct job_change_by find_change_by(struct job_record *job, uint32_t uid)
{
	tessera_validate_operator_fn is_operator;
	tessera_job_alloc_info_fn alloc_info;

	find_function(TESSERA_VALIDATE_OPERATOR, &is_operator);
	find_function(TESSERA_JOB_ALLOC_INFO, &alloc_info);
	return (struct job_change_by){
		.privileged = is_operator != NULL ? is_operator(uid)
						  : uid == 0 || (&slurm_conf != NULL &&
								 uid == slurm_conf.slurm_user_id),
		.started = alloc_info == NULL || job == NULL ||
			   alloc_info(0, job) != ESLURM_JOB_PENDING,
	};
}

static void free_description(job_desc_msg_t *desc)
{
	if (desc == NULL)
		return;
	if (desc->environment != NULL) {
		slurm_xfree((void **)&desc->environment[0]);
		slurm_xfree((void **)&desc->environment);
		desc->env_size = 0;
	}
	slurm_free_job_desc_msg(desc);
}

/*
 * Does Unasked apply? To every new job, and to a change of a pending job that touches its GRES or
 * partition. Other changes pass, so that a job submitted before the partition had its Unasked can
 * still be changed; so do changes of a job that slurmctld cannot describe, because its request
 * is unknown.
 */
static bool is_unasked_applied(const job_desc_msg_t *desc, const job_desc_msg_t *old,
			       const struct job_change_by *by)
{
	return by == NULL || (old != NULL && !by->started && job_desc_moves(desc));
}

/* Advice for a job without tiles: how to request some. */
static void advise_unasked(const struct unasked_decision *decision, char advice[TESSERA_ADVICE_MAX])
{
	if (decision->act == UNASKED_TELL)
		snprintf(advice, TESSERA_ADVICE_MAX,
			 "this job has no RDUs: its programs find an empty tile mask; request RDUs "
			 "with --gres=%s",
			 decision->gres);
}

/*
 * A job without accelerators is accepted, even if tessera.conf is invalid, unless a partition's
 * Unasked applies. OLD: the job that DESC changes, NULL if it is new or not known. BY: NULL for a
 * new job. ADVICE, which must be "", is set if there is advice for an accepted job. Sizes are
 * checked before the lock, so that other threads do not wait for huge texts.
 */
static int check_job(job_desc_msg_t *desc, const job_desc_msg_t *old,
		     const struct job_change_by *by, const char *partition,
		     char advice[TESSERA_ADVICE_MAX], struct tessera_error *err)
{
	struct unasked_decision unasked = {0};
	const struct tessera_conf *conf;
	int rc = 0;

	if (job_desc_check_sizes(desc, err) < 0 ||
	    (old != NULL && job_desc_check_sizes(old, err) < 0))
		return -1;
	conf = controller_conf_lock(err);
	if (by != NULL)
		rc = job_change_check(conf, desc, old, by, err);
	if (rc == 0 && conf != NULL && is_unasked_applied(desc, old, by))
		rc = job_desc_unasked(conf, desc, old, partition, &unasked, err);
	if (rc == 0 && job_desc_asks(conf, desc, old))
		rc = conf != NULL ? job_desc_check(conf, desc, old, partition, advice,
						   TESSERA_ADVICE_MAX, err)
				  : -1;
	if (rc < 0 && unasked.act == UNASKED_ADD)
		tessera_error_prefix(err, "this job requests no RDUs and gets --gres=%s",
				     unasked.gres);
	advise_unasked(&unasked, advice);
	controller_conf_unlock();
	return rc;
}

/* Write ERR to the log, and to the user where Slurm has ERR_MSG. Returns Slurm's error. */
static int refuse_job(const struct tessera_error *err, uint32_t uid, char **err_msg)
{
	char text[sizeof(err->text) + 16];

	slurm_info("tessera: refused job of uid %u: %s", uid, err->text);
	if (err_msg != NULL) {
		snprintf(text, sizeof(text), "tessera: %s", err->text);
		slurm_xfree((void **)err_msg);
		*err_msg = slurm_xstrdup(text);
	}
	return err->code == TESSERA_ERR_DENIED ? ESLURM_ACCESS_DENIED : ESLURM_INVALID_GRES;
}

/*
 * Append ADVICE, unless it is "", to the messages of other plugins. srun, sbatch and salloc print
 * them on standard error.
 */
static void append_advice(const char *advice, char **err_msg)
{
	const char *others = err_msg != NULL && *err_msg != NULL ? *err_msg : "";
	size_t len = strlen(others) + strlen(advice) + 16;
	char *both;

	if (advice[0] == '\0' || err_msg == NULL)
		return;
	both = malloc(len);
	if (both == NULL)
		return;
	snprintf(both, len, "%s%stessera: %s", others, others[0] != '\0' ? "\n" : "", advice);
	slurm_xfree((void **)err_msg);
	*err_msg = slurm_xstrdup(both);
	free(both);
}

int job_submit(job_desc_msg_t *job_desc, uint32_t submit_uid, char **err_msg)
{
	struct tessera_error err = {0};
	char advice[TESSERA_ADVICE_MAX] = "";

	if (check_job(job_desc, NULL, NULL, find_default_partition(), advice, &err) < 0)
		return refuse_job(&err, submit_uid, err_msg);
	append_advice(advice, err_msg);
	return SLURM_SUCCESS;
}

int job_modify(job_desc_msg_t *job_desc, struct job_record *job,
	       uint32_t submit_uid TESSERA_JOB_MODIFY_ERR_MSG)
{
	struct tessera_error err = {0};
	char advice[TESSERA_ADVICE_MAX] = "";
	struct job_change_by by;
	job_desc_msg_t *old;
	int rc;

	if (!job_desc_touches(job_desc))
		return SLURM_SUCCESS;
	by = find_change_by(job, submit_uid);
	old = describe_job(job);
	rc = check_job(job_desc, old, &by, NULL, advice, &err);
	free_description(old);
	if (rc == 0)
		return SLURM_SUCCESS;
#ifdef TESSERA_JOB_MODIFY_HAS_ERR_MSG
	return refuse_job(&err, submit_uid, err_msg);
#else
	return refuse_job(&err, submit_uid, NULL);
#endif
}
