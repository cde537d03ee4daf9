/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/vipu_parts.h"

struct tessera_vipu *tessera_vipu_open(const struct tessera_vipu_site *site, struct tessera_error *err)
{
	struct tessera_vipu *v = calloc(1, sizeof(*v));

	if (v == NULL) {
		tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory");
		return NULL;
	}
	v->site = site;
	v->backend = site->backend == TESSERA_VIPU_COMMAND ? &vipu_command : &vipu_grpc;
	v->deadline = INT64_MAX;
	v->grpc_status = -1;
	if (v->backend->open != NULL && v->backend->open(v, err) < 0) {
		tessera_vipu_close(v);
		return NULL;
	}
	return v;
}

void tessera_vipu_close(struct tessera_vipu *v)
{
	if (v == NULL)
		return;
	if (v->backend->close != NULL)
		v->backend->close(v);
	free(v);
}

void tessera_vipu_deadline(struct tessera_vipu *v, int64_t deadline)
{
	v->deadline = deadline;
}

static int not_available(struct tessera_vipu *v, const char *what, struct tessera_error *err)
{
	v->grpc_status = -1;
	v->lasting = true;
	return tessera_error_set(err, TESSERA_ERR_MISSING,
				 "%s is not available with Backend = command: write Backend = grpc in tessera.conf",
				 what);
}

int tessera_vipu_version(struct tessera_vipu *v, char *buf, size_t len, struct tessera_error *err)
{
	if (v->backend->version == NULL)
		return not_available(v, "the version of a V-IPU controller", err);
	return v->backend->version(v, buf, len, err);
}

int tessera_vipu_create(struct tessera_vipu *v, const struct tessera_vipu_wish *wish, struct tessera_error *err)
{
	return v->backend->create(v, wish, err);
}

int tessera_vipu_remove(struct tessera_vipu *v, const char *name, bool force, struct tessera_error *err)
{
	return v->backend->remove(v, name, force, err);
}

int tessera_vipu_reset(struct tessera_vipu *v, const char *name, struct tessera_error *err)
{
	if (v->backend->reset == NULL)
		return not_available(v, "a reset of partitions", err);
	return v->backend->reset(v, name, err);
}

int tessera_vipu_status(struct tessera_vipu *v, const char *name, struct tessera_vipu_status *status,
			struct tessera_error *err)
{
	*status = (struct tessera_vipu_status){0};
	return v->backend->status(v, name, status, err);
}

int tessera_vipu_list(struct tessera_vipu *v, struct tessera_vipu_list *list, struct tessera_error *err)
{
	*list = (struct tessera_vipu_list){0};
	if (v->backend->list == NULL)
		return not_available(v, "a list of partitions", err);
	return v->backend->list(v, list, err);
}

void tessera_vipu_list_free(struct tessera_vipu_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->partitions[i].id);
	free(list->partitions);
	*list = (struct tessera_vipu_list){0};
}

const struct tessera_vipu_partition *tessera_vipu_find(const struct tessera_vipu_list *list, const char *id)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->partitions[i].id, id) == 0)
			return &list->partitions[i];
	return NULL;
}

const char *tessera_vipu_state_name(enum tessera_vipu_state state)
{
	static const char *const names[] = {"unknown", "pending",  "active",   "removed",
					    "error",   "removing", "resetting"};

	return state < sizeof(names) / sizeof(names[0]) ? names[state] : names[TESSERA_VIPU_UNKNOWN];
}

int tessera_vipu_grpc_status(const struct tessera_vipu *v)
{
	return v->grpc_status;
}

bool tessera_vipu_lasting(const struct tessera_vipu *v, const struct tessera_error *err)
{
	return v->lasting || err->code == TESSERA_ERR_INPUT || err->code == TESSERA_ERR_DENIED;
}
