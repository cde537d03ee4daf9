/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slurm's headers, and all that differs between the releases we build for (22.05, 24.11, 26.05).
 * Other files include this one instead of Slurm's headers, and do not check versions themselves.
 */
#ifndef TESSERA_COMPAT_H
#define TESSERA_COMPAT_H

/*
 * From 26.05 on a job is identified by a step ID; this keeps the functions that take a job ID, such
 * as slurm_load_job().
 */
#define SLURM_BACKWARD_COMPAT

#include <stdbool.h>

/*
 * Our files are built with hidden visibility; the symbols that Slurm looks up must be visible.
 */
#pragma GCC visibility push(default)
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <slurm/slurmdb.h>
#include <slurm/spank.h>

/*
 * The configuration of the program that loaded us; slurmstepd has slurmd's. No header declares it,
 * but its type is public. In libslurmfull.so from 20.11 to 26.05.
 */
extern slurm_conf_t slurm_conf __attribute__((weak));

/*
 * To unpack a job record, Slurm loads all select plugins in PluginDir (four in Debian's 22.05),
 * unless select_g_init(true) has loaded only that of SelectType. Not in Slurm's headers; in
 * libslurmfull.so from 22.05 to 24.11. Later releases have no such function.
 */
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(25, 5, 0)
extern int select_g_init(bool only_default) __attribute__((weak));
#define TESSERA_ONE_SELECTOR() ((void)(select_g_init != NULL && select_g_init(true)))
#else
#define TESSERA_ONE_SELECTOR() ((void)0)
#endif

/*
 * What an error of slurm_spank_init does, from 25.05 on: fail the job. Without this, and before, it
 * drains the node. From 25.05 on any result but 0 is an error; before, only a negative one.
 */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(25, 5, 0)
#define TESSERA_INIT_FAILURE_MODE int slurm_spank_init_failure_mode = ESPANK_JOB_FAILURE;
#else
#define TESSERA_INIT_FAILURE_MODE
#endif
#pragma GCC visibility pop

/* From 23.11 on hostlist_t is a structure; before it was a pointer to one. */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 11, 0)
typedef hostlist_t *tessera_slurm_hostlist;
#else
typedef hostlist_t tessera_slurm_hostlist;
#endif

/*
 * From 23.02 on a job_submit plugin can return a message when it refuses a change of a job, as it
 * could before for a submission.
 */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 2, 0)
#define TESSERA_JOB_MODIFY_HAS_ERR_MSG
#define TESSERA_JOB_MODIFY_ERR_MSG , char **err_msg
#else
#define TESSERA_JOB_MODIFY_ERR_MSG
#endif

/* The ID of a job that slurm_submit_batch_job() submitted; from 26.05 on in a step ID. */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
#define TESSERA_SUBMITTED_JOB(resp) ((resp)->step_id.job_id)
#else
#define TESSERA_SUBMITTED_JOB(resp) ((resp)->job_id)
#endif

/* The function that frees the result of slurm_load_ctl_conf() was renamed. */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
#define slurm_free_ctl_conf slurm_free_conf
#endif

/* Include deleted accounts in a query; from 24.05 on that is a flag. */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(24, 5, 0)
#define TESSERA_ACCOUNTS_DELETED_TOO(cond) ((cond)->flags |= SLURMDB_ACCT_FLAG_DELETED)
#else
#define TESSERA_ACCOUNTS_DELETED_TOO(cond) ((cond)->with_deleted = 1)
#endif

/*
 * slurmdbd's configuration as a list of key pairs, to be freed as a list; NULL if the query fails.
 * From 26.05 on it is a structure, whose function to free it is in libslurmfull.so only: a command
 * that links libslurm.so leaks it.
 */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
#pragma weak slurmdbd_free_conf
#endif
static inline void *tessera_dbd_conf(void *connection)
{
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
	slurmdbd_conf_t *conf = NULL;
	void *pairs = NULL;

	if (slurmdb_config_get(connection, &conf) == SLURM_SUCCESS)
		pairs = slurmdb_config_get_keypairs(conf);
	if (conf != NULL && slurmdbd_free_conf != NULL)
		slurmdbd_free_conf(conf);
	return pairs;
#else
	return slurmdb_config_get(connection);
#endif
}

/*
 * The number of Slurm's interface, which is its major release's own and is part of the name of
 * libslurm.so; 0 if it is not known here. libslurmfull.so has no number in its name, so that a
 * program may find that of another release, with other structures.
 */
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 2, 0)
#define TESSERA_SLURM_API 38
#elif SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 11, 0)
#define TESSERA_SLURM_API 39
#elif SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(24, 5, 0)
#define TESSERA_SLURM_API 40
#elif SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(24, 11, 0)
#define TESSERA_SLURM_API 41
#elif SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(25, 5, 0)
#define TESSERA_SLURM_API 42
#elif SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(25, 11, 0)
#define TESSERA_SLURM_API 43
#elif SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(26, 5, 0)
#define TESSERA_SLURM_API 44
#elif SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(26, 6, 0)
#define TESSERA_SLURM_API 45
#else
#define TESSERA_SLURM_API 0
#endif

/* The job ID in a job descriptor. */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(25, 11, 0)
#define TESSERA_JOB_DESC_ID(desc) ((desc)->step_id.job_id)
#else
#define TESSERA_JOB_DESC_ID(desc) ((desc)->job_id)
#endif

/*
 * To be called in a prolog or an epilog before the first RPC. slurmstepd has its configuration
 * there, but from 23.02 on it does not load the plugins that RPCs need, and from 24.05 on an RPC
 * without them ends the process, which drains the node. In 22.05 each RPC loads them itself.
 */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 2, 0)
#define TESSERA_READY_TO_ASK() (TESSERA_ONE_SELECTOR(), slurm_init(NULL))
#else
#define TESSERA_READY_TO_ASK() ((void)0)
#endif

/* Time limits of prologs and epilogs; before 25.05 there was one for both. */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(25, 5, 0)
#define TESSERA_PROLOG_TIMEOUT(conf) ((conf)->prolog_timeout)
#define TESSERA_EPILOG_TIMEOUT(conf) ((conf)->epilog_timeout)
#else
#define TESSERA_PROLOG_TIMEOUT(conf) ((conf)->prolog_epilog_timeout)
#define TESSERA_EPILOG_TIMEOUT(conf) ((conf)->prolog_epilog_timeout)
#endif

/*
 * PrologFlags=RunInJob, from 24.05 on: prologs and epilogs run in the extern step, which runs no
 * SPANK prolog or epilog and does not have the job's SPANK options.
 */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(24, 5, 0)
#define TESSERA_RUNS_IN_JOB(conf) (((conf)->prolog_flags & PROLOG_FLAG_RUN_IN_JOB) != 0)
#else
#define TESSERA_RUNS_IN_JOB(conf) ((void)(conf), false)
#endif

/*
 * Does slurmstepd have these limits? From 23.02 on slurmd passes it a part of the configuration
 * only, and the limits look unset.
 */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 2, 0)
#define TESSERA_STEPD_HAS_TIMEOUTS false
#else
#define TESSERA_STEPD_HAS_TIMEOUTS true
#endif

/*
 * From 23.11 on slurmctld records up to two seconds late that a node has responded. So a message
 * that the node sent before it was resumed may open it to jobs, before the registration that the
 * resume requests.
 */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 11, 0)
#define TESSERA_RESUME_MAY_OPEN_EARLY true
#else
#define TESSERA_RESUME_MAY_OPEN_EARLY false
#endif

/*
 * For lines of gres.conf: a job with --exclusive gets only the GRES that it requests. Since 23.02;
 * before, it gets all of the node.
 */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 2, 0)
#define TESSERA_GRES_FLAGS " Flags=explicit"
#else
#define TESSERA_GRES_FLAGS ""
#endif

/* The layer of a hierarchical resource that a license record stands for, since 25.05. */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(25, 5, 0)
#define TESSERA_LICENSE_MODE(license)  ((license)->mode)
#define TESSERA_LICENSE_NODES(license) ((const char *)(license)->nodes)
#else
#define TESSERA_LICENSE_MODE(license)  ((void)(license), 0)
#define TESSERA_LICENSE_NODES(license) ((void)(license), (const char *)NULL)
#endif

/* The prefix of a GRES among other TRES, in tres_per_node and similar fields. */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 11, 0)
#define TESSERA_TRES_PREFIX "gres/"
#else
#define TESSERA_TRES_PREFIX "gres:"
#endif

/*
 * The NodeName that slurm.conf has for a host, to be freed with slurm_xfree(); NULL if it has none.
 * Not in Slurm's headers.
 */
char *slurm_conf_get_nodename(const char *host);

/*
 * Parse a time as sacct does; an ambiguous one is in the past. Returns 0 if it is invalid, and
 * Slurm prints an error on standard error. Not in Slurm's headers; in libslurm.so of 22.05.
 */
time_t slurm_parse_time(char *text, int past);

/*
 * Slurm's allocator, which no header declares: a string that Slurm frees must come from it, and one
 * that Slurm allocated must be freed by it. All are in libslurmfull.so, with these signatures, from
 * 21.08 to 26.05.
 */
char *slurm_xstrdup(const char *text);
void slurm_xfree(void **text);
void slurm_free_job_desc_msg(job_desc_msg_t *msg);

/*
 * The cores of a node that a job has. Until 24.05 slurm_job_cpus_allocated_str_on_node() reported
 * them; since then no public function does. copy_job_resources_node() takes the record as slurmctld
 * sends it. These functions are in libslurmfull.so, with these signatures, from 22.05 to 26.05.
 * They are looked up by name: programs that link libslurm.so do not have all of them, and callers
 * must cope without.
 */
#define TESSERA_COPY_CORES "copy_job_resources_node"
#define TESSERA_BIT_SIZE   "slurm_bit_size"
#define TESSERA_BIT_TEST   "slurm_bit_test"
#define TESSERA_BIT_FREE   "slurm_bit_free"
typedef bitstr_t *(*tessera_copy_cores_fn)(job_resources_t *job, uint32_t node);
typedef int64_t (*tessera_bit_size_fn)(bitstr_t *bits);
typedef int (*tessera_bit_test_fn)(bitstr_t *bits, int64_t bit);
typedef void (*tessera_bit_free_fn)(bitstr_t **bits);

/*
 * Functions of slurmctld, looked up by name there, with these signatures from 22.05 to 26.05. The
 * first returns whether the user is root, SlurmUser, or an operator or administrator in the
 * accounting database; the second whether the user may see the job's allocation, and to root
 * ESLURM_JOB_PENDING if the job has none.
 */
struct job_record;
#define TESSERA_VALIDATE_OPERATOR "validate_operator"
#define TESSERA_JOB_ALLOC_INFO    "job_alloc_info_ptr"
typedef bool (*tessera_validate_operator_fn)(uid_t uid);
typedef int (*tessera_job_alloc_info_fn)(uint32_t uid, struct job_record *job);

/*
 * These and slurmctld's copy_job_record_to_job_desc() were checked in the sources of each release
 * up to this one: the strings of the environment are one block, which the caller frees. Check a
 * newer release before raising the version.
 */
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(26, 6, 0)
#define TESSERA_KNOWS_SLURMCTLD
#endif

#endif /* TESSERA_COMPAT_H */
