/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slurm's headers, and all that differs between the releases we build for (22.05, 24.11, 26.05). Code elsewhere
 * includes this file, not Slurm's, and asks for no version itself.
 */
#ifndef TESSERA_SLURM_COMPAT_H
#define TESSERA_SLURM_COMPAT_H

/* From 26.05 on a job is named by a step id; this keeps slurm_load_job() and others taking its number. */
#define SLURM_BACKWARD_COMPAT

/* Our own files are built with hidden visibility; what Slurm looks up by name in us must be seen. */
#pragma GCC visibility push(default)
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <slurm/spank.h>
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

/*
 * Slurm's own allocator, which no header declares: a text that Slurm will free must come from it, and one that Slurm
 * made must go back to it. Both are in libslurmfull.so, with these signatures, from 21.08 to 26.05.
 */
/* The NodeName that slurm.conf has for a host, to be freed; NULL if it has none. Not in Slurm's headers either. */
char *slurm_conf_get_nodename(const char *host);

char *slurm_xstrdup(const char *text);
void slurm_xfree(void **text);

#endif /* TESSERA_SLURM_COMPAT_H */
