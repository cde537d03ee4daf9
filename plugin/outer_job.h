/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job that is submitted from inside a job asks for itself: what the tasks of the outer one were told of their
 * accelerators is not for it.
 */
#ifndef TESSERA_OUTER_JOB_H
#define TESSERA_OUTER_JOB_H

#include "lib/conf.h"

/*
 * Remove the outer job's variables from this program's environment: those that are as we set them, and those of CONF's
 * pools (NULL: none are known). Once only: the components of a heterogeneous job share this environment.
 */
void outer_job_forget(const struct tessera_conf *conf);

#endif /* TESSERA_OUTER_JOB_H */
