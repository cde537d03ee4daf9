/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/request/step_rule.h"

/* Are the node's files not enough to say what the job was granted? */
static bool needs_query(const struct step_facts *f)
{
	return (f->row == STEP_ROW_NONE && f->asked.tiles) ||
	       (f->record == STEP_RECORD_NONE && f->asked.pools) || f->prolog_failed ||
	       f->node_error || !f->slurmd_has_plugin;
}

/* Do row and record cover what slurmctld granted? */
static bool is_covered(const struct step_facts *f)
{
	bool tiles = f->row != STEP_ROW_NONE && (!f->prolog_failed || f->row_is_current);
	bool pools = f->record != STEP_RECORD_NONE && (!f->prolog_failed || f->record_is_current);

	return (tiles || !f->granted_tiles) && (pools || !f->granted_pools) &&
	       (f->has_conf || !f->pool_option);
}

static enum step_reason find_unreserved_reason(const struct step_facts *f)
{
	if (f->node_error)
		return STEP_REASON_NODE;
	if (f->prolog_failed)
		return STEP_REASON_PROLOG;
	return f->answer_error ? STEP_REASON_SLURMCTLD : STEP_REASON_UNRESERVED;
}

/* Nothing was reserved, or that cannot be ruled out: the fault is the node's, not the job's. */
static struct step_verdict decide_unreserved(const struct step_facts *f)
{
	struct step_verdict verdict = {.reason = find_unreserved_reason(f)};

	if (f->answer != STEP_ANSWERED && f->restarts_answer == STEP_NOT_QUERIED)
		return (struct step_verdict){.outcome = STEP_QUERY_RESTARTS};
	if (f->answer != STEP_ANSWERED && f->restarts_answer != STEP_ANSWERED) {
		verdict.outcome = STEP_FAIL;
		return verdict;
	}
	verdict.restarts = f->restarts;
	verdict.outcome = f->restarts < f->max_requeue ? STEP_REQUEUE : STEP_REQUEUE_HOLD;
	return verdict;
}

/* The prolog found no tiles. A job that found no room too often fails. */
static struct step_verdict decide_without_tiles(const struct step_facts *f)
{
	bool again = f->row == STEP_ROW_SHORT && f->row_restarts < f->max_requeue;

	return (struct step_verdict){.outcome = again ? STEP_REQUEUE : STEP_FAIL,
				     .reason = STEP_REASON_ROW,
				     .restarts = f->row_restarts};
}

/* The prolog made no partition. An outage elsewhere must not cost the user the job: hold it. */
static struct step_verdict decide_without_pools(const struct step_facts *f)
{
	struct step_verdict verdict = {
		.outcome = STEP_FAIL, .reason = STEP_REASON_RECORD, .restarts = f->record_restarts};

	if (f->record == STEP_RECORD_UNREADY)
		verdict.outcome =
			f->record_restarts < f->max_requeue ? STEP_REQUEUE : STEP_REQUEUE_HOLD;
	return verdict;
}

/* Row and record are all that the job was granted here. */
static struct step_verdict decide_reserved(const struct step_facts *f)
{
	struct step_verdict verdict = {.restarts = f->row != STEP_ROW_NONE ? f->row_restarts
									   : f->record_restarts};

	if (f->row == STEP_ROW_SHORT || f->row == STEP_ROW_REFUSED)
		return decide_without_tiles(f);
	if (f->row == STEP_ROW_HELD && f->division == STEP_UNDIVIDED) {
		verdict.outcome = STEP_DIVIDE;
	} else if (f->row == STEP_ROW_HELD && f->division == STEP_INDIVISIBLE) {
		verdict.outcome = STEP_FAIL;
		verdict.reason = STEP_REASON_DIVISION;
	} else if (f->record == STEP_RECORD_UNREADY || f->record == STEP_RECORD_REFUSED) {
		return decide_without_pools(f);
	} else if (f->exceeds) {
		verdict.outcome = STEP_FAIL;
		verdict.reason = STEP_REASON_EXCEEDS;
	} else if (f->row == STEP_ROW_HELD || f->record == STEP_RECORD_READY) {
		verdict.outcome = STEP_RUN;
	}
	return verdict;
}

struct step_verdict step_rule(const struct step_facts *f)
{
	if (f->answer == STEP_NOT_QUERIED && needs_query(f))
		return (struct step_verdict){.outcome = STEP_QUERY};
	if (f->answer == STEP_SILENT || (f->answer != STEP_NOT_QUERIED && !is_covered(f)))
		return decide_unreserved(f);
	return decide_reserved(f);
}

bool step_rule_ends_job(enum step_outcome outcome, bool mask_refused, bool mpi_proxy)
{
	return mpi_proxy && (outcome == STEP_FAIL || (outcome == STEP_RUN && mask_refused));
}
