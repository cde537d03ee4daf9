/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/ledger_parts.h"
#include "lib/proc.h"

/* What stands between the name, field 2 of /proc/PID/stat, and the start, field 22: its state first. */
#define FIELDS_BEFORE_START 19

/*
 * The name is in brackets, and may have blanks and brackets in it, but no field after it has: it ends at the last
 * bracket.
 */
uint64_t ledger_start_in(const char *stat, char *state)
{
	const char *at = strrchr(stat, ')');

	*state = '\0';
	if (at == NULL || at[1] != ' ')
		return 0;
	*state = at[2];
	for (unsigned i = 0; i <= FIELDS_BEFORE_START && at != NULL; i++)
		at = strchr(at + 1, ' ');
	return at != NULL ? strtoull(at + 1, NULL, 10) : 0;
}

uint64_t tessera_ledger_process_start(pid_t pid)
{
	char path[64], stat[1024], state;
	uint64_t start;

	snprintf(path, sizeof(path), "/proc/%jd/stat", (intmax_t)pid);
	proc_read(AT_FDCWD, path, stat, sizeof(stat));
	start = ledger_start_in(stat, &state);
	return state == 'Z' || state == 'X' ? 0 : start;
}

bool ledger_step_lives(const struct tessera_step_row *row)
{
	uint64_t start = tessera_ledger_process_start(row->pid);

	return start != 0 && start == row->start;
}
