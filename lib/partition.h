/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The life of a job's V-IPU partition: made and active, or not there; never in between for longer than was allowed.
 * Each function speaks with the controller of SITE until it has what it wants or its time is over. They return 0, or
 * -1 with ERR, which must not be NULL: its code is that of vipu.h, its text has the controller's last words.
 */
#ifndef TESSERA_PARTITION_H
#define TESSERA_PARTITION_H

#include "error.h"
#include "vipu.h"
#include "vipu_site.h"

/*
 * Make the partition that WISH describes, and wait until it is active, WAIT seconds in all. What an earlier run of the
 * job left under that name is reset or removed first, as SITE says. A refusal for want of room, a controller that does
 * not answer and a partition that fails are tried again: the IPUs of a job that just ended may not be free yet. A
 * wrong request, key or version is an error at once. After an error nothing of it is left, unless the text says so:
 * removing it may take some seconds more.
 */
int tessera_partition_make(const struct tessera_vipu_site *site, const struct tessera_vipu_wish *wish,
			   unsigned wait, struct tessera_error *err);

/* Wait until the partition NAME, which somebody else makes, is active: WAIT seconds at most. */
int tessera_partition_await(const struct tessera_vipu_site *site, const char *name, unsigned wait,
			    struct tessera_error *err);

/*
 * Remove the partition NAME: plainly, then by force, and wait each time until it is gone, SITE's remove_wait at most.
 * One that is not there is fine.
 */
int tessera_partition_remove(const struct tessera_vipu_site *site, const char *name, struct tessera_error *err);

#endif /* TESSERA_PARTITION_H */
