/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A SPANK plugin that sends our options with a job unchecked, as a program of a user could: each
 * environment variable SEND_x=y becomes the option x of the plugin tessera. Built by requests.bash.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <slurm/spank.h>

extern char **environ;

SPANK_PLUGIN(send_options, 1)

int slurm_spank_init_post_opt(spank_t sp, int argc, char **argv)
{
	char name[128];

	(void)argc;
	(void)argv;
	for (char **entry = environ; *entry != NULL; entry++) {
		const char *value = strchr(*entry, '=');

		if (strncmp(*entry, "SEND_", 5) != 0 || value == NULL)
			continue;
		snprintf(name, sizeof(name), "_SLURM_SPANK_OPTION_tessera_%.*s",
			 (int)(value - *entry - 5), *entry + 5);
		spank_job_control_setenv(sp, name, value + 1, 1);
	}
	return 0;
}
