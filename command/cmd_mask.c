/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera mask: convert a set of tiles from any form to another.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "command/cli.h"
#include "command/command.h"
#include "lib/tile/tileset.h"

static void print_help(void)
{
	puts("Usage: tessera mask [--platform=P] [--conf=FILE] [--as=FORM] SET\n"
	     "\n"
	     "Convert a set of tiles to another form. SET may have any of these forms.\n"
	     "\n"
	     "  --platform=P  platform, such as sn30-8 (default: the platform of all\n"
	     "                partitions in tessera.conf)\n"
	     "  --conf=FILE   use FILE instead of tessera.conf beside slurm.conf\n"
	     "  --as=FORM     mask    0xff000000, for SF_RNT_TILE_AFFINITY (the default)\n"
	     "                tiles   24-31\n"
	     "                rdus    rdu6,rdu7\n"
	     "                dotted  6.0-3,7.0-3\n"
	     "                paths   /XRDU_3/RDU_0/TILE_0,...\n"
	     "\n"
	     "Example: tessera mask --platform=sn10-8 rdu6,rdu7");
}

static int find_form(const char *word, enum tessera_form *form)
{
	static const struct {
		const char *word;
		enum tessera_form form;
	} forms[] = {
		{"mask", TESSERA_FORM_MASK},   {"tiles", TESSERA_FORM_TILES},
		{"rdus", TESSERA_FORM_RDUS},   {"dotted", TESSERA_FORM_DOTTED},
		{"paths", TESSERA_FORM_PATHS},
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (strcmp(word, forms[i].word) == 0) {
			*form = forms[i].form;
			return 0;
		}
	}
	return -1;
}

static int convert_set(const char *conf_path, const char *platform, const char *text,
		       enum tessera_form form)
{
	const struct tessera_platform *p;
	char out[TESSERA_TILESET_TEXT_MAX];
	struct tessera_error err = {0};
	struct tessera_tileset set;
	struct tessera_conf *conf;
	int code = TESSERA_OK;

	conf = cli_read_conf(conf_path, &err);
	if (conf == NULL)
		return cli_fail(&err);
	p = cli_platform(conf, platform, &err);
	if (p != NULL && p->kind != TESSERA_KIND_RDU) {
		tessera_error_set(&err, TESSERA_ERR_INPUT, "platform %s has no tiles", p->name);
		p = NULL;
	}
	if (p == NULL || tessera_tileset_parse(p, text, &set, &err) < 0) {
		code = cli_fail(&err);
	} else {
		tessera_tileset_format(p, &set, form, out, sizeof(out));
		puts(out);
	}
	tessera_conf_free(conf);
	return code;
}

static int read_form(const char *command, const char *text, void *to)
{
	if (find_form(text, to) == 0)
		return TESSERA_OK;
	return cli_usage(command, "--as=%s must be mask, tiles, rdus, dotted or paths", text);
}

int cmd_mask(int argc, char **argv)
{
	enum tessera_form form = TESSERA_FORM_MASK;
	const char *conf = NULL, *platform = NULL;
	const struct cli_row rows[] = {
		{"as", 0, CLI_READ, &form, read_form},
		{"conf", 0, CLI_TEXT, &conf, NULL},
		{"platform", 0, CLI_TEXT, &platform, NULL},
		CLI_END,
	};
	int code = cli_parse(argc, argv, rows, CLI_OPERANDS, print_help);

	if (code != CLI_GO_ON)
		return code;
	if (optind != argc - 1)
		return cli_usage(argv[0],
				 optind == argc
					 ? "which tiles? SET is missing"
					 : "only one SET is allowed: join its parts with commas");
	return convert_set(conf, platform, argv[optind], form);
}
