/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/deadline.h"
#include "lib/file.h"
#include "lib/run.h"
#include "plugin/helper.h"

#define WORDS_MAX 16
#define KILLED    128 /* and the signal's number, from run_program() */

const char *helper_number(char *buf, size_t len, const char *name, uint32_t number)
{
	snprintf(buf, len, "--%s=%u", name, number);
	return buf;
}

/* Who can write it can be root. */
static int check_program(const char *path, struct tessera_error *err)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return tessera_error_set(err, TESSERA_ERR_MISSING, "%s: %s (VipuHelper in tessera.conf names it)",
					 path, strerror(errno));
	return file_check_trust(path, &st, err);
}

/* The whole command line; what it is told is ours and the configuration's. Returns 0, or -1 if that is too much. */
static int make_line(const struct helper *h, const char *const *words, char *conf, char *node, size_t len,
		     const char **argv)
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

int helper_run(const struct helper *h, const char *const *words, char *out, size_t len, struct tessera_error *err)
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
	if (make_line(h, words, conf, node, sizeof(conf), argv) < 0)
		return tessera_error_set(err, TESSERA_ERR_INPUT, "too much to say to %s", h->program);
	status = run_program(&run, said, err);
	if (status <= 0)
		return status;
	if (status > KILLED)
		return tessera_error_set(err, TESSERA_ERR_MISSING, "%s was killed by signal %d", h->program,
					 status - KILLED);
	if (status > TESSERA_ERR_SHORTAGE || said[0] == '\0')
		return tessera_error_set(err, TESSERA_ERR_MISSING, "%s ended with %d and said '%.200s'", h->program,
					 status, said);
	return tessera_error_set(err, (enum tessera_errcode)status, "%s", said);
}
