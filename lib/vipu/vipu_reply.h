/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses the reply to a gRPC call: header lines and body bytes in, a message or an error out. Does
 * no I/O. Its input comes from another machine and is not trusted. Not installed.
 */
#ifndef TESSERA_VIPU_REPLY_H
#define TESSERA_VIPU_REPLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/util/error.h"

#define VIPU_REPLY_MAX   (4U * 1024 * 1024) /* of a message; gRPC's own default */
#define VIPU_FRAME_BYTES 5                  /* before each message: a flag and its length */

/* The gRPC status codes that this code distinguishes. */
enum {
	GRPC_NONE = -1, /* no status came */
	GRPC_OK = 0,
	GRPC_UNKNOWN = 2,
	GRPC_INVALID_ARGUMENT = 3,
	GRPC_DEADLINE_EXCEEDED = 4,
	GRPC_PERMISSION_DENIED = 7,
	GRPC_OUT_OF_RANGE = 11,
	GRPC_UNIMPLEMENTED = 12,
	GRPC_UNAVAILABLE = 14,
	GRPC_UNAUTHENTICATED = 16,
};

struct vipu_reply {
	unsigned http;         /* HTTP status; 0: no answer yet */
	bool http2;            /* which gRPC requires */
	bool is_grpc;          /* by its content type */
	char content_type[64]; /* printable; "": none */
	int status;            /* gRPC status, from headers or trailers */
	char message[400];     /* of that status; printable */
	unsigned char *body;
	size_t len;
	bool too_large;
};

/* Initialize R for a call. vipu_reply_free() frees its memory and initializes it again. */
void vipu_reply_start(struct vipu_reply *r);
void vipu_reply_free(struct vipu_reply *r);

/*
 * Parse one line of headers or trailers, LEN bytes, with or without its line end. A status line
 * discards the headers before it, as after an interim response.
 */
void vipu_reply_header(struct vipu_reply *r, const char *line, size_t len);

/*
 * Append to the body. Returns 0, or -1 if it gets larger than a message may be, or out of memory.
 */
int vipu_reply_body(struct vipu_reply *r, const void *data, size_t len);

/*
 * The reply is complete. Returns 0 if it is one message, with *MSG and *LEN, which R owns; or -1
 * with ERR: the controller's message with the code of vipu_reply_code() if it sent a status other
 * than OK, TESSERA_ERR_UNAVAILABLE if the reply is malformed.
 */
int vipu_reply_finish(const struct vipu_reply *r, const uint8_t **msg, size_t *len,
		      struct tessera_error *err);

/* The error code for a gRPC status, and the name of the status. */
enum tessera_errcode vipu_reply_code(int status);
const char *vipu_reply_status_name(int status);

#endif /* TESSERA_VIPU_REPLY_H */
