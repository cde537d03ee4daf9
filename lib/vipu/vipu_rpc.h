/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unary gRPC calls over libcurl's HTTP/2. Not installed. */
#ifndef TESSERA_VIPU_RPC_H
#define TESSERA_VIPU_RPC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/conf/conf_vipu.h"
#include "lib/util/error.h"

struct vipu_rpc; /* a connection to a controller; the first call opens it, the next reuse it */

/*
 * Prepare calls to SITE's controller: read the certificates and the metadata file; nothing is sent
 * yet. SITE must outlive the result, which is to be closed with vipu_rpc_close() (NULL is
 * accepted). Returns NULL with ERR: TESSERA_ERR_DENIED if one of those files is accessible to
 * others, TESSERA_ERR_INPUT if it is malformed, TESSERA_ERR_UNAVAILABLE if it cannot be read,
 * TESSERA_ERR_NOMEM. Not thread-safe.
 */
struct vipu_rpc *vipu_rpc_open(const struct tessera_vipu_site *site, struct tessera_error *err);
void vipu_rpc_close(struct vipu_rpc *rpc);

/*
 * Call METHOD ("/package.Service/Method"). FRAME has room for VIPU_FRAME_BYTES, then the LEN bytes
 * of the message. The call ends at DEADLINE (deadline.h) or after SITE's call_wait, whichever is
 * earlier. Returns 0 with the answer in *MSG and *MSG_LEN, valid until the next call; or -1 with
 * ERR: the controller's refusal (vipu_reply_code()), or TESSERA_ERR_UNAVAILABLE if the transport
 * failed. Its text names the controller.
 */
int vipu_rpc_call(struct vipu_rpc *rpc, const char *method, uint8_t *frame, size_t len,
		  int64_t deadline, const uint8_t **msg, size_t *msg_len,
		  struct tessera_error *err);

/* The gRPC status of the last call; GRPC_NONE (vipu_reply.h) if none came. */
int vipu_rpc_status(const struct vipu_rpc *rpc);

/*
 * Did the last call fail because of certificates, so that a retry would fail too? Did it fail
 * before anything was sent?
 */
bool vipu_rpc_certificates(const struct vipu_rpc *rpc);
bool vipu_rpc_unsent(const struct vipu_rpc *rpc);

#endif /* TESSERA_VIPU_RPC_H */
