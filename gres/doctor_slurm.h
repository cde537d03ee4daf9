/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where tessera doctor has its knowledge of Slurm from: the file, and the daemon.
 */
#ifndef TESSERA_DOCTOR_SLURM_H
#define TESSERA_DOCTOR_SLURM_H

#include "gres/doctor.h"

/*
 * Find slurm.conf where Slurm would, and read it; that Slurm itself can is a check, too. Returns 0, or -1 if there is
 * nothing to look at, which was told.
 */
int doctor_read_slurm_conf(struct doctor *d);

/* What slurmctld runs with, its nodes and licences. Tells if it does not answer. */
void doctor_ask_slurmctld(struct doctor *d);

void doctor_forget_slurm(struct doctor *d);

#endif /* TESSERA_DOCTOR_SLURM_H */
