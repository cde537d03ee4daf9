/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What making a partition and removing it share. ERR is never NULL here. Not installed.
 */
#ifndef TESSERA_PARTITION_PARTS_H
#define TESSERA_PARTITION_PARTS_H

#include "vipu.h"

/* How soon a state is asked for again, at first and in the end. */
#define POLL_FIRST_MS 5
#define POLL_MOST_MS  500

enum presence {
	PRESENT,
	ABSENT,
	UNCLEAR, /* the controller does not say */
};

/*
 * Is the partition NAME there? *FOUND, which may be NULL, is then set to what the list says of it, with an id of NULL
 * if the backend has no list. ERR tells why it is unclear.
 */
enum presence partition_presence(struct tessera_vipu *v, const char *name, struct tessera_vipu_partition *found,
				 struct tessera_error *err);

/*
 * ERR says what was wrong so far, FRESH what is wrong now. FRESH replaces it, unless it is only that the time was over
 * before an answer came: then the words from before say more.
 */
void partition_words(struct tessera_error *err, const struct tessera_error *fresh, int64_t deadline);

/*
 * Remove NAME until it is gone: plainly until PLAIN, then by force until FORCED (deadlines). Returns 0, or -1 with ERR.
 */
int partition_remove_until(struct tessera_vipu *v, const char *name, int64_t plain, int64_t forced,
			   struct tessera_error *err);

#endif /* TESSERA_PARTITION_PARTS_H */
