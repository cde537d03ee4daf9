/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "plugin/client_opt.h"

/* Slurm's slurm_opt_t: only its address is used. */
struct slurm_options;

static struct {
	bool is_read;
	struct slurm_options *opt;
	char *(*get)(struct slurm_options *opt, const char *name);
	bool (*isset)(struct slurm_options *opt, const char *name);
	bool (*reset)(struct slurm_options *opt, const char *name);
	int (*set)(struct slurm_options *opt, const char *name, const char *value, bool early);
	void (*xfree)(void **text);
} table;

/* FUNCTION points to a function pointer: ISO C has no cast to one from dlsym()'s void pointer. */
static void find_function(const char *name, void *function)
{
	void *symbol = dlsym(RTLD_DEFAULT, name);

	memcpy(function, &symbol, sizeof(symbol));
}

bool client_opt_found(void)
{
	if (!table.is_read) {
		table.is_read = true;
		table.opt = dlsym(RTLD_DEFAULT, "opt");
		find_function("slurm_option_get", &table.get);
		find_function("slurm_option_isset", &table.isset);
		find_function("slurm_option_reset", &table.reset);
		find_function("slurm_option_set", &table.set);
		find_function("slurm_xfree", &table.xfree);
	}
	return table.opt != NULL && table.get != NULL && table.isset != NULL &&
	       table.reset != NULL && table.set != NULL && table.xfree != NULL;
}

/* Is TEXT one of Slurm's values for an option that was not given? */
static bool is_unset(const char *text)
{
	return *text == '\0' || strcmp(text, "(null)") == 0 || strcmp(text, "unset") == 0 ||
	       strcmp(text, "invalid-context") == 0;
}

char *client_opt_get(const char *name)
{
	char *text, *copy = NULL;

	if (!client_opt_found() || !table.isset(table.opt, name))
		return NULL;
	text = table.get(table.opt, name);
	if (text != NULL && !is_unset(text))
		copy = strdup(text);
	if (text != NULL)
		table.xfree((void **)&text);
	return copy;
}

unsigned client_opt_number(const char *name)
{
	char *text = client_opt_get(name);
	unsigned long number = 0;

	if (text == NULL)
		return 0;
	errno = 0;
	if (*text >= '0' && *text <= '9')
		number = strtoul(text, NULL, 10);
	free(text);
	return errno == 0 && number <= INT_MAX ? (unsigned)number : 0;
}

int client_opt_set(const char *name, const char *value)
{
	if (!client_opt_found())
		return -1;
	/* slurmctld rejects an empty value. */
	if (value[0] == '\0')
		return table.reset(table.opt, name) ? 0 : -1;
	return table.set(table.opt, name, value, false) == 0 ? 0 : -1;
}
