/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gres/cluster_name.h"
#include "plugin/slurm_compat.h"
#include "plugin/slurm_file.h"

/* NULL if there is no slurm.conf here, or it does not say. */
static char *from_file(void)
{
	struct slurm_file f = {0};
	char path[4096], *name = NULL;

	if (slurm_file_find(path, sizeof(path)) == 0 && slurm_file_read(&f, path, NULL) == 0)
		name = slurm_file_value(&f, "ClusterName", NULL);
	slurm_file_free(&f);
	return name;
}

/* Where nodes have their configuration from slurmctld, there is no file. */
static char *from_slurmctld(struct tessera_error *err)
{
	slurm_conf_t *conf = NULL;
	char *name;

	if (slurm_load_ctl_conf((time_t)0, &conf) != SLURM_SUCCESS) {
		tessera_error_set(err, TESSERA_ERR_MISSING, "slurmctld does not say what the cluster's name is: %s",
				  slurm_strerror(errno));
		return NULL;
	}
	name = conf->cluster_name != NULL ? strdup(conf->cluster_name) : NULL;
	slurm_free_ctl_conf(conf);
	if (name == NULL)
		tessera_error_set(err, TESSERA_ERR_MISSING, "slurm.conf has no ClusterName");
	return name;
}

char *cluster_name(struct tessera_error *err)
{
	char *name = from_file();

	if (name == NULL)
		name = from_slurmctld(err);
	/* Slurm knows it in small letters, however it is written. */
	for (char *p = name; p != NULL && *p != '\0'; p++)
		*p = (char)tolower((unsigned char)*p);
	return name;
}
