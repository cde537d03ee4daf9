/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "gres/submit/controller_conf.h"
#include "lib/slurm/compat.h"
#include "lib/slurm/conf_path.h"
#include "lib/util/file.h"

/* slurmctld's threads call with read locks only, and libconfuse has static variables. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct {
	bool read;
	struct stat seen;          /* of the file when it was read; all 0 if there was none */
	struct tessera_conf *conf; /* NULL: the file is missing or invalid, and err says why */
	struct tessera_error err;
} current;

/* With the mutex held. Reads the file if it has changed. */
static void refresh_conf(void)
{
	char buf[PATH_MAX];
	const char *path = conf_path_find(buf, sizeof(buf));
	struct stat now;

	/* Before the file is read: a change in between is noticed at the next call. */
	if (stat(path, &now) != 0)
		memset(&now, 0, sizeof(now));
	if (current.read && file_same_version(&now, &current.seen))
		return;
	tessera_conf_free(current.conf);
	tessera_error_clear(&current.err);
	current.conf = tessera_conf_read_trusted(path, &current.err);
	if (current.conf == NULL)
		conf_path_explain(path, &current.err);
	current.seen = now;
	current.read = true;
	if (current.conf != NULL)
		slurm_info("tessera: read %s", path);
	else
		slurm_error("tessera: %s; refusing jobs that request accelerators",
			    current.err.text);
}

const struct tessera_conf *controller_conf_lock(struct tessera_error *err)
{
	pthread_mutex_lock(&mutex);
	refresh_conf();
	if (current.conf == NULL && err != NULL)
		*err = current.err;
	return current.conf;
}

void controller_conf_unlock(void)
{
	pthread_mutex_unlock(&mutex);
}

void controller_conf_free(void)
{
	pthread_mutex_lock(&mutex);
	tessera_conf_free(current.conf);
	current.conf = NULL;
	current.read = false;
	pthread_mutex_unlock(&mutex);
}
