/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A V-IPU controller in tessera.conf: one block for each pod, whose title is the list of the pod's
 * hosts.
 *
 *   vipu "gc-poplar-[02-04]" {
 *       Host       = 10.1.3.101
 *       Port       = 8090
 *       Allocation = alloc-1               # if not set, the controller chooses one
 *   }
 *
 * The controller receives only these settings, never text from a user.
 */
#ifndef TESSERA_CONF_VIPU_H
#define TESSERA_CONF_VIPU_H

#include <stddef.h>
#include <stdint.h>

#include "../tile/platform.h"

#define TESSERA_PATH_MAX    256 /* all with the final NUL */
#define TESSERA_HOST_MAX    256
#define TESSERA_COMMAND_MAX 512

/* Size of the name of a job's V-IPU partition: the prefix, at most ten digits, and the NUL. */
#define TESSERA_PARTITION_MAX (TESSERA_NAME_MAX + 16)

/* What to do with a V-IPU partition that an earlier run of the same job left. */
enum tessera_vipu_leftover {
	TESSERA_VIPU_LEFTOVER_REMOVE = 1, /* remove it, and create a new one */
	TESSERA_VIPU_LEFTOVER_RESET = 2,  /* reset it, if it has the right size */
};

struct tessera_vipu_site {
	char *nodes; /* host list: the nodes of this controller. Allocated */
	char host[TESSERA_HOST_MAX];
	unsigned port;
	char allocation[TESSERA_NAME_MAX]; /* "": the controller chooses */
	char prefix[TESSERA_NAME_MAX];     /* of a partition's name, before the job ID */
	unsigned reconfigurable;           /* 1 or 0, like relocatable and tls */
	unsigned relocatable;
	enum tessera_vipu_leftover leftover;
	unsigned create_wait; /* time limit until a partition is active, seconds */
	/* time limit of a removal, and again of a forced removal, seconds */
	unsigned remove_wait;
	unsigned call_wait;    /* time limit of one call to the controller, seconds */
	unsigned task_timeout; /* IPUOF_VIPU_API_TIMEOUT of a task */

	/* the connection; "": not set */
	unsigned tls;
	char ca_file[TESSERA_PATH_MAX];   /* CA certificate used to verify the controller */
	char cert_file[TESSERA_PATH_MAX]; /* client certificate */
	char cert_key[TESSERA_PATH_MAX];  /* its key; only root may read it */
	/* "name: value" lines sent with each call, such as access keys; only root may read it */
	char metadata_file[TESSERA_PATH_MAX];
};

/* The name of JOB's V-IPU partition, cut to LEN; TESSERA_PARTITION_MAX is enough. */
void tessera_vipu_partition_name(const struct tessera_vipu_site *site, uint32_t job, char *buf,
				 size_t len);

/* The job whose V-IPU partition has that NAME; 0 if it is not the partition of a job. */
uint32_t tessera_vipu_partition_job(const struct tessera_vipu_site *site, const char *name);

#endif /* TESSERA_CONF_VIPU_H */
