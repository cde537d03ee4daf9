/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/conf_parts.h"
#include "lib/unasked.h"

/* The first of PARTITIONS that has tiles and does UNASKED with jobs that ask for none; NULL: none does. */
static const struct use *find_partition(const struct tessera_conf *conf, const char *partitions,
					enum tessera_unasked unasked)
{
	for (size_t i = 0; i < conf->partitions.count; i++) {
		const struct use *use = &conf->partitions.list[i];

		if (use->policy.unasked == unasked && use->platform->kind == TESSERA_KIND_RDU &&
		    conf_listed(partitions, use->title))
			return use;
	}
	return NULL;
}

/* One request for all partitions: it is not known yet in which of them the job will start. */
static int add_default(const struct tessera_conf *conf, const char *partitions, struct unasked_decision *decision,
		       struct tessera_error *err)
{
	const struct tessera_platform *platform;
	const struct tessera_policy *policy;

	if (tessera_conf_partition_policy(conf, partitions, &policy, err) < 0 ||
	    tessera_conf_partition_platform(conf, partitions, &platform, err) < 0)
		return -1;
	*decision = (struct unasked_decision){UNASKED_ADD, policy->default_gres};
	return 0;
}

int unasked_decide(const struct tessera_conf *conf, const char *partitions, const struct unasked *asked,
		   struct unasked_decision *decision, struct tessera_error *err)
{
	const struct tessera_policy *shared;
	const struct use *use;

	*decision = (struct unasked_decision){0};
	if (asked->tiles)
		return 0;
	if ((partitions == NULL || partitions[0] == '\0') &&
	    (tessera_conf_partition_policy(conf, NULL, &shared, err) < 0 || shared == NULL))
		return 0;
	use = find_partition(conf, partitions, TESSERA_UNASKED_REFUSE);
	if (use != NULL)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "jobs in partition %s must ask for RDUs: add --gres=%s", use->title,
					 use->policy.default_gres);
	if (asked->none)
		return 0;
	if (find_partition(conf, partitions, TESSERA_UNASKED_DEFAULT) != NULL)
		return add_default(conf, partitions, decision, err);
	use = find_partition(conf, partitions, TESSERA_UNASKED_NONE);
	if (use != NULL)
		*decision = (struct unasked_decision){UNASKED_TELL, use->policy.default_gres};
	return 0;
}

bool unasked_masks(const struct tessera_conf *conf, const char *partitions, const struct tessera_platform *platform)
{
	if (platform == NULL || platform->kind != TESSERA_KIND_RDU)
		return false;
	for (size_t i = 0; i < conf->partitions.count; i++) {
		const struct use *use = &conf->partitions.list[i];

		if (use->platform == platform && use->policy.unasked != TESSERA_UNASKED_LEAVE &&
		    conf_listed(partitions, use->title))
			return true;
	}
	return false;
}
