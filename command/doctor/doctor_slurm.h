/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What tessera doctor reads from slurm.conf and slurmctld.
 */
#ifndef TESSERA_DOCTOR_SLURM_H
#define TESSERA_DOCTOR_SLURM_H

#include "command/doctor/doctor.h"

/*
 * Find slurm.conf as Slurm does and read it, and check that libslurm can read it. Returns 0; or -1
 * after a finding or a message, and there is nothing to check.
 */
int doctor_read_slurm_conf(struct doctor *d);

/* Read slurmctld's configuration, nodes and licenses. Reports if it does not respond. */
void doctor_ask_slurmctld(struct doctor *d);

void doctor_forget_slurm(struct doctor *d);

#endif /* TESSERA_DOCTOR_SLURM_H */
