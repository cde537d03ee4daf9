/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/util/file.h"
#include "lib/vipu/secrets.h"

#define NAME_MAX_LEN  128
#define VALUE_MAX_LEN 4096

char *vipu_secret_read(const char *path, int secret, size_t *len, struct tessera_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char *text = NULL;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0) {
		tessera_error_set(err,
				  errno == EACCES ? TESSERA_ERR_DENIED : TESSERA_ERR_UNAVAILABLE,
				  "%s: %s", path, strerror(errno));
		goto cleanup;
	}
	if (secret && (st.st_mode & 077) != 0) {
		tessera_error_set(
			err, TESSERA_ERR_DENIED,
			"%s: its mode is %03o, but it holds a key: only its owner may have "
			"access (chmod go=)",
			path, (unsigned)(st.st_mode & 0777));
		goto cleanup;
	}
	text = file_read(fd, path, 1, true, len, err);
cleanup:
	if (fd >= 0)
		close(fd);
	return text;
}

void vipu_secret_free(char *text, size_t len)
{
	if (text != NULL)
		explicit_bzero(text, len);
	free(text);
}

/* Returns why a metadata file must not set NAME, or NULL. Binary values would need encoding. */
static const char *find_name_error(const char *name)
{
	static const char *const reserved[] = {
		"content-type", "content-length",    "te",     "host",   "user-agent",
		"connection",   "transfer-encoding", "accept", "expect", NULL};
	size_t len = strlen(name);

	if (len == 0 || len > NAME_MAX_LEN ||
	    name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_.")] != '\0')
		return "a name must have 1 to 128 letters, digits or -_. and a colon after it";
	if (strncmp(name, "grpc-", 5) == 0)
		return "names that start with grpc- are reserved for gRPC";
	if (len >= 4 && strcmp(name + len - 4, "-bin") == 0)
		return "names that end with -bin have binary values, which are not supported";
	for (const char *const *p = reserved; *p != NULL; p++)
		if (strcmp(name, *p) == 0)
			return "this name is reserved for HTTP";
	return NULL;
}

static int parse_line(const char *path, unsigned number, char *line,
		      int (*add)(const char *line, void *arg), void *arg, struct tessera_error *err)
{
	char *value = strchr(line, ':');
	const char *wrong;
	char whole[NAME_MAX_LEN + 2 + VALUE_MAX_LEN];
	int rc;

	/* Without a colon it may be a secret, which must not be printed. */
	if (value == NULL)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "%s:%u: a line must be \"name: value\"", path, number);
	*value++ = '\0';
	for (char *c = line; *c != '\0'; c++)
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c | 0x20);
	wrong = find_name_error(line);
	if (wrong != NULL)
		return tessera_error_set(err, TESSERA_ERR_INPUT, "%s:%u: invalid name: %s", path,
					 number, wrong);
	value += strspn(value, " \t");
	if (*value == '\0' || strlen(value) >= VALUE_MAX_LEN)
		return tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"%s:%u: the value of %s has %zu characters: 1 to %d are allowed", path,
			number, line, strlen(value), VALUE_MAX_LEN - 1);
	for (const char *c = value; *c != '\0'; c++)
		if (*c < ' ' || *c > '~')
			return tessera_error_set(
				err, TESSERA_ERR_INPUT,
				"%s:%u: the value of %s has a character that is not printable "
				"ASCII",
				path, number, line);
	snprintf(whole, sizeof(whole), "%s: %s", line, value);
	rc = add(whole, arg);
	explicit_bzero(whole, sizeof(whole));
	return rc < 0 ? tessera_error_nomem(err) : 0;
}

int secrets_parse(const char *path, char *text, int (*add)(const char *line, void *arg), void *arg,
		  struct tessera_error *err)
{
	char *line = text, *next;

	for (unsigned number = 1; line != NULL; number++, line = next) {
		size_t end;

		next = strchr(line, '\n');
		if (next != NULL)
			*next++ = '\0';
		line += strspn(line, " \t");
		end = strlen(line);
		while (end > 0 && strchr(" \t\r", line[end - 1]) != NULL)
			line[--end] = '\0';
		if (line[0] != '\0' && line[0] != '#' &&
		    parse_line(path, number, line, add, arg, err) < 0)
			return -1;
	}
	return 0;
}
