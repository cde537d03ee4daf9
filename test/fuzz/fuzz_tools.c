/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/vendor/gcipuinfo.h"
#include "lib/vendor/gcmonitor.h"
#include "lib/vendor/snconfig.h"
#include "lib/vendor/snfadm.h"
#include "lib/vendor/sntilestat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char table[] = "TILE %idle %exec PID USER COMMAND\n";
static const char commas[] = "TILE,%idle,%exec,PID,USER,COMMAND\n";

/* An accepted output covers at least one tile, and only covered tiles have owners. */
static void read_table(const char *head, const char *text, size_t size)
{
	const struct tessera_platform *p = tessera_platform_find_builtin("sn30-8");
	char *whole = malloc(strlen(head) + size + 1);
	struct sntilestat stat;

	if (whole == NULL)
		return;
	memcpy(whole, head, strlen(head));
	memcpy(whole + strlen(head), text, size + 1);
	if (sntilestat_read(whole, p, &stat, NULL) == 0) {
		if (tessera_tileset_empty(&stat.listed))
			abort();
		for (unsigned t = 0; t < TESSERA_TILES_MAX; t++)
			if (stat.owner[t] < 0 ||
			    (stat.owner[t] > 0 && !tessera_tileset_has(&stat.listed, t)))
				abort();
	}
	free(whole);
}

/*
 * The text of a command cannot assign a tile to another process. Without a path in it no tile is
 * lost either.
 */
static void read_command(const char *text, size_t size)
{
	static const char before[] = "/XRDU_0/RDU_0/TILE_0 1.0 1.0 77 joe ";
	static const char after[] = "\n/XRDU_0/RDU_0/TILE_1 1.0 1.0 88 bob x\n";
	const struct tessera_platform *p = tessera_platform_find_builtin("sn30-8");
	char *whole = malloc(sizeof(table) + sizeof(before) + size + sizeof(after));
	bool harmless = strstr(text, "/XRDU_") == NULL && strstr(text, "/NODE/") == NULL;
	struct sntilestat stat;
	int rc;

	if (whole == NULL)
		return;
	sprintf(whole, "%s%s%s%s", table, before, text, after);
	rc = sntilestat_read(whole, p, &stat, NULL);
	free(whole);
	if (rc < 0 ? harmless
		   : (tessera_tileset_has(&stat.listed, 0) ? stat.owner[0] != 77 : harmless) ||
			     (tessera_tileset_has(&stat.listed, 1) ? stat.owner[1] != 88
								   : harmless))
		abort();
}

/* Bad tiles are known, tiles that do not exist are not, and a refused output sets nothing. */
static void check_source(int rc, const struct tessera_health_source *source)
{
	struct tessera_tileset all;

	tessera_tileset_all(tessera_platform_find_builtin("sn30-8"), &all);
	if (!tessera_tileset_subset(&source->bad, &source->known) ||
	    !tessera_tileset_subset(&source->known, &all) ||
	    memchr(source->text, '\0', sizeof(source->text)) == NULL ||
	    (rc < 0 && (!tessera_tileset_empty(&source->known) || source->text[0] != '\0')))
		abort();
}

static void read_health(const char *head, const char *text, size_t size)
{
	const struct tessera_platform *p = tessera_platform_find_builtin("sn30-8");
	char *whole = malloc(strlen(head) + size + 1);
	struct tessera_health_source source = {0};
	struct tessera_health_ipus ipus = {0};

	if (whole == NULL)
		return;
	memcpy(whole, head, strlen(head));
	memcpy(whole + strlen(head), text, size + 1);
	check_source(snfadm_read(whole, p, &source, NULL), &source);
	check_source(snconfig_read(whole, p, "a", "", &source, NULL), &source);
	check_source(snconfig_read(whole, p, "ab", "b", &source, NULL), &source);
	if (gcipuinfo_read(whole, &ipus, NULL) < 0 && (ipus.bad > 0 || ipus.seen > 0))
		abort();
	free(whole);
}

static void read_json(const char *text)
{
	struct gcmonitor_ipu *ipus = NULL;
	int count = gcmonitor_read(text, &ipus, NULL);

	for (int i = 0; i < count; i++)
		if (ipus[i].pid <= 0)
			abort();
	free(ipus);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (text == NULL)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	read_table("", text, size);
	read_table(table, text, size);
	read_table(commas, text, size);
	read_command(text, size);
	read_json(text);
	read_health("", text, size);
	read_health("Component Name | Inventory State | Functional State\n", text, size);
	read_health("\"Component Name\",\"Inventory State\",\"Functional State\"\n", text, size);
	read_health("XRDU Name: XRDU_0\nRDU Name: RDU_0\n", text, size);
	free(text);
	return 0;
}
