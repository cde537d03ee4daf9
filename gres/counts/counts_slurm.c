/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gres/counts/counts_internal.h"
#include "lib/slurm/compat.h"
#include "lib/util/utf8.h"

/* Flags of a node that cannot be updated. */
#define FLAGS_AWAY                                                              \
	(NODE_STATE_FAIL | NODE_STATE_POWERED_DOWN | NODE_STATE_POWERING_DOWN | \
	 NODE_STATE_POWERING_UP | NODE_STATE_REBOOT_ISSUED)

/* Flags of them that a registration ends. */
#define FLAGS_RETURNING (NODE_STATE_POWERING_UP | NODE_STATE_REBOOT_ISSUED)

static int set_slurm_error(const char *node, const char *what, struct tessera_error *err)
{
	return tessera_error_set(
		err, errno == ESLURM_ACCESS_DENIED ? TESSERA_ERR_DENIED : TESSERA_ERR_UNAVAILABLE,
		"slurmctld did not %s node %s: %s", what, node, slurm_strerror(errno));
}

/* Set the node's state, and why it may not be updated. */
static void classify_node(struct counts_node *n, uint32_t state)
{
	uint32_t base = state & NODE_STATE_BASE;
	bool up =
		base == NODE_STATE_IDLE || base == NODE_STATE_ALLOCATED || base == NODE_STATE_MIXED;
	bool silent = (state & NODE_STATE_NO_RESPOND) != 0;
	/*
	 * When slurmctld requests a registration it clears the boot time, and flags the node as not
	 * responding until the registration comes.
	 */
	bool registering = (up && silent && n->awaited) || base == NODE_STATE_UNKNOWN;
	struct tessera_gres_counts_seen seen = {
		.gone = (state & FLAGS_AWAY) != 0 || (!registering && (!up || silent)),
		.registering = registering,
		.refused = (state & NODE_STATE_INVALID_REG) != 0,
		.drained = (state & NODE_STATE_DRAIN) != 0,
		.reason = n->reason,
	};

	n->state = tessera_gres_counts_classify(&seen);
	n->refused = seen.refused;
	n->silent = silent || (state & FLAGS_RETURNING) != 0;
	n->drained = seen.drained && (tessera_gres_counts_is_ours(n->reason) ||
				      tessera_gres_counts_is_slurms(n->reason));
	if (seen.gone)
		n->blocked = "the node is down or not responding";
	else if (seen.refused)
		n->blocked = "slurmctld refuses its registration; see slurmctld's log";
}

static int copy_node(const node_info_t *info, struct counts_node *out, struct tessera_error *err)
{
	snprintf(out->reason, sizeof(out->reason), "%s", info->reason != NULL ? info->reason : "");
	utf8_clean(out->reason);
	out->awaited = info->boot_time == 0;
	classify_node(out, info->node_state);
	if (info->gres != NULL && (out->gres = strdup(info->gres)) == NULL)
		return tessera_error_nomem(err);
	if (tessera_gres_counts_read(info->gres, &out->counted, err) < 0 ||
	    tessera_gres_counts_read(info->gres_used, &out->used, err) < 0)
		return tessera_error_prefix(err, "slurmctld's node %s", info->name);
	return 0;
}

int counts_node_load(const char *node, struct counts_node *out, struct tessera_error *err)
{
	node_info_msg_t *msg = NULL;
	char name[256];
	int rc = 1;

	*out = (struct counts_node){0};
	snprintf(name, sizeof(name), "%s", node);
	if (slurm_load_node_single(&msg, name, SHOW_DETAIL) != SLURM_SUCCESS)
		return set_slurm_error(node, "describe", err);
	for (uint32_t i = 0; i < msg->record_count && rc > 0; i++) {
		const node_info_t *info = &msg->node_array[i];

		if (info->name != NULL && strcmp(info->name, node) == 0)
			rc = copy_node(info, out, err);
	}
	slurm_free_node_info_msg(msg);
	if (rc > 0)
		return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
					 "slurmctld does not know node %s", node);
	return rc;
}

void counts_node_free(struct counts_node *n)
{
	free(n->gres);
	n->gres = NULL;
}

/*
 * REASON or GRES of NULL, and NO_VAL as STATE, leave it as it is. Returns 0, or -1 with errno.
 * Copies the texts because libslurm's message has pointers to non-const ones.
 */
static int update_node(const char *node, uint32_t state, const char *reason, const char *gres)
{
	update_node_msg_t msg;
	int rc = -1;

	slurm_init_update_node_msg(&msg);
	msg.node_names = strdup(node);
	msg.node_state = state;
	msg.reason = reason != NULL ? strdup(reason) : NULL;
	msg.gres = gres != NULL ? strdup(gres) : NULL;
	errno = ENOMEM;
	if (msg.node_names != NULL && (reason == NULL || msg.reason != NULL) &&
	    (gres == NULL || msg.gres != NULL))
		rc = slurm_update_node(&msg) == SLURM_SUCCESS ? 0 : -1;
	free(msg.node_names);
	free(msg.reason);
	free(msg.gres);
	return rc;
}

int counts_node_drain(const char *node, const char *reason, struct tessera_error *err)
{
	if (update_node(node, NODE_STATE_DRAIN, reason, NULL) == 0)
		return 0;
	return set_slurm_error(node, "drain", err);
}

int counts_node_resume(const char *node, struct tessera_error *err)
{
	if (update_node(node, NODE_RESUME, TESSERA_GRES_COUNTS_RESUMED, NULL) == 0)
		return 0;
	return set_slurm_error(node, "resume", err);
}

int counts_node_update(const char *node, const char *gres, struct tessera_error *err)
{
	if (update_node(node, NO_VAL, NULL, gres) == 0)
		return 0;
	if (errno == ESLURM_INVALID_GRES)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "slurmctld refuses Gres=%.200s for node %s: counts cannot "
					 "be updated if gres.conf gives rdu or rdu_tile a File",
					 gres, node);
	return set_slurm_error(node, "update the counts of", err);
}
