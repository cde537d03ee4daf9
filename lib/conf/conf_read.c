/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/conf/conf_internal.h"
#include "lib/conf/conf_scan.h"
#include "lib/util/file.h"

struct tessera_conf *tessera_conf_default(void)
{
	return conf_new(0);
}

/* TEXT has LEN bytes and a NUL after them; it is modified. */
static struct tessera_conf *parse_text(const char *name, char *text, size_t len,
				       struct tessera_error *err)
{
	struct reading r = {.name = name, .err = err};
	struct tessera_conf *conf = NULL;

	if (conf_text_read(&r, text, len) < 0)
		goto cleanup;
	conf = conf_new(r.count);
	if (conf == NULL) {
		conf_fail_memory(&r);
	} else if (conf_store(&r, conf) < 0) {
		tessera_conf_free(conf);
		conf = NULL;
	}
cleanup:
	conf_text_free(&r);
	return conf;
}

struct tessera_conf *tessera_conf_parse(const char *name, const char *text,
					struct tessera_error *err)
{
	struct tessera_conf *conf;
	char *copy = strdup(text);

	if (copy == NULL) {
		tessera_error_nomem(err);
		return NULL;
	}
	conf = parse_text(name, copy, strlen(copy), err);
	free(copy);
	return conf;
}

/* If TRUSTED, file_check_trust() must accept the file. */
static struct tessera_conf *read_path(const char *path, bool trusted, struct tessera_error *err)
{
	/* O_NONBLOCK, because opening a FIFO would wait for a writer; no effect on files. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct tessera_conf *conf = NULL;
	size_t len = 0;
	char *text;

	if (fd < 0) {
		tessera_error_set(err, TESSERA_ERR_IO, "%s: %s", path, strerror(errno));
		return NULL;
	}
	text = file_read(fd, path, CONF_MAX_MIB, trusted, &len, err);
	if (text != NULL)
		conf = parse_text(path, text, len, err);
	free(text);
	close(fd);
	return conf;
}

struct tessera_conf *tessera_conf_read(const char *path, struct tessera_error *err)
{
	return read_path(path, false, err);
}

struct tessera_conf *tessera_conf_read_trusted(const char *path, struct tessera_error *err)
{
	return read_path(path, true, err);
}
