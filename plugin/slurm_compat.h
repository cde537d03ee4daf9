/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slurm's headers, and all that differs between the releases we build for (22.05, 24.11, 26.05). Code elsewhere
 * includes this file, not Slurm's, and asks for no version itself.
 */
#ifndef TESSERA_SLURM_COMPAT_H
#define TESSERA_SLURM_COMPAT_H

/* From 26.05 on a job is named by a step id; this keeps slurm_load_job() and others taking its number. */
#define SLURM_BACKWARD_COMPAT

#include <stdbool.h>

/* Our own files are built with hidden visibility; what Slurm looks up by name in us must be seen. */
#pragma GCC visibility push(default)
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <slurm/slurmdb.h>
#include <slurm/spank.h>

/*
 * The configuration that the program runs with which loaded us: slurmstepd has slurmd's. No header declares it, but its
 * type is public. In libslurmfull.so from 20.11 to 26.05.
 */
extern slurm_conf_t slurm_conf __attribute__((weak));

/*
 * Slurm reads a job's record with the help of its selection plugins, and loads all that PluginDir has, four in Debian's
 * 22.05, unless it was told before that SelectType's alone is enough. Not in its headers; in libslurmfull.so from 22.05 to
 * 24.11, later there is no choice.
 */
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(25, 5, 0)
extern int select_g_init(bool only_default) __attribute__((weak));
#define TESSERA_ONE_SELECTOR() ((void)(select_g_init != NULL && select_g_init(true)))
#else
#define TESSERA_ONE_SELECTOR() ((void)0)
#endif
#pragma GCC visibility pop

/* From 23.11 a host list is a structure, before it was a pointer to one. */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 11, 0)
typedef hostlist_t *tessera_slurm_hostlist;
#else
typedef hostlist_t tessera_slurm_hostlist;
#endif

/* From 23.02 a job_submit plugin can say why it refused a change, as it always could for a submission. */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 2, 0)
#define TESSERA_JOB_MODIFY_HAS_ERR_MSG
#define TESSERA_JOB_MODIFY_ERR_MSG , char **err_msg
#else
#define TESSERA_JOB_MODIFY_ERR_MSG
#endif

/* What slurm_load_ctl_conf() answered was given another name to be freed by. */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
#define slurm_free_ctl_conf slurm_free_conf
#endif

/* Asks for the accounts that were taken away too: from 24.05 that is one of several flags. */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(24, 5, 0)
#define TESSERA_ACCOUNTS_DELETED_TOO(cond) ((cond)->flags |= SLURMDB_ACCT_FLAG_DELETED)
#else
#define TESSERA_ACCOUNTS_DELETED_TOO(cond) ((cond)->with_deleted = 1)
#endif

/*
 * slurmdbd's configuration as pairs of texts, to be freed as a list; NULL if it does not tell. From 26.05 it comes as a
 * structure, which libslurm.so has no function to free: it stays, and is asked for once.
 */
static inline void *tessera_dbd_conf(void *connection)
{
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
	slurmdbd_conf_t *conf = NULL;

	return slurmdb_config_get(connection, &conf) == SLURM_SUCCESS ? slurmdb_config_get_keypairs(conf) : NULL;
#else
	return slurmdb_config_get(connection);
#endif
}

/* Where a description of a job has the job's number. */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(25, 11, 0)
#define TESSERA_JOB_DESC_ID(desc) ((desc)->step_id.job_id)
#else
#define TESSERA_JOB_DESC_ID(desc) ((desc)->job_id)
#endif

/*
 * To be called in a prolog and an epilog before anybody asks slurmctld or slurmd: slurmstepd has its configuration there, but
 * from 23.02 on it loads nothing to speak with, and from 24.05 on a question without that ends the process, and takes
 * the node away. Until 22.05 each question saw to it itself.
 */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 2, 0)
#define TESSERA_READY_TO_ASK() (TESSERA_ONE_SELECTOR(), slurm_init(NULL))
#else
#define TESSERA_READY_TO_ASK() ((void)0)
#endif

/* How long a prolog and an epilog may take; before 25.05 there was one number for both. */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(25, 5, 0)
#define TESSERA_PROLOG_TIMEOUT(conf) ((conf)->prolog_timeout)
#define TESSERA_EPILOG_TIMEOUT(conf) ((conf)->epilog_timeout)
#else
#define TESSERA_PROLOG_TIMEOUT(conf) ((conf)->prolog_epilog_timeout)
#define TESSERA_EPILOG_TIMEOUT(conf) ((conf)->prolog_epilog_timeout)
#endif

/* Has slurmstepd them? From 23.02 on it has only what slurmd gives it of its configuration, and they look as if not set. */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 2, 0)
#define TESSERA_STEPD_HAS_TIMEOUTS false
#else
#define TESSERA_STEPD_HAS_TIMEOUTS true
#endif

/*
 * From 23.11 on slurmctld notes up to two seconds later that a node has answered. So it can be that what a node said before
 * it was resumed opens it to jobs, and not the registration that it is asked for when it is resumed.
 */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 11, 0)
#define TESSERA_RESUME_MAY_OPEN_EARLY true
#else
#define TESSERA_RESUME_MAY_OPEN_EARLY false
#endif

/* How a GRES is written among other TRES, in tres_per_node and its kin. */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 11, 0)
#define TESSERA_TRES_PREFIX "gres/"
#else
#define TESSERA_TRES_PREFIX "gres:"
#endif

/* The NodeName that slurm.conf has for a host, to be freed; NULL if it has none. Not in Slurm's headers either. */
char *slurm_conf_get_nodename(const char *host);

/*
 * A time as sacct reads it, in the past if it could be either; 0 if it is none, and then Slurm says so on standard error.
 * Not in its headers; seen in libslurm.so of 22.05.
 */
time_t slurm_parse_time(char *text, int past);

/*
 * Slurm's own allocator, which no header declares: a text that Slurm will free must come from it, and one that Slurm
 * made must go back to it. All are in libslurmfull.so, with these signatures, from 21.08 to 26.05.
 */
char *slurm_xstrdup(const char *text);
void slurm_xfree(void **text);
void slurm_free_job_desc_msg(job_desc_msg_t *msg);

/*
 * Which cores of a node a job has: until 24.05 slurm_job_cpus_allocated_str_on_node() said it, and since then no public
 * function does. The one below takes the record as it comes, and is in libslurmfull.so, with this signature, from 22.05 to
 * 26.05, as are the others. They are looked up by name where they are needed: programs that link libslurm.so have not
 * got them all, and who calls must live without.
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
 * What slurmctld alone can tell of its own record of a job, looked up by name there. With these signatures from 22.05 to
 * 26.05: whether the user is root, SlurmUser, or an operator or administrator in the accounts; and whether the user may
 * see the job's allocation, which answers ESLURM_JOB_PENDING to root if the job has none.
 */
struct job_record;
#define TESSERA_VALIDATE_OPERATOR "validate_operator"
#define TESSERA_JOB_ALLOC_INFO    "job_alloc_info_ptr"
typedef bool (*tessera_validate_operator_fn)(uid_t uid);
typedef int (*tessera_job_alloc_info_fn)(uint32_t uid, struct job_record *job);

/*
 * These and slurmctld's copy_job_record_to_job_desc() were read in each release up to this one: all texts of the
 * environment are one block, which its caller frees. A newer release must be read before it is trusted with that.
 */
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(26, 6, 0)
#define TESSERA_KNOWS_SLURMCTLD
#endif

#endif /* TESSERA_SLURM_COMPAT_H */
