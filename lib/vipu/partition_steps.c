/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/vipu/partition_steps.h"

/* A failure that the same request would meet again. */
static bool is_lasting(enum partition_event event)
{
	return event == PARTITION_INVALID || event == PARTITION_DENIED ||
	       event == PARTITION_INCOMPATIBLE;
}

/* A failure that the same request may not meet again. */
static bool is_passing(enum partition_event event)
{
	return event == PARTITION_UNSENT || event == PARTITION_NO_ANSWER ||
	       event == PARTITION_UNAVAILABLE || event == PARTITION_REFUSED;
}

/*
 * Which status code means that a leftover has the name already is not documented, so the list is
 * queried after every failure that the controller answered with.
 */
static enum partition_make_state decide_after_create(enum partition_event event)
{
	switch (event) {
	case PARTITION_OK:
		return MAKE_QUERYING;
	case PARTITION_UNSENT:
	case PARTITION_NO_ANSWER:
		return MAKE_PAUSING_CREATE;
	case PARTITION_UNAVAILABLE:
	case PARTITION_REFUSED:
		return MAKE_FINDING;
	case PARTITION_INVALID:
	case PARTITION_DENIED:
		return MAKE_FINDING_LASTING;
	default:
		return MAKE_FAILED;
	}
}

static enum partition_make_state decide_after_find(enum partition_event event, bool lasting)
{
	if (event == PARTITION_REUSABLE)
		return MAKE_RESETTING;
	if (event == PARTITION_PRESENT)
		return MAKE_REMOVING_LEFTOVER;
	/* What lasts is the failure of the creation, not that of the list. */
	if (event == PARTITION_ABSENT || is_passing(event) || is_lasting(event))
		return lasting ? MAKE_FAILED : MAKE_PAUSING_CREATE;
	return MAKE_FAILED;
}

static enum partition_make_state decide_after_reset(enum partition_event event)
{
	if (event == PARTITION_OK)
		return MAKE_QUERYING;
	return is_passing(event) || is_lasting(event) ? MAKE_REMOVING_LEFTOVER : MAKE_FAILED;
}

/* A removal, or the creation after one. NEXT is the state after a success. */
static enum partition_make_state decide_after_change(enum partition_event event,
						     enum partition_make_state next)
{
	if (event == PARTITION_OK)
		return next;
	return is_passing(event) ? MAKE_PAUSING_CREATE : MAKE_FAILED;
}

static enum partition_make_state decide_after_query(enum partition_event event)
{
	switch (event) {
	case PARTITION_ACTIVE:
		return MAKE_DONE;
	case PARTITION_PENDING:
	case PARTITION_UNSENT:
	case PARTITION_NO_ANSWER:
		return MAKE_PAUSING_QUERY;
	case PARTITION_UNAVAILABLE:
	case PARTITION_REFUSED:
	case PARTITION_INVALID: /* the controller may say so of a name that it does not know */
		return MAKE_CONFIRMING;
	case PARTITION_REMOVED:
		return MAKE_PAUSING_CREATE;
	case PARTITION_ERROR:
		return MAKE_REMOVING_FAILED;
	default:
		return MAKE_FAILED;
	}
}

static enum partition_make_state decide_after_confirm(enum partition_event event)
{
	if (event == PARTITION_ABSENT)
		return MAKE_PAUSING_CREATE;
	if (event == PARTITION_PRESENT || event == PARTITION_REUSABLE || is_passing(event) ||
	    is_lasting(event))
		return MAKE_PAUSING_QUERY;
	return MAKE_FAILED;
}

static enum partition_make_state decide_make(enum partition_make_state state,
					     enum partition_event event)
{
	switch (state) {
	case MAKE_CREATING:
		return decide_after_create(event);
	case MAKE_FINDING:
		return decide_after_find(event, false);
	case MAKE_FINDING_LASTING:
		return decide_after_find(event, true);
	case MAKE_RESETTING:
		return decide_after_reset(event);
	case MAKE_REMOVING_LEFTOVER:
		return decide_after_change(event, MAKE_RECREATING);
	case MAKE_RECREATING:
		return decide_after_change(event, MAKE_QUERYING);
	case MAKE_QUERYING:
		return decide_after_query(event);
	case MAKE_CONFIRMING:
		return decide_after_confirm(event);
	case MAKE_REMOVING_FAILED:
		return decide_after_change(event, MAKE_PAUSING_CREATE);
	case MAKE_PAUSING_QUERY:
		return event == PARTITION_OK ? MAKE_QUERYING : MAKE_FAILED;
	case MAKE_PAUSING_CREATE:
		return event == PARTITION_OK ? MAKE_CREATING : MAKE_FAILED;
	default:
		return MAKE_FAILED;
	}
}

/* Whether our requests may have made a partition that a failure must remove. */
static bool may_exist_after(const struct partition_make *run, enum partition_event event)
{
	switch (run->state) {
	case MAKE_CREATING:
		/* A request without an answer, or with a failure, may have made it all the same. */
		return run->may_exist || event == PARTITION_OK ||
		       (is_passing(event) && event != PARTITION_UNSENT);
	case MAKE_FINDING:
	case MAKE_FINDING_LASTING:
		/* One of that name is there, whoever made it: a failure must not leave it. */
		return event == PARTITION_PRESENT || event == PARTITION_REUSABLE ||
		       (run->may_exist && event != PARTITION_ABSENT);
	case MAKE_REMOVING_LEFTOVER:
		/* The creation that follows may make it, whatever its answer. */
		return run->may_exist || event == PARTITION_OK;
	case MAKE_REMOVING_FAILED:
		return run->may_exist && event != PARTITION_OK;
	default:
		return run->may_exist;
	}
}

enum partition_make_action partition_make_advance(struct partition_make *run,
						  enum partition_event event)
{
	static const enum partition_make_action actions[MAKE_STATES] = {
		[MAKE_CREATING] = MAKE_CREATE,
		[MAKE_FINDING] = MAKE_FIND,
		[MAKE_FINDING_LASTING] = MAKE_FIND,
		[MAKE_RESETTING] = MAKE_RESET,
		[MAKE_REMOVING_LEFTOVER] = MAKE_REMOVE,
		[MAKE_RECREATING] = MAKE_CREATE,
		[MAKE_QUERYING] = MAKE_QUERY,
		[MAKE_CONFIRMING] = MAKE_CONFIRM,
		[MAKE_REMOVING_FAILED] = MAKE_REMOVE,
		[MAKE_PAUSING_QUERY] = MAKE_PAUSE_QUERY,
		[MAKE_PAUSING_CREATE] = MAKE_PAUSE_CREATE,
		[MAKE_DONE] = MAKE_SUCCEED,
		[MAKE_FAILED] = MAKE_FAIL,
	};

	run->may_exist = may_exist_after(run, event);
	run->state = decide_make(run->state, event);
	return actions[run->state];
}

static enum partition_remove_state decide_after_request(enum partition_event event)
{
	switch (event) {
	case PARTITION_OK:
	case PARTITION_REFUSED:
	case PARTITION_INVALID:
	case PARTITION_DENIED:
		return REMOVE_CHECKING;
	case PARTITION_UNSENT:
	case PARTITION_NO_ANSWER:
	case PARTITION_UNAVAILABLE:
		/* Then the list would not be answered either. */
		return REMOVE_PAUSING;
	default:
		return REMOVE_FAILED;
	}
}

static enum partition_remove_state decide_after_check(const struct partition_remove *run,
						      enum partition_event event)
{
	switch (event) {
	case PARTITION_ABSENT:
		return REMOVE_DONE;
	case PARTITION_INVALID:
		return run->forced ? REMOVE_FAILED : REMOVE_ESCALATING;
	case PARTITION_UNSENT:
	case PARTITION_NO_ANSWER:
	case PARTITION_UNAVAILABLE:
	case PARTITION_REFUSED:
	case PARTITION_PRESENT:
	case PARTITION_REUSABLE:
		/* A plain removal that was refused stays so; one by force is tried to the end. */
		if (run->accepted || run->forced)
			return REMOVE_PAUSING;
		return run->denied && !is_passing(event) ? REMOVE_FAILED : REMOVE_ESCALATING;
	default:
		return REMOVE_FAILED;
	}
}

static enum partition_remove_state decide_after_pause(const struct partition_remove *run,
						      enum partition_event event)
{
	if (event == PARTITION_OK)
		return run->accepted ? REMOVE_CHECKING : REMOVE_REQUESTING;
	if (event == PARTITION_TIME_UP && !run->forced)
		return REMOVE_ESCALATING;
	return REMOVE_FAILED;
}

static enum partition_remove_state decide_remove(const struct partition_remove *run,
						 enum partition_event event)
{
	switch (run->state) {
	case REMOVE_REQUESTING:
		return decide_after_request(event);
	case REMOVE_CHECKING:
		return decide_after_check(run, event);
	case REMOVE_PAUSING:
		return decide_after_pause(run, event);
	case REMOVE_ESCALATING:
		return event == PARTITION_OK ? REMOVE_REQUESTING : REMOVE_FAILED;
	default:
		return REMOVE_FAILED;
	}
}

enum partition_remove_action partition_remove_advance(struct partition_remove *run,
						      enum partition_event event)
{
	static const enum partition_remove_action actions[REMOVE_STATES] = {
		[REMOVE_REQUESTING] = REMOVE_REQUEST, [REMOVE_CHECKING] = REMOVE_CHECK,
		[REMOVE_PAUSING] = REMOVE_PAUSE,      [REMOVE_ESCALATING] = REMOVE_ESCALATE,
		[REMOVE_DONE] = REMOVE_SUCCEED,       [REMOVE_FAILED] = REMOVE_FAIL,
	};
	enum partition_remove_state next = decide_remove(run, event);

	if (run->state == REMOVE_REQUESTING) {
		run->accepted = event == PARTITION_OK;
		run->denied = event == PARTITION_DENIED;
	}
	if (next == REMOVE_ESCALATING) {
		run->forced = true;
		run->accepted = false;
		run->denied = false;
	}
	run->state = next;
	return actions[next];
}
