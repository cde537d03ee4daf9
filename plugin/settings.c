/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <string.h>

#include "plugin/settings.h"

const char *settings_conf_path(int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		if (strncmp(argv[i], "conf=", 5) == 0)
			return argv[i] + 5;
	return TESSERA_CONF_PATH;
}
