/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A check of slurmdbd's database, on the host of slurmdbd: only its slurmdbd.conf has the password.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "command/doctor/doctor.h"
#include "lib/util/child.h"
#include "lib/util/deadline.h"

#define VARIABLE       "innodb_snapshot_isolation"
#define QUERY          "SHOW GLOBAL VARIABLES LIKE '" VARIABLE "'"
#define QUERY_WAIT_S   10
#define LIBRARY        "libmariadb.so.3" /* slurmdbd's plugin needs it, so its host has it */
#define CONNECT_LIMIT  0                 /* MYSQL_OPT_CONNECT_TIMEOUT */
#define CONNECT_WAIT_S 5

struct database {
	char *host, *user, *password; /* NULL: the default */
	unsigned port;                /* 0: the default */
};

/* Functions of the library, which we do not link: other hosts do not have it. */
struct client {
	void *(*init)(void *mysql);
	int (*options)(void *mysql, int option, const void *value);
	void *(*connect)(void *mysql, const char *host, const char *user, const char *password,
			 const char *database, unsigned port, const char *socket,
			 unsigned long flags);
	int (*query)(void *mysql, const char *text);
	void *(*store_result)(void *mysql);
	char **(*fetch_row)(void *result);
	const char *(*error)(void *mysql);
	void (*close)(void *mysql);
};

static bool load_symbol(void *library, const char *name, void *fn)
{
	void *symbol = dlsym(library, name);

	/* ISO C has no conversion from object to function pointers; POSIX guarantees this. */
	memcpy(fn, &symbol, sizeof(symbol));
	return symbol != NULL;
}

static bool load_client(struct client *c)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	return library != NULL && load_symbol(library, "mysql_init", &c->init) &&
	       load_symbol(library, "mysql_options", &c->options) &&
	       load_symbol(library, "mysql_real_connect", &c->connect) &&
	       load_symbol(library, "mysql_query", &c->query) &&
	       load_symbol(library, "mysql_store_result", &c->store_result) &&
	       load_symbol(library, "mysql_fetch_row", &c->fetch_row) &&
	       load_symbol(library, "mysql_error", &c->error) &&
	       load_symbol(library, "mysql_close", &c->close);
}

/* Write =VALUE, or = if the server has no such variable; else an error. */
static void write_variable(int fd, const struct client *c, void *mysql, const struct database *db)
{
	void *result;
	char **row;

	if (c->connect(mysql, db->host, db->user, db->password, NULL, db->port, NULL, 0) == NULL ||
	    c->query(mysql, QUERY) != 0 || (result = c->store_result(mysql)) == NULL) {
		dprintf(fd, "%.400s", c->error(mysql));
		return;
	}
	row = c->fetch_row(result);
	dprintf(fd, "=%.32s", row != NULL && row[1] != NULL ? row[1] : "");
}

/* Runs in a child, because the server may not answer. */
static void query_variable(int fd, void *arg)
{
	const unsigned wait = CONNECT_WAIT_S;
	struct client c = {0};
	void *mysql = load_client(&c) ? c.init(NULL) : NULL;

	if (mysql == NULL) {
		dprintf(fd, "cannot load " LIBRARY);
		return;
	}
	c.options(mysql, CONNECT_LIMIT, &wait);
	write_variable(fd, &c, mysql, arg);
	c.close(mysql);
}

static void report_unknown(struct doctor *d, const char *why)
{
	doctor_blind(d,
		     "whether MariaDB has " VARIABLE "=OFF: %s; ask it yourself: mariadb -e "
		     "\"" QUERY "\" (ON: slurmdbd may exit)",
		     why);
}

static void check_variable(struct doctor *d, struct database *db, const char *path)
{
	struct tessera_error err = {0};
	char answer[512] = "";
	struct finding *f;

	if (child_call(query_variable, db, deadline_after(QUERY_WAIT_S), answer, sizeof(answer),
		       &err) < 0)
		report_unknown(d, err.text);
	else if (answer[0] != '=')
		report_unknown(d, answer[0] != '\0' ? answer : "the client library crashed");
	else if (strcasecmp(answer, "=ON") == 0) {
		f = doctor_find(d, DOCTOR_WARNING, "snapshot_isolation", path,
				"its MariaDB has " VARIABLE "=ON, which Slurm does not support: "
				"slurmdbd exits when two programs change one job at once");
		doctor_write(f, VARIABLE "=OFF below [mariadb] in MariaDB's configuration, and "
					 "restart MariaDB");
	}
}

/* Is HOST, which may have a domain, this machine? */
static bool is_this_host(const struct doctor *d, const char *host)
{
	size_t len = host != NULL ? strcspn(host, ".") : 0;

	return host != NULL && (strcasecmp(host, "localhost") == 0 ||
				(strlen(d->host) == len && strncasecmp(d->host, host, len) == 0));
}

static void check_file(struct doctor *d, const struct conf_file *file, const char *path)
{
	char *host = conf_file_value(file, "DbdHost", NULL);
	char *port = conf_file_value(file, "StoragePort", NULL);
	struct database db = {
		.host = conf_file_value(file, "StorageHost", NULL),
		.user = conf_file_value(file, "StorageUser", NULL),
		.password = conf_file_value(file, "StoragePass", NULL),
		.port = port != NULL ? (unsigned)strtoul(port, NULL, 10) : 0,
	};

	/* The directory may be shared with hosts that cannot reach the database. */
	if (is_this_host(d, host))
		check_variable(d, &db, path);
	free(host);
	free(port);
	free(db.host);
	free(db.user);
	free(db.password);
}

void doctor_check_database(struct doctor *d)
{
	const char *slash = strrchr(d->slurm_path, '/');
	struct conf_file file = {0};
	struct tessera_error err = {0};
	char path[sizeof(d->slurm_path) + 16];

	if (slash == NULL)
		return;
	snprintf(path, sizeof(path), "%.*s/slurmdbd.conf", (int)(slash - d->slurm_path),
		 d->slurm_path);
	if (access(path, R_OK) < 0) {
		if (errno == EACCES)
			report_unknown(d, "slurmdbd.conf cannot be read (run doctor as root)");
		return;
	}
	if (conf_file_read(&file, path, &err) < 0)
		report_unknown(d, err.text);
	else
		check_file(d, &file, path);
	conf_file_free(&file);
}
