/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much of its tiles and IPUs a job actually used on a node, according to samples: one small
 * readable file for each job, DIR/used.ID, beside the ledger, replaced as a whole by rename.
 * Seconds add up from sample to sample; what no sample covered is unknown, not 0.
 *
 *   tessera-used 1
 *   job 4711 restarts 0 samples 3 first 1700000000 last 1700000120
 *   seen 120 tiles 480 ipus - outside 0 ended 0
 *   end
 */
#ifndef TESSERA_SAMPLE_RECORD_H
#define TESSERA_SAMPLE_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "../util/error.h"

struct tessera_sample_record {
	uint32_t job;
	uint32_t restarts;     /* the job's restart count: each run has a record of its own */
	uint32_t samples;      /* number of samples */
	time_t first, last;    /* times of the first and the last sample */
	uint64_t seen;         /* seconds covered by samples */
	bool has_tiles;        /* tile_seconds is known */
	bool has_ipus;         /* ipu_seconds is known */
	uint64_t tile_seconds; /* busy, of its own tiles */
	uint64_t ipu_seconds;
	/* tile-seconds of this job's processes on tiles that it does not hold */
	uint64_t outside_seconds;
	bool ended; /* the job has left the node: the record can be delivered to slurmdbd */
};

/*
 * Write, read, drop and list records as lib/state/job_record.h does, with the same errors. Job 0
 * stands for processes outside any job. No number of seconds may be larger than TESSERA_SECONDS_MAX
 * (TESSERA_ERR_INPUT).
 */
#define TESSERA_SECONDS_MAX UINT64_C(1000000000000000)

int tessera_sample_record_write(const char *dir, const struct tessera_sample_record *used,
				struct tessera_error *err);
int tessera_sample_record_read(const char *dir, uint32_t job, struct tessera_sample_record *used,
			       struct tessera_error *err);
int tessera_sample_record_drop(const char *dir, uint32_t job, struct tessera_error *err);
int tessera_sample_record_jobs(const char *dir, uint32_t **jobs, struct tessera_error *err);

#endif /* TESSERA_SAMPLE_RECORD_H */
