/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "gres/submit/job_change.h"
#include "gres/submit/spank_env.h"
#include "lib/conf/gres_list.h"

#define WHAT_TO_DO "cancel the job and submit a new one, or ask an operator"

/* scontrol sends INFINITE to query the job's current number of nodes. */
static bool changes_nodes(const job_desc_msg_t *desc)
{
	return desc->req_nodes != NULL ||
	       (desc->min_nodes != NO_VAL && desc->min_nodes != INFINITE);
}

static bool requests_gres(const char *text, enum gres_list list, const char *name)
{
	struct gres_sum sum;

	return gres_sum(text, list, name, "", &sum, NULL) < 0 || sum.count > 0;
}

static bool requests_accelerator(const char *gres, const char *ipu)
{
	return gres_asks_tiles(gres) || requests_gres(gres, GRES_LIST_GRES, ipu);
}

/* What the job has is not known: no change of anything that may be an accelerator. */
static int check_unknown_job(const char *ipu, const job_desc_msg_t *desc, bool started,
			     struct tessera_error *err)
{
	const char *what = NULL;

	if (desc->licenses != NULL)
		what = "licenses";
	else if (requests_accelerator(desc->tres_per_node, ipu) ||
		 requests_accelerator(desc->tres_per_task, ipu) ||
		 requests_accelerator(desc->tres_per_job, ipu) ||
		 requests_accelerator(desc->tres_per_socket, ipu))
		what = "RDUs, tiles or IPUs";
	else if (started && changes_nodes(desc))
		what = "nodes";
	if (what == NULL)
		return 0;
	return tessera_error_set(err, TESSERA_ERR_DENIED,
				 "cannot change %s of the job: slurmctld does not report what "
				 "it has; " WHAT_TO_DO,
				 what);
}

/* Refuse a change that leaves the job fewer of LICENSE. */
static int check_license(const char *license, const job_desc_msg_t *desc, const job_desc_msg_t *old,
			 struct tessera_error *err)
{
	struct gres_sum has, wanted;

	if (gres_sum(old->licenses, GRES_LIST_LICENSES, license, "the job's Licenses", &has, err) <
		    0 ||
	    gres_sum(desc->licenses, GRES_LIST_LICENSES, license, "Licenses", &wanted, err) < 0)
		return -1;
	if (wanted.count >= has.count)
		return 0;
	return tessera_error_set(
		err, TESSERA_ERR_DENIED,
		"a job that has started keeps its %s:%u, Licenses=%.80s has %u; " WHAT_TO_DO,
		license, has.count, desc->licenses, wanted.count);
}

static int check_licenses(const struct tessera_conf *conf, const char *ipu,
			  const job_desc_msg_t *desc, const job_desc_msg_t *old,
			  struct tessera_error *err)
{
	const struct tessera_pool *pool;

	if (desc->licenses == NULL)
		return 0;
	if (check_license(ipu, desc, old, err) < 0)
		return -1;
	for (size_t i = 0; conf != NULL && (pool = tessera_conf_pool_at(conf, i)) != NULL; i++)
		if (check_license(pool->license, desc, old, err) < 0)
			return -1;
	return 0;
}

int job_change_check(const struct tessera_conf *conf, const job_desc_msg_t *desc,
		     const job_desc_msg_t *old, const struct job_change_by *by,
		     struct tessera_error *err)
{
	const char *ipu = conf != NULL ? tessera_conf_ipu_name(conf) : GRES_IPU;
	struct tessera_options opt = {0};
	bool options, ipus;

	if (by->privileged)
		return 0;
	if (old == NULL)
		return check_unknown_job(ipu, desc, by->started, err);
	if (!by->started)
		return 0;
	options = spank_env_read(conf, old, &opt);
	ipus = opt.ipus != NULL || requests_gres(old->licenses, GRES_LIST_LICENSES, ipu) ||
	       requests_gres(old->tres_per_node, GRES_LIST_GRES, ipu);
	if (ipus && changes_nodes(desc))
		return tessera_error_set(
			err, TESSERA_ERR_DENIED,
			"a job with IPUs that has started keeps its nodes, because its partition "
			"stays as it is; " WHAT_TO_DO);
	/* Only tessera.conf says which of its licenses are accelerators. */
	if (conf == NULL && options && desc->licenses != NULL)
		return tessera_error_set(err, TESSERA_ERR_DENIED,
					 "cannot change licenses of a job that has started while "
					 "tessera.conf cannot be read; " WHAT_TO_DO);
	return check_licenses(conf, ipu, desc, old, err);
}
