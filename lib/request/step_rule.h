/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What becomes of a step on a node. slurmstepd gathers facts, in the order that this rule asks for
 * them, and carries the outcome out. Pure: no SPANK, no RPC, no file. Not installed.
 */
#ifndef TESSERA_STEP_RULE_H
#define TESSERA_STEP_RULE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/request/asked.h"

/* The job's row in the ledger (lib/state/ledger.h). */
enum step_row {
	STEP_ROW_NONE = 0, /* no row, no ledger, or a ledger that cannot be read */
	STEP_ROW_HELD,
	STEP_ROW_SHORT,   /* no room when the prolog ran; the job may fit later */
	STEP_ROW_REFUSED, /* the request cannot be satisfied */
};

/* The job record, of IPUs and pools (lib/state/job_record.h). */
enum step_record {
	STEP_RECORD_NONE = 0, /* no record, or one that cannot be read */
	STEP_RECORD_READY,
	STEP_RECORD_UNREADY, /* the prolog failed or was killed; the job may succeed later */
	STEP_RECORD_REFUSED,
};

enum step_answer {
	STEP_NOT_QUERIED = 0,
	STEP_SILENT,   /* slurmctld did not answer, or its answer cannot be read */
	STEP_NOT_HERE, /* slurmctld does not know the job, or not on this node */
	STEP_ANSWERED,
};

enum step_division {
	STEP_UNDIVIDED = 0,
	STEP_DIVIDED,
	STEP_INDIVISIBLE, /* the step cannot have what it asks for of its job's tiles */
};

struct step_facts {
	struct asked asked;     /* what the client says that the job or step asks for */
	bool pool_option;       /* an option for IPUs or a pool reached the node */
	bool exceeds;           /* and names more than the job has */
	bool slurmd_has_plugin; /* slurmd loaded the plugin at its start: prologs have run */
	bool has_conf;          /* tessera.conf could be read */
	bool node_error;        /* tessera.conf, the ledger or the job record could not be read */
	bool prolog_failed;     /* so row and record may be of an earlier run */
	unsigned max_requeue;   /* MaxRequeue of tessera.conf */

	enum step_row row;
	uint32_t row_restarts;
	enum step_record record;
	uint32_t record_restarts;

	/* Of slurmctld; what it granted counts with STEP_NOT_HERE too. */
	enum step_answer answer;
	bool answer_error;      /* STEP_SILENT, and it is known why */
	bool granted_tiles;     /* or how many it granted cannot be read */
	bool granted_pools;     /* IPUs or part of a pool */
	bool row_is_current;    /* the row is of the run that slurmctld describes */
	bool record_is_current; /* and so is the record */
	/* A second query, for the restart count alone. */
	enum step_answer restarts_answer;
	uint32_t restarts; /* if answer or restarts_answer is STEP_ANSWERED */

	enum step_division division; /* of the row's tiles among the step's tasks */
};

enum step_outcome {
	STEP_UNASKED = 0, /* the job has nothing of ours here: run its tasks without */
	/* Find out more, add it to the facts, and apply the rule again. */
	STEP_QUERY,          /* query slurmctld about the job */
	STEP_QUERY_RESTARTS, /* query it for the restart count */
	STEP_DIVIDE,         /* divide the row's tiles among the tasks */
	/* Final. */
	STEP_RUN,
	STEP_FAIL,
	STEP_REQUEUE,
	STEP_REQUEUE_HOLD, /* requeue, and hold until an administrator releases the job */
};

/* Which text says why the step does not run. */
enum step_reason {
	STEP_REASON_NONE = 0,
	STEP_REASON_NODE,       /* the node's error */
	STEP_REASON_PROLOG,     /* what the prolog wrote */
	STEP_REASON_SLURMCTLD,  /* why slurmctld did not answer */
	STEP_REASON_UNRESERVED, /* nothing was reserved although Slurm allocated some */
	STEP_REASON_ROW,        /* the row's */
	STEP_REASON_DIVISION,   /* why the tiles cannot be divided */
	STEP_REASON_RECORD,     /* the job record's */
	STEP_REASON_EXCEEDS,    /* what the options exceed */
};

struct step_verdict {
	enum step_outcome outcome;
	enum step_reason reason; /* of a step that does not run */
	uint32_t restarts;       /* how often the job was requeued before this run */
};

/*
 * Decide from what is known so far. While all is well slurmctld is not queried: row and record are
 * there and say all. A job that the node failed is requeued, because a node that failed jobs
 * instead would be idle at once and fail the next; without the restart count that would never end,
 * so then the step fails.
 */
struct step_verdict step_rule(const struct step_facts *facts);

/*
 * Must the whole job be ended? MPI_PROXY: an mpirun in a batch script waits for this step, and
 * would wait forever. MASK_REFUSED: the step may run, but a task will fail for the mask that the
 * user set. A job that is requeued ends anyway.
 */
bool step_rule_ends_job(enum step_outcome outcome, bool mask_refused, bool mpi_proxy);

#endif /* TESSERA_STEP_RULE_H */
