/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/file.h"
#include "lib/vipu_metadata.h"

#define NAME_LONGEST 128
#define LINE_LONGEST 4096

char *vipu_secret_read(const char *path, int secret, size_t *len, struct tessera_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char *text = NULL;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0) {
		tessera_error_set(err, errno == EACCES ? TESSERA_ERR_DENIED : TESSERA_ERR_MISSING, "%s: %s", path,
				  strerror(errno));
		goto cleanup;
	}
	if (secret && (st.st_mode & 077) != 0) {
		tessera_error_set(err, TESSERA_ERR_DENIED,
				  "%s: its mode is %03o, and so others than its owner may open it, but it holds a "
				  "key: take that away (chmod go=)",
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

/* gRPC's own and HTTP's are not for a file to set. Binary values would have to be encoded. */
static const char *wrong_name(const char *name)
{
	static const char *const ours[] = {"content-type", "content-length",    "te",     "host",   "user-agent",
					   "connection",   "transfer-encoding", "accept", "expect", NULL};
	size_t len = strlen(name);

	if (len == 0 || len > NAME_LONGEST || name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_.")] != '\0')
		return "a name has 1 to 128 letters, digits or -_. and a colon behind it";
	if (strncmp(name, "grpc-", 5) == 0)
		return "names with grpc- are gRPC's own";
	if (len >= 4 && strcmp(name + len - 4, "-bin") == 0)
		return "values of names with -bin are binary, which is not supported";
	for (const char *const *p = ours; *p != NULL; p++)
		if (strcmp(name, *p) == 0)
			return "this name is HTTP's own";
	return NULL;
}

static int parse_line(const char *path, unsigned number, char *line, int (*take)(const char *line, void *arg),
		      void *arg, struct tessera_error *err)
{
	char *value = strchr(line, ':');
	const char *wrong;
	char whole[NAME_LONGEST + 2 + LINE_LONGEST];
	int rc;

	/* Without a colon it may be a value, which must not be shown. */
	if (value == NULL)
		return tessera_error_set(err, TESSERA_ERR_INPUT, "%s:%u: a line is \"name: value\"", path, number);
	*value++ = '\0';
	for (char *c = line; *c != '\0'; c++)
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c | 0x20);
	wrong = wrong_name(line);
	if (wrong != NULL)
		return tessera_error_set(err, TESSERA_ERR_INPUT, "%s:%u: the name is wrong: %s", path, number,
					 wrong);
	value += strspn(value, " \t");
	if (*value == '\0' || strlen(value) >= LINE_LONGEST)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "%s:%u: the value of %s has %zu characters: allowed are 1 to %d", path,
					 number, line, strlen(value), LINE_LONGEST - 1);
	for (const char *c = value; *c != '\0'; c++)
		if (*c < ' ' || *c > '~')
			return tessera_error_set(err, TESSERA_ERR_INPUT,
						 "%s:%u: the value of %s has a character that is not printable "
						 "ASCII",
						 path, number, line);
	snprintf(whole, sizeof(whole), "%s: %s", line, value);
	rc = take(whole, arg);
	explicit_bzero(whole, sizeof(whole));
	return rc < 0 ? tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory") : 0;
}

int vipu_metadata_parse(const char *path, char *text, int (*take)(const char *line, void *arg), void *arg,
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
		if (line[0] != '\0' && line[0] != '#' && parse_line(path, number, line, take, arg, err) < 0)
			return -1;
	}
	return 0;
}
