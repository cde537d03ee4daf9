/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/state/job_record_internal.h"
#include "test/fuzz/fuzz_text.h"

/* An accepted text is formatted again byte for byte. */
static void read_text(const char *text, size_t size)
{
	struct tessera_job_record h;
	char again[JOB_RECORD_TEXT_MAX];

	if (job_record_parse(text, size, &h) < 0)
		return;
	if (h.job == 0 || h.pool_count > TESSERA_POOLS_MAX ||
	    job_record_format(&h, again, sizeof(again)) != size || memcmp(again, text, size) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_text(data, size, "tessera-job 1\njob ", read_text);
	return 0;
}
