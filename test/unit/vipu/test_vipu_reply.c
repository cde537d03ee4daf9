/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>

#include "lib/vipu/secrets.h"
#include "lib/vipu/vipu_reply.h"
#include "test/unit/unit.h"

static struct vipu_reply reply;
static struct tessera_error err;
static const uint8_t *msg;
static size_t len;

static void setup(void)
{
	vipu_reply_start(&reply);
	err = (struct tessera_error){0};
	msg = NULL;
	len = 99;
}

static void teardown(void)
{
	vipu_reply_free(&reply);
}

static void parse_headers(const char *const *lines)
{
	for (; *lines != NULL; lines++)
		vipu_reply_header(&reply, *lines, strlen(*lines));
}

/* A well-formed reply with BODY and these trailers; NULL: none. */
static int finish_reply(const void *body, size_t size, const char *status, const char *message)
{
	char line[1024];

	parse_headers((const char *const[]){"HTTP/2 200 \r\n", "content-type: application/grpc\r\n",
					    "\r\n", NULL});
	ck_assert_int_eq(vipu_reply_body(&reply, body, size), 0);
	if (status != NULL)
		vipu_reply_header(
			&reply, line,
			(size_t)snprintf(line, sizeof(line), "grpc-status: %s\r\n", status));
	if (message != NULL)
		vipu_reply_header(
			&reply, line,
			(size_t)snprintf(line, sizeof(line), "grpc-message: %s\r\n", message));
	return vipu_reply_finish(&reply, &msg, &len, &err);
}

/* A message may come in pieces. */
START_TEST(one_message)
{
	ck_assert_int_eq(finish_reply("\0\0\0\0\3a\0", 7, NULL, NULL), -1);
	ck_assert_int_eq(vipu_reply_body(&reply, "b", 1), 0);
	parse_headers((const char *const[]){"grpc-status: 0", NULL});
	ck_assert_int_eq(vipu_reply_finish(&reply, &msg, &len, &err), 0);
	ck_assert_uint_eq(len, 3);
	ck_assert_mem_eq(msg, "a\0b", 3);
}
END_TEST

START_TEST(empty_message)
{
	ck_assert_int_eq(finish_reply("\0\0\0\0\0", 5, "0", NULL), 0);
	ck_assert_uint_eq(len, 0);
}
END_TEST

static const struct {
	const char *body;
	size_t size;
	const char *says;
} frames[] = {
	{"", 0, "has 0 bytes"},
	{"\0\0\0\0", 4, "has 4 bytes"},
	{"\1\0\0\0\1a", 6, "compressed"},
	{"\2\0\0\0\1a", 6, "compressed (flag 2)"},
	{"\0\0\0\0\2a", 6, "it has 2 bytes, but 1 came"},
	{"\0\0\0\0\1ab", 7, "it has 1 bytes, but 2 came"},
	{"\0\0\0\0\1a\0\0\0\0\0", 11, "it has 1 bytes, but 6 came"},
	{"\0\0\0\1\0a", 6, "it has 256 bytes"},
	{"\0\0\1\0\0a", 6, "it has 65536 bytes"},
	{"\0\377\377\377\377a", 6, "it has 4294967295 bytes, but 1 came"},
};

START_TEST(bad_frames)
{
	ck_assert_int_eq(finish_reply(frames[_i].body, frames[_i].size, "0", NULL), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_UNAVAILABLE);
	ck_assert_msg(strstr(err.text, frames[_i].says) != NULL, "%s", err.text);
}
END_TEST

static const struct {
	const char *status;
	int number;
	enum tessera_errcode code;
	const char *name;
} statuses[] = {
	{"1", 1, TESSERA_ERR_SHORTAGE, "CANCELLED"},
	{"2", 2, TESSERA_ERR_SHORTAGE, "UNKNOWN"},
	{"3", 3, TESSERA_ERR_INPUT, "INVALID_ARGUMENT"},
	{"4", 4, TESSERA_ERR_UNAVAILABLE, "DEADLINE_EXCEEDED"},
	{"5", 5, TESSERA_ERR_SHORTAGE, "NOT_FOUND"},
	{"6", 6, TESSERA_ERR_SHORTAGE, "ALREADY_EXISTS"},
	{"7", 7, TESSERA_ERR_DENIED, "PERMISSION_DENIED"},
	{"8", 8, TESSERA_ERR_SHORTAGE, "RESOURCE_EXHAUSTED"},
	{"9", 9, TESSERA_ERR_SHORTAGE, "FAILED_PRECONDITION"},
	{"10", 10, TESSERA_ERR_SHORTAGE, "ABORTED"},
	{"11", 11, TESSERA_ERR_INPUT, "OUT_OF_RANGE"},
	{"12", 12, TESSERA_ERR_UNAVAILABLE, "UNIMPLEMENTED"},
	{"13", 13, TESSERA_ERR_SHORTAGE, "INTERNAL"},
	{"14", 14, TESSERA_ERR_UNAVAILABLE, "UNAVAILABLE"},
	{"15", 15, TESSERA_ERR_SHORTAGE, "DATA_LOSS"},
	{"16", 16, TESSERA_ERR_DENIED, "UNAUTHENTICATED"},
	{"17", 2, TESSERA_ERR_SHORTAGE, "UNKNOWN"},
	{"-1", 2, TESSERA_ERR_SHORTAGE, "UNKNOWN"},
	{"0x0", 2, TESSERA_ERR_SHORTAGE, "UNKNOWN"},
	{"000", 2, TESSERA_ERR_SHORTAGE, "UNKNOWN"},
	{"4294967296", 2, TESSERA_ERR_SHORTAGE, "UNKNOWN"},
	{"", 2, TESSERA_ERR_SHORTAGE, "UNKNOWN"},
};

START_TEST(refusals)
{
	char name[64];

	snprintf(name, sizeof(name), "words (gRPC %s)", statuses[_i].name);
	ck_assert_int_eq(finish_reply("\0\0\0\0\0", 5, statuses[_i].status, "words"), -1);
	ck_assert_int_eq(reply.status, statuses[_i].number);
	ck_assert_int_eq(err.code, statuses[_i].code);
	ck_assert_str_eq(err.text, name);
}
END_TEST

/* Without a body, status and message are among the headers; the message may be missing. */
START_TEST(trailers_only)
{
	parse_headers((const char *const[]){"HTTP/2 200", "Content-Type:application/grpc+proto",
					    "Grpc-Status:\t14  ", NULL});
	ck_assert_int_eq(vipu_reply_finish(&reply, &msg, &len, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_UNAVAILABLE);
	ck_assert_str_eq(err.text, "no reason given (gRPC UNAVAILABLE)");
}
END_TEST

static const struct {
	const char *sent;
	const char *shown;
} messages[] = {
	{"100%25 busy", "100% busy"},
	{"5%2525", "5%25"},
	{"na%C3%AFve", "na\303\257ve"},
	{"na\303\257ve", "na\303\257ve"},
	{"a%", "a%"},
	{"a%2", "a%2"},
	{"a%2g%zz%", "a%2g%zz%"},
	{"a%0Ab%0d%1b[31m%7F%00c", "a?b??[31m??c"},
	/* a control character of two bytes, and the first that is none */
	{"%c2%9b31m %C2%A0", "??31m \302\240"},
	{"%ff%fe%c3", "???"},
	{"%e2%82%ac %e2%82", "\342\202\254 ??"},
	{"%c0%80 %e0%80%80 %f8%80%80%80%80", "?? ??? ?????"}, /* longer than they need to be */
	{"%ed%a0%80", "???"},
	{"%f4%90%80%80 %f0%9f%98%80", "???? \360\237\230\200"},
	{"%e2%80%ae %e2%81%a6", "??? ???"}, /* turn round what follows */
};

START_TEST(decoding)
{
	ck_assert_int_eq(finish_reply("", 0, "9", messages[_i].sent), -1);
	ck_assert_str_eq(reply.message, messages[_i].shown);
}
END_TEST

/* A long message is cut, never in the middle of a character. */
START_TEST(long_words)
{
	static char line[5000] = "grpc-message: ";

	memset(line + strlen(line), 'x', sizeof(line) - strlen(line));
	vipu_reply_header(&reply, line, sizeof(line));
	ck_assert_uint_eq(strlen(reply.message), sizeof(reply.message) - 1);
	memcpy(line + strlen("grpc-message: ") + sizeof(reply.message) - 2, "\303\251", 2);
	vipu_reply_header(&reply, line, sizeof(line));
	ck_assert_uint_eq(strlen(reply.message), sizeof(reply.message) - 1);
	ck_assert_int_eq(reply.message[sizeof(reply.message) - 2], '?');
}
END_TEST

static const struct {
	const char *lines[6];
	const char *says;
} strangers[] = {
	{{NULL}, "closed the connection"},
	{{"HTTP/1.1 200 OK", "content-type: application/grpc", "grpc-status: 0", NULL},
	 "not answer in HTTP/2"},
	{{"HTTP/1.1 400 Bad Request", NULL}, "not answer in HTTP/2"},
	{{"HTTP/22 200", NULL}, "not answer in HTTP/2"},
	{{"HTTP/2 404", "content-type: application/grpc", "grpc-status: 0", NULL},
	 "HTTP status 404"},
	{{"HTTP/2 2000", "content-type: application/grpc", NULL}, "without a gRPC status"},
	{{"HTTP/2 200", "content-type: text/html; charset=utf-8", "grpc-status: 0", NULL},
	 "'text/html; charset=utf-8'"},
	{{"HTTP/2 200", "content-type: application/grpc-web", "grpc-status: 0", NULL},
	 "'application/grpc-web'"},
	{{"HTTP/2 200", "grpc-status: 0", NULL}, "type ''"},
	{{"HTTP/2 200", "content-type: x\033[2J", NULL}, "'x?[2J'"},
	{{"HTTP/2 200", "content-type: application/grpc", NULL}, "without a gRPC status"},
	{{"HTTP/2 200", "content-type: application/grpc", "grpc-status 0", NULL},
	 "without a gRPC status"},
	/* An interim answer's lines are not the answer's. */
	{{"HTTP/2 103", "content-type: application/grpc", "grpc-status: 0", "HTTP/2 200", NULL},
	 "type ''"},
	{{"HTTP/2 103", "grpc-status: 0", "HTTP/2 200", "content-type: application/grpc", NULL},
	 "without a gRPC status"},
	{{"HTTP/2 ", NULL}, "closed the connection"},
};

START_TEST(no_controller)
{
	parse_headers(strangers[_i].lines);
	ck_assert_int_eq(vipu_reply_body(&reply, "\0\0\0\0\0", 5), 0);
	ck_assert_int_eq(vipu_reply_finish(&reply, &msg, &len, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_UNAVAILABLE);
	ck_assert_msg(strstr(err.text, strangers[_i].says) != NULL, "%s", err.text);
}
END_TEST

START_TEST(largest)
{
	static char whole[VIPU_REPLY_MAX];

	ck_assert_int_eq(vipu_reply_body(&reply, "\0\0\100\0\0", 5), 0);
	ck_assert_int_eq(vipu_reply_body(&reply, whole, sizeof(whole)), 0);
	parse_headers((const char *const[]){"HTTP/2 200", "content-type: application/grpc",
					    "grpc-status: 0", NULL});
	ck_assert_int_eq(vipu_reply_finish(&reply, &msg, &len, &err), 0);
	ck_assert_uint_eq(len, sizeof(whole));
	ck_assert_int_eq(vipu_reply_body(&reply, "x", 1), -1);
	ck_assert_int_eq(vipu_reply_finish(&reply, &msg, &len, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "larger than 4 MiB"));
}
END_TEST

static int collect(const char *line, void *arg)
{
	char *all = arg;

	snprintf(all + strlen(all), 256 - strlen(all), "[%s]", line);
	return 0;
}

START_TEST(metadata)
{
	char text[] = "# keys\n\nAPI-User-Id: alice\r\n  x_1.y:a:b c \t\nlast: z";
	char all[256] = "";

	ck_assert_int_eq(secrets_parse("f", text, collect, all, &err), 0);
	ck_assert_str_eq(all, "[api-user-id: alice][x_1.y: a:b c][last: z]");
}
END_TEST

/* Whatever is wrong, the error must not quote the secret. */
static const char *const bad_metadata[] = {
	"SECRET",           "SECRET\n: x",  ": SECRET",     "a b: SECRET",   "grpc-timeout: SECRET",
	"x-bin: SECRET",    "te: SECRET",   "Host: SECRET", "a:\nb: x",      "a: SECRET\001",
	"a: SECR\303\251T", "SECRET\tx: y", "SECRET/x: y",  ":path: SECRET",
};

START_TEST(wrong_metadata)
{
	char text[64], all[256] = "";

	snprintf(text, sizeof(text), "ok: 1\n%s", bad_metadata[_i]);
	ck_assert_int_eq(secrets_parse("f", text, collect, all, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	ck_assert_int_eq(strncmp(err.text, "f:2: ", 5), 0);
	ck_assert_ptr_null(strcasestr(err.text, "SECR"));
	ck_assert_str_eq(all, "[ok: 1]");
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, one_message);
	tcase_add_test(tcase, empty_message);
	tcase_add_loop_test(tcase, bad_frames, 0, sizeof(frames) / sizeof(frames[0]));
	tcase_add_loop_test(tcase, refusals, 0, sizeof(statuses) / sizeof(statuses[0]));
	tcase_add_test(tcase, trailers_only);
	tcase_add_loop_test(tcase, decoding, 0, sizeof(messages) / sizeof(messages[0]));
	tcase_add_test(tcase, long_words);
	tcase_add_loop_test(tcase, no_controller, 0, sizeof(strangers) / sizeof(strangers[0]));
	tcase_add_test(tcase, largest);
	tcase_add_test(tcase, metadata);
	tcase_add_loop_test(tcase, wrong_metadata, 0,
			    sizeof(bad_metadata) / sizeof(bad_metadata[0]));
}

UNIT_MAIN("vipu_reply", add_tests)
