/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "plugin/program.h"

/* Slurm's slurm_opt_t, of which only the address is used. */
struct slurm_options;

static struct {
	bool looked;
	struct slurm_options *opt;
	char *(*get)(struct slurm_options *opt, const char *name);
	bool (*isset)(struct slurm_options *opt, const char *name);
	bool (*reset)(struct slurm_options *opt, const char *name);
	int (*set)(struct slurm_options *opt, const char *name, const char *value, bool early);
	void (*xfree)(void **text);
} table;

/* ISO C knows no way from an object's pointer to a function's: POSIX does. */
static void find(const char *name, void *function)
{
	void *symbol = dlsym(RTLD_DEFAULT, name);

	memcpy(function, &symbol, sizeof(symbol));
}

bool program_found(void)
{
	if (!table.looked) {
		table.looked = true;
		table.opt = dlsym(RTLD_DEFAULT, "opt");
		find("slurm_option_get", &table.get);
		find("slurm_option_isset", &table.isset);
		find("slurm_option_reset", &table.reset);
		find("slurm_option_set", &table.set);
		find("slurm_xfree", &table.xfree);
	}
	return table.opt != NULL && table.get != NULL && table.isset != NULL && table.reset != NULL &&
	       table.set != NULL && table.xfree != NULL;
}

/* Slurm's words for what was not given. */
static bool is_nothing(const char *text)
{
	return *text == '\0' || strcmp(text, "(null)") == 0 || strcmp(text, "unset") == 0 ||
	       strcmp(text, "invalid-context") == 0;
}

char *program_get(const char *name)
{
	char *text, *copy = NULL;

	if (!program_found() || !table.isset(table.opt, name))
		return NULL;
	text = table.get(table.opt, name);
	if (text != NULL && !is_nothing(text))
		copy = strdup(text);
	if (text != NULL)
		table.xfree((void **)&text);
	return copy;
}

unsigned program_number(const char *name)
{
	char *text = program_get(name);
	unsigned long number = 0;

	if (text == NULL)
		return 0;
	errno = 0;
	if (*text >= '0' && *text <= '9')
		number = strtoul(text, NULL, 10);
	free(text);
	return errno == 0 && number <= INT_MAX ? (unsigned)number : 0;
}

int program_set(const char *name, const char *value)
{
	if (!program_found())
		return -1;
	/* Slurm would ask the scheduler for "", and be refused. */
	if (value[0] == '\0')
		return table.reset(table.opt, name) ? 0 : -1;
	return table.set(table.opt, name, value, false) == 0 ? 0 : -1;
}
