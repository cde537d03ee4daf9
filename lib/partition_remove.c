/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/deadline.h"
#include "lib/partition.h"
#include "lib/partition_parts.h"
#include "lib/vipu_parts.h"
#include "lib/vipu_rpc.h"

/*
 * Commands have no list: what their status says is usable is there, of the rest nothing is known. ERR is then
 * TESSERA_ERR_SHORTAGE if the command ended, and said that it is not usable.
 */
static enum presence presence_by_status(struct tessera_vipu *v, const char *name, struct tessera_error *err)
{
	struct tessera_vipu_status status;

	if (tessera_vipu_status(v, name, &status, err) < 0)
		return UNCLEAR;
	if (status.state == TESSERA_VIPU_ACTIVE)
		return PRESENT;
	tessera_error_set(err, TESSERA_ERR_SHORTAGE, "partition %s is %s", name, status.text);
	return UNCLEAR;
}

enum presence partition_presence(struct tessera_vipu *v, const char *name, struct tessera_vipu_partition *found,
				 struct tessera_error *err)
{
	const struct tessera_vipu_partition *p;
	enum presence presence = UNCLEAR;
	struct tessera_vipu_list list;

	if (found != NULL)
		*found = (struct tessera_vipu_partition){0};
	if (v->site->backend == TESSERA_VIPU_COMMAND)
		return presence_by_status(v, name, err);
	if (tessera_vipu_list(v, &list, err) == 0) {
		p = tessera_vipu_find(&list, name);
		presence = p != NULL && p->state != TESSERA_VIPU_REMOVED ? PRESENT : ABSENT;
		if (found != NULL && p != NULL) {
			*found = *p;
			found->id = NULL; /* the list's */
		}
	}
	tessera_vipu_list_free(&list);
	return presence;
}

void partition_words(struct tessera_error *err, const struct tessera_error *fresh, int64_t deadline)
{
	if (err->text[0] == '\0' || fresh->code != TESSERA_ERR_MISSING || deadline_left(deadline) > 0)
		*err = *fresh;
}

/*
 * Commands only: remove and status both exit with an error. So it is when the partition does not exist, and when the
 * controller does not answer. A status that had to be killed says nothing at all.
 */
static bool gone_for_commands(struct tessera_vipu *v, bool accepted, bool force, struct tessera_error *err)
{
	if (v->site->backend != TESSERA_VIPU_COMMAND || v->lasting || err->code != TESSERA_ERR_SHORTAGE)
		return false;
	return accepted || (force && vipu_rpc_reach(v->site, v->deadline, err) == 0);
}

/* One way to remove it, until DEADLINE. Returns 0 when it is gone, or -1 with ERR. */
static int remove_one_way(struct tessera_vipu *v, const char *name, bool force, int64_t deadline,
			  struct tessera_error *err)
{
	struct tessera_error refusal = {0}, unclear = {0};
	unsigned pause = POLL_FIRST_MS;
	bool accepted = false;

	tessera_vipu_deadline(v, deadline);
	do {
		enum presence presence;

		if (!accepted)
			accepted = tessera_vipu_remove(v, name, force, &refusal) == 0;
		if (!accepted && refusal.code == TESSERA_ERR_MISSING) {
			/* Nobody answered, so nobody will know whether it is there either. */
			partition_words(err, &refusal, deadline);
			if (v->lasting)
				return -1;
			deadline_pause(deadline, &pause, POLL_MOST_MS);
			continue;
		}
		presence = partition_presence(v, name, NULL, &unclear);
		if (presence == ABSENT || (presence == UNCLEAR && gone_for_commands(v, accepted, force, &unclear)))
			return 0;
		if (presence == UNCLEAR)
			partition_words(err, &unclear, deadline);
		if (presence == UNCLEAR && tessera_vipu_lasting(v, &unclear))
			return -1;
		if (presence == PRESENT && accepted)
			tessera_error_set(
				err, TESSERA_ERR_SHORTAGE,
				"V-IPU controller %s:%u: partition %s is still there after it was told to "
				"remove it%s",
				v->site->host, v->site->port, name, force ? " by force" : "");
		if (presence == PRESENT && !accepted)
			*err = refusal;
		/* A refusal will stay one; force has nothing behind it, and goes on. */
		if (!accepted && !force)
			return -1;
		deadline_pause(deadline, &pause, POLL_MOST_MS);
	} while (deadline_left(deadline) > 0);
	return -1;
}

int partition_remove_until(struct tessera_vipu *v, const char *name, int64_t plain, int64_t forced,
			   struct tessera_error *err)
{
	if (remove_one_way(v, name, false, plain, err) == 0)
		return 0;
	if (v->lasting || err->code == TESSERA_ERR_DENIED)
		return -1;
	return remove_one_way(v, name, true, forced, err);
}

int tessera_partition_remove(const struct tessera_vipu_site *site, const char *name, struct tessera_error *err)
{
	struct tessera_vipu *v = tessera_vipu_open(site, err);
	int64_t plain = deadline_after(site->remove_wait), forced = deadline_after(2 * site->remove_wait);
	int rc;

	if (v == NULL)
		return -1;
	rc = partition_remove_until(v, name, plain, forced, err);
	tessera_vipu_close(v);
	return rc < 0 ? tessera_error_prefix(err, "partition %s is not removed", name) : 0;
}
