/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera.conf in slurmctld, which lives for months: read when it has changed.
 */
#ifndef TESSERA_CONTROLLER_CONF_H
#define TESSERA_CONTROLLER_CONF_H

#include "lib/conf.h"
#include "lib/error.h"

/*
 * The configuration as the file is now, locked until controller_conf_unlock(), which is called in any case. NULL
 * with ERR when the file cannot be used; that is written to the log when it is first seen. Any thread may call.
 */
const struct tessera_conf *controller_conf_lock(struct tessera_error *err);
void controller_conf_unlock(void);

/* Forget the configuration. */
void controller_conf_free(void);

#endif /* TESSERA_CONTROLLER_CONF_H */
