/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/slurm/cluster_name.h"
#include "lib/slurm/compat.h"
#include "lib/slurm/conf_file.h"

/* Returns NULL if there is no slurm.conf here, or it has no ClusterName. */
static char *read_from_file(void)
{
	struct conf_file f = {0};
	char path[4096], *name = NULL;

	if (conf_file_find(path, sizeof(path)) == 0 && conf_file_read(&f, path, NULL) == 0)
		name = conf_file_value(&f, "ClusterName", NULL);
	conf_file_free(&f);
	return name;
}

/* Configless nodes have no slurm.conf. */
static char *query_slurmctld(struct tessera_error *err)
{
	slurm_conf_t *conf = NULL;
	char *name;

	if (slurm_load_ctl_conf((time_t)0, &conf) != SLURM_SUCCESS) {
		tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
				  "cannot query the cluster's name from slurmctld: %s",
				  slurm_strerror(errno));
		return NULL;
	}
	name = conf->cluster_name != NULL ? strdup(conf->cluster_name) : NULL;
	slurm_free_ctl_conf(conf);
	if (name == NULL)
		tessera_error_set(err, TESSERA_ERR_UNAVAILABLE, "slurm.conf has no ClusterName");
	return name;
}

char *cluster_name(struct tessera_error *err)
{
	char *name = read_from_file();

	if (name == NULL)
		name = query_slurmctld(err);
	/* Slurm converts ClusterName to lower case. */
	for (char *p = name; p != NULL && *p != '\0'; p++)
		*p = (char)tolower((unsigned char)*p);
	return name;
}
