/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/state/locality_table.h"
#include "test/fuzz/fuzz_text.h"

/*
 * An accepted table is formatted again byte for byte, counts no core twice, and has no cost above
 * the largest distance.
 */
static void read_text(const char *text, size_t size)
{
	static struct tessera_locality l;
	static unsigned cost[TESSERA_TILES_MAX];
	struct tessera_cpuset some = {.word = {0x0f, 0, UINT64_MAX}};
	size_t len = 0;
	char *again;

	if (locality_parse(text, size, &l) < 0)
		return;
	again = locality_format(&l, &len);
	if (again == NULL || len != size || memcmp(again, text, size) != 0)
		abort();
	free(again);
	if (l.numas == 0 || l.numas > TESSERA_NUMAS_MAX ||
	    tessera_locality_cores(&l) > TESSERA_CPUS_MAX)
		abort();
	for (int by_cpus = 0; by_cpus < 2; by_cpus++) {
		if (!tessera_locality_cost(&l, &some, by_cpus, cost))
			continue;
		for (unsigned rdu = 0; rdu < TESSERA_TILES_MAX; rdu++)
			if (tessera_tileset_has(&l.rdus, rdu) &&
			    cost[rdu] > 16 * LOCALITY_DISTANCE_MAX)
				abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_text(data, size, "tessera-locality 1 sn30-8\nboot b\nnuma ", read_text);
	return 0;
}
