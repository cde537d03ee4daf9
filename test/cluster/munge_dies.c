/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For LD_PRELOAD: a libmunge that ends the process on the call of tessera doctor, but not on the
 * calls of Slurm. Built by doctor.sh.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>

int munge_encode(char **credential, void *ctx, const void *text, int len)
{
	static const char ours[] = "tessera-doctor";
	static int (*real)(char **, void *, const void *, int);

	if (text != NULL && len == (int)sizeof(ours) - 1 && memcmp(text, ours, (size_t)len) == 0)
		raise(SIGKILL);
	if (real == NULL)
		real = (int (*)(char **, void *, const void *, int))dlsym(RTLD_NEXT,
									  "munge_encode");
	return real != NULL ? real(credential, ctx, text, len) : 1;
}
