/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/node/vipu_helper.h"
#include "lib/util/deadline.h"
#include "lib/util/file.h"
#include "lib/util/run.h"

#define WORDS_MAX 16
#define KILLED    128 /* plus the signal's number, as run_program() returns it */

const char *vipu_helper_number(char *buf, size_t len, const char *name, uint32_t number)
{
	snprintf(buf, len, "--%s=%u", name, number);
	return buf;
}

/* It runs as root: a user who can write it would be root. */
static int check_program(const char *path, struct tessera_error *err)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
					 "%s: %s (VipuHelper in tessera.conf names it)", path,
					 strerror(errno));
	return file_check_trust(path, &st, err);
}

/* Build the command line in ARGV, of WORDS_MAX. Returns 0, or -1 if it does not fit. */
static int make_argv(const struct vipu_helper *h, const char *const *words, char *conf, char *node,
		     size_t len, const char **argv)
{
	size_t n = 0;

	if (snprintf(conf, len, "--conf=%s", h->conf_path) >= (int)len ||
	    snprintf(node, len, "--node=%s", h->node) >= (int)len)
		return -1;
	argv[n++] = h->program;
	argv[n++] = conf;
	argv[n++] = node;
	while (*words != NULL && n < WORDS_MAX - 1)
		argv[n++] = *words++;
	argv[n] = NULL;
	return *words == NULL ? 0 : -1;
}

int vipu_helper_run(const struct vipu_helper *h, const char *const *words, char *out, size_t len,
		    struct tessera_error *err)
{
	const char *argv[WORDS_MAX];
	char conf[1100], node[1100], said[RUN_SAID_MAX], ignored[1];
	struct run run = {
		.argv = argv,
		.deadline = deadline_after(h->seconds),
		.go_on = h->go_on,
		.arg = h->arg,
		.ask_until = h->ask_until,
		.out = out != NULL ? out : ignored,
		.len = out != NULL ? len : sizeof(ignored),
	};
	int status;

	if (check_program(h->program, err) < 0)
		return -1;
	if (make_argv(h, words, conf, node, sizeof(conf), argv) < 0)
		return tessera_error_set(err, TESSERA_ERR_INPUT, "arguments for %s too long",
					 h->program);
	status = run_program(&run, said, err);
	if (status <= 0)
		return status;
	if (status > KILLED)
		return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE, "%s was killed by signal %d",
					 h->program, status - KILLED);
	if (status > TESSERA_ERR_SHORTAGE || said[0] == '\0')
		return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
					 "%s failed with status %d: '%.200s'", h->program, status,
					 said);
	return tessera_error_set(err, (enum tessera_errcode)status, "%s", said);
}
