/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/slurm/cluster.h"
#include "lib/slurm/compat.h"
#include "lib/slurm/conf_file.h"

static int set_query_error(const char *what, struct tessera_error *err)
{
	return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE, "cannot query %s from slurmctld: %s",
				 what, slurm_strerror(errno));
}

static int copy_text(const char *text, char **copy, struct tessera_error *err)
{
	*copy = text != NULL ? strdup(text) : NULL;
	if (text != NULL && *copy == NULL)
		return tessera_error_nomem(err);
	return 0;
}

int cluster_default_partition(char **partition, struct tessera_error *err)
{
	partition_info_msg_t *msg = NULL;
	const char *name = NULL;
	int rc;

	*partition = NULL;
	if (slurm_load_partitions(0, &msg, SHOW_ALL) != SLURM_SUCCESS)
		return set_query_error("the default partition (name one with --partition)", err);
	for (uint32_t i = 0; i < msg->record_count; i++) {
		if (msg->partition_array[i].flags & PART_FLAG_DEFAULT)
			name = msg->partition_array[i].name;
	}
	rc = copy_text(name, partition, err);
	slurm_free_partition_info_msg(msg);
	return rc;
}

int cluster_job_partition(uint32_t job, char **partition, struct tessera_error *err)
{
	job_info_msg_t *msg = NULL;
	const char *name = NULL;
	int rc;

	*partition = NULL;
	if (slurm_load_job(&msg, job, SHOW_ALL) != SLURM_SUCCESS)
		return set_query_error("the partition of the job", err);
	/* A job array or a heterogeneous job has several records. */
	for (uint32_t i = 0; i < msg->record_count; i++) {
		if (name == NULL || msg->job_array[i].job_id == job)
			name = msg->job_array[i].partition;
	}
	rc = copy_text(name, partition, err);
	slurm_free_job_info_msg(msg);
	return rc;
}

/* Is plugin NAME an item of LIST, with or without the prefix that Slurm accepts? */
static bool has_item(const char *list, const char *name)
{
	static const char prefix[] = "job_submit/";

	while (list != NULL && *list != '\0') {
		size_t len = strcspn(list, ",");

		if (len > sizeof(prefix) - 1 && strncmp(list, prefix, sizeof(prefix) - 1) == 0) {
			list += sizeof(prefix) - 1;
			len -= sizeof(prefix) - 1;
		}
		if (len == strlen(name) && strncmp(list, name, len) == 0)
			return true;
		list += len + (list[len] == ',');
	}
	return false;
}

int cluster_checks_requests(bool *checks, struct tessera_error *err)
{
	slurm_conf_t *conf = NULL;

	*checks = false;
	if (slurm_load_ctl_conf(0, &conf) != SLURM_SUCCESS)
		return set_query_error("JobSubmitPlugins", err);
	*checks = has_item(conf->job_submit_plugins, "tessera");
	slurm_free_ctl_conf(conf);
	return 0;
}

static void read_limit(const slurm_conf_t *conf, unsigned *seconds, unsigned *answer)
{
	unsigned prolog = TESSERA_PROLOG_TIMEOUT(conf), epilog = TESSERA_EPILOG_TIMEOUT(conf);

	/* NO_VAL16 and above mean that no limit is set. */
	if (epilog < prolog)
		prolog = epilog;
	*seconds = prolog < NO_VAL16 ? prolog : 0;
	*answer = conf->msg_timeout;
}

/*
 * The shortest limit in slurm.conf, under any key that a release has for it; 0 if it has none.
 * Returns 0, or -1 if slurm.conf cannot be read.
 */
static int read_limit_from_file(unsigned *seconds)
{
	static const char *const keys[] = {"PrologEpilogTimeout", "PrologTimeout", "EpilogTimeout"};
	struct conf_file file = {0};
	char path[1024];
	int rc = -1;

	*seconds = 0;
	if (conf_file_find(path, sizeof(path)) == 0 && conf_file_read(&file, path, NULL) == 0) {
		for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
			char *value = conf_file_value(&file, keys[i], NULL);
			unsigned long limit = value != NULL ? strtoul(value, NULL, 10) : 0;

			if (limit > 0 && limit < NO_VAL16 && (*seconds == 0 || limit < *seconds))
				*seconds = (unsigned)limit;
			free(value);
		}
		rc = 0;
	}
	conf_file_free(&file);
	return rc;
}

int cluster_prolog_limit(unsigned *seconds, unsigned *answer, struct tessera_error *err)
{
	slurm_conf_t *conf = NULL;

	*seconds = *answer = 0;
	/* MessageTimeout is not 0 if the process has read a configuration. */
	if (&slurm_conf != NULL && slurm_conf.msg_timeout > 0) {
		read_limit(&slurm_conf, seconds, answer);
		if (TESSERA_STEPD_HAS_TIMEOUTS || read_limit_from_file(seconds) == 0)
			return 0;
	}
	if (slurm_load_ctl_conf(0, &conf) != SLURM_SUCCESS)
		return set_query_error("the time limit of prologs", err);
	read_limit(conf, seconds, answer);
	slurm_free_ctl_conf(conf);
	return 0;
}
