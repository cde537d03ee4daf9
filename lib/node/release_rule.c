/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/node/release_rule.h"

/* An earlier run of the job has the same job ID: the start time distinguishes them. */
static bool is_running(const struct ended_run *run, uint32_t owner, uint64_t start)
{
	if (owner == LEFTOVER_OWNER_NONE || owner >= LEFTOVER_OWNER_UNASKED)
		return false;
	if (owner == run->job && start < run->again)
		return false;
	return owner != run->ended;
}

enum device_use release_rule_use(const struct ended_run *run, uint32_t owner, uint64_t start)
{
	if (start < run->since || is_running(run, owner, start))
		return DEVICE_FREE;
	return owner == LEFTOVER_OWNER_UNKNOWN ? DEVICE_UNKNOWN : DEVICE_IN_USE;
}

enum release_signal release_rule_signal(const struct ended_run *run, uint32_t owner, uint64_t start,
					bool in_step)
{
	switch (release_rule_use(run, owner, start)) {
	case DEVICE_FREE:
		return RELEASE_SIGNAL_SKIP;
	case DEVICE_UNKNOWN:
		return RELEASE_SIGNAL_UNKNOWN;
	case DEVICE_IN_USE:
		break;
	}
	return owner == LEFTOVER_OWNER_NONE && in_step ? RELEASE_SIGNAL_STEP : RELEASE_SIGNAL_SEND;
}

struct release_decision release_rule_row(enum tessera_row_state state, enum device_use use,
					 bool same_text)
{
	bool withheld = state == TESSERA_ROW_WITHHELD;
	struct release_decision decision = {.result = RELEASE_DONE};

	if (use == DEVICE_FREE) {
		decision.action = withheld ? RELEASE_ACTION_RELEASE : RELEASE_ACTION_DROP;
		return decision;
	}
	decision.result = use == DEVICE_UNKNOWN ? RELEASE_UNKNOWN : RELEASE_WITHHELD;
	if (!withheld)
		decision.action = RELEASE_ACTION_WITHHOLD;
	else
		decision.action = same_text ? RELEASE_ACTION_LEAVE : RELEASE_ACTION_REWORD;
	return decision;
}

bool release_is_withheld(int result)
{
	return result == RELEASE_WITHHELD || result == RELEASE_UNKNOWN;
}

bool release_is_worth_waiting(int result)
{
	return result < 0 || result == RELEASE_WITHHELD;
}

/* Half of what is left until UNTIL: the processes need the other half to end. */
static int64_t half_way(int64_t now, int64_t until)
{
	return until > now ? now + (until - now) / 2 : now;
}

struct release_step release_rule_step(struct release_run *run, size_t rows, int64_t now)
{
	bool kill = run->policy == TESSERA_LEFTOVER_KILL;
	int64_t limit = run->end + (int64_t)run->kills * RELEASE_KILL_MS / RELEASE_KILLS;

	if (rows == 0 || run->policy == TESSERA_LEFTOVER_QUARANTINE)
		return (struct release_step){.kind = RELEASE_STEP_END};
	if (kill && !run->terminated) {
		run->terminated = true;
		return (struct release_step){
			.kind = RELEASE_STEP_TERM,
			.inspect_until = half_way(now, run->end + RELEASE_KILL_MS),
		};
	}
	if (now < limit)
		return (struct release_step){
			.kind = RELEASE_STEP_WAIT,
			.pause_until = limit,
			.inspect_until = limit + RELEASE_LOOK_MS,
		};
	if (!kill || !run->may_kill || run->kills >= RELEASE_KILLS)
		return (struct release_step){.kind = RELEASE_STEP_END};
	run->kills++;
	return (struct release_step){
		.kind = RELEASE_STEP_KILL,
		.inspect_until = run->end + (int64_t)run->kills * RELEASE_KILL_MS / RELEASE_KILLS,
	};
}
