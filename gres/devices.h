/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The devices that DeviceFiles names.
 */
#ifndef TESSERA_DEVICES_H
#define TESSERA_DEVICES_H

#include <stdbool.h>

#include "lib/conf.h"
#include "lib/error.h"

/*
 * Does DeviceFiles match a file of this machine, which is NODE? If not, nobody is found who has a tile open, and that says
 * nothing. True also if no pattern is set, and where there is too much to look at, such as all below /. False with ERR.
 */
bool devices_exist(const struct tessera_conf *conf, const char *node, struct tessera_error *err);

#endif /* TESSERA_DEVICES_H */
