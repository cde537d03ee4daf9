/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Request the rollup of the hours from START to END, which slurmdbd otherwise does once an hour;
 * sreport reads its result. Usage: rollup START END, in seconds since the epoch.
 */
#include <slurm/slurm.h>
#include <slurm/slurmdb.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	uint16_t flags = 0;
	void *connection, *stats = NULL;

	if (argc != 3)
		return 2;
	slurm_init(NULL);
	connection = slurmdb_connection_get(&flags);
	if (slurmdb_usage_roll(connection, strtoll(argv[1], NULL, 10), strtoll(argv[2], NULL, 10),
			       0, (void *)&stats) != SLURM_SUCCESS) {
		perror("slurmdb_usage_roll");
		return 1;
	}
	slurmdb_connection_close(&connection);
	return 0;
}
