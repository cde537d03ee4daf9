/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of a sample record. Not installed: for libtessera, its tests and fuzzers.
 */
#ifndef TESSERA_SAMPLE_RECORD_INTERNAL_H
#define TESSERA_SAMPLE_RECORD_INTERNAL_H

#include "lib/state/sample_record.h"

#define SAMPLE_RECORD_TEXT_MAX 512 /* more than all fields at their longest */

/* Write USED as text. Returns its length. */
size_t sample_record_format(const struct tessera_sample_record *used, char *buf, size_t len);

/*
 * Parse LEN bytes of TEXT, followed by a NUL. Only what sample_record_format() writes is accepted.
 * Returns 0, or -1.
 */
int sample_record_parse(const char *text, size_t len, struct tessera_sample_record *used);

#endif /* TESSERA_SAMPLE_RECORD_INTERNAL_H */
