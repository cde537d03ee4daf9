/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/gres.h"
#include "lib/usage_tres.h"

/* From here on up are Slurm's marks for "not set" and "no limit". */
#define NOT_SET (UINT64_MAX - 1)

enum kind {
	KIND_RDU,
	KIND_RDU_TYPED,
	KIND_TILE,
	KIND_TILE_TYPED,
	KIND_IPU,
	KIND_IPU_TYPED,
	KIND_IPU_LICENSE,
	KIND_POOL, /* and the others after it */
	KINDS = KIND_POOL + TESSERA_POOLS_MAX,
};

struct number {
	uint32_t id;
	unsigned kind;
	unsigned reading; /* the last one in which it was there */
};

struct usage_tres {
	const struct tessera_conf *conf;
	struct number *numbers;
	size_t count;
	unsigned readings;
};

/* What one text says of each kind. */
struct sums {
	bool given[KINDS];
	uint64_t count[KINDS];
};

struct usage_tres *usage_tres_new(const struct tessera_conf *conf)
{
	struct usage_tres *tres = calloc(1, sizeof(*tres));

	if (tres != NULL)
		tres->conf = conf;
	return tres;
}

void usage_tres_free(struct usage_tres *tres)
{
	if (tres == NULL)
		return;
	free(tres->numbers);
	free(tres);
}

/* Is NAME either WANTED or one of its parts: a type behind a colon, a licence's server behind an @? */
static bool is_named(const char *name, const char *wanted, char separator, bool *part)
{
	size_t len = strlen(wanted);

	*part = strncmp(name, wanted, len) == 0 && name[len] == separator;
	return *part || strcmp(name, wanted) == 0;
}

static bool kind_of_gres(const struct usage_tres *tres, const char *name, unsigned *kind)
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

static bool kind_of_license(const struct usage_tres *tres, const char *name, unsigned *kind)
{
	const struct tessera_pool *pool;
	bool remote;

	if (is_named(name, tessera_conf_ipu_name(tres->conf), '@', &remote)) {
		*kind = KIND_IPU_LICENSE;
		return true;
	}
	for (unsigned n = 0; n < TESSERA_POOLS_MAX && (pool = tessera_conf_pool_at(tres->conf, n)) != NULL; n++) {
		if (is_named(name, pool->license, '@', &remote)) {
			*kind = KIND_POOL + n;
			return true;
		}
	}
	return false;
}

int usage_tres_learn(struct usage_tres *tres, uint32_t id, const char *type, const char *name,
		     struct tessera_error *err)
{
	struct number *grown;
	unsigned kind;

	if (type == NULL || name == NULL)
		return 0;
	if (!(strcmp(type, "gres") == 0 && kind_of_gres(tres, name, &kind)) &&
	    !(strcmp(type, "license") == 0 && kind_of_license(tres, name, &kind)))
		return 0;
	grown = reallocarray(tres->numbers, tres->count + 1, sizeof(*grown));
	if (grown == NULL)
		return tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory");
	tres->numbers = grown;
	grown[tres->count++] = (struct number){.id = id, .kind = kind};
	return 0;
}

/* Read digits at *TEXT and pass over them. False: none, or too many. */
static bool digits(const char **text, uint64_t *value)
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

/* Add an item to the sums. False: the number was there before. */
static bool take(struct usage_tres *tres, uint64_t id, uint64_t count, struct sums *sums)
{
	for (size_t n = 0; n < tres->count; n++) {
		struct number *number = &tres->numbers[n];

		if (number->id != id)
			continue;
		if (number->reading == tres->readings)
			return false;
		number->reading = tres->readings;
		if (count >= NOT_SET)
			continue;
		sums->given[number->kind] = true;
		sums->count[number->kind] = usage_plus(sums->count[number->kind], count);
	}
	return true;
}

static bool read_text(struct usage_tres *tres, const char *text, struct sums *sums)
{
	uint64_t id, count;

	tres->readings++;
	for (const char *pos = text; *pos != '\0';) {
		if (*pos == ',') {
			pos++;
			continue;
		}
		if (!digits(&pos, &id) || *pos++ != '=' || !digits(&pos, &count))
			return false;
		if ((*pos != ',' && *pos != '\0') || !take(tres, id, count, sums))
			return false;
	}
	return true;
}

static uint64_t first_given(const struct sums *sums, unsigned kind, unsigned other)
{
	return sums->given[kind] ? sums->count[kind] : sums->count[other];
}

static void choose(const struct usage_tres *tres, const struct sums *sums, struct usage_held *counts)
{
	uint64_t gres = first_given(sums, KIND_IPU, KIND_IPU_TYPED), license = sums->count[KIND_IPU_LICENSE];

	counts->rdus = first_given(sums, KIND_RDU, KIND_RDU_TYPED);
	counts->tiles = first_given(sums, KIND_TILE, KIND_TILE_TYPED);
	if (tessera_conf_ipu_model(tres->conf) == TESSERA_IPU_GRES)
		counts->ipus = gres != 0 ? gres : license;
	else
		counts->ipus = license != 0 ? license : gres;
	memcpy(counts->pools, &sums->count[KIND_POOL], sizeof(counts->pools));
}

int usage_tres_read(struct usage_tres *tres, const char *text, struct usage_held *counts, struct tessera_error *err)
{
	struct sums sums = {0};

	if (!read_text(tres, text != NULL ? text : "", &sums)) {
		memset(counts, 0xff, sizeof(*counts));
		return tessera_error_set(err, TESSERA_ERR_INPUT, "'%s' is not what Slurm writes of allocated TRES",
					 text);
	}
	choose(tres, &sums, counts);
	return 0;
}

void usage_tres_tiles(struct usage_held *counts, const struct tessera_platform *p)
{
	unsigned gres = p != NULL ? tessera_platform_gres(p) : 0;

	if (counts->rdus == 0 || counts->tiles != 0)
		return;
	counts->tiles = gres > 0 ? usage_times(counts->rdus, tessera_platform_tiles(p) / gres) : TESSERA_UNKNOWN;
}
