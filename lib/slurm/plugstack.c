/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/slurm/conf_path.h"
#include "lib/slurm/plugstack.h"

#define BLANKS   " \t"
#define ARGS_MAX 32

void plugstack_path(const struct conf_file *slurm, const char *slurm_path, char *buf, size_t len)
{
	const char *slash = strrchr(slurm_path, '/');
	char *named = conf_file_value(slurm, "PlugStackConfig", NULL);

	if (named != NULL)
		snprintf(buf, len, "%s", named);
	else
		snprintf(buf, len, "%.*s/plugstack.conf",
			 slash != NULL ? (int)(slash - slurm_path) : 1,
			 slash != NULL ? slurm_path : ".");
	free(named);
}

/* Split LINE, which is modified, into at most ARGS_MAX words. Returns how many there are. */
static int split_words(char *line, char *words[ARGS_MAX])
{
	char *rest = NULL;
	int count = 0;

	for (char *word = strtok_r(line, BLANKS, &rest); word != NULL && count < ARGS_MAX;
	     word = strtok_r(NULL, BLANKS, &rest))
		words[count++] = word;
	return count;
}

static bool is_our_plugin(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strcmp(slash != NULL ? slash + 1 : path, PLUGSTACK_PLUGIN) == 0;
}

bool plugstack_plugin(const char *line, char *buf, size_t len)
{
	char *copy = strdup(line), *words[ARGS_MAX];
	bool ours = copy != NULL && split_words(copy, words) > 1 && is_our_plugin(words[1]);

	if (ours)
		snprintf(buf, len, "%s", words[1]);
	free(copy);
	return ours;
}

/* Store the PATH of conf=PATH, if this is our plugin's line and has it. */
static bool read_conf_argument(const char *line, char *buf, size_t len)
{
	char *copy = strdup(line), *words[ARGS_MAX];
	int count = copy != NULL ? split_words(copy, words) : 0;
	const char *conf = count > 2 && is_our_plugin(words[1])
				   ? conf_path_argument(count - 2, words + 2)
				   : NULL;
	bool found = conf != NULL && (size_t)snprintf(buf, len, "%s", conf) < len;

	free(copy);
	return found;
}

/* Store the path of plugstack.conf on this host. Returns false if there is no slurm.conf. */
static bool find_plugstack(char *buf, size_t len)
{
	struct conf_file slurm = {0};
	char path[PATH_MAX];
	bool found;

	if (conf_path_received("plugstack.conf", buf, len))
		return true;
	found = conf_file_find(path, sizeof(path)) == 0 && conf_file_read(&slurm, path, NULL) == 0;
	if (found)
		plugstack_path(&slurm, path, buf, len);
	conf_file_free(&slurm);
	return found;
}

const char *plugstack_conf_path(char *buf, size_t len)
{
	struct conf_file stack = {0};
	char path[PATH_MAX];
	bool found = false;

	if (find_plugstack(path, sizeof(path)) && conf_file_read(&stack, path, NULL) == 0)
		for (size_t i = 0; i < stack.count && !found; i++)
			found = read_conf_argument(stack.lines[i].text, buf, len);
	conf_file_free(&stack);
	return found ? buf : conf_path_find(buf, len);
}
