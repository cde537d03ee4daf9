/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A V-IPU controller as tessera.conf describes it: one block for each pod, whose title names the pod's hosts.
 *
 *   vipu "gc-poplar-[02-04]" {
 *       Host       = 10.1.3.101
 *       Port       = 8090
 *       Allocation = alloc-1               # none: whatever the controller has room in
 *   }
 *
 * Only what is written there goes to the controller; nothing of it comes from a user.
 */
#ifndef TESSERA_VIPU_SITE_H
#define TESSERA_VIPU_SITE_H

#include <stddef.h>
#include <stdint.h>

#include "platform.h"

#define TESSERA_PATH_MAX    256 /* of a file, with the final NUL; so are these */
#define TESSERA_HOST_MAX    256
#define TESSERA_COMMAND_MAX 512

/* The name of a job's partition: the prefix and ten digits at the most, with the final NUL. */
#define TESSERA_PARTITION_MAX (TESSERA_NAME_MAX + 16)

enum tessera_vipu_backend {
	TESSERA_VIPU_GRPC = 1,    /* the controller's own interface */
	TESSERA_VIPU_COMMAND = 2, /* the vendor's command-line program */
};

/* What becomes of a partition that an earlier run of the same job left. */
enum tessera_vipu_leftover {
	TESSERA_LEFTOVER_REMOVE = 1, /* removed, and made anew */
	TESSERA_LEFTOVER_RESET = 2,  /* reset, if it has the right size */
};

struct tessera_vipu_site {
	char *nodes; /* a host list: whose jobs this controller serves */
	enum tessera_vipu_backend backend;
	char host[TESSERA_HOST_MAX];
	unsigned port;
	char allocation[TESSERA_NAME_MAX]; /* "": any */
	char prefix[TESSERA_NAME_MAX];     /* of a partition's name, before the job's number */
	unsigned reconfigurable;           /* 1 or 0; so are relocatable and tls */
	unsigned relocatable;
	enum tessera_vipu_leftover leftover;
	unsigned create_wait;  /* seconds until a partition must be active */
	unsigned remove_wait;  /* seconds until it must be gone, for each of a plain and a forced removal */
	unsigned call_wait;    /* seconds for one question to the controller */
	unsigned task_timeout; /* what a task finds in IPUOF_VIPU_API_TIMEOUT */

	/* TESSERA_VIPU_GRPC. "": none. */
	unsigned tls;
	char ca_file[TESSERA_PATH_MAX];   /* who signed the controller's certificate */
	char cert_file[TESSERA_PATH_MAX]; /* ours */
	char cert_key[TESSERA_PATH_MAX];  /* its key: root's alone */
	char metadata_file
		[TESSERA_PATH_MAX]; /* "name: value" lines sent with each call, access keys among them: root's alone */

	/*
	 * TESSERA_VIPU_COMMAND: words with blanks between, without a shell. %p is the partition, %n its IPUs, %g its
	 * GCDs, %a the allocation, %h the host, %o the port. status must exit with 0 only if the partition is there and
	 * usable.
	 */
	char create_command[TESSERA_COMMAND_MAX];
	char remove_command[TESSERA_COMMAND_MAX];
	char force_command[TESSERA_COMMAND_MAX];
	char status_command[TESSERA_COMMAND_MAX];
};

/* The name of JOB's partition, cut to LEN; TESSERA_PARTITION_MAX is enough. */
void tessera_vipu_partition_name(const struct tessera_vipu_site *site, uint32_t job, char *buf, size_t len);

/* The job whose partition has that NAME; 0 if it is no job's, and so nobody's business here. */
uint32_t tessera_vipu_partition_job(const struct tessera_vipu_site *site, const char *name);

#endif /* TESSERA_VIPU_SITE_H */
