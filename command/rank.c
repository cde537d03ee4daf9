/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

#include "command/rank.h"
#include "lib/util/scan.h"

/* The variables of each launcher: rank and number of ranks on the node, then of the whole job. */
static const struct launcher {
	const char *name;
	const char *here, *count_here, *number, *count;
} launchers[] = {
	{"hydra", "MPI_LOCALRANKID", "MPI_LOCALNRANKS", "PMI_RANK", "PMI_SIZE"},
	{"Open MPI", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE",
	 "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
	{"MVAPICH", "MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE", "MV2_COMM_WORLD_RANK",
	 "MV2_COMM_WORLD_SIZE"},
};

#define LAUNCHERS (sizeof(launchers) / sizeof(launchers[0]))

static int read_number(const char *variable, unsigned *number, struct tessera_error *err)
{
	const char *text = getenv(variable);
	struct scan in = {.at = text};

	if (text == NULL)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "%s is not set in this environment", variable);
	*number = (unsigned)scan_number(&in, "", UINT_MAX);
	if (in.failed || *in.at != '\0')
		return tessera_error_set(err, TESSERA_ERR_INPUT, "%s=%.40s is not a number",
					 variable, text);
	return 0;
}

/*
 * The number of tasks on node INDEX, from 0, in a list such as "2(x3),1": two tasks on each of
 * three nodes, one on the fourth. 0 if the list has no such node.
 */
static unsigned count_node_tasks(const char *text, unsigned index)
{
	struct scan in = {.at = text};

	for (;;) {
		unsigned tasks = (unsigned)scan_number(&in, "", UINT_MAX), nodes = 1;

		if (scan_follows(&in, "(x")) {
			nodes = (unsigned)scan_number(&in, "(x", UINT_MAX);
			scan_expect(&in, ")");
		}
		if (in.failed)
			return 0;
		if (index < nodes)
			return tasks;
		index -= nodes;
		scan_expect(&in, ",");
	}
}

/* SLURM_LOCALID alone does not make a rank: a batch script has it, too. */
static int find_srun(struct rank *rank, struct tessera_error *err)
{
	const char *tasks = getenv("SLURM_STEP_TASKS_PER_NODE");
	unsigned node;

	if (tasks == NULL || getenv("SLURM_LOCALID") == NULL)
		return 0;
	*rank = (struct rank){.launcher = "srun", .shared_out = true};
	if (read_number("SLURM_LOCALID", &rank->here, err) < 0 ||
	    read_number("SLURM_NODEID", &node, err) < 0 ||
	    read_number("SLURM_PROCID", &rank->number, err) < 0 ||
	    read_number("SLURM_STEP_NUM_TASKS", &rank->count, err) < 0)
		return -1;
	rank->count_here = count_node_tasks(tasks, node);
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
		    read_number(l->number, &rank->number, err) < 0 ||
		    read_number(l->count, &rank->count, err) < 0)
			return -1;
	}
	if (rank->launcher != NULL &&
	    (rank->here >= rank->count_here || rank->number >= rank->count))
		return tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"%s says that this is rank %u of %u on the node, and %u of %u in all",
			rank->launcher, rank->here, rank->count_here, rank->number, rank->count);
	return 0;
}
