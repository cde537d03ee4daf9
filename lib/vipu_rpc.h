/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One call over gRPC: a message there, a message back, over libcurl's HTTP/2. Not installed.
 */
#ifndef TESSERA_VIPU_RPC_H
#define TESSERA_VIPU_RPC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "vipu_site.h"

struct vipu_rpc; /* a connection to a controller, opened by the first call and kept for the next */

/*
 * Make ready to call SITE's controller, which must live as long as the result: reads the certificates and the metadata
 * file; nothing is sent. NULL with ERR: TESSERA_ERR_DENIED when one of those files is open to others,
 * TESSERA_ERR_INPUT when it is wrong, TESSERA_ERR_MISSING when it or memory is not there. To be closed with
 * vipu_rpc_close(), which takes NULL too. Not from two threads at once.
 */
struct vipu_rpc *vipu_rpc_open(const struct tessera_vipu_site *site, struct tessera_error *err);
void vipu_rpc_close(struct vipu_rpc *rpc);

/*
 * Call METHOD ("/package.Service/Method"). FRAME has VIPU_FRAME_BYTES of room, and then the LEN bytes of the message.
 * It ends at DEADLINE (deadline.h) or after SITE's call_wait, whichever is nearer. Returns 0 with the answer in *MSG
 * and *MSG_LEN, which stays until the next call; or -1 with ERR: the controller's refusal (vipu_reply_code()), or
 * TESSERA_ERR_MISSING with what went wrong on the way. The sentence names the controller.
 */
int vipu_rpc_call(struct vipu_rpc *rpc, const char *method, uint8_t *frame, size_t len, int64_t deadline,
		  const uint8_t **msg, size_t *msg_len, struct tessera_error *err);

/* The gRPC status of the last call; GRPC_NONE (vipu_reply.h) if none came. */
int vipu_rpc_status(const struct vipu_rpc *rpc);

/* Did the last call fail for certificates, which no second try mends? For want of a connection, so nothing was sent? */
bool vipu_rpc_certificates(const struct vipu_rpc *rpc);
bool vipu_rpc_unsent(const struct vipu_rpc *rpc);

/* Does anybody accept connections at SITE's host and port? Returns 0, or -1 with ERR (TESSERA_ERR_MISSING). */
int vipu_rpc_reach(const struct tessera_vipu_site *site, int64_t deadline, struct tessera_error *err);

#endif /* TESSERA_VIPU_RPC_H */
