/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/conf/names.h"
#include "lib/request/asked.h"
#include "lib/slurm/job_info.h"
#include "lib/slurm/job_info_pools.h"
#include "plugin/options.h"
#include "plugin/plugin_node.h"
#include "plugin/slurmd_start.h"
#include "plugin/step_env.h"
#include "plugin/step_facts.h"

/* The facts for step_rule(), and the texts that belong to them. */
struct inquiry {
	struct step_facts facts;
	struct tessera_error node_error, slurmctld_error, division_error, exceeds_error;
	struct failure failure; /* of the prolog */
	struct job_alloc alloc;
	struct job_pools pools;
};

bool step_is_script(const struct step *step)
{
	return step->id == SLURM_BATCH_SCRIPT || step->id == SLURM_INTERACTIVE_STEP;
}

unsigned step_max_requeue(const struct step *step)
{
	return step->node.conf != NULL ? tessera_conf_max_requeue(step->node.conf)
				       : TESSERA_MAX_REQUEUE;
}

/* In a heterogeneous job a step also has the options of the other components. */
static bool is_het_job(spank_t sp)
{
	char text[32];

	return spank_getenv(sp, "SLURM_HET_SIZE", text, sizeof(text)) == ESPANK_SUCCESS;
}

/* What the client says that the job, or this step, asks for. */
static void read_asked(spank_t sp, struct step_facts *facts)
{
	char text[VAR_ASKED_MAX] = "";

	spank_getenv(sp, VAR_ASKED, text, sizeof(text));
	facts->asked = asked_read(text);
	facts->pool_option = step_env_has_option();
	facts->asked.pools = facts->asked.pools || facts->pool_option;
}

static enum step_row find_row_state(const struct tessera_row *row)
{
	if (row == NULL)
		return STEP_ROW_NONE;
	if (row->state == TESSERA_ROW_HELD)
		return STEP_ROW_HELD;
	return row->state == TESSERA_ROW_SHORT ? STEP_ROW_SHORT : STEP_ROW_REFUSED;
}

static enum step_record find_record_state(const struct step *step)
{
	if (!step->has_record)
		return STEP_RECORD_NONE;
	if (step->record.state == TESSERA_JOB_RECORD_READY)
		return STEP_RECORD_READY;
	return step->record.state == TESSERA_JOB_RECORD_REFUSED ? STEP_RECORD_REFUSED
								: STEP_RECORD_UNREADY;
}

/* The node's files. If several cannot be read, the error is the last one's. */
static void read_files(struct step *step, struct inquiry *inq)
{
	struct tessera_error *err = &inq->node_error;

	if (plugin_node_open(&step->node, err) < 0 || !step->node.has_state)
		return;
	options_match(step->node.conf);
	if (step->node.platform != NULL &&
	    tessera_ledger_read(step->node.dir, step->node.platform, &step->ledger, err) == 0)
		step->row = tessera_ledger_job(step->ledger, step->job);
	step->has_record =
		tessera_job_record_read(step->node.dir, step->job, &step->record, err) == 0;
	inq->facts.prolog_failed = node_read_failure(&step->node, step->job, &inq->failure) == 0;
}

/* All facts that need no query. */
static void gather_facts(spank_t sp, struct step *step, struct inquiry *inq)
{
	struct step_facts *facts = &inq->facts;

	read_files(step, inq);
	facts->slurmd_has_plugin = slurmd_has_plugin();
	facts->has_conf = step->node.conf != NULL;
	facts->node_error = inq->node_error.code != TESSERA_OK;
	facts->max_requeue = step_max_requeue(step);
	facts->row = find_row_state(step->row);
	facts->row_restarts = step->row != NULL ? step->row->restarts : 0;
	facts->record = find_record_state(step);
	facts->record_restarts = step->record.restarts;
	facts->exceeds = facts->has_conf && !is_het_job(sp) &&
			 step_env_check(&step->node, &step->record, &inq->exceeds_error) < 0;
}

/* One RPC for tiles and pools. */
static void query_slurmctld(const struct step *step, struct inquiry *inq)
{
	struct step_facts *facts = &inq->facts;
	const struct job_alloc *alloc = &inq->alloc;
	const struct job_pools *pools = &inq->pools;
	int rc = -1;

	if (node_name() != NULL)
		rc = job_info_load_with_pools(step->job, node_name(), step->node.conf, &inq->alloc,
					      &inq->pools, &inq->slurmctld_error);
	if (rc == 0 && step->node.conf != NULL) {
		rc = pools->loaded;
		inq->slurmctld_error = pools->err;
	}
	facts->answer = rc < 0 ? STEP_SILENT : rc > 0 ? STEP_NOT_HERE : STEP_ANSWERED;
	facts->answer_error = inq->slurmctld_error.code != TESSERA_OK;
	facts->restarts = alloc->restarts;
	facts->granted_tiles = alloc->unclear.code != TESSERA_OK || alloc->granted.rdus > 0 ||
			       alloc->granted.tiles > 0;
	facts->granted_pools = pools->any;
	facts->row_is_current = step->row != NULL && step->row->uid == alloc->uid &&
				step->row->restarts == alloc->restarts;
	facts->record_is_current = step->record.uid == alloc->uid &&
				   step->record.restarts == alloc->restarts &&
				   step->record.ipus == pools->ipus;
}

static void query_restarts(const struct step *step, struct step_facts *facts)
{
	struct job_alloc alloc;

	facts->restarts_answer = STEP_SILENT;
	if (node_name() == NULL || job_info_load(step->job, node_name(), &alloc, NULL) != 0)
		return;
	facts->restarts_answer = STEP_ANSWERED;
	facts->restarts = alloc.restarts;
}

static void divide_tiles(spank_t sp, struct step *step, struct inquiry *inq)
{
	step->tiles = (struct step_tiles){.node = &step->node,
					  .job = step->job,
					  .step = step->id,
					  .tasks = step->tasks,
					  .script = step_is_script(step)};
	inq->facts.division =
		step_tiles_divide(sp, &step->tiles, step->row, &inq->division_error) == 0
			? STEP_DIVIDED
			: STEP_INDIVISIBLE;
}

static struct step_verdict apply_rule(spank_t sp, struct step *step, struct inquiry *inq)
{
	for (;;) {
		struct step_verdict verdict = step_rule(&inq->facts);

		switch (verdict.outcome) {
		case STEP_QUERY:
			query_slurmctld(step, inq);
			break;
		case STEP_QUERY_RESTARTS:
			query_restarts(step, &inq->facts);
			break;
		case STEP_DIVIDE:
			divide_tiles(sp, step, inq);
			break;
		default:
			return verdict;
		}
	}
}

static void explain_prolog(const struct step *step, const struct failure *failure,
			   struct tessera_error *why)
{
	if (failure->text[0] != '\0')
		tessera_error_set(why, TESSERA_ERR_UNAVAILABLE, "%s", failure->text);
	else
		tessera_error_set(why, TESSERA_ERR_UNAVAILABLE,
				  "the prolog on node %s failed and could not record why; see "
				  "slurmd's log there",
				  step->node.name);
}

/* What the administrator must do for the prolog to run. */
static const char *advise_unreserved(void)
{
	if (&slurm_conf != NULL && TESSERA_RUNS_IN_JOB(&slurm_conf))
		return "with PrologFlags=RunInJob Slurm runs no SPANK prolog: ask the "
		       "administrator to replace RunInJob by Contain in slurm.conf";
	if (slurmd_has_plugin())
		return "see slurmd's log there (the node must be in tessera.conf, "
		       "PrologFlags=Alloc in slurm.conf)";
	return "slurmd there was started before plugstack.conf named spank_tessera.so: ask the "
	       "administrator to restart slurmd";
}

static void explain_unreserved(const struct job_pools *pools, struct tessera_error *why)
{
	tessera_error_set(why, TESSERA_ERR_INPUT,
			  "no %s reserved on node %s although Slurm allocated some; %s",
			  pools->ipus > 0 ? "IPUs were"
			  : pools->any    ? "part of a pool was"
					  : "tiles were",
			  node_name() != NULL ? node_name() : "?", advise_unreserved());
}

/* The user's message, from where the rule says. */
static void explain(const struct step *step, const struct inquiry *inq, struct tessera_error *why)
{
	switch (step->verdict.reason) {
	case STEP_REASON_NODE:
		*why = inq->node_error;
		break;
	case STEP_REASON_PROLOG:
		explain_prolog(step, &inq->failure, why);
		break;
	case STEP_REASON_SLURMCTLD:
		*why = inq->slurmctld_error;
		break;
	case STEP_REASON_UNRESERVED:
		explain_unreserved(&inq->pools, why);
		break;
	case STEP_REASON_ROW:
		tessera_error_set(why, TESSERA_ERR_SHORTAGE, "%s", step->row->text);
		break;
	case STEP_REASON_DIVISION:
		*why = inq->division_error;
		break;
	case STEP_REASON_RECORD:
		tessera_error_set(
			why, TESSERA_ERR_SHORTAGE, "%s",
			step->record.text[0] != '\0'
				? step->record.text
				: "the prolog was killed before it created the V-IPU partition");
		break;
	case STEP_REASON_EXCEEDS:
		*why = inq->exceeds_error;
		break;
	case STEP_REASON_NONE:
		break;
	}
}

void step_decide(spank_t sp, struct step *step)
{
	struct inquiry inq = {0};

	read_asked(sp, &inq.facts);
	if (!inq.facts.asked.tiles && !inq.facts.asked.pools && !slurmd_may_have_job(step->job))
		return;
	gather_facts(sp, step, &inq);
	step->verdict = apply_rule(sp, step, &inq);
	explain(step, &inq, &step->why);
}
