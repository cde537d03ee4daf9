/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tessera.conf in slurmctld, which runs for months: read again when the file has changed. */
#ifndef TESSERA_CONTROLLER_CONF_H
#define TESSERA_CONTROLLER_CONF_H

#include "lib/conf/conf.h"
#include "lib/util/error.h"

/*
 * The current configuration, locked until controller_conf_unlock(), which must be called in either
 * case. NULL with ERR if the file is missing or invalid; that is logged once per version of the
 * file. Thread-safe.
 */
const struct tessera_conf *controller_conf_lock(struct tessera_error *err);
void controller_conf_unlock(void);

/* When slurmctld unloads the plugin. */
void controller_conf_free(void);

#endif /* TESSERA_CONTROLLER_CONF_H */
