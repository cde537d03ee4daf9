/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls to a V-IPU controller, one RPC each. partition.h builds on them.
 *
 * A call ends at the deadline of tessera_vipu_deadline() or after the site's call_wait, whichever
 * is earlier. Calls return 0, or -1 with ERR:
 *   TESSERA_ERR_UNAVAILABLE  no valid reply, or the controller does not support the call
 *   TESSERA_ERR_NOMEM        out of memory
 *   TESSERA_ERR_SHORTAGE     the controller refused: no IPUs are free, or any other reason
 *   TESSERA_ERR_INPUT        the controller calls the request invalid
 *   TESSERA_ERR_DENIED       authentication failed, or permission is denied
 * The controller's status codes are not documented: none of them proves that a partition exists or
 * does not. Only tessera_vipu_list() does.
 */
#ifndef TESSERA_VIPU_H
#define TESSERA_VIPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/conf/conf_vipu.h"
#include "lib/util/error.h"

enum tessera_vipu_state {
	/* the controller does not know it, or reported a number that we do not know */
	TESSERA_VIPU_UNKNOWN = 0,
	TESSERA_VIPU_PENDING = 1,
	TESSERA_VIPU_ACTIVE = 2, /* programs can use it */
	TESSERA_VIPU_REMOVED = 3,
	TESSERA_VIPU_ERROR = 4,
	TESSERA_VIPU_REMOVING = 5, /* this and the next: whatever its ready state is */
	TESSERA_VIPU_RESETTING = 6,
};

struct tessera_vipu_request {
	const char *name;
	unsigned ipus;
	unsigned gcds;
	unsigned domains; /* IPU-Link domains that the partition spans */
};

struct tessera_vipu_status {
	enum tessera_vipu_state state;
	char text[320]; /* the state, and the controller's errors; printable */
};

struct tessera_vipu_partition {
	char *id; /* printable, without spaces */
	enum tessera_vipu_state state;
	unsigned ipus;
	unsigned gcds;
};

struct tessera_vipu_list {
	struct tessera_vipu_partition *partitions; /* sorted by id */
	size_t count;
};

struct tessera_vipu; /* a connection to a controller */

/*
 * Prepare calls to SITE's controller; nothing is sent yet. SITE must outlive the result, which is
 * to be closed with tessera_vipu_close() (NULL is accepted). Returns NULL with ERR if a certificate
 * or the metadata file cannot be used, or out of memory. Not thread-safe.
 */
struct tessera_vipu *tessera_vipu_open(const struct tessera_vipu_site *site,
				       struct tessera_error *err);
void tessera_vipu_close(struct tessera_vipu *v);

/* Set the deadline (deadline.h) of the calls that follow. */
void tessera_vipu_deadline(struct tessera_vipu *v, int64_t deadline);

/* Write the controller's version into BUF. */
int tessera_vipu_version(struct tessera_vipu *v, char *buf, size_t len, struct tessera_error *err);

/* Request a partition. It is not active yet when this returns. */
int tessera_vipu_create(struct tessera_vipu *v, const struct tessera_vipu_request *request,
			struct tessera_error *err);

/* Request its removal. FORCE: even if its IPUs do not respond. */
int tessera_vipu_remove(struct tessera_vipu *v, const char *name, bool force,
			struct tessera_error *err);

/* Request a reset. */
int tessera_vipu_reset(struct tessera_vipu *v, const char *name, struct tessera_error *err);

/* Query the state of a partition. */
int tessera_vipu_status(struct tessera_vipu *v, const char *name,
			struct tessera_vipu_status *status, struct tessera_error *err);

/*
 * List all partitions that we may see. LIST must be freed with tessera_vipu_list_free() even after
 * a failure.
 */
int tessera_vipu_list(struct tessera_vipu *v, struct tessera_vipu_list *list,
		      struct tessera_error *err);
void tessera_vipu_list_free(struct tessera_vipu_list *list);

/* The partition of that id in LIST, or NULL. */
const struct tessera_vipu_partition *tessera_vipu_find(const struct tessera_vipu_list *list,
						       const char *id);

/* The name of a state, such as "active". */
const char *tessera_vipu_state_name(enum tessera_vipu_state state);

#endif /* TESSERA_VIPU_H */
