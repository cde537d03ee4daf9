/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>

#include "lib/deadline.h"
#include "lib/partition.h"
#include "lib/partition_parts.h"
#include "lib/vipu_parts.h"

/* How soon a partition is tried to be made again, at first and in the end. */
#define RETRY_FIRST_MS 100
#define RETRY_MOST_MS  1000

/* How long a partition that is of no use may take to go, in seconds. */
#define CLEAN_WAIT 2

enum outcome {
	DONE,
	AGAIN, /* not now; what was made is gone, or will be met by the next try */
	NEVER, /* no second try mends that */
};

struct making {
	struct tessera_vipu *v;
	const struct tessera_vipu_wish *wish;
	int64_t deadline;
	bool touched; /* something of that name may be ours to remove */
	struct tessera_error *err;
};

/* Take up what is wrong now. Returns whether it is for ever. */
static enum outcome judge(const struct making *m, const struct tessera_error *fresh)
{
	partition_words(m->err, fresh, m->deadline);
	return tessera_vipu_lasting(m->v, fresh) ? NEVER : AGAIN;
}

/* Take away what is there, within what is left, but not for long. */
static enum outcome clear_away(struct making *m)
{
	struct tessera_error trouble = {0};
	int64_t half = deadline_after(CLEAN_WAIT), whole = deadline_after(2 * CLEAN_WAIT);
	int rc = partition_remove_until(m->v, m->wish->name, deadline_nearer(half, m->deadline),
					deadline_nearer(whole, m->deadline), &trouble);

	tessera_vipu_deadline(m->v, m->deadline);
	/* Why it had to go says more than that there was no time left for it. */
	if (rc < 0)
		return deadline_left(m->deadline) == 0 ? AGAIN : judge(m, &trouble);
	m->touched = false;
	return DONE;
}

/* A status that the controller does not tell: has it forgotten the partition? Returns false if so. */
static bool still_known(struct making *m)
{
	struct tessera_error ignored = {0};

	return m->v->grpc_status < 0 || partition_presence(m->v, m->wish->name, NULL, &ignored) != ABSENT;
}

/*
 * Ask how the partition is until it is active. AGAIN with it removed or forgotten, or at the deadline. A state that we
 * do not know is waited for: it may lead anywhere.
 */
static enum outcome poll_state(struct making *m)
{
	unsigned pause = POLL_FIRST_MS;

	do {
		struct tessera_vipu_status status;
		struct tessera_error trouble = {0};

		if (tessera_vipu_status(m->v, m->wish->name, &status, &trouble) < 0) {
			/* That it is not there may be called a wrong request. */
			if (judge(m, &trouble) == NEVER && trouble.code != TESSERA_ERR_INPUT)
				return NEVER;
			if (!still_known(m))
				return AGAIN;
		} else if (status.state == TESSERA_VIPU_ACTIVE) {
			return DONE;
		} else {
			tessera_error_set(m->err, TESSERA_ERR_SHORTAGE, "V-IPU controller %s:%u: its state is %s",
					  m->v->site->host, m->v->site->port, status.text);
			if (status.state == TESSERA_VIPU_REMOVED)
				return AGAIN;
			if (status.state == TESSERA_VIPU_ERROR)
				return clear_away(m) == NEVER ? NEVER : AGAIN;
		}
		deadline_pause(m->deadline, &pause, POLL_MOST_MS);
	} while (deadline_left(m->deadline) > 0);
	return AGAIN;
}

/* Can what an earlier run left be used after a reset? */
static bool may_reset(const struct making *m, const struct tessera_vipu_partition *found)
{
	return m->v->site->leftover == TESSERA_LEFTOVER_RESET && m->v->backend->reset != NULL &&
	       found->ipus == m->wish->ipus && found->gcds == m->wish->gcds;
}

/*
 * The controller did not take the request. If that is because an earlier run of the job left its partition, that is
 * dealt with: DONE then, with one to be polled. Which of its codes would say so is not known, so the list is asked.
 */
static enum outcome after_refusal(struct making *m, const struct tessera_error *refusal)
{
	struct tessera_vipu_partition found;
	struct tessera_error trouble = {0};
	enum presence presence;
	enum outcome outcome = judge(m, refusal);

	/* Nobody answered: what became of the request the next try will tell. */
	if (m->v->lasting || (m->v->grpc_status < 0 && refusal->code == TESSERA_ERR_MISSING))
		return outcome;
	presence = partition_presence(m->v, m->wish->name, &found, &trouble);
	if (presence == ABSENT) {
		m->touched = false;
		return outcome;
	}
	if (presence == UNCLEAR && m->v->site->backend != TESSERA_VIPU_COMMAND) {
		partition_words(m->err, &trouble, m->deadline);
		return outcome;
	}
	if (may_reset(m, &found) && tessera_vipu_reset(m->v, m->wish->name, &trouble) == 0)
		return DONE;
	outcome = clear_away(m);
	if (outcome != DONE || presence == UNCLEAR)
		return outcome == DONE ? AGAIN : outcome;
	m->touched = true;
	return tessera_vipu_create(m->v, m->wish, &trouble) == 0 ? DONE : judge(m, &trouble);
}

static enum outcome try_once(struct making *m)
{
	struct tessera_error refusal = {0};
	enum outcome outcome = DONE;
	int rc = tessera_vipu_create(m->v, m->wish, &refusal);

	/* What was sent and not answered, or answered with a failure, may be there all the same. */
	m->touched = m->touched || rc == 0 || (!m->v->unsent && !tessera_vipu_lasting(m->v, &refusal));
	if (rc < 0)
		outcome = after_refusal(m, &refusal);
	return outcome == DONE ? poll_state(m) : outcome;
}

/* It failed for good: nothing shall be left that holds IPUs. */
static void give_up(struct making *m, unsigned wait)
{
	struct tessera_error left = {0};
	bool late = deadline_left(m->deadline) == 0;
	const char *rest = "";

	if (m->touched && partition_remove_until(m->v, m->wish->name, deadline_after(CLEAN_WAIT),
						 deadline_after(2 * CLEAN_WAIT), &left) < 0)
		rest = ", and what there is of it could not be removed";
	if (late)
		tessera_error_prefix(m->err, "partition %s of %u IPUs could not be made within %u seconds%s",
				     m->wish->name, m->wish->ipus, wait, rest);
	else
		tessera_error_prefix(m->err, "partition %s of %u IPUs cannot be made%s", m->wish->name,
				     m->wish->ipus, rest);
}

int tessera_partition_make(const struct tessera_vipu_site *site, const struct tessera_vipu_wish *wish,
			   unsigned wait, struct tessera_error *err)
{
	struct making m = {.wish = wish, .deadline = deadline_after(wait), .err = err};
	enum outcome outcome = AGAIN;
	unsigned pause = RETRY_FIRST_MS;

	m.v = tessera_vipu_open(site, err);
	if (m.v == NULL)
		return -1;
	tessera_vipu_deadline(m.v, m.deadline);
	do {
		outcome = try_once(&m);
		if (outcome == AGAIN)
			deadline_pause(m.deadline, &pause, RETRY_MOST_MS);
	} while (outcome == AGAIN && deadline_left(m.deadline) > 0);
	if (outcome != DONE)
		give_up(&m, wait);
	tessera_vipu_close(m.v);
	return outcome == DONE ? 0 : -1;
}

int tessera_partition_await(const struct tessera_vipu_site *site, const char *name, unsigned wait,
			    struct tessera_error *err)
{
	int64_t deadline = deadline_after(wait);
	struct tessera_vipu *v = tessera_vipu_open(site, err);
	struct tessera_vipu_status status = {0};
	unsigned pause = POLL_FIRST_MS;
	bool lasting = false;

	if (v == NULL)
		return -1;
	tessera_vipu_deadline(v, deadline);
	do {
		struct tessera_error trouble = {0};

		if (tessera_vipu_status(v, name, &status, &trouble) == 0)
			tessera_error_set(&trouble, TESSERA_ERR_SHORTAGE, "V-IPU controller %s:%u: its state is %s",
					  site->host, site->port, status.text);
		else
			/* That it is not there yet may be called a wrong request. */
			lasting = v->lasting || trouble.code == TESSERA_ERR_DENIED;
		partition_words(err, &trouble, deadline);
		if (status.state == TESSERA_VIPU_ACTIVE || lasting)
			break;
		deadline_pause(deadline, &pause, POLL_MOST_MS);
	} while (deadline_left(deadline) > 0);
	tessera_vipu_close(v);
	if (status.state != TESSERA_VIPU_ACTIVE)
		return tessera_error_prefix(err, "partition %s was not active within %u seconds", name, wait);
	tessera_error_clear(err);
	return 0;
}
