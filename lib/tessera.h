/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libtessera: everything at once. Each header can also be taken alone.
 */
#ifndef TESSERA_H
#define TESSERA_H

#ifdef __cplusplus
extern "C" {
#endif

#include "conf.h"
#include "error.h"
#include "grant.h"
#include "granted.h"
#include "health.h"
#include "hostlist.h"
#include "ledger.h"
#include "locality.h"
#include "place.h"
#include "platform.h"
#include "request.h"
#include "summary.h"
#include "tileset.h"
#include "used.h"
#include "usermask.h"

#ifdef __cplusplus
}
#endif

#endif /* TESSERA_H */
