/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The controller's interface: messages of vipu.proto over gRPC. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util/utf8.h"
#include "lib/vipu/vipu.pb-c.h"
#include "lib/vipu/vipu_internal.h"
#include "lib/vipu/vipu_reply.h"
#include "lib/vipu/vipu_rpc.h"

/* protobuf-c's messages have no const; nothing is written through them. */
#pragma GCC diagnostic ignored "-Wcast-qual"

#define USER_SERVICE "/virmgrpc.UserService/"
#define GET_VERSION  "/virmgrpc.VersionService/GetVersion"

/*
 * Send REQUEST and unpack the answer as a message of TYPE. Returns it, to be freed with
 * protobuf_c_message_free_unpacked(), or NULL with ERR.
 */
static ProtobufCMessage *call_method(struct tessera_vipu *v, const char *method,
				     const ProtobufCMessage *request,
				     const ProtobufCMessageDescriptor *type,
				     struct tessera_error *err)
{
	size_t len = protobuf_c_message_get_packed_size(request), reply_len = 0;
	uint8_t *frame = malloc(VIPU_FRAME_BYTES + len);
	ProtobufCMessage *answer = NULL;
	const uint8_t *reply = NULL;
	int rc;

	if (frame == NULL) {
		tessera_error_nomem(err);
		return NULL;
	}
	protobuf_c_message_pack(request, frame + VIPU_FRAME_BYTES);
	rc = vipu_rpc_call(v->rpc, method, frame, len, v->deadline, &reply, &reply_len, err);
	v->grpc_status = vipu_rpc_status(v->rpc);
	v->lasting =
		rc < 0 && (v->grpc_status == GRPC_UNIMPLEMENTED || vipu_rpc_certificates(v->rpc));
	v->unsent = vipu_rpc_unsent(v->rpc);
	if (rc == 0)
		answer = protobuf_c_message_unpack(type, NULL, reply_len, reply);
	if (rc == 0 && answer == NULL)
		tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
				  "V-IPU controller %s:%u: its answer of %zu bytes is not a %s",
				  v->site->host, v->site->port, reply_len, type->short_name);
	free(frame);
	return answer;
}

struct tessera_vipu *tessera_vipu_open(const struct tessera_vipu_site *site,
				       struct tessera_error *err)
{
	struct tessera_vipu *v = calloc(1, sizeof(*v));

	if (v == NULL) {
		tessera_error_nomem(err);
		return NULL;
	}
	v->site = site;
	v->deadline = INT64_MAX;
	v->grpc_status = -1;
	v->rpc = vipu_rpc_open(site, err);
	if (v->rpc == NULL) {
		tessera_vipu_close(v);
		return NULL;
	}
	return v;
}

void tessera_vipu_close(struct tessera_vipu *v)
{
	if (v == NULL)
		return;
	vipu_rpc_close(v->rpc);
	free(v);
}

void tessera_vipu_deadline(struct tessera_vipu *v, int64_t deadline)
{
	v->deadline = deadline;
}

int tessera_vipu_version(struct tessera_vipu *v, char *buf, size_t len, struct tessera_error *err)
{
	Virmgrpc__VersionRequest request = VIRMGRPC__VERSION_REQUEST__INIT;
	ProtobufCMessage *answer = call_method(v, GET_VERSION, &request.base,
					       &virmgrpc__version_reply__descriptor, err);

	if (answer == NULL)
		return -1;
	snprintf(buf, len, "%s", ((Virmgrpc__VersionReply *)answer)->version);
	utf8_clean(buf);
	protobuf_c_message_free_unpacked(answer, NULL);
	return 0;
}

/*
 * A controller that does not know a method has another version. Name it: the administrator needs to
 * know.
 */
static void report_version(struct tessera_vipu *v, struct tessera_error *err)
{
	struct tessera_error failed = {0};
	char version[64];

	if (v->grpc_status != GRPC_UNIMPLEMENTED)
		return;
	if (tessera_vipu_version(v, version, sizeof(version), &failed) < 0)
		snprintf(version, sizeof(version), "unknown");
	tessera_error_prefix(err, "unsupported interface; the controller's version is %s", version);
	v->grpc_status = GRPC_UNIMPLEMENTED;
	v->lasting = true;
}

/* Call a method of the user service. */
static ProtobufCMessage *call_user_service(struct tessera_vipu *v, const char *method,
					   const ProtobufCMessage *request,
					   const ProtobufCMessageDescriptor *type,
					   struct tessera_error *err)
{
	ProtobufCMessage *answer;
	struct tessera_error ours = {0};

	if (err == NULL)
		err = &ours;
	answer = call_method(v, method, request, type, err);
	if (answer == NULL)
		report_version(v, err);
	return answer;
}

/* The same, for a reply that carries nothing. */
static int request_change(struct tessera_vipu *v, const char *method,
			  const ProtobufCMessage *request, const ProtobufCMessageDescriptor *type,
			  struct tessera_error *err)
{
	ProtobufCMessage *answer = call_user_service(v, method, request, type, err);

	if (answer == NULL)
		return -1;
	protobuf_c_message_free_unpacked(answer, NULL);
	return 0;
}

int tessera_vipu_create(struct tessera_vipu *v, const struct tessera_vipu_request *request,
			struct tessera_error *err)
{
	Virmgrpc__PartitionRequirements wanted = VIRMGRPC__PARTITION_REQUIREMENTS__INIT;
	Virmgrpc__CreatePartitionRequest message = VIRMGRPC__CREATE_PARTITION_REQUEST__INIT;

	wanted.id = (char *)request->name;
	wanted.size = request->ipus;
	wanted.num_gcds = request->gcds;
	wanted.num_ipulink_segments = request->domains > 1 ? request->domains : 0;
	wanted.reconfigurable = v->site->reconfigurable != 0;
	wanted.allocation_id = (char *)v->site->allocation;
	message.requirements = &wanted;
	message.relocatable = v->site->relocatable != 0;
	return request_change(v, USER_SERVICE "CreatePartition", &message.base,
			      &virmgrpc__create_partition_reply__descriptor, err);
}

int tessera_vipu_remove(struct tessera_vipu *v, const char *name, bool force,
			struct tessera_error *err)
{
	Virmgrpc__RemovePartitionRequest request = VIRMGRPC__REMOVE_PARTITION_REQUEST__INIT;

	request.partition_id = (char *)name;
	request.force = force;
	return request_change(v, USER_SERVICE "RemovePartition", &request.base,
			      &virmgrpc__remove_partition_reply__descriptor, err);
}

int tessera_vipu_reset(struct tessera_vipu *v, const char *name, struct tessera_error *err)
{
	Virmgrpc__ResetPartitionRequest request = VIRMGRPC__RESET_PARTITION_REQUEST__INIT;

	request.partition_id = (char *)name;
	request.relocatable = v->site->relocatable != 0;
	return request_change(v, USER_SERVICE "ResetPartition", &request.base,
			      &virmgrpc__reset_partition_reply__descriptor, err);
}

/* Numbers that vipu.proto does not have are unknown. */
static enum tessera_vipu_state convert_state(Virmgrpc__PartitionReadyState state)
{
	switch ((int)state) {
	case VIRMGRPC__PARTITION_READY_STATE__PS_PENDING:
		return TESSERA_VIPU_PENDING;
	case VIRMGRPC__PARTITION_READY_STATE__PS_ACTIVE:
		return TESSERA_VIPU_ACTIVE;
	case VIRMGRPC__PARTITION_READY_STATE__PS_REMOVED:
		return TESSERA_VIPU_REMOVED;
	case VIRMGRPC__PARTITION_READY_STATE__PS_ERROR:
		return TESSERA_VIPU_ERROR;
	default:
		return TESSERA_VIPU_UNKNOWN;
	}
}

static void describe_status(const Virmgrpc__PartitionStatus *s, struct tessera_vipu_status *status)
{
	size_t used;

	status->state = convert_state(s->ready_state);
	/* While it is being removed or reset, its ready state is stale. */
	if (s->operation_state == VIRMGRPC__PARTITION_OPERATION_STATE__POS_REMOVING)
		status->state = TESSERA_VIPU_REMOVING;
	else if (s->operation_state == VIRMGRPC__PARTITION_OPERATION_STATE__POS_RESETTING)
		status->state = TESSERA_VIPU_RESETTING;
	used = (size_t)snprintf(status->text, sizeof(status->text), "%s",
				tessera_vipu_state_name(status->state));
	if (status->state == TESSERA_VIPU_UNKNOWN)
		used += (size_t)snprintf(status->text + used, sizeof(status->text) - used,
					 " (number %d)", (int)s->ready_state);
	for (size_t i = 0; i < s->n_errors && used < sizeof(status->text); i++)
		used += (size_t)snprintf(status->text + used, sizeof(status->text) - used, "%s%s",
					 i == 0 ? ": " : "; ", s->errors[i]);
	utf8_clean(status->text);
}

int tessera_vipu_status(struct tessera_vipu *v, const char *name,
			struct tessera_vipu_status *status, struct tessera_error *err)
{
	Virmgrpc__GetPartitionStatusRequest request = VIRMGRPC__GET_PARTITION_STATUS_REQUEST__INIT;
	const Virmgrpc__PartitionStatus *s;
	ProtobufCMessage *answer;

	*status = (struct tessera_vipu_status){0};
	request.partition_id = (char *)name;
	answer = call_user_service(v, USER_SERVICE "GetPartitionStatus", &request.base,
				   &virmgrpc__get_partition_status_reply__descriptor, err);
	if (answer == NULL)
		return -1;
	s = ((Virmgrpc__GetPartitionStatusReply *)answer)->status;
	if (s != NULL)
		describe_status(s, status);
	else
		snprintf(status->text, sizeof(status->text), "unknown (the status is empty)");
	protobuf_c_message_free_unpacked(answer, NULL);
	return 0;
}

static int compare_ids(const void *a, const void *b)
{
	const struct tessera_vipu_partition *x = a, *y = b;

	return strcmp(x->id, y->id);
}

/* tessera-vipu prints a line for each: an id must have no spaces. */
static char *copy_id(const char *id)
{
	char *copy = strdup(id[0] != '\0' ? id : "?");

	if (copy == NULL)
		return NULL;
	utf8_clean(copy);
	for (char *c = copy; (c = strchr(c, ' ')) != NULL;)
		*c = '?';
	return copy;
}

static int copy_list(const Virmgrpc__ListPartitionsReply *reply, struct tessera_vipu_list *list)
{
	list->partitions = calloc(reply->n_partitions + 1, sizeof(*list->partitions));
	if (list->partitions == NULL)
		return -1;
	for (size_t i = 0; i < reply->n_partitions; i++) {
		const Virmgrpc__Partition *from = reply->partitions[i];
		struct tessera_vipu_partition *to = &list->partitions[i];

		to->id = copy_id(from->id);
		if (to->id == NULL)
			return -1;
		to->state = convert_state(from->ready_state);
		to->ipus = from->spec != NULL ? (unsigned)from->spec->n_ipus : 0;
		to->gcds = from->spec != NULL ? from->spec->num_gcds : 0;
		list->count++;
	}
	qsort(list->partitions, list->count, sizeof(*list->partitions), compare_ids);
	return 0;
}

int tessera_vipu_list(struct tessera_vipu *v, struct tessera_vipu_list *list,
		      struct tessera_error *err)
{
	Virmgrpc__ListPartitionsRequest request = VIRMGRPC__LIST_PARTITIONS_REQUEST__INIT;
	ProtobufCMessage *answer;
	int rc;

	*list = (struct tessera_vipu_list){0};
	answer = call_user_service(v, USER_SERVICE "ListPartitions", &request.base,
				   &virmgrpc__list_partitions_reply__descriptor, err);
	if (answer == NULL)
		return -1;
	rc = copy_list((Virmgrpc__ListPartitionsReply *)answer, list);
	protobuf_c_message_free_unpacked(answer, NULL);
	return rc < 0 ? tessera_error_nomem(err) : 0;
}

void tessera_vipu_list_free(struct tessera_vipu_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->partitions[i].id);
	free(list->partitions);
	*list = (struct tessera_vipu_list){0};
}

const struct tessera_vipu_partition *tessera_vipu_find(const struct tessera_vipu_list *list,
						       const char *id)
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

	return state < sizeof(names) / sizeof(names[0]) ? names[state]
							: names[TESSERA_VIPU_UNKNOWN];
}
