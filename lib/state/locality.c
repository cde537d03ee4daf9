/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/state/locality_table.h"
#include "lib/util/statefile.h"

#define FILE_NAME "locality"
#define BOOT_ID   "/proc/sys/kernel/random/boot_id"
#define SCALE     16 /* keeps means of similar distances apart in an integer */

void tessera_cpuset_add(struct tessera_cpuset *set, unsigned n)
{
	if (n < TESSERA_CPUS_MAX)
		set->word[n / 64] |= UINT64_C(1) << n % 64;
}

bool tessera_cpuset_has(const struct tessera_cpuset *set, unsigned n)
{
	return n < TESSERA_CPUS_MAX && (set->word[n / 64] >> n % 64 & 1) != 0;
}

static unsigned count_common(const struct tessera_cpuset *a, const struct tessera_cpuset *b)
{
	unsigned count = 0;

	for (size_t i = 0; i < TESSERA_CPUS_MAX / 64; i++)
		count += (unsigned)__builtin_popcountll(a->word[i] & b->word[i]);
	return count;
}

unsigned tessera_cpuset_count(const struct tessera_cpuset *set)
{
	return count_common(set, set);
}

/* Is the table of this boot and this platform, and does it have every RDU? */
static bool is_usable(const struct tessera_locality *l, const struct tessera_platform *p,
		      const char *boot)
{
	unsigned rdus = tessera_platform_rdus(p);

	return strcmp(l->platform, p->name) == 0 && strcmp(l->boot, boot) == 0 &&
	       tessera_tileset_count(&l->rdus) == rdus &&
	       tessera_tileset_has_range(&l->rdus, 0, rdus);
}

int tessera_locality_read(const char *dir, const struct tessera_platform *p, const char *boot,
			  struct tessera_locality **locality, struct tessera_error *err)
{
	struct tessera_locality *l = NULL;
	char *text = NULL;
	size_t len = 0;
	int rc = statefile_read_file(dir, FILE_NAME, &text, &len, err);

	*locality = NULL;
	if (rc != 0)
		return rc < 0 ? -1 : 0;
	l = calloc(1, sizeof(*l)); /* large: from mmap(2), already zeroed */
	if (l == NULL)
		rc = tessera_error_nomem(err);
	else if (locality_parse(text, len, l) < 0)
		rc = tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"%s/" FILE_NAME " is damaged: tessera topology --write replaces it", dir);
	else if (is_usable(l, p, boot))
		*locality = l;
	if (*locality == NULL)
		free(l);
	free(text);
	return rc;
}

void tessera_locality_free(struct tessera_locality *locality)
{
	free(locality);
}

int locality_write(const char *dir, const struct tessera_locality *l, struct tessera_error *err)
{
	size_t len = 0;
	char *text = locality_format(l, &len);
	int lock, rc = -1;

	if (text == NULL)
		return tessera_error_nomem(err);
	lock = statefile_lock(dir, FILE_NAME ".lock", err);
	if (lock >= 0) {
		rc = statefile_write_file(dir, FILE_NAME, text, len, err);
		close(lock);
	}
	free(text);
	return rc;
}

int tessera_locality_boot(char buf[TESSERA_BOOT_MAX], struct tessera_error *err)
{
	int fd = open(BOOT_ID, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, buf, TESSERA_BOOT_MAX - 1) : -1;
	int error = errno;

	if (fd >= 0)
		close(fd);
	buf[n > 0 ? n : 0] = '\0';
	buf[strcspn(buf, " \n")] = '\0';
	if (buf[0] == '\0')
		return tessera_error_set(err, TESSERA_ERR_IO, BOOT_ID ": %s",
					 n < 0 ? strerror(error) : "empty");
	return 0;
}

unsigned tessera_locality_cores(const struct tessera_locality *locality)
{
	unsigned cores = 0;

	for (unsigned i = 0; i < locality->numas; i++)
		cores += tessera_cpuset_count(&locality->numa[i].cores);
	return cores;
}

bool tessera_locality_cost(const struct tessera_locality *locality,
			   const struct tessera_cpuset *set, bool by_cpus, unsigned *cost)
{
	unsigned weight[TESSERA_NUMAS_MAX], total = 0, known = 0, rdu;

	for (unsigned i = 0; i < locality->numas; i++) {
		const struct locality_numa *numa = &locality->numa[i];
		const struct tessera_cpuset *own = by_cpus ? &numa->cpus : &numa->cores;

		weight[i] = count_common(own, set);
		total += weight[i];
		known += tessera_cpuset_count(own);
	}
	if (total == 0 || total == known)
		return false;
	for (rdu = 0; (rdu = tessera_tileset_next(&locality->rdus, rdu)) < TESSERA_TILES_MAX;
	     rdu++) {
		uint64_t sum = 0;

		for (unsigned i = 0; i < locality->numas; i++)
			sum += (uint64_t)weight[i] * locality->distance[rdu][i];
		cost[rdu] = (unsigned)((sum * SCALE + total / 2) / total);
	}
	return true;
}
