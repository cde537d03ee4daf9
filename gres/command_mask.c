/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera mask: a set of tiles, from any of its forms to another.
 */
#include "config.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "gres/command.h"
#include "lib/tileset.h"

static void print_help(void)
{
	puts("Usage: tessera mask [--platform=P] [--conf=FILE] [--as=FORM] SET\n"
	     "\n"
	     "Writes a set of tiles in another form. SET is read in any of them.\n"
	     "\n"
	     "  --platform=P  the machine, such as sn30-8; otherwise the one that all\n"
	     "                partitions in tessera.conf have\n"
	     "  --conf=FILE   instead of tessera.conf beside slurm.conf\n"
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
		{"mask", TESSERA_FORM_MASK},     {"tiles", TESSERA_FORM_TILES}, {"rdus", TESSERA_FORM_RDUS},
		{"dotted", TESSERA_FORM_DOTTED}, {"paths", TESSERA_FORM_PATHS},
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (strcmp(word, forms[i].word) == 0) {
			*form = forms[i].form;
			return 0;
		}
	}
	return -1;
}

static int convert(const char *conf_path, const char *platform, const char *text, enum tessera_form form)
{
	const struct tessera_platform *p;
	char out[TESSERA_TILESET_TEXT_MAX];
	struct tessera_error err = {0};
	struct tessera_tileset set;
	struct tessera_conf *conf;
	int code = TESSERA_OK;

	conf = command_conf(conf_path, &err);
	if (conf == NULL)
		return command_fail(&err);
	p = command_platform(conf, platform, &err);
	if (p != NULL && p->kind != TESSERA_KIND_RDU) {
		tessera_error_set(&err, TESSERA_ERR_INPUT, "platform %s has no tiles", p->name);
		p = NULL;
	}
	if (p == NULL || tessera_tileset_parse(p, text, &set, &err) < 0) {
		code = command_fail(&err);
	} else {
		tessera_tileset_format(p, &set, form, out, sizeof(out));
		puts(out);
	}
	tessera_conf_free(conf);
	return code;
}

int command_mask(int argc, char **argv)
{
	static const struct option options[] = {
		{"as", required_argument, NULL, 'a'},
		{"conf", required_argument, NULL, 'c'},
		{"help", no_argument, NULL, 'h'},
		{"platform", required_argument, NULL, 'p'},
		{NULL, 0, NULL, 0},
	};
	enum tessera_form form = TESSERA_FORM_MASK;
	const char *conf = NULL, *platform = NULL;
	int got;

	while ((got = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		switch (got) {
		case 'a':
			if (find_form(optarg, &form) < 0)
				return command_usage(
					argv[0], "--as=%s is not a form; it is mask, tiles, rdus, dotted or paths",
					optarg);
			break;
		case 'c':
			conf = optarg;
			break;
		case 'p':
			platform = optarg;
			break;
		case 'h':
			print_help();
			return TESSERA_OK;
		default:
			return command_bad_option(argv, got);
		}
	}
	if (optind != argc - 1)
		return command_usage(argv[0], optind == argc ? "which tiles? A SET is missing"
							     : "one SET at a time; join its parts with commas");
	return convert(conf, platform, argv[optind], form);
}
