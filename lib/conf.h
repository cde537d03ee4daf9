/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera.conf: which platform each Slurm partition and node has, and the site's choices.
 *
 *   RduScope = node                       # or task, auto
 *   TilesPerTask = 4                      # what each task needs at least
 *   Unasked = leave                       # or default, none, refuse
 *   Default = "rdu:1"                     # what Unasked = default gives
 *   IpuModel = license                    # or gres
 *   IpuName  = ipu                        # the licence or GRES that counts IPUs
 *   StateDir = "/run/tessera"             # the node's ledger; %n is the node's name
 *   UserMask = narrow                     # or refuse, ignore, wish
 *   PlaceWait  = 30                       # seconds to wait for tiles that fit
 *   MaxRequeue = 3                        # how often a batch job goes back to the queue for want of them
 *
 *   platform sn40l-16 {                   # overrides fields of a built-in row, or adds one
 *       TilesPerRdu = 4
 *       MaskBits    = 64
 *   }
 *   platform sn30-half {                  # a new row starts as a copy of Like's
 *       Like         = sn30-8
 *       TilesPerGres = 4                  # Slurm's rdu:16 of the 1.16 days
 *   }
 *   partition sambanova { Platform = sn30-8 }            # and RduScope, TilesPerTask, Unasked, Default of its own
 *   node "sn30-r1-h[1-2]" { Platform = sn30-8 }
 *   vipu "gc-poplar-[02-04]" { Host = 10.1.3.101 }       # vipu_site.h
 *   pool csx { Max = 2 }                                 # pool.h
 *
 *   VipuHelper = "/usr/libexec/tessera/tessera-vipu"     # the program that speaks with V-IPU controllers
 *   SntilestatCommand = "/opt/sambaflow/bin/sntilestat"  # the vendors' tools, for tessera sample
 *   GcMonitorCommand = ""                                # "" is none
 *   SampleWait = 60                                      # seconds that a tool may take
 *   SampleMax = 300                                      # seconds for which a sample stands at most
 *
 *   SnfadmCommand = "/opt/sambaflow/bin/snfadm -l inventory"  # tools that tell bad tiles, for tessera health
 *   SnconfigCommand = ""                                 # with SnconfigBad, SnconfigGood: the site's own words in it
 *   IpuHealthCommand = ""
 *   HealthWait = 60                                      # seconds that such a tool may take
 *   HealthMax = 900                                      # seconds after which its answer is too old; 0: never
 *   UnknownTiles = use                                   # or avoid
 *   MarksDir = "/var/lib/tessera"                        # the admin's word of tiles; %n is the node's name
 *   DeviceFiles = "/dev/rdu*"                            # what a process on a tile has open
 *   StaleHolders = wait                                  # or kill, quarantine
 *   StaleWait = 10                                       # seconds
 *   TopologyCommand = "/usr/bin/tessera topology --write --node=%n"  # slurmd's start runs it
 *   Grants = yes                                         # or no
 *   MungeSocket = "/run/munge/munge.socket.2"            # default: munge's own
 *
 * Keys of a platform: Like Title Kind (rdu|ipu) Xrdus RdusPerXrdu TilesPerRdu TilesPerGres MaskBits Numa PciId
 * Ipus IpusPerMachine IpusPerDomain. Like names a built-in row or one above it in the file; otherwise the order of
 * blocks does not matter. The environment is not looked at: ${...} is an error.
 */
#ifndef TESSERA_CONF_H
#define TESSERA_CONF_H

#include <stdbool.h>

#include "error.h"
#include "platform.h"
#include "pool.h"
#include "vipu_site.h"

enum tessera_rdu_scope {
	TESSERA_SCOPE_NODE = 1, /* --gres=rdu:N is N on each node: Slurm's own meaning */
	TESSERA_SCOPE_TASK = 2, /* N for each task, as the tutorials of some sites use it */
	TESSERA_SCOPE_AUTO = 3, /* N for each task where the node has as many, otherwise N on each node */
};

/* What becomes of a job that asks for no tiles in a partition with tiles. */
enum tessera_unasked {
	TESSERA_UNASKED_LEAVE = 1,   /* its environment is left as it is */
	TESSERA_UNASKED_DEFAULT = 2, /* it asks for the partition's Default */
	TESSERA_UNASKED_NONE = 3,    /* its tasks find an empty mask */
	TESSERA_UNASKED_REFUSE = 4,  /* it is refused at submission */
};

/* How a partition reads requests. What its block does not say is the file's. */
struct tessera_policy {
	enum tessera_rdu_scope rdu_scope;
	unsigned tiles_per_task; /* what each task needs at least; 0: unknown */
	enum tessera_unasked unasked;
	bool unasked_said;                   /* the file says Unasked: leave is meant, and not just the default */
	char default_gres[TESSERA_NAME_MAX]; /* as --gres has it: "rdu:1" */
};

enum tessera_ipu_model {
	TESSERA_IPU_LICENSE = 1, /* one pool for the cluster */
	TESSERA_IPU_GRES = 2,    /* the pool is split over its hosts */
};

/* What becomes of a mask that the user exported. */
enum tessera_user_mask {
	TESSERA_MASK_NARROW = 1, /* used if it is inside the grant, otherwise the task fails */
	TESSERA_MASK_REFUSE = 2, /* the task fails */
	TESSERA_MASK_IGNORE = 3, /* replaced by the grant's */
	TESSERA_MASK_WISH = 4,   /* as --tile-affinity when the job is submitted; on the node as narrow */
};

/* Where it is asked which tiles are bad, and how long an answer stands (health.h). */
struct tessera_health_conf {
	/* Tools: words with blanks between, the first an absolute path, %n for the node's name; "" is none. */
	char snfadm[TESSERA_COMMAND_MAX];
	char snconfig[TESSERA_COMMAND_MAX];
	char ipus[TESSERA_COMMAND_MAX];
	char snconfig_bad[TESSERA_NAME_MAX];  /* text of a line that says that a tile is bad; "" is none */
	char snconfig_good[TESSERA_NAME_MAX]; /* that it is good; "": every tile that is told of and not bad */
	unsigned wait;                        /* seconds that a tool may take */
	unsigned max;                         /* seconds after which an answer is too old; 0: never */
	unsigned avoid_unknown;               /* tiles of which nothing is known are not handed out */
};

/* What becomes of the tiles of a job whose processes still hold the device when it has ended. */
enum tessera_stale_policy {
	TESSERA_STALE_WAIT = 1,       /* wait a while, then keep the tiles back */
	TESSERA_STALE_KILL = 2,       /* end the processes, then the same */
	TESSERA_STALE_QUARANTINE = 3, /* keep the tiles back at once */
};

struct tessera_stale_conf {
	char devices
		[TESSERA_PATH_MAX]; /* a pattern as fnmatch(3) has it, %n for the node's name; "": nobody looks */
	enum tessera_stale_policy policy;
	unsigned wait; /* seconds */
};

/* Whether tasks get a grant (grant.h), and from which munged; "" is munge's own choice. */
struct tessera_grant_conf {
	unsigned enabled;
	char socket[TESSERA_PATH_MAX];
};

struct tessera_conf; /* what a file said */

/*
 * The configuration of an empty file: built-in platforms, no partitions, defaults. NULL only when out of memory.
 * To be freed with tessera_conf_free().
 */
struct tessera_conf *tessera_conf_default(void);

/*
 * Read a file, or TEXT (NUL-terminated) under the NAME that its errors shall carry. To be freed with
 * tessera_conf_free(). Returns NULL with ERR: TESSERA_ERR_MISSING when the file cannot be read,
 * TESSERA_ERR_INPUT when it is wrong; the text starts with file:line. An unknown key or platform, a row that
 * tessera_platform_check() refuses though something names it, a bad host list, the same title or key twice, a node
 * with two platforms or two controllers, a controller without a host are errors. Not from two threads at once:
 * libconfuse keeps what it reads in static variables.
 */
struct tessera_conf *tessera_conf_read(const char *path, struct tessera_error *err);
struct tessera_conf *tessera_conf_parse(const char *name, const char *text, struct tessera_error *err);

/*
 * tessera_conf_read() for code that runs as root: the file must belong to root or the effective user, and neither
 * group nor others may write to it (TESSERA_ERR_DENIED). The file that was looked at is the one that is read.
 */
struct tessera_conf *tessera_conf_read_trusted(const char *path, struct tessera_error *err);

/* NULL is fine. */
void tessera_conf_free(struct tessera_conf *conf);

/* What partitions do that say nothing of their own. Owned by CONF. */
const struct tessera_policy *tessera_conf_policy(const struct tessera_conf *conf);
enum tessera_ipu_model tessera_conf_ipu_model(const struct tessera_conf *conf);
const char *tessera_conf_ipu_name(const struct tessera_conf *conf);
enum tessera_user_mask tessera_conf_user_mask(const struct tessera_conf *conf);
unsigned tessera_conf_place_wait(const struct tessera_conf *conf);
unsigned tessera_conf_max_requeue(const struct tessera_conf *conf);
#define TESSERA_MAX_REQUEUE 3 /* if tessera.conf does not say */

/*
 * The directory of a node's ledger: StateDir with NODE for each %n. Returns 0, or -1 with ERR (TESSERA_ERR_INPUT)
 * when it does not fit LEN, or NODE is empty, ".", ".." or has a / in it; what BUF holds means nothing then.
 */
int tessera_conf_state_dir(const struct tessera_conf *conf, const char *node, char *buf, size_t len,
			   struct tessera_error *err);

/* The same for MarksDir, where the admin's word of tiles outlives a reboot. */
int tessera_conf_marks_dir(const struct tessera_conf *conf, const char *node, char *buf, size_t len,
			   struct tessera_error *err);

/*
 * The platform of that name, from the file or built in. Owned by CONF. NULL with ERR (TESSERA_ERR_INPUT) when there
 * is none (the sentence lists those there are) or when it cannot be used (tessera_platform_check()).
 */
const struct tessera_platform *tessera_conf_platform(const struct tessera_conf *conf, const char *name,
						     struct tessera_error *err);

/* The n-th platform in the order of the table, then of the file; NULL past the last. It may be incomplete. */
const struct tessera_platform *tessera_conf_platform_at(const struct tessera_conf *conf, size_t n);

/*
 * The platform of a request for PARTITIONS: Slurm's list "a,b", or NULL or "" when none was named. *PLATFORM is set
 * to it, or to NULL when the file says nothing of these partitions. No partition named: the platform that all the
 * file's partitions share, NULL if there are several or none (who asks must know the cluster's default partition).
 * Returns 0, or -1 with ERR (TESSERA_ERR_INPUT) when the partitions have different platforms, or the list is too long.
 */
int tessera_conf_partition_platform(const struct tessera_conf *conf, const char *partitions,
				    const struct tessera_platform **platform, struct tessera_error *err);

/*
 * How a request for PARTITIONS is read; the list as above. *POLICY is never NULL but where no partition is named and those
 * of the file differ in RduScope or TilesPerTask: who asks must know the cluster's default partition. Of several
 * partitions it is the first one's; their Unasked and Default may differ. Returns 0, or -1 with ERR (TESSERA_ERR_INPUT)
 * when the partitions named differ in RduScope or TilesPerTask.
 */
int tessera_conf_partition_policy(const struct tessera_conf *conf, const char *partitions,
				  const struct tessera_policy **policy, struct tessera_error *err);

/* The policy of the n-th partition block, in the order of the file; NULL past the last. Owned by CONF. */
const struct tessera_policy *tessera_conf_policy_at(const struct tessera_conf *conf, size_t n);

/*
 * The platform of the n-th partition block, and of the n-th node block, in the order of the file; NULL past the last.
 * *TITLE is set to the partition's name, or to the host list. Owned by CONF.
 */
const struct tessera_platform *tessera_conf_partition_at(const struct tessera_conf *conf, size_t n,
							 const char **title);
const struct tessera_platform *tessera_conf_node_at(const struct tessera_conf *conf, size_t n, const char **title);

/* The platform of a node, or NULL when the file says nothing of it. */
const struct tessera_platform *tessera_conf_node_platform(const struct tessera_conf *conf, const char *node);

/* The V-IPU controller of a node, or NULL when the file says nothing of one. Owned by CONF. */
const struct tessera_vipu_site *tessera_conf_vipu(const struct tessera_conf *conf, const char *node);

/* The n-th controller, and the n-th pool, in the order of the file; NULL past the last. Owned by CONF. */
const struct tessera_vipu_site *tessera_conf_vipu_at(const struct tessera_conf *conf, size_t n);
const struct tessera_pool *tessera_conf_pool_at(const struct tessera_conf *conf, size_t n);

/* Where the program is that speaks with V-IPU controllers. */
const char *tessera_conf_vipu_helper(const struct tessera_conf *conf);

/*
 * The vendors' tools that say which tiles and IPUs are in use: words with blanks between, the first an absolute path, %n
 * for the node's name; "" if there is no such tool. How many seconds a tool may take, and for how many its answer
 * stands at most.
 */
const char *tessera_conf_sntilestat(const struct tessera_conf *conf);
const char *tessera_conf_gc_monitor(const struct tessera_conf *conf);
unsigned tessera_conf_sample_wait(const struct tessera_conf *conf);
unsigned tessera_conf_sample_max(const struct tessera_conf *conf);

/*
 * TEXT, which KEY of tessera.conf gave, with NODE for each %n. Returns 0, or -1 with ERR (TESSERA_ERR_INPUT) when it
 * does not fit LEN.
 */
int tessera_conf_for_node(const char *key, const char *text, const char *node, char *buf, size_t len,
			  struct tessera_error *err);

/* What the file says of health, of stale holders and of grants. Owned by CONF. */
const struct tessera_health_conf *tessera_conf_health(const struct tessera_conf *conf);
const struct tessera_stale_conf *tessera_conf_stale(const struct tessera_conf *conf);
const struct tessera_grant_conf *tessera_conf_grants(const struct tessera_conf *conf);

/* What writes the node's table of closeness (locality.h): a command as those above. */
const char *tessera_conf_topology(const struct tessera_conf *conf);

#endif /* TESSERA_CONF_H */
