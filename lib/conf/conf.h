/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera.conf: the platform of each Slurm partition and node, and the site's settings.
 * tessera.conf(5) documents every key; conf_schema.c has the table of them.
 *
 * A platform's Like names a built-in row or a block above it in the file; otherwise the order of
 * blocks does not matter. Environment variables are not expanded: ${...} is an error.
 */
#ifndef TESSERA_CONF_H
#define TESSERA_CONF_H

#include <stdbool.h>

#include "../tile/platform.h"
#include "../util/error.h"
#include "conf_vipu.h"
#include "pool.h"

enum tessera_rdu_scope {
	TESSERA_SCOPE_NODE = 1, /* --gres=rdu:N is N on each node, as in Slurm */
	TESSERA_SCOPE_TASK = 2, /* N for each task, as in the tutorials of some sites */
	/* N for each task if the node has that many, otherwise N on each node */
	TESSERA_SCOPE_AUTO = 3,
};

/* What to do with a job that requests no tiles in a partition with tiles. */
enum tessera_unasked {
	TESSERA_UNASKED_LEAVE = 1,   /* leave its environment unchanged */
	TESSERA_UNASKED_DEFAULT = 2, /* as if it had requested the partition's Default */
	TESSERA_UNASKED_NONE = 3,    /* set an empty mask for its tasks */
	TESSERA_UNASKED_REFUSE = 4,  /* reject it at submission */
};

/* How requests for a partition are interpreted. Keys not in its block have the file's value. */
struct tessera_policy {
	enum tessera_rdu_scope rdu_scope;
	unsigned tiles_per_task; /* minimum that each task needs; 0: unknown */
	enum tessera_unasked unasked;
	/* Unasked is set in the file: LEAVE is the choice of the site, not the default */
	bool unasked_said;
	char default_gres[TESSERA_NAME_MAX]; /* in the syntax of --gres: "rdu:1" */
};

enum tessera_ipu_model {
	TESSERA_IPU_LICENSE = 1, /* one pool for the cluster, counted as a license */
	TESSERA_IPU_GRES = 2,    /* the pool is divided among its hosts */
};

/* What to do with a mask in the environment of the user. */
enum tessera_user_mask {
	TESSERA_MASK_NARROW =
		1, /* use it if it is within the job's tiles, otherwise fail the task */
	TESSERA_MASK_REFUSE = 2, /* fail the task */
	TESSERA_MASK_IGNORE = 3, /* replace it with the job's */
	/* at submission, treat it as --tile-affinity; on the node, as NARROW */
	TESSERA_MASK_WISH = 4,
};

/* Which tools report bad tiles, and how long a result is valid (health.h). */
struct tessera_health_conf {
	/*
	 * Commands: words separated by spaces, the first an absolute path, with %n for the node's
	 * name; "": not used.
	 */
	char snfadm[TESSERA_COMMAND_MAX];
	char snconfig[TESSERA_COMMAND_MAX];
	char ipus[TESSERA_COMMAND_MAX];
	/* text that marks a tile as bad in a line of snconfig; "": none */
	char snconfig_bad[TESSERA_NAME_MAX];
	/* text that marks it as good; "": every listed tile that is not bad */
	char snconfig_good[TESSERA_NAME_MAX];
	unsigned wait; /* time limit of a tool, seconds */
	/* how long a result is valid, seconds; 0: no limit */
	unsigned max;
	/* do not allocate tiles of unknown health */
	unsigned avoid_unknown;
};

/* What to do with the tiles of an ended job while its processes still use the device. */
enum tessera_leftover_policy {
	TESSERA_LEFTOVER_WAIT = 1,       /* wait a while, then withhold the tiles */
	TESSERA_LEFTOVER_KILL = 2,       /* kill the processes, then the same */
	TESSERA_LEFTOVER_QUARANTINE = 3, /* withhold the tiles at once */
};

struct tessera_leftover_conf {
	/* pattern of device files for fnmatch(3), %n for the node's name; "": no check */
	char devices[TESSERA_PATH_MAX];
	enum tessera_leftover_policy policy;
	unsigned wait; /* how long WAIT and KILL wait, seconds */
};

/* Whether tasks get a grant (grant.h), and the socket of munged; "": munge's default. */
struct tessera_grant_conf {
	unsigned enabled;
	char socket[TESSERA_PATH_MAX];
};

struct tessera_conf; /* a parsed file */

/*
 * The configuration of an empty file: built-in platforms and defaults. To be freed with
 * tessera_conf_free(). NULL when out of memory.
 */
struct tessera_conf *tessera_conf_default(void);

/*
 * Parse a file, or TEXT (NUL-terminated), for which errors show NAME. The result is to be freed
 * with tessera_conf_free(). Returns NULL with ERR: TESSERA_ERR_IO when the file cannot be read;
 * TESSERA_ERR_INPUT, with a text that starts with file:line, for an unknown key or platform, a
 * platform in use that tessera_platform_check() rejects, a bad host list, a duplicate title or key,
 * a node with two platforms or two controllers, a controller without a host. Not thread-safe:
 * libconfuse parses into static variables.
 */
struct tessera_conf *tessera_conf_read(const char *path, struct tessera_error *err);
struct tessera_conf *tessera_conf_parse(const char *name, const char *text,
					struct tessera_error *err);

/*
 * tessera_conf_read() for code that runs as root: the file must be owned by root or the effective
 * user, and not writable by group or others (TESSERA_ERR_DENIED). The open file is checked, so it
 * cannot be exchanged before it is read.
 */
struct tessera_conf *tessera_conf_read_trusted(const char *path, struct tessera_error *err);

/* CONF may be NULL. */
void tessera_conf_free(struct tessera_conf *conf);

/* The settings of the file; the policy is that of partitions without their own. Owned by CONF. */
const struct tessera_policy *tessera_conf_policy(const struct tessera_conf *conf);
enum tessera_ipu_model tessera_conf_ipu_model(const struct tessera_conf *conf);
const char *tessera_conf_ipu_name(const struct tessera_conf *conf);
enum tessera_user_mask tessera_conf_user_mask(const struct tessera_conf *conf);
unsigned tessera_conf_place_wait(const struct tessera_conf *conf);
unsigned tessera_conf_max_requeue(const struct tessera_conf *conf);
#define TESSERA_MAX_REQUEUE 3 /* default of MaxRequeue */

/*
 * The state directory of a node: StateDir with each %n replaced by NODE. Returns 0, or -1 with ERR
 * (TESSERA_ERR_INPUT) and BUF undefined when the path does not fit LEN, or NODE is empty, ".", ".."
 * or contains a slash.
 */
int tessera_conf_state_dir(const struct tessera_conf *conf, const char *node, char *buf, size_t len,
			   struct tessera_error *err);

/* The same for MarksDir, where marks of the administrator survive a reboot. */
int tessera_conf_marks_dir(const struct tessera_conf *conf, const char *node, char *buf, size_t len,
			   struct tessera_error *err);

/*
 * The platform with that name, from the file or built in. Owned by CONF. NULL with ERR
 * (TESSERA_ERR_INPUT) when it does not exist, or tessera_platform_check() rejects it.
 */
const struct tessera_platform *tessera_conf_platform(const struct tessera_conf *conf,
						     const char *name, struct tessera_error *err);

/*
 * Platform number N from 0: built-in rows first, then those of the file; NULL after the last. It
 * may be incomplete.
 */
const struct tessera_platform *tessera_conf_platform_at(const struct tessera_conf *conf, size_t n);

/*
 * The platform of a request for PARTITIONS: a Slurm list "a,b", or NULL or "" when the request
 * names none. *PLATFORM is NULL when none of the partitions is in the file. If the request names no
 * partition, *PLATFORM is the platform that all partitions in the file have; NULL if they have
 * several or there are none, and the caller must find the cluster's default partition. Returns 0,
 * or -1 with ERR (TESSERA_ERR_INPUT) when the partitions have different platforms, or the list is
 * too long.
 */
int tessera_conf_partition_platform(const struct tessera_conf *conf, const char *partitions,
				    const struct tessera_platform **platform,
				    struct tessera_error *err);

/*
 * The policy for a request for PARTITIONS, a list as above. For several partitions it is that of
 * the first; their Unasked and Default may differ. *POLICY is NULL only if the request names no
 * partition and those in the file differ in RduScope or TilesPerTask; the caller must then find the
 * cluster's default partition. Returns 0, or -1 with ERR (TESSERA_ERR_INPUT) when the named
 * partitions differ in RduScope or TilesPerTask.
 */
int tessera_conf_partition_policy(const struct tessera_conf *conf, const char *partitions,
				  const struct tessera_policy **policy, struct tessera_error *err);

/* The policy of partition block N from 0; NULL after the last. Owned by CONF. */
const struct tessera_policy *tessera_conf_policy_at(const struct tessera_conf *conf, size_t n);

/*
 * The platform of partition block or node block N from 0; NULL after the last. *TITLE is set to the
 * partition's name, or to the host list. Owned by CONF.
 */
const struct tessera_platform *tessera_conf_partition_at(const struct tessera_conf *conf, size_t n,
							 const char **title);
const struct tessera_platform *tessera_conf_node_at(const struct tessera_conf *conf, size_t n,
						    const char **title);

/* The platform of a node, or NULL if the node is not in the file. */
const struct tessera_platform *tessera_conf_node_platform(const struct tessera_conf *conf,
							  const char *node);

/* The V-IPU controller of a node, or NULL if it has none in the file. Owned by CONF. */
const struct tessera_vipu_site *tessera_conf_vipu(const struct tessera_conf *conf,
						  const char *node);

/* Controller N and pool N from 0; NULL after the last. Owned by CONF. */
const struct tessera_vipu_site *tessera_conf_vipu_at(const struct tessera_conf *conf, size_t n);
const struct tessera_pool *tessera_conf_pool_at(const struct tessera_conf *conf, size_t n);

/* The path of tessera-vipu, the program that talks to V-IPU controllers. */
const char *tessera_conf_vipu_helper(const struct tessera_conf *conf);

/*
 * The vendors' tools that report which tiles and IPUs are in use: commands as in struct
 * tessera_health_conf. The time limit of a tool, and how long its result is valid, in seconds.
 */
const char *tessera_conf_sntilestat(const struct tessera_conf *conf);
const char *tessera_conf_gc_monitor(const struct tessera_conf *conf);
unsigned tessera_conf_sample_wait(const struct tessera_conf *conf);
unsigned tessera_conf_sample_max(const struct tessera_conf *conf);

/*
 * Copy TEXT, the value of KEY, with each %n replaced by NODE. Returns 0, or -1 with ERR
 * (TESSERA_ERR_INPUT) when it does not fit LEN.
 */
int tessera_conf_for_node(const char *key, const char *text, const char *node, char *buf,
			  size_t len, struct tessera_error *err);

/* The settings for health, leftover processes and grants. Owned by CONF. */
const struct tessera_health_conf *tessera_conf_health(const struct tessera_conf *conf);
const struct tessera_leftover_conf *tessera_conf_leftover(const struct tessera_conf *conf);
const struct tessera_grant_conf *tessera_conf_grants(const struct tessera_conf *conf);

/* The command that writes the node's locality table (locality.h); as those above. */
const char *tessera_conf_topology(const struct tessera_conf *conf);

#endif /* TESSERA_CONF_H */
