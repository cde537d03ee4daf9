/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Creating, awaiting and removing a job's V-IPU partition. Each function calls the controller of
 * SITE until it succeeds or its time is up. They return 0, or -1 with ERR, which must not be NULL:
 * its code is one of vipu.h, its text quotes the controller's last useful answer.
 */
#ifndef TESSERA_PARTITION_H
#define TESSERA_PARTITION_H

#include "lib/conf/conf_vipu.h"
#include "lib/util/error.h"
#include "lib/vipu/vipu.h"

/*
 * Create the partition that REQUEST describes and wait until it is active, WAIT seconds in all. A
 * partition of that name, which an earlier run of the job left, is reset or removed first, as SITE
 * configures. If no IPUs are free, the controller does not answer or the partition fails, it is
 * tried again: the IPUs of a job that just ended may not be free yet. An invalid request, a wrong
 * key and an unsupported version fail at once. After an error the partition is removed, which may
 * take up to four seconds more, unless ERR says that it could not be.
 */
int tessera_partition_make(const struct tessera_vipu_site *site,
			   const struct tessera_vipu_request *request, unsigned wait,
			   struct tessera_error *err);

/* Wait until the partition NAME, which another node creates, is active: at most WAIT seconds. */
int tessera_partition_await(const struct tessera_vipu_site *site, const char *name, unsigned wait,
			    struct tessera_error *err);

/*
 * Remove the partition NAME, plainly and then by force, and wait each time until it is gone, at
 * most SITE's remove_wait. It is no error if NAME does not exist.
 */
int tessera_partition_remove(const struct tessera_vipu_site *site, const char *name,
			     struct tessera_error *err);

#endif /* TESSERA_PARTITION_H */
