/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of a job record. Not installed: for libtessera, its tests and fuzzers.
 */
#ifndef TESSERA_JOB_RECORD_INTERNAL_H
#define TESSERA_JOB_RECORD_INTERNAL_H

#include "lib/state/job_record.h"

#define JOB_RECORD_TEXT_MAX 4096 /* more than all fields at their longest */

/* Write RECORD as text. Returns its length. */
size_t job_record_format(const struct tessera_job_record *record, char *buf, size_t len);

/*
 * Parse LEN bytes of TEXT, followed by a NUL. Only what job_record_format() writes is accepted.
 * Returns 0, or -1.
 */
int job_record_parse(const char *text, size_t len, struct tessera_job_record *record);

#endif /* TESSERA_JOB_RECORD_INTERNAL_H */
