/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/account/tres.h"
#include "lib/conf/gres_list.h"
#include "lib/util/array.h"

/* This and larger values are Slurm's "not set" and "no limit". */
#define NOT_SET (UINT64_MAX - 1)

enum kind {
	KIND_RDU,
	KIND_RDU_TYPED,
	KIND_TILE,
	KIND_TILE_TYPED,
	KIND_IPU,
	KIND_IPU_TYPED,
	KIND_IPU_LICENSE,
	KIND_POOL, /* the first of TESSERA_POOLS_MAX */
	KINDS = KIND_POOL + TESSERA_POOLS_MAX,
};

struct tres_id {
	uint32_t id;
	unsigned kind;
	unsigned reading; /* the last text that had it */
};

struct tessera_tres {
	const struct tessera_conf *conf;
	struct tres_id *ids;
	size_t count;
	unsigned readings; /* texts parsed so far */
};

/* The counts of each kind in one text. */
struct sums {
	bool given[KINDS];
	uint64_t count[KINDS];
};

struct tessera_tres *tessera_tres_new(const struct tessera_conf *conf)
{
	struct tessera_tres *tres = calloc(1, sizeof(*tres));

	if (tres != NULL)
		tres->conf = conf;
	return tres;
}

void tessera_tres_free(struct tessera_tres *tres)
{
	if (tres == NULL)
		return;
	free(tres->ids);
	free(tres);
}

/*
 * Is NAME either WANTED or WANTED with a suffix: a type after a colon, a license server after an @?
 */
static bool is_named(const char *name, const char *wanted, char separator, bool *part)
{
	size_t len = strlen(wanted);

	*part = strncmp(name, wanted, len) == 0 && name[len] == separator;
	return *part || strcmp(name, wanted) == 0;
}

static bool classify_gres(const struct tessera_tres *tres, const char *name, unsigned *kind)
{
	bool typed;

	if (is_named(name, GRES_RDU, ':', &typed))
		*kind = typed ? KIND_RDU_TYPED : KIND_RDU;
	else if (is_named(name, GRES_RDU_TILE, ':', &typed))
		*kind = typed ? KIND_TILE_TYPED : KIND_TILE;
	else if (is_named(name, tessera_conf_ipu_name(tres->conf), ':', &typed))
		*kind = typed ? KIND_IPU_TYPED : KIND_IPU;
	else
		return false;
	return true;
}

static bool classify_license(const struct tessera_tres *tres, const char *name, unsigned *kind)
{
	const struct tessera_pool *pool;
	bool remote;

	if (is_named(name, tessera_conf_ipu_name(tres->conf), '@', &remote)) {
		*kind = KIND_IPU_LICENSE;
		return true;
	}
	for (unsigned n = 0;
	     n < TESSERA_POOLS_MAX && (pool = tessera_conf_pool_at(tres->conf, n)) != NULL; n++) {
		if (is_named(name, pool->license, '@', &remote)) {
			*kind = KIND_POOL + n;
			return true;
		}
	}
	return false;
}

int tessera_tres_learn(struct tessera_tres *tres, uint32_t id, const char *type, const char *name,
		       struct tessera_error *err)
{
	struct tres_id *grown;
	unsigned kind;

	if (type == NULL || name == NULL)
		return 0;
	if (!(strcmp(type, "gres") == 0 && classify_gres(tres, name, &kind)) &&
	    !(strcmp(type, "license") == 0 && classify_license(tres, name, &kind)))
		return 0;
	grown = array_grow(tres->ids, tres->count, sizeof(*grown));
	if (grown == NULL)
		return tessera_error_nomem(err);
	tres->ids = grown;
	grown[tres->count++] = (struct tres_id){.id = id, .kind = kind};
	return 0;
}

/* Parse the number at *TEXT and advance *TEXT. Returns false if there is none, or it overflows. */
static bool parse_number(const char **text, uint64_t *value)
{
	const char *from = *text;

	*value = 0;
	for (; isdigit((unsigned char)**text); (*text)++) {
		if (__builtin_mul_overflow(*value, 10U, value) ||
		    __builtin_add_overflow(*value, (uint64_t)(**text - '0'), value))
			return false;
	}
	return *text > from;
}

/* Add an item to the sums. Returns false if the text had its ID before. */
static bool add_item(struct tessera_tres *tres, uint64_t id, uint64_t count, struct sums *sums)
{
	for (size_t n = 0; n < tres->count; n++) {
		struct tres_id *tres_id = &tres->ids[n];

		if (tres_id->id != id)
			continue;
		if (tres_id->reading == tres->readings)
			return false;
		tres_id->reading = tres->readings;
		if (count >= NOT_SET)
			continue;
		sums->given[tres_id->kind] = true;
		sums->count[tres_id->kind] = tessera_usage_plus(sums->count[tres_id->kind], count);
	}
	return true;
}

static bool read_text(struct tessera_tres *tres, const char *text, struct sums *sums)
{
	uint64_t id, count;

	tres->readings++;
	for (const char *pos = text; *pos != '\0';) {
		if (*pos == ',') {
			pos++;
			continue;
		}
		if (!parse_number(&pos, &id) || *pos++ != '=' || !parse_number(&pos, &count))
			return false;
		if ((*pos != ',' && *pos != '\0') || !add_item(tres, id, count, sums))
			return false;
	}
	return true;
}

static uint64_t select_count(const struct sums *sums, unsigned kind, unsigned other)
{
	return sums->given[kind] ? sums->count[kind] : sums->count[other];
}

static void fill_counts(const struct tessera_tres *tres, const struct sums *sums,
			struct tessera_usage_held *counts)
{
	uint64_t gres = select_count(sums, KIND_IPU, KIND_IPU_TYPED),
		 license = sums->count[KIND_IPU_LICENSE];

	counts->rdus = select_count(sums, KIND_RDU, KIND_RDU_TYPED);
	counts->tiles = select_count(sums, KIND_TILE, KIND_TILE_TYPED);
	if (tessera_conf_ipu_model(tres->conf) == TESSERA_IPU_GRES)
		counts->ipus = gres != 0 ? gres : license;
	else
		counts->ipus = license != 0 ? license : gres;
	memcpy(counts->pools, &sums->count[KIND_POOL], sizeof(counts->pools));
}

int tessera_tres_read(struct tessera_tres *tres, const char *text,
		      struct tessera_usage_held *counts, struct tessera_error *err)
{
	struct sums sums = {0};

	if (!read_text(tres, text != NULL ? text : "", &sums)) {
		memset(counts, 0xff, sizeof(*counts));
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "'%s' is not a valid list of allocated TRES", text);
	}
	fill_counts(tres, &sums, counts);
	return 0;
}

void tessera_tres_tiles(struct tessera_usage_held *counts, const struct tessera_platform *p)
{
	unsigned gres = p != NULL ? tessera_platform_gres(p) : 0;

	if (counts->rdus == 0 || counts->tiles != 0)
		return;
	counts->tiles =
		gres > 0 ? tessera_usage_times(counts->rdus, tessera_platform_tiles(p) / gres)
			 : TESSERA_UNKNOWN;
}
