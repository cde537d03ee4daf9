/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/conf/conf.h"
#include "lib/node/vendor_tool.h"
#include "lib/util/deadline.h"
#include "lib/util/run.h"

#define TOOL_BYTES ((size_t)1024 * 1024)

char *vendor_tool_ask(const char *key, const char *configured, const char *node, unsigned wait,
		      int *status, struct tessera_error *err)
{
	char command[2 * TESSERA_COMMAND_MAX], said[RUN_SAID_MAX];
	const char *argv[RUN_WORDS_MAX + 1];
	struct run run = {.argv = argv, .deadline = deadline_after(wait), .len = TOOL_BYTES};

	*status = -1;
	if (tessera_conf_for_node(key, configured, node, command, sizeof(command), err) < 0 ||
	    run_words(command, argv, err) < 0)
		return NULL;
	run.out = malloc(TOOL_BYTES);
	if (run.out == NULL) {
		tessera_error_nomem(err);
		return NULL;
	}
	*status = run_program(&run, said, err);
	if (*status > 0)
		tessera_error_set(err, TESSERA_ERR_UNAVAILABLE, "%s failed with %d%s%s", argv[0],
				  *status, said[0] != '\0' ? ": " : "", said);
	else if (*status == 0 && strlen(run.out) == TOOL_BYTES - 1)
		tessera_error_set(err, TESSERA_ERR_UNAVAILABLE, "%s printed more than %zu MiB",
				  argv[0], TOOL_BYTES >> 20);
	if (*status >= 0 && strlen(run.out) < TOOL_BYTES - 1)
		return run.out;
	free(run.out);
	return NULL;
}

char *vendor_tool_run(const char *key, const char *configured, const char *node, unsigned wait,
		      int *status, struct tessera_error *err)
{
	int ended;
	char *text = vendor_tool_ask(key, configured, node, wait, &ended, err);

	if (status != NULL)
		*status = ended;
	if (ended == 0)
		return text;
	free(text);
	return NULL;
}
