/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/slurm/conf_file.h"
#include "lib/slurm/conf_path.h"
#include "lib/util/array.h"
#include "lib/util/file.h"

/* slurmd's copy of slurm.conf on a configless node. */
#define CONFIGLESS CONFIGLESS_DIR "/slurm.conf"

#define DEPTH_MAX    8 /* of nested includes */
#define FILE_MAX_MIB 16
#define INCLUDE      "include"
#define BLANKS       " \t\r\n"

static int add_line(struct conf_file *f, const char *path, unsigned number, const char *text,
		    struct tessera_error *err)
{
	struct slurm_line *grown = array_grow(f->lines, f->count, sizeof(*grown)), *line;

	if (grown == NULL)
		return tessera_error_nomem(err);
	f->lines = grown;
	line = &f->lines[f->count++];
	line->number = number;
	line->path = strdup(path);
	line->text = strdup(text);
	return line->path != NULL && line->text != NULL ? 0 : tessera_error_nomem(err);
}

/* The name in an include line, or NULL if TEXT is another line. */
static const char *find_include(const char *text)
{
	size_t len = strlen(INCLUDE);

	if (strncasecmp(text, INCLUDE, len) != 0 || !isblank((unsigned char)text[len]))
		return NULL;
	return text + len + strspn(text + len, BLANKS);
}

static int read_one(struct conf_file *f, const char *path, const char *dir, unsigned depth,
		    struct tessera_error *err);

static int read_included(struct conf_file *f, const char *name, const char *dir, unsigned depth,
			 struct tessera_error *err)
{
	char *pattern = NULL;
	glob_t found = {0};
	int rc = 0;

	if (depth > DEPTH_MAX)
		return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
					 "%s: includes nested more than %d deep", name, DEPTH_MAX);
	if (asprintf(&pattern, "%s%s%s", name[0] == '/' ? "" : dir, name[0] == '/' ? "" : "/",
		     name) < 0)
		return tessera_error_nomem(err);
	/* A pattern may match nothing, but a file named without wildcards must exist. */
	if (glob(pattern, strpbrk(name, "*?[") != NULL ? 0 : GLOB_NOCHECK, NULL, &found) == 0)
		for (size_t i = 0; i < found.gl_pathc && rc == 0; i++)
			rc = read_one(f, found.gl_pathv[i], dir, depth, err);
	globfree(&found);
	free(pattern);
	return rc;
}

/*
 * Cut the comment, which starts at a # without \ before it. Returns true if the line is continued.
 */
static bool cut_comment(char *line)
{
	char *end = line;

	while (*end != '\0' && (*end != '#' || (end > line && end[-1] == '\\')))
		end++;
	*end = '\0';
	while (end > line && strchr(BLANKS, end[-1]) != NULL)
		*--end = '\0';
	if (end == line || end[-1] != '\\')
		return false;
	end[-1] = ' ';
	return true;
}

/* Handle a line, its continuations joined. One continued by an empty line ends with a space. */
static int handle_line(struct conf_file *f, const char *path, const char *dir, unsigned number,
		       char *text, unsigned depth, struct tessera_error *err)
{
	const char *name;
	size_t len;

	text += strspn(text, BLANKS);
	for (len = strlen(text); len > 0 && strchr(BLANKS, text[len - 1]) != NULL; len--)
		text[len - 1] = '\0';
	if (*text == '\0')
		return 0;
	name = find_include(text);
	return name != NULL ? read_included(f, name, dir, depth + 1, err)
			    : add_line(f, path, number, text, err);
}

static int read_text(struct conf_file *f, const char *path, const char *dir, char *text,
		     unsigned depth, struct tessera_error *err)
{
	char *whole = malloc(strlen(text) + 1), *next;
	unsigned number = 1, first = 1;
	size_t used = 0;
	int rc = 0;

	if (whole == NULL)
		return tessera_error_nomem(err);
	for (char *line = text; rc == 0 && line != NULL; line = next, number++) {
		bool more;

		next = strchr(line, '\n');
		if (next != NULL)
			*next++ = '\0';
		first = used == 0 ? number : first;
		more = cut_comment(line);
		memcpy(whole + used, line, strlen(line) + 1);
		used = more ? used + strlen(line) : 0;
		if (!more || next == NULL)
			rc = handle_line(f, path, dir, first, whole, depth, err);
	}
	free(whole);
	return rc;
}

static int read_one(struct conf_file *f, const char *path, const char *dir, unsigned depth,
		    struct tessera_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc = -1;
	char *text = NULL;
	struct stat st;
	size_t len;

	if (fd < 0 || fstat(fd, &st) < 0) {
		tessera_error_set(err, TESSERA_ERR_UNAVAILABLE, "%s: %s", path, strerror(errno));
		goto cleanup;
	}
	f->changed = st.st_mtime > f->changed ? st.st_mtime : f->changed;
	text = file_read(fd, path, FILE_MAX_MIB, false, &len, err);
	if (text != NULL && strlen(text) != len)
		tessera_error_set(err, TESSERA_ERR_UNAVAILABLE, "%s: contains a NUL byte", path);
	else if (text != NULL)
		rc = read_text(f, path, dir, text, depth, err);
cleanup:
	if (fd >= 0)
		close(fd);
	free(text);
	return rc;
}

int conf_file_read(struct conf_file *f, const char *path, struct tessera_error *err)
{
	const char *slash = strrchr(path, '/');
	char *dir = slash != NULL ? strndup(path, (size_t)(slash - path)) : strdup(".");
	int rc = dir != NULL ? read_one(f, path, dir, 0, err) : tessera_error_nomem(err);

	free(dir);
	return rc;
}

void conf_file_free(struct conf_file *f)
{
	for (size_t i = 0; i < f->count; i++) {
		free(f->lines[i].path);
		free(f->lines[i].text);
	}
	free(f->lines);
	*f = (struct conf_file){0};
}

/*
 * Find the next Key=Value at *AT; the results point into the text. Returns false at the end. A word
 * without = is ignored.
 */
static bool next_pair(const char **at, const char **key, size_t *key_len, const char **value,
		      size_t *value_len)
{
	const char *p = *at;

	for (;;) {
		p += strspn(p, BLANKS);
		if (*p == '\0')
			return false;
		*key = p;
		*key_len = strcspn(p, BLANKS "=");
		p += *key_len;
		p += strspn(p, BLANKS);
		if (*p == '=')
			break;
	}
	p++;
	p += strspn(p, BLANKS);
	*value = *p == '"' ? p + 1 : p;
	*value_len = *p == '"' ? strcspn(p + 1, "\"") : strcspn(p, BLANKS);
	p = *value + *value_len;
	*at = *p == '"' ? p + 1 : p;
	return true;
}

char *slurm_line_value(const char *text, const char *key)
{
	const char *name, *value;
	size_t name_len, value_len;

	while (next_pair(&text, &name, &name_len, &value, &value_len))
		if (strlen(key) == name_len && strncasecmp(name, key, name_len) == 0)
			return strndup(value, value_len);
	return NULL;
}

char *conf_file_value(const struct conf_file *f, const char *key, const struct slurm_line **where)
{
	char *value = NULL;

	for (size_t i = f->count; i-- > 0 && value == NULL;) {
		value = slurm_line_value(f->lines[i].text, key);
		if (value != NULL && where != NULL)
			*where = &f->lines[i];
	}
	return value;
}

bool slurm_list_has(const char *list, const char *word)
{
	size_t len = strlen(word);

	while (list != NULL && *list != '\0') {
		size_t item = strcspn(list, ","), name = strcspn(list, ",:=");

		if (name == len && strncasecmp(list, word, len) == 0)
			return true;
		list += item + (list[item] == ',');
	}
	return false;
}

int conf_file_find(char *buf, size_t len)
{
	const char *named = getenv("SLURM_CONF"), *slash = strrchr(TESSERA_CONF_PATH, '/');

	if (named != NULL && strchr(named, '/') != NULL) {
		snprintf(buf, len, "%s", named);
		return 0;
	}
	snprintf(buf, len, "%.*s/slurm.conf", (int)(slash - TESSERA_CONF_PATH), TESSERA_CONF_PATH);
	if (access(buf, F_OK) == 0)
		return 0;
	if (access(CONFIGLESS, F_OK) != 0)
		return -1;
	snprintf(buf, len, "%s", CONFIGLESS);
	return 0;
}
