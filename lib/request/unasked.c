/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/conf/conf_use.h"
#include "lib/conf/gres_list.h"
#include "lib/request/unasked.h"

struct unasked unasked_read(const struct tessera_options *opt)
{
	return (struct unasked){
		.tiles = gres_asks_tiles(opt->gres) || opt->tiles_per_task != NULL ||
			 opt->tile_affinity != NULL || opt->tile_bind != NULL,
		.none = gres_refuses_tiles(opt->gres),
	};
}

/* The first of PARTITIONS with tiles and this Unasked; NULL if there is none. */
static const struct use *find_partition(const struct tessera_conf *conf, const char *partitions,
					enum tessera_unasked unasked)
{
	const struct use *use;

	for (size_t i = 0; (use = conf_partition_at(conf, i)) != NULL; i++)
		if (use->policy.unasked == unasked && use->platform->kind == TESSERA_KIND_RDU &&
		    conf_listed(partitions, use->title))
			return use;
	return NULL;
}

static bool have_same_unasked(const struct use *a, const struct use *b)
{
	return a->policy.unasked == b->policy.unasked &&
	       strcmp(a->policy.default_gres, b->policy.default_gres) == 0;
}

/* The Default must suit all partitions, because the job may start in any of them. */
static int add_default(const struct tessera_conf *conf, const char *partitions,
		       struct unasked_decision *decision, struct tessera_error *err)
{
	const struct tessera_platform *platform;
	const struct use *first, *other;

	other = conf_differing(conf, partitions, have_same_unasked, &first);
	if (other != NULL)
		return tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"partitions %s and %s differ in Unasked or Default: name one of them, or "
			"add --gres=%s",
			first->title, other->title, first->policy.default_gres);
	if (tessera_conf_partition_platform(conf, partitions, &platform, err) < 0)
		return -1;
	*decision = (struct unasked_decision){UNASKED_ADD, first->policy.default_gres};
	return 0;
}

int unasked_decide(const struct tessera_conf *conf, const char *partitions,
		   const struct unasked *asked, struct unasked_decision *decision,
		   struct tessera_error *err)
{
	const struct use *use;

	*decision = (struct unasked_decision){0};
	if (asked->tiles)
		return 0;
	if ((partitions == NULL || partitions[0] == '\0') &&
	    conf_differing(conf, NULL, have_same_unasked, &use) != NULL)
		return 0;
	use = find_partition(conf, partitions, TESSERA_UNASKED_REFUSE);
	if (use != NULL)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "jobs in partition %s must ask for RDUs: add --gres=%s",
					 use->title, use->policy.default_gres);
	if (asked->none)
		return 0;
	if (find_partition(conf, partitions, TESSERA_UNASKED_DEFAULT) != NULL)
		return add_default(conf, partitions, decision, err);
	use = find_partition(conf, partitions, TESSERA_UNASKED_NONE);
	if (use != NULL)
		*decision = (struct unasked_decision){UNASKED_TELL, use->policy.default_gres};
	return 0;
}

static bool has_name(const char *gres, const struct gres_item *wanted)
{
	struct gres_walk walk;
	struct gres_item item;

	gres_walk_start(&walk, gres, GRES_LIST_GRES);
	while (gres_walk_next(&walk, &item))
		if (item.name_len == wanted->name_len &&
		    memcmp(item.name, wanted->name, item.name_len) == 0)
			return true;
	return false;
}

char *unasked_add(const char *gres, const char *more, const char *prefix)
{
	const char *first = gres_given(gres) != NULL ? gres : "";
	size_t used = strlen(first), room = used + (strlen(prefix) + 1) * (strlen(more) + 1) + 1;
	char *out = malloc(room);
	struct gres_walk walk;
	struct gres_item item;

	if (out == NULL)
		return NULL;
	memcpy(out, first, used + 1);
	gres_walk_start(&walk, more, GRES_LIST_GRES);
	while (gres_walk_next(&walk, &item))
		if (!has_name(first, &item))
			used += (size_t)snprintf(
				out + used, room - used, "%s%s%.*s", used > 0 ? "," : "", prefix,
				(int)(item.len - item.prefix_len), item.text + item.prefix_len);
	return out;
}

bool unasked_masks(const struct tessera_conf *conf, const char *partitions,
		   const struct tessera_platform *platform)
{
	const struct use *use;

	if (platform == NULL || platform->kind != TESSERA_KIND_RDU)
		return false;
	for (size_t i = 0; (use = conf_partition_at(conf, i)) != NULL; i++)
		if (use->platform == platform && use->policy.unasked != TESSERA_UNASKED_LEAVE &&
		    conf_listed(partitions, use->title))
			return true;
	return false;
}
