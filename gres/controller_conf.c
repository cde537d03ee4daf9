/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "gres/controller_conf.h"
#include "lib/file.h"
#include "plugin/conf_path.h"
#include "plugin/slurm_compat.h"

/* slurmctld's threads come with read locks only, and libconfuse reads into static variables. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct {
	bool read;
	struct stat seen;          /* the file when it was read; zeros: there was none */
	struct tessera_conf *conf; /* NULL: the file cannot be used, and err says why */
	struct tessera_error err;
} current;

static void refresh(void)
{
	char buf[PATH_MAX];
	const char *path = conf_path_beside_slurm(buf, sizeof(buf));
	struct stat now;

	/* Looked at before it is read: a change in between is seen the next time. */
	if (stat(path, &now) != 0)
		memset(&now, 0, sizeof(now));
	if (current.read && file_same_version(&now, &current.seen))
		return;
	tessera_conf_free(current.conf);
	tessera_error_clear(&current.err);
	current.conf = tessera_conf_read_trusted(path, &current.err);
	current.seen = now;
	current.read = true;
	if (current.conf != NULL)
		slurm_info("tessera: %s read", path);
	else
		slurm_error("tessera: %s; jobs that ask for accelerators are refused", current.err.text);
}

const struct tessera_conf *controller_conf_lock(struct tessera_error *err)
{
	pthread_mutex_lock(&mutex);
	refresh();
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
