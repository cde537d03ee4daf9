/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What came back from a call over gRPC: header lines and bytes in, a message or a sentence out. Knows no network. What
 * it is fed comes from another machine, and is believed in nothing. Not installed.
 */
#ifndef TESSERA_VIPU_REPLY_H
#define TESSERA_VIPU_REPLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

#define VIPU_REPLY_MAX   (4U * 1024 * 1024) /* of a message; gRPC's own default */
#define VIPU_FRAME_BYTES 5                  /* before each message: a flag and its length */

/* gRPC's numbers of which something depends here. */
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
	unsigned http;         /* the status; 0: no answer yet */
	bool http2;            /* gRPC lives in nothing else */
	bool is_grpc;          /* by its content type, which is: */
	char content_type[64]; /* "": none */
	int status;            /* gRPC's, from headers or trailers */
	char message[400];     /* what it says about that; printable */
	unsigned char *body;
	size_t len;
	bool too_large;
};

/* Make R empty for a new call. vipu_reply_free() gives back what it holds. */
void vipu_reply_start(struct vipu_reply *r);
void vipu_reply_free(struct vipu_reply *r);

/*
 * One line of headers or trailers, LEN bytes, with or without its line end; or the status line, which begins them
 * anew, as after an interim answer.
 */
void vipu_reply_header(struct vipu_reply *r, const char *line, size_t len);

/* More of the body. Returns 0, or -1 when it is larger than a message may be, or there is no memory. */
int vipu_reply_body(struct vipu_reply *r, const void *data, size_t len);

/*
 * The answer is complete. Returns 0 when it is one message, which *MSG and *LEN then are and R owns; otherwise -1 with
 * ERR: the controller's own words with the code of vipu_reply_code() if r->status is one of its, TESSERA_ERR_MISSING
 * with what is wrong if it is no proper answer.
 */
int vipu_reply_finish(const struct vipu_reply *r, const uint8_t **msg, size_t *len, struct tessera_error *err);

/* What a status of gRPC is to us, and what gRPC calls it. */
enum tessera_errcode vipu_reply_code(int status);
const char *vipu_reply_status_name(int status);

#endif /* TESSERA_VIPU_REPLY_H */
