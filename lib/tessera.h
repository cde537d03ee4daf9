/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libtessera: everything at once. Each header can also be taken alone.
 */
#ifndef TESSERA_H
#define TESSERA_H

#ifdef __cplusplus
extern "C" {
#endif

#include "account/tres.h"
#include "account/usage.h"
#include "account/usage_summary.h"
#include "conf/conf.h"
#include "conf/conf_vipu.h"
#include "conf/pool.h"
#include "grant/grant.h"
#include "request/gres_detail.h"
#include "request/request.h"
#include "request/user_mask.h"
#include "state/health.h"
#include "state/job_record.h"
#include "state/ledger.h"
#include "state/locality.h"
#include "state/sample_record.h"
#include "tile/hostlist.h"
#include "tile/place.h"
#include "tile/platform.h"
#include "tile/tileset.h"
#include "util/error.h"

#ifdef __cplusplus
}
#endif

#endif /* TESSERA_H */
