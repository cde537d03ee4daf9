/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/deadline.h"
#include "lib/run.h"
#include "plugin/aside.h"
#include "plugin/closeness.h"
#include "plugin/slurm_compat.h"

#define WAIT_S 30 /* hwloc takes a second on a large machine */

/* Nothing that goes wrong here hurts a job: it only gets other RDUs than it might. */
static void write_table(const struct node *node)
{
	char command[2 * TESSERA_COMMAND_MAX], said[RUN_SAID_MAX];
	const char *argv[RUN_WORDS_MAX + 1];
	struct run run = {.argv = argv, .deadline = deadline_after(WAIT_S)};
	struct tessera_error err = {0};
	int status = -1;

	if (tessera_conf_for_node("TopologyCommand", tessera_conf_topology(node->conf), node->name, command,
				  sizeof(command), &err) == 0 &&
	    run_words(command, argv, &err) == 0)
		status = run_program(&run, said, &err);
	if (status > 0)
		tessera_error_set(&err, TESSERA_ERR_MISSING, "%s failed with %d%s%s", argv[0], status,
				  said[0] != '\0' ? ": " : "", said);
	if (status != 0)
		slurm_error("tessera: it is not known which RDUs are near: %s", err.text);
	else if (said[0] != '\0')
		slurm_verbose("%s", said);
}

void closeness_at_start(int argc, char **argv)
{
	struct tessera_error err = {0};
	struct node node;

	/* node_remember() has told what is wrong with tessera.conf. */
	if (node_open(&node, argc, argv, &err) == 0 && node.platform != NULL &&
	    tessera_conf_topology(node.conf)[0] != '\0')
		aside_do(write_table, &node);
	node_close(&node);
}
