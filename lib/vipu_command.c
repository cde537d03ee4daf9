/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The vendor's command-line program, for sites whose controller cannot be spoken with directly. Its tables change from
 * version to version: only exit statuses count.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/deadline.h"
#include "lib/run.h"
#include "lib/text.h"
#include "lib/vipu_parts.h"
#include "lib/vipu_reply.h"

#define WORDS_MAX 64

struct words {
	char *argv[WORDS_MAX + 1];
	size_t count;
};

static void free_words(struct words *w)
{
	for (size_t i = 0; i < w->count; i++)
		free(w->argv[i]);
}

/* What the letter behind a % stands for, into BUF; NULL if it stands for nothing. */
static const char *meaning(const struct tessera_vipu_site *site, const struct tessera_vipu_wish *wish, char letter,
			   char buf[16])
{
	switch (letter) {
	case 'p':
		return wish->name;
	case 'a':
		return site->allocation;
	case 'h':
		return site->host;
	case 'n':
		snprintf(buf, 16, "%u", wish->ipus);
		return buf;
	case 'g':
		snprintf(buf, 16, "%u", wish->gcds);
		return buf;
	case 'o':
		snprintf(buf, 16, "%u", site->port);
		return buf;
	case '%':
		return "%";
	default:
		return NULL;
	}
}

/* The LEN bytes at WORD with each % replaced. NULL with ERR. */
static char *substitute(const struct tessera_vipu_site *site, const struct tessera_vipu_wish *wish,
			const char *word, size_t len, struct tessera_error *err)
{
	char *text = NULL;
	size_t size;
	FILE *fp = open_memstream(&text, &size);
	const char *wrong = NULL;

	if (fp == NULL) {
		tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory");
		return NULL;
	}
	for (size_t i = 0; i < len; i++) {
		char number[16];
		const char *value = word[i] == '%' ? meaning(site, wish, word[i + 1], number) : NULL;

		if (word[i] == '%' && value == NULL)
			wrong = word + i;
		if (value == NULL)
			fputc(word[i], fp);
		else
			fputs(value, fp);
		i += value != NULL;
	}
	if (fclose(fp) == 0 && wrong == NULL)
		return text;
	free(text);
	if (wrong != NULL)
		tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"'%.2s' in a command of tessera.conf means nothing: allowed are %%p %%n %%g %%a %%h "
			"%%o %%%%",
			wrong);
	else
		tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory");
	return NULL;
}

/* Split first, replace then: no value becomes two words. */
static int split(const struct tessera_vipu_site *site, const struct tessera_vipu_wish *wish, const char *command,
		 struct words *w, struct tessera_error *err)
{
	const char *word = command + strspn(command, " \t");

	if (word[0] != '/')
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "the command '%.200s' does not begin with an absolute path: write one in "
					 "tessera.conf",
					 command);
	while (*word != '\0') {
		size_t len = strcspn(word, " \t");

		if (w->count == WORDS_MAX)
			return tessera_error_set(err, TESSERA_ERR_INPUT,
						 "the command '%.200s' has more than %d words", command, WORDS_MAX);
		w->argv[w->count] = substitute(site, wish, word, len, err);
		if (w->argv[w->count] == NULL)
			return -1;
		w->count++;
		word += len;
		word += strspn(word, " \t");
	}
	return 0;
}

/*
 * Run one of the site's commands. Returns its exit status with what it said, or -1 with ERR and v->lasting if it could
 * not be started.
 */
static int run(struct tessera_vipu *v, const char *command, const struct tessera_vipu_wish *wish, unsigned seconds,
	       char said[RUN_SAID_MAX], struct tessera_error *err)
{
	int64_t deadline = deadline_nearer(v->deadline, deadline_after(seconds));
	struct words w = {0};
	int rc = -1;

	v->lasting = true;
	if (split(v->site, wish, command, &w, err) == 0) {
		rc = run_program(&(struct run){.argv = (const char *const *)w.argv, .deadline = deadline}, said,
				 err);
		text_clean(said);
		v->lasting = rc < 0 && deadline_left(deadline) > 0;
	}
	v->unsent = v->lasting;
	free_words(&w);
	return rc;
}

/* The same for a command that must exit with 0. */
static int must(struct tessera_vipu *v, const char *command, const struct tessera_vipu_wish *wish, unsigned seconds,
		struct tessera_error *err)
{
	char said[RUN_SAID_MAX];
	int rc = run(v, command, wish, seconds, said, err);

	if (rc <= 0)
		return rc;
	return tessera_error_set(err, TESSERA_ERR_SHORTAGE, "V-IPU controller %s:%u: %s (%.*s, exit status %d)",
				 v->site->host, v->site->port, said[0] != '\0' ? said : "no reason was given",
				 (int)strcspn(command, " \t"), command, rc);
}

static int command_create(struct tessera_vipu *v, const struct tessera_vipu_wish *wish, struct tessera_error *err)
{
	return must(v, v->site->create_command, wish, v->site->create_wait, err);
}

static int command_remove(struct tessera_vipu *v, const char *name, bool force, struct tessera_error *err)
{
	const struct tessera_vipu_wish wish = {.name = name};

	return must(v, force ? v->site->force_command : v->site->remove_command, &wish, v->site->remove_wait, err);
}

static int command_status(struct tessera_vipu *v, const char *name, struct tessera_vipu_status *status,
			  struct tessera_error *err)
{
	const struct tessera_vipu_wish wish = {.name = name};
	char said[RUN_SAID_MAX];
	int rc = run(v, v->site->status_command, &wish, v->site->call_wait, said, err);

	if (rc < 0)
		return -1;
	status->state = rc == 0 ? TESSERA_VIPU_ACTIVE : TESSERA_VIPU_UNKNOWN;
	snprintf(status->text, sizeof(status->text), rc == 0 ? "active" : "not usable: %s", said);
	return 0;
}

const struct vipu_backend vipu_command = {
	.create = command_create,
	.remove = command_remove,
	.status = command_status,
};
