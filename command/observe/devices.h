/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The devices that DeviceFiles names.
 */
#ifndef TESSERA_DEVICES_H
#define TESSERA_DEVICES_H

#include <stdbool.h>

#include "lib/conf/conf.h"
#include "lib/util/error.h"

/*
 * Does DeviceFiles match a file of this machine, which is NODE? If not, finding no process that
 * uses a tile means nothing. Also true if no pattern is set, and if there are too many files to
 * compare, such as all below /. False with ERR.
 */
bool devices_exist(const struct tessera_conf *conf, const char *node, struct tessera_error *err);

#endif /* TESSERA_DEVICES_H */
