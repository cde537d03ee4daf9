/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For LD_PRELOAD: an update of a node that slurmctld accepts and does not apply. The environment
 * variable DROPPED names it: "gres" or "resume". Built by health_update_again.sh.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include <slurm/slurm.h>

int slurm_update_node(update_node_msg_t *msg)
{
	static int (*real)(update_node_msg_t * msg);
	const char *dropped = getenv("DROPPED");

	if (dropped != NULL && ((strcmp(dropped, "gres") == 0 && msg->gres != NULL) ||
				(strcmp(dropped, "resume") == 0 && msg->node_state == NODE_RESUME)))
		return SLURM_SUCCESS;
	if (real == NULL)
		real = (int (*)(update_node_msg_t *))dlsym(RTLD_NEXT, "slurm_update_node");
	return real != NULL ? real(msg) : SLURM_ERROR;
}
