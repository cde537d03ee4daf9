/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <dlfcn.h>
#include <string.h>

#include "plugin/slurm_cores.h"

/* A function of the program that loaded us, into FN; false if it has none of that name. */
static bool look_up(const char *name, void *fn)
{
	void *symbol = dlsym(RTLD_DEFAULT, name);

	/* ISO C knows no way from an object's pointer to a function's: POSIX does. */
	memcpy(fn, &symbol, sizeof(symbol));
	return symbol != NULL;
}

unsigned slurm_cores_read(const job_info_t *info, int index, struct tessera_cpuset *cores)
{
	tessera_copy_cores_fn copy = NULL;
	tessera_bit_size_fn size = NULL;
	tessera_bit_test_fn test = NULL;
	tessera_bit_free_fn give_back = NULL;
	bitstr_t *bits;
	unsigned count = 0;

	*cores = (struct tessera_cpuset){0};
	if (index < 0 || info->job_resrcs == NULL || !look_up(TESSERA_COPY_CORES, &copy) ||
	    !look_up(TESSERA_BIT_SIZE, &size) || !look_up(TESSERA_BIT_TEST, &test) ||
	    !look_up(TESSERA_BIT_FREE, &give_back))
		return 0;
	bits = copy(info->job_resrcs, (uint32_t)index);
	if (bits == NULL)
		return 0;
	if (size(bits) > 0 && size(bits) <= TESSERA_CPUS_MAX)
		count = (unsigned)size(bits);
	for (unsigned n = 0; n < count; n++)
		if (test(bits, n))
			tessera_cpuset_add(cores, n);
	give_back(&bits);
	return count;
}
