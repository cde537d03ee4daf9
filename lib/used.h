/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much of what a job holds on a node is really used, as samples saw it: one small readable file for each job,
 * DIR/used.NUMBER, beside the ledger, replaced as a whole by rename. Seconds are added up from sample to sample; what no
 * sample saw is not known, and never 0.
 *
 *   tessera-used 1
 *   job 4711 restarts 0 samples 3 first 1700000000 last 1700000120
 *   seen 120 tiles 480 ipus - outside 0 ended 0
 *   end
 */
#ifndef TESSERA_USED_H
#define TESSERA_USED_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "error.h"

struct tessera_used {
	uint32_t job;
	uint32_t restarts;     /* how often the job had been requeued: another run has used other things */
	uint32_t samples;      /* how many there were */
	time_t first, last;    /* the first and the last of them */
	uint64_t seen;         /* seconds between samples in which the job was looked at */
	bool has_tiles;        /* tiles were looked at: tile_seconds means something */
	bool has_ipus;         /* likewise */
	uint64_t tile_seconds; /* busy, of its own tiles */
	uint64_t ipu_seconds;
	uint64_t outside_seconds; /* tile-seconds of this job's processes on tiles that it does not hold */
	bool ended;               /* the job has left the node: what is here can be delivered */
};

/*
 * Write, read, forget, list: as lib/holding.h has it, with the same errors. Job 0 stands for processes of no job at
 * all. No number of seconds may be larger than TESSERA_SECONDS_MAX (TESSERA_ERR_INPUT).
 */
#define TESSERA_SECONDS_MAX UINT64_C(1000000000000000)

int tessera_used_write(const char *dir, const struct tessera_used *used, struct tessera_error *err);
int tessera_used_read(const char *dir, uint32_t job, struct tessera_used *used, struct tessera_error *err);
int tessera_used_drop(const char *dir, uint32_t job, struct tessera_error *err);
int tessera_used_jobs(const char *dir, uint32_t **jobs, struct tessera_error *err);

#endif /* TESSERA_USED_H */
