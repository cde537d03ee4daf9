/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

#include "gres/rank.h"
#include "lib/reader.h"

/* The variables of a launcher: the number on the node, how many there are, and the same among all. */
static const struct launcher {
	const char *name;
	const char *here, *count_here, *number, *count;
} launchers[] = {
	{"hydra", "MPI_LOCALRANKID", "MPI_LOCALNRANKS", "PMI_RANK", "PMI_SIZE"},
	{"Open MPI", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_RANK",
	 "OMPI_COMM_WORLD_SIZE"},
	{"MVAPICH", "MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE", "MV2_COMM_WORLD_RANK",
	 "MV2_COMM_WORLD_SIZE"},
};

#define LAUNCHERS (sizeof(launchers) / sizeof(launchers[0]))

static int read_number(const char *variable, unsigned *number, struct tessera_error *err)
{
	const char *text = getenv(variable);
	struct reader in = {.at = text};

	if (text == NULL)
		return tessera_error_set(err, TESSERA_ERR_INPUT, "%s is not set in this environment", variable);
	*number = (unsigned)reader_number(&in, "", UINT_MAX);
	if (in.failed || *in.at != '\0')
		return tessera_error_set(err, TESSERA_ERR_INPUT, "%s=%.40s is not a number", variable, text);
	return 0;
}

/* "2(x3),1": how many tasks on each node. The count on node INDEX, from 0; 0 if there is none. */
static unsigned tasks_of_node(const char *text, unsigned index)
{
	struct reader in = {.at = text};

	for (;;) {
		unsigned tasks = (unsigned)reader_number(&in, "", UINT_MAX), nodes = 1;

		if (reader_follows(&in, "(x")) {
			nodes = (unsigned)reader_number(&in, "(x", UINT_MAX);
			reader_expect(&in, ")");
		}
		if (in.failed)
			return 0;
		if (index < nodes)
			return tasks;
		index -= nodes;
		reader_expect(&in, ",");
	}
}

/* A batch script has SLURM_LOCALID too, but is no task of a step. */
static int find_srun(struct rank *rank, struct tessera_error *err)
{
	const char *tasks = getenv("SLURM_STEP_TASKS_PER_NODE");
	unsigned node;

	if (tasks == NULL || getenv("SLURM_LOCALID") == NULL)
		return 0;
	*rank = (struct rank){.launcher = "srun", .shared_out = true};
	if (read_number("SLURM_LOCALID", &rank->here, err) < 0 || read_number("SLURM_NODEID", &node, err) < 0 ||
	    read_number("SLURM_PROCID", &rank->number, err) < 0 ||
	    read_number("SLURM_STEP_NUM_TASKS", &rank->count, err) < 0)
		return -1;
	rank->count_here = tasks_of_node(tasks, node);
	return 0;
}

int rank_find(struct rank *rank, struct tessera_error *err)
{
	const struct launcher *l = launchers;

	*rank = (struct rank){0};
	while (l < launchers + LAUNCHERS && getenv(l->here) == NULL)
		l++;
	if (l == launchers + LAUNCHERS) {
		if (find_srun(rank, err) < 0)
			return -1;
	} else {
		rank->launcher = l->name;
		if (read_number(l->here, &rank->here, err) < 0 ||
		    read_number(l->count_here, &rank->count_here, err) < 0 ||
		    read_number(l->number, &rank->number, err) < 0 || read_number(l->count, &rank->count, err) < 0)
			return -1;
	}
	if (rank->launcher != NULL && (rank->here >= rank->count_here || rank->number >= rank->count))
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "%s says that this is rank %u of %u on the node, and %u of %u in all",
					 rank->launcher, rank->here, rank->count_here, rank->number, rank->count);
	return 0;
}
