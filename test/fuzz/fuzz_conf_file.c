/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/slurm/conf_file.h"

#define FILES  3
#define BLANKS " \t\r\n"

static const char *const names[FILES] = {"slurm.conf", "a", "b"};

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char dir[] = "/tmp/tessera-fuzz-XXXXXX";

static const char *path_of(size_t n)
{
	static char path[64];

	snprintf(path, sizeof(path), "%s/%s", dir, names[n]);
	return path;
}

static void remove_dir(void)
{
	for (size_t i = 0; i < FILES; i++)
		unlink(path_of(i));
	rmdir(dir);
}

/* Write to a directory of its own. The text has no /, so that include lines cannot leave it. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	if (mkdtemp(dir) == NULL)
		abort();
	atexit(remove_dir);
	return 0;
}

static void write_file(const char *name, const uint8_t *data, size_t size)
{
	FILE *out = fopen(name, "w");

	if (out == NULL)
		abort();
	for (size_t i = 0; i < size; i++)
		putc(data[i] == '/' ? '_' : data[i], out);
	if (fclose(out) != 0)
		abort();
}

/* A value is part of its line, and its key stands before it. */
static void check_value(const char *text, const char *key)
{
	char *value = slurm_line_value(text, key), *at;

	if (value == NULL)
		return;
	at = strcasestr(text, key);
	if (at == NULL || strstr(at + strlen(key), value) == NULL)
		abort();
	if (slurm_list_has(value, key) && strcasestr(value, key) == NULL)
		abort();
	free(value);
}

/* The guarantees of the header. */
static void check_line(const struct slurm_line *line)
{
	size_t len = strlen(line->text);

	if (len == 0 || line->number == 0 || strchr(line->text, '\n') != NULL ||
	    strchr(BLANKS, line->text[0]) != NULL || strchr(BLANKS, line->text[len - 1]) != NULL)
		abort();
	for (const char *hash = line->text; (hash = strchr(hash, '#')) != NULL; hash++)
		if (hash == line->text || hash[-1] != '\\')
			abort();
	check_value(line->text, "Gres");
	check_value(line->text, "a");
}

static void check_file(const struct conf_file *f)
{
	const struct slurm_line *where = NULL;
	char *value = conf_file_value(f, "a", &where);

	for (size_t i = 0; i < f->count; i++)
		check_line(&f->lines[i]);
	if ((value != NULL) != (where != NULL))
		abort();
	for (; where != NULL && ++where < f->lines + f->count;)
		if (slurm_line_value(where->text, "a") != NULL)
			abort();
	free(value);
}

/* The input is several files that may include each other, separated by a byte that no text has. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct conf_file f = {0};
	struct tessera_error err = {0};

	for (size_t i = 0; i < FILES; i++) {
		const uint8_t *cut = i + 1 < FILES && size > 0 ? memchr(data, 0xff, size) : NULL;
		size_t len = cut != NULL ? (size_t)(cut - data) : size;

		write_file(path_of(i), data, len);
		data += cut != NULL ? len + 1 : len;
		size -= cut != NULL ? len + 1 : len;
	}
	if (conf_file_read(&f, path_of(0), &err) < 0 &&
	    (tessera_error_exit(&err) != TESSERA_ERR_UNAVAILABLE || err.text[0] == '\0'))
		abort();
	check_file(&f);
	conf_file_free(&f);
	return 0;
}
