/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whatever slurmdbd says that a job was given: the first line names TRES (type/name, numbered from 1001), the rest is
 * the text.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/usage_tres.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool right, const char *what)
{
	if (right)
		return;
	fprintf(stderr, "broken: %s\n", what);
	abort();
}

static void learn(struct usage_tres *tres, char *line)
{
	char *item;

	for (uint32_t id = 1001; (item = strsep(&line, ",")) != NULL; id++) {
		const char *type = strsep(&item, "/");

		check(usage_tres_learn(tres, id, type, item, NULL) == 0, "names are taken");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tessera_conf *conf =
		tessera_conf_parse("fuzz", "pool csx {\n Max = 2\n}\npool b {\n Max = 8\n}\n", NULL);
	struct usage_tres *tres = usage_tres_new(conf);
	char *copy = malloc(size + 1), *rest = copy;
	struct usage_held first, second;
	struct tessera_error err = {0};
	int rc;

	if (conf == NULL || tres == NULL || copy == NULL)
		abort();
	memcpy(copy, data, size);
	copy[size] = '\0';
	learn(tres, strsep(&rest, "\n"));
	rc = usage_tres_read(tres, rest, &first, &err);
	check(rc == 0 || (first.rdus == TESSERA_UNKNOWN && err.code == TESSERA_ERR_INPUT), "a refusal is unknown");
	check(usage_tres_read(tres, rest, &second, &err) == rc, "the same when read twice");
	check(memcmp(&first, &second, sizeof(first)) == 0, "with the same counts");
	usage_tres_tiles(&first, tessera_platform_find_builtin("sn30-8"));
	check(first.rdus == 0 || first.tiles != 0, "RDUs have tiles");
	free(copy);
	usage_tres_free(tres);
	tessera_conf_free(conf);
	return 0;
}
