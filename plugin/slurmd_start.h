/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What slurmd does when it starts, and what it leaves in its environment for every slurmstepd:
 * where the state directory is, and which version of tessera.conf says so.
 */
#ifndef TESSERA_SLURMD_START_H
#define TESSERA_SLURMD_START_H

#include <stdbool.h>
#include <stdint.h>

/*
 * In slurmd. Makes the state directory if it is missing. In detached processes, because slurmctld
 * may be down: releases what ended jobs left, and runs TopologyCommand, which writes the locality
 * table. Errors are logged.
 */
void slurmd_start(void);

/*
 * In slurmstepd: did slurmd load this plugin when it started? If not, no prolog of ours has run,
 * and a missing row or record does not mean that the job has no tiles, IPUs or pools.
 */
bool slurmd_has_plugin(void);

/*
 * May JOB have something of ours here? False means no. Cheap: it compares the time of tessera.conf
 * and looks into the state directory, but reads no configuration. Also true if slurmd did not read
 * the present tessera.conf, if the prolog failed, and if it could not have written anything: the
 * state directory is missing, not trusted, read-only or full.
 */
bool slurmd_may_have_job(uint32_t job);

#endif /* TESSERA_SLURMD_START_H */
