/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For LD_PRELOAD: hide the option table of Slurm's programs, and the symbol that the environment
 * variable NO_SYMBOL names. Built by the scenarios that use it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void *dlsym(void *handle, const char *name)
{
	static void *(*real)(void *, const char *);
	const char *missing = getenv("NO_SYMBOL");

	if (real == NULL) {
		real = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
		if (real == NULL)
			real = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym",
								       "GLIBC_2.2.5");
	}
	if (strcmp(name, "opt") == 0 || strncmp(name, "slurm_option_", 13) == 0 ||
	    (missing != NULL && strcmp(name, missing) == 0))
		return NULL;
	return real != NULL ? real(handle, name) : NULL;
}
