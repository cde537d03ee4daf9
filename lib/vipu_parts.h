/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two ways to speak with a V-IPU controller, behind vipu.h. Not installed.
 */
#ifndef TESSERA_VIPU_PARTS_H
#define TESSERA_VIPU_PARTS_H

#include "vipu.h"

struct vipu_backend {
	int (*open)(struct tessera_vipu *v, struct tessera_error *err);
	void (*close)(struct tessera_vipu *v);
	/* As the functions of vipu.h. NULL: this way does not have it. */
	int (*version)(struct tessera_vipu *v, char *buf, size_t len, struct tessera_error *err);
	int (*create)(struct tessera_vipu *v, const struct tessera_vipu_wish *wish, struct tessera_error *err);
	int (*remove)(struct tessera_vipu *v, const char *name, bool force, struct tessera_error *err);
	int (*reset)(struct tessera_vipu *v, const char *name, struct tessera_error *err);
	int (*status)(struct tessera_vipu *v, const char *name, struct tessera_vipu_status *status,
		      struct tessera_error *err);
	int (*list)(struct tessera_vipu *v, struct tessera_vipu_list *list, struct tessera_error *err);
};

extern const struct vipu_backend vipu_grpc;
extern const struct vipu_backend vipu_command;

struct tessera_vipu {
	const struct tessera_vipu_site *site;
	const struct vipu_backend *backend;
	struct vipu_rpc *rpc; /* of vipu_grpc */
	int64_t deadline;
	int grpc_status;
	bool lasting; /* the last failure is one that no second try mends */
	bool unsent;  /* the last question cannot have reached the controller */
};

#endif /* TESSERA_VIPU_PARTS_H */
