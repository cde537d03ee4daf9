/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/vipu/vipu.pb-c.h"
#include "lib/vipu/vipu_reply.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Header lines that the fuzzer would need long to find. */
static const char *const lines[] = {
	"HTTP/2 200 \r\n",    "content-type: application/grpc\r\n",
	"grpc-status: 0\r\n", "grpc-status: 5\r\n",
	"grpc-message: ",     "HTTP/1.1 404 \r\n",
	"content-type: ",     "grpc-status: ",
};

#define LINES (sizeof(lines) / sizeof(lines[0]))

/* The reply of each call. */
static const ProtobufCMessageDescriptor *const types[] = {
	&virmgrpc__version_reply__descriptor,
	&virmgrpc__create_partition_reply__descriptor,
	&virmgrpc__remove_partition_reply__descriptor,
	&virmgrpc__reset_partition_reply__descriptor,
	&virmgrpc__get_partition_status_reply__descriptor,
	&virmgrpc__list_partitions_reply__descriptor,
};

/* Messages contain no control characters. */
static void check_text(const char *text, size_t room)
{
	size_t len = strnlen(text, room);

	if (len == room)
		abort();
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			abort();
}

static void read_message(const uint8_t *msg, size_t len)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		ProtobufCMessage *m = protobuf_c_message_unpack(types[i], NULL, len, msg);

		if (m != NULL)
			protobuf_c_message_free_unpacked(m, NULL);
	}
}

/*
 * A header line: one of the known beginnings or none, and the bytes up to a NUL. Returns the number
 * of bytes consumed.
 */
static size_t feed_line(struct vipu_reply *r, const uint8_t *data, size_t size)
{
	char line[600];
	size_t used = 0, n = 1;

	if (data[0] % (LINES + 1) < LINES) {
		used = strlen(lines[data[0] % (LINES + 1)]);
		memcpy(line, lines[data[0] % (LINES + 1)], used);
	}
	while (n < size && data[n] != 0 && used < sizeof(line))
		line[used++] = (char)data[n++];
	vipu_reply_header(r, line, used);
	return n < size ? n + 1 : n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tessera_error err = {0};
	struct vipu_reply r;
	const uint8_t *msg;
	size_t len;

	vipu_reply_start(&r);
	for (unsigned i = 0; i < 4 && size > 0; i++) {
		size_t n = feed_line(&r, data, size);

		data += n;
		size -= n;
	}
	/* The input as it is, and as the content of a valid frame. */
	if (vipu_reply_body(&r, data, size) < 0)
		abort();
	if (vipu_reply_finish(&r, &msg, &len, &err) == 0) {
		if (len + VIPU_FRAME_BYTES != size || r.status != GRPC_OK)
			abort();
	} else if (err.code == TESSERA_OK || err.text[0] == '\0') {
		abort();
	}
	read_message(data, size);
	check_text(err.text, sizeof(err.text));
	check_text(r.message, sizeof(r.message));
	check_text(r.content_type, sizeof(r.content_type));
	vipu_reply_free(&r);
	return 0;
}
