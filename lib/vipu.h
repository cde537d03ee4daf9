/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What can be asked of a V-IPU controller, one question each. Whether a partition lives is partition.h's matter.
 *
 * All questions end at the deadline of tessera_vipu_deadline() or after the site's call_wait, whichever is nearer. They
 * return 0, or -1 with ERR:
 *   TESSERA_ERR_MISSING    no (proper) answer came, the controller cannot do that, or there is no memory
 *   TESSERA_ERR_SHORTAGE   it refused, for want of room or for what it thinks of now
 *   TESSERA_ERR_INPUT      it says that the request is wrong
 *   TESSERA_ERR_DENIED     it does not know us, or we may not do that
 * Its status codes are not documented: from none of them can be told that a partition exists, or does not. Only
 * tessera_vipu_list() tells.
 */
#ifndef TESSERA_VIPU_H
#define TESSERA_VIPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "vipu_site.h"

enum tessera_vipu_state {
	TESSERA_VIPU_UNKNOWN = 0, /* one that we never heard of, or that the controller does not know itself */
	TESSERA_VIPU_PENDING = 1,
	TESSERA_VIPU_ACTIVE = 2, /* programs can use it */
	TESSERA_VIPU_REMOVED = 3,
	TESSERA_VIPU_ERROR = 4,
	TESSERA_VIPU_REMOVING = 5, /* this and the next: whatever it was before */
	TESSERA_VIPU_RESETTING = 6,
};

struct tessera_vipu_wish {
	const char *name;
	unsigned ipus;
	unsigned gcds;
	unsigned domains; /* IPU-Link domains that it spans */
};

struct tessera_vipu_status {
	enum tessera_vipu_state state;
	char text[320]; /* the state, and what the controller says is wrong; printable */
};

struct tessera_vipu_partition {
	char *id; /* printable, and without blanks */
	enum tessera_vipu_state state;
	unsigned ipus;
	unsigned gcds;
};

struct tessera_vipu_list {
	struct tessera_vipu_partition *partitions; /* by id */
	size_t count;
};

struct tessera_vipu; /* a controller that we speak with */

/*
 * Make ready to speak with SITE's controller, which must live as long as the result; nothing is sent. NULL with ERR:
 * what is wrong with certificates or metadata file, or no memory. To be closed with tessera_vipu_close(), which takes
 * NULL too. Not from two threads at once.
 */
struct tessera_vipu *tessera_vipu_open(const struct tessera_vipu_site *site, struct tessera_error *err);
void tessera_vipu_close(struct tessera_vipu *v);

/* When the questions that follow must be answered (deadline.h). */
void tessera_vipu_deadline(struct tessera_vipu *v, int64_t deadline);

/* The controller's version into BUF. */
int tessera_vipu_version(struct tessera_vipu *v, char *buf, size_t len, struct tessera_error *err);

/* Begin to make a partition. It is not active yet when this returns. */
int tessera_vipu_create(struct tessera_vipu *v, const struct tessera_vipu_wish *wish, struct tessera_error *err);

/* Begin to remove it. FORCE: whatever its IPUs say. */
int tessera_vipu_remove(struct tessera_vipu *v, const char *name, bool force, struct tessera_error *err);

/* Begin to reset it. */
int tessera_vipu_reset(struct tessera_vipu *v, const char *name, struct tessera_error *err);

/* How it is. With the command backend only "active" and "unknown" are told apart. */
int tessera_vipu_status(struct tessera_vipu *v, const char *name, struct tessera_vipu_status *status,
			struct tessera_error *err);

/* All partitions that we may see, into LIST, which is to be given back with tessera_vipu_list_free() in any case. */
int tessera_vipu_list(struct tessera_vipu *v, struct tessera_vipu_list *list, struct tessera_error *err);
void tessera_vipu_list_free(struct tessera_vipu_list *list);

/* The partition of that id in LIST, or NULL. */
const struct tessera_vipu_partition *tessera_vipu_find(const struct tessera_vipu_list *list, const char *id);

/* "active" and so on. */
const char *tessera_vipu_state_name(enum tessera_vipu_state state);

/* gRPC's status of the last answer; -1 if none came, or if it was a command's. */
int tessera_vipu_grpc_status(const struct tessera_vipu *v);

/* Will the last failure still be there at the next try? Wrong requests, keys and versions are such; others may pass. */
bool tessera_vipu_lasting(const struct tessera_vipu *v, const struct tessera_error *err);

#endif /* TESSERA_VIPU_H */
