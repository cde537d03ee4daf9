/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/util/utf8.h"
#include "lib/vipu/vipu_reply.h"

static const char *const status_names[] = {
	"OK",
	"CANCELLED",
	"UNKNOWN",
	"INVALID_ARGUMENT",
	"DEADLINE_EXCEEDED",
	"NOT_FOUND",
	"ALREADY_EXISTS",
	"PERMISSION_DENIED",
	"RESOURCE_EXHAUSTED",
	"FAILED_PRECONDITION",
	"ABORTED",
	"OUT_OF_RANGE",
	"UNIMPLEMENTED",
	"INTERNAL",
	"UNAVAILABLE",
	"DATA_LOSS",
	"UNAUTHENTICATED",
};

#define STATUSES (int)(sizeof(status_names) / sizeof(status_names[0]))

const char *vipu_reply_status_name(int status)
{
	return status >= 0 && status < STATUSES ? status_names[status] : status_names[GRPC_UNKNOWN];
}

enum tessera_errcode vipu_reply_code(int status)
{
	switch (status) {
	case GRPC_OK:
		return TESSERA_OK;
	case GRPC_NONE:
	case GRPC_DEADLINE_EXCEEDED:
	case GRPC_UNIMPLEMENTED:
	case GRPC_UNAVAILABLE:
		return TESSERA_ERR_UNAVAILABLE;
	case GRPC_INVALID_ARGUMENT:
	case GRPC_OUT_OF_RANGE:
		return TESSERA_ERR_INPUT;
	case GRPC_PERMISSION_DENIED:
	case GRPC_UNAUTHENTICATED:
		return TESSERA_ERR_DENIED;
	default:
		/* What the controller refuses now, it may accept later. */
		return TESSERA_ERR_SHORTAGE;
	}
}

void vipu_reply_start(struct vipu_reply *r)
{
	*r = (struct vipu_reply){.status = GRPC_NONE};
}

void vipu_reply_free(struct vipu_reply *r)
{
	free(r->body);
	vipu_reply_start(r);
}

static int convert_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/*
 * gRPC percent-encodes messages. An invalid escape stays as it is: a bad message is better than
 * none.
 */
static void decode_message(char *text)
{
	char *to = text;

	for (const char *from = text; *from != '\0'; from++) {
		int high = from[0] == '%' ? convert_hex_digit(from[1]) : -1;
		int low = high >= 0 ? convert_hex_digit(from[2]) : -1;

		if (low < 0) {
			*to++ = *from;
			continue;
		}
		*to++ = (char)(high * 16 + low);
		from += 2;
		/* A NUL would truncate the text. */
		if (to[-1] == '\0')
			to[-1] = '?';
	}
	*to = '\0';
}

/* "HTTP/2 200" starts a new set of headers. */
static void parse_status_line(struct vipu_reply *r, const char *line)
{
	const char *version = line + strlen("HTTP/"), *code = version + strcspn(version, " ");

	r->http2 = version[0] == '2' && (version[1] == ' ' || version[1] == '.');
	code += strspn(code, " ");
	r->http = 0;
	for (unsigned i = 0; i < 3 && *code >= '0' && *code <= '9'; i++)
		r->http = r->http * 10 + (unsigned)(*code++ - '0');
	r->is_grpc = false;
	r->content_type[0] = '\0';
	r->status = GRPC_NONE;
	r->message[0] = '\0';
}

/* A number from 0 to 16 in one or two digits; gRPC defines anything else as UNKNOWN. */
static int parse_status(const char *value)
{
	size_t digits = strspn(value, "0123456789");
	int status = GRPC_UNKNOWN;

	if ((digits == 1 || digits == 2) && value[digits] == '\0')
		status = (int)strtol(value, NULL, 10);
	return status < STATUSES ? status : GRPC_UNKNOWN;
}

/* application/grpc, alone or followed by +proto or a parameter; not application/grpc-web. */
static bool is_grpc_type(const char *type)
{
	static const char grpc[] = "application/grpc";

	return strncasecmp(type, grpc, sizeof(grpc) - 1) == 0 &&
	       strchr("+; ", type[sizeof(grpc) - 1]) != NULL;
}

void vipu_reply_header(struct vipu_reply *r, const char *line, size_t len)
{
	char text[2048], *value;
	size_t end = len < sizeof(text) - 1 ? len : sizeof(text) - 1;

	memcpy(text, line, end);
	text[end] = '\0';
	end = strlen(text);
	while (end > 0 && strchr(" \t\r\n", text[end - 1]) != NULL)
		text[--end] = '\0';
	if (strncmp(text, "HTTP/", 5) == 0) {
		parse_status_line(r, text);
		return;
	}
	value = strchr(text, ':');
	if (value == NULL)
		return;
	*value++ = '\0';
	value += strspn(value, " \t");
	if (strcasecmp(text, "content-type") == 0) {
		r->is_grpc = is_grpc_type(value);
		snprintf(r->content_type, sizeof(r->content_type), "%s", value);
		utf8_clean(r->content_type);
	} else if (strcasecmp(text, "grpc-status") == 0) {
		r->status = parse_status(value);
	} else if (strcasecmp(text, "grpc-message") == 0) {
		decode_message(value);
		snprintf(r->message, sizeof(r->message), "%s", value);
		utf8_clean(r->message);
	}
}

int vipu_reply_body(struct vipu_reply *r, const void *data, size_t len)
{
	unsigned char *larger;

	if (len > VIPU_REPLY_MAX + VIPU_FRAME_BYTES - r->len) {
		r->too_large = true;
		return -1;
	}
	larger = realloc(r->body, r->len + len + 1); /* not 0 bytes, which would free it */
	if (larger == NULL)
		return -1;
	memcpy(larger + r->len, data, len);
	r->body = larger;
	r->len += len;
	return 0;
}

/* One frame: 0 (not compressed), four bytes of length, the message, and nothing after it. */
static int parse_frame(const struct vipu_reply *r, const uint8_t **msg, size_t *len,
		       struct tessera_error *err)
{
	const unsigned char *b = r->body;
	size_t announced;

	if (r->len < VIPU_FRAME_BYTES)
		return tessera_error_set(
			err, TESSERA_ERR_UNAVAILABLE,
			"its answer has %zu bytes, fewer than the %d that precede a message",
			r->len, VIPU_FRAME_BYTES);
	if (b[0] != 0)
		return tessera_error_set(
			err, TESSERA_ERR_UNAVAILABLE,
			"its answer is compressed (flag %u), which was not requested", b[0]);
	announced = (size_t)b[1] << 24 | (size_t)b[2] << 16 | (size_t)b[3] << 8 | b[4];
	if (announced != r->len - VIPU_FRAME_BYTES)
		return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
					 "its answer says that it has %zu bytes, but %zu came",
					 announced, r->len - VIPU_FRAME_BYTES);
	*msg = b + VIPU_FRAME_BYTES;
	*len = announced;
	return 0;
}

int vipu_reply_finish(const struct vipu_reply *r, const uint8_t **msg, size_t *len,
		      struct tessera_error *err)
{
	if (r->too_large)
		return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
					 "its answer is larger than %u MiB", VIPU_REPLY_MAX >> 20);
	if (r->http == 0)
		return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
					 "it closed the connection without an answer");
	if (!r->http2)
		return tessera_error_set(
			err, TESSERA_ERR_UNAVAILABLE,
			"it does not answer in HTTP/2: is that the port of the controller's user "
			"interface?");
	if (r->http != 200)
		return tessera_error_set(
			err, TESSERA_ERR_UNAVAILABLE,
			"it answers with HTTP status %u: is that the port of the controller's "
			"user interface?",
			r->http);
	if (!r->is_grpc)
		return tessera_error_set(
			err, TESSERA_ERR_UNAVAILABLE,
			"its answer is of type '%s', not application/grpc: is that the port of "
			"the controller's user interface?",
			r->content_type);
	if (r->status == GRPC_NONE)
		return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
					 "its answer ended without a gRPC status");
	if (r->status != GRPC_OK)
		return tessera_error_set(err, vipu_reply_code(r->status), "%s (gRPC %s)",
					 r->message[0] != '\0' ? r->message : "no reason given",
					 vipu_reply_status_name(r->status));
	return parse_frame(r, msg, len, err);
}
