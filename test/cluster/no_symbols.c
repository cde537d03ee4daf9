/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * To be preloaded: a Slurm whose programs do not export their option table. Built by request_without_symbols.sh.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

void *dlsym(void *handle, const char *name)
{
	static void *(*real)(void *, const char *);

	if (real == NULL) {
		real = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
		if (real == NULL)
			real = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
	}
	if (strcmp(name, "opt") == 0 || strncmp(name, "slurm_option_", 13) == 0)
		return NULL;
	return real != NULL ? real(handle, name) : NULL;
}
