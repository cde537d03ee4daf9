/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The TRES of a job as slurmdbd sends them. The first line names TRES (type/name, numbered from
 * 1001), the rest is the text.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/account/tres.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool right, const char *what)
{
	if (right)
		return;
	fprintf(stderr, "broken: %s\n", what);
	abort();
}

static void learn(struct tessera_tres *tres, char *line)
{
	char *item;

	for (uint32_t id = 1001; (item = strsep(&line, ",")) != NULL; id++) {
		const char *type = strsep(&item, "/");

		check(tessera_tres_learn(tres, id, type, item, NULL) == 0, "names are taken");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tessera_conf *conf = tessera_conf_parse(
		"fuzz", "pool csx {\n Max = 2\n}\npool b {\n Max = 8\n}\n", NULL);
	struct tessera_tres *tres = tessera_tres_new(conf);
	char *copy = malloc(size + 1), *rest = copy;
	struct tessera_usage_held first, second;
	struct tessera_error err = {0};
	int rc;

	if (conf == NULL || tres == NULL || copy == NULL)
		abort();
	memcpy(copy, data, size);
	copy[size] = '\0';
	learn(tres, strsep(&rest, "\n"));
	rc = tessera_tres_read(tres, rest, &first, &err);
	check(rc == 0 || (first.rdus == TESSERA_UNKNOWN && err.code == TESSERA_ERR_INPUT),
	      "a refusal is unknown");
	check(tessera_tres_read(tres, rest, &second, &err) == rc, "the same when read twice");
	check(memcmp(&first, &second, sizeof(first)) == 0, "with the same counts");
	tessera_tres_tiles(&first, tessera_platform_find_builtin("sn30-8"));
	check(first.rdus == 0 || first.tiles != 0, "RDUs have tiles");
	free(copy);
	tessera_tres_free(tres);
	tessera_conf_free(conf);
	return 0;
}
