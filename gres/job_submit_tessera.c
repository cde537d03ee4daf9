/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The controller's side: slurmctld calls this for every job that comes in or is changed, from whatever client.
 * Slurm loads it only if plugin_version is its own full version, so the package is rebuilt for each release.
 */
#include "config.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gres/change.h"
#include "gres/controller_conf.h"
#include "gres/submission.h"
#include "lib/request.h"
#include "plugin/slurm_compat.h"

/* What slurmctld looks up by name. */
#pragma GCC visibility push(default)

const char plugin_name[] = "tessera: accelerator requests";
const char plugin_type[] = "job_submit/tessera";
const uint32_t plugin_version = SLURM_VERSION_NUMBER;

int init(void);
int fini(void);
int job_submit(job_desc_msg_t *job_desc, uint32_t submit_uid, char **err_msg);
/* slurmctld's own record of a job is never looked into: its layout is private to Slurm. */
int job_modify(job_desc_msg_t *job_desc, struct job_record *job, uint32_t submit_uid TESSERA_JOB_MODIFY_ERR_MSG);

#pragma GCC visibility pop

/* So that a broken file is in the log when slurmctld starts. It stops no job that asks for nothing of ours. */
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
 * Where a job goes that names no partition. No interface tells, and an RPC to ourselves would wait for locks that
 * are held while we are called; slurmctld's own variable is there in all releases, and the lock for it is held.
 */
static const char *default_partition(void)
{
	char **name = dlsym(RTLD_DEFAULT, "default_part_name");

	return name != NULL ? *name : NULL;
}

/* A function of slurmctld's own into *FUNCTION; NULL if this slurmctld has none, or one that may be another. */
static void find_function(const char *name, void *function)
{
	void *symbol = NULL;

#ifdef TESSERA_KNOWS_SLURMCTLD
	symbol = dlsym(RTLD_DEFAULT, name);
#endif
	memcpy(function, &symbol, sizeof(symbol));
}

/*
 * The job that is to be changed, in the public form, or NULL if this slurmctld cannot tell; then a change has to name
 * the partition, too. To be freed with forget().
 */
static job_desc_msg_t *describe(struct job_record *job)
{
	job_desc_msg_t *(*copy)(struct job_record *);

	find_function("copy_job_record_to_job_desc", &copy);
	return copy != NULL && job != NULL ? copy(job) : NULL;
}

/* What cannot be found out is taken for the worse. */
static struct change_by changed_by(struct job_record *job, uint32_t uid)
{
	tessera_validate_operator_fn is_operator;
	tessera_job_alloc_info_fn alloc_info;

	find_function(TESSERA_VALIDATE_OPERATOR, &is_operator);
	find_function(TESSERA_JOB_ALLOC_INFO, &alloc_info);
	return (struct change_by){
		.privileged = is_operator != NULL
				      ? is_operator(uid)
				      : uid == 0 || (&slurm_conf != NULL && uid == slurm_conf.slurm_user_id),
		.started = alloc_info == NULL || job == NULL || alloc_info(0, job) != ESLURM_JOB_PENDING,
	};
}

static void forget(job_desc_msg_t *desc)
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
 * Does Unasked apply? To every new job, and to a change of a pending job that touches its GRES or partition. Other changes pass,
 * so that a job submitted before the partition had its Unasked can still be changed; so do changes of a job that
 * slurmctld cannot describe, because what it asks for is unknown.
 */
static bool is_subject(const job_desc_msg_t *desc, const job_desc_msg_t *old, const struct change_by *by)
{
	return by == NULL || (old != NULL && !by->started && submission_moves(desc));
}

/* A job that has no tiles is told how to ask for some. */
static void advise_unasked(const struct unasked_decision *decision, char advice[TESSERA_ADVICE_MAX])
{
	if (decision->act == UNASKED_TELL)
		snprintf(advice, TESSERA_ADVICE_MAX,
			 "this job has no RDUs: its programs find an empty tile mask; ask for RDUs with --gres=%s",
			 decision->gres);
}

/*
 * A job that asks for nothing of ours passes, whatever the configuration is like, unless a partition's Unasked says
 * otherwise. BY is NULL if it is a new one. Texts are measured before others have to wait for them. ADVICE
 * is for the user though the job passes; "" before, and if there is none.
 */
static int check(job_desc_msg_t *desc, const job_desc_msg_t *old, const struct change_by *by, const char *partition,
		 char advice[TESSERA_ADVICE_MAX], struct tessera_error *err)
{
	struct unasked_decision unasked = {0};
	const struct tessera_conf *conf;
	int rc = 0;

	if (submission_check_sizes(desc, err) < 0 || (old != NULL && submission_check_sizes(old, err) < 0))
		return -1;
	conf = controller_conf_lock(err);
	if (by != NULL)
		rc = change_check(conf, desc, old, by, err);
	if (rc == 0 && conf != NULL && is_subject(desc, old, by))
		rc = submission_unasked(conf, desc, old, partition, &unasked, err);
	if (rc == 0 && submission_asks(conf, desc, old))
		rc = conf != NULL ? submission_check(conf, desc, old, partition, advice, TESSERA_ADVICE_MAX, err)
				  : -1;
	if (rc < 0 && unasked.act == UNASKED_ADD)
		tessera_error_prefix(err, "this job asks for no RDUs and so for --gres=%s", unasked.gres);
	advise_unasked(&unasked, advice);
	controller_conf_unlock();
	return rc;
}

/* Tell the user, where Slurm lets us, and the log. */
static int refuse(const struct tessera_error *err, uint32_t uid, char **err_msg)
{
	char text[sizeof(err->text) + 16];

	slurm_info("tessera: refused to user %u: %s", uid, err->text);
	if (err_msg != NULL) {
		snprintf(text, sizeof(text), "tessera: %s", err->text);
		slurm_xfree((void **)err_msg);
		*err_msg = slurm_xstrdup(text);
	}
	return err->code == TESSERA_ERR_DENIED ? ESLURM_ACCESS_DENIED : ESLURM_INVALID_GRES;
}

/* ADVICE, unless it is "", beside what other plugins said: srun, sbatch and salloc print it on standard error. */
static void advise(const char *advice, char **err_msg)
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

	if (check(job_desc, NULL, NULL, default_partition(), advice, &err) < 0)
		return refuse(&err, submit_uid, err_msg);
	advise(advice, err_msg);
	return SLURM_SUCCESS;
}

int job_modify(job_desc_msg_t *job_desc, struct job_record *job, uint32_t submit_uid TESSERA_JOB_MODIFY_ERR_MSG)
{
	struct tessera_error err = {0};
	char advice[TESSERA_ADVICE_MAX] = "";
	struct change_by by;
	job_desc_msg_t *old;
	int rc;

	if (!submission_touches(job_desc))
		return SLURM_SUCCESS;
	by = changed_by(job, submit_uid);
	old = describe(job);
	rc = check(job_desc, old, &by, NULL, advice, &err);
	forget(old);
	if (rc == 0)
		return SLURM_SUCCESS;
#ifdef TESSERA_JOB_MODIFY_HAS_ERR_MSG
	return refuse(&err, submit_uid, err_msg);
#else
	return refuse(&err, submit_uid, NULL);
#endif
}
