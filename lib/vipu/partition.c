/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Carries out what partition_steps.c decides. */
#include "config.h"

#include "lib/util/deadline.h"
#include "lib/vipu/partition.h"
#include "lib/vipu/partition_steps.h"
#include "lib/vipu/vipu_internal.h"

/* The pause before a state is queried again, at first and at most. */
#define POLL_FIRST_MS 5
#define POLL_MOST_MS  500

/* The pause before a partition is requested again, at first and at most. */
#define RETRY_FIRST_MS 100
#define RETRY_MOST_MS  1000

/* How long the removal of an unusable partition may take, plainly and then by force, in seconds. */
#define CLEAN_WAIT 2

/* ERR is never NULL: its text is that of the failure which says most. */
struct making {
	struct tessera_vipu *v;
	const struct tessera_vipu_request *request;
	int64_t deadline;
	unsigned query_pause, create_pause; /* the next ones, in milliseconds */
	struct partition_make run;
	struct tessera_error *err;
};

struct removal {
	struct tessera_vipu *v;
	const char *name;
	int64_t deadline, forced_deadline;
	unsigned pause; /* the next one, in milliseconds */
	struct partition_remove run;
	struct tessera_error refusal; /* of the last request for removal */
	struct tessera_error *err;
};

/*
 * Replace ERR by the failure FRESH, unless FRESH only says that no answer came before DEADLINE: an
 * earlier failure says more.
 */
static void report_failure(struct tessera_error *err, const struct tessera_error *fresh,
			   int64_t deadline)
{
	if (err->text[0] == '\0' || tessera_error_exit(fresh) != TESSERA_ERR_UNAVAILABLE ||
	    deadline_left(deadline) > 0)
		*err = *fresh;
}

/* The event of the last call's FAILURE, or of a removal's. */
static enum partition_event classify_failure(const struct tessera_vipu *v,
					     const struct tessera_error *failure)
{
	if (v->lasting)
		return PARTITION_INCOMPATIBLE;
	if (failure->code == TESSERA_ERR_INPUT)
		return PARTITION_INVALID;
	if (failure->code == TESSERA_ERR_DENIED)
		return PARTITION_DENIED;
	if (tessera_error_exit(failure) != TESSERA_ERR_UNAVAILABLE)
		return PARTITION_REFUSED;
	if (v->unsent)
		return PARTITION_UNSENT;
	return v->grpc_status < 0 ? PARTITION_NO_ANSWER : PARTITION_UNAVAILABLE;
}

/* The event of a call that returned RC. */
static enum partition_event classify_call(const struct tessera_vipu *v, int rc,
					  const struct tessera_error *failure)
{
	return rc == 0 ? PARTITION_OK : classify_failure(v, failure);
}

static enum partition_event pause_until(int64_t deadline, unsigned *pause, unsigned most)
{
	deadline_pause(deadline, pause, most);
	return deadline_left(deadline) > 0 ? PARTITION_OK : PARTITION_TIME_UP;
}

/*
 * Is the partition NAME listed? It is reusable if it has the size of REQUEST; NULL: it never is.
 * Returns the event, with ERR set if the controller does not list its partitions.
 */
static enum partition_event find_partition(struct tessera_vipu *v, const char *name,
					   const struct tessera_vipu_request *request,
					   struct tessera_error *err)
{
	const struct tessera_vipu_partition *found;
	enum partition_event event = PARTITION_ABSENT;
	struct tessera_vipu_list list;

	if (tessera_vipu_list(v, &list, err) < 0) {
		event = classify_failure(v, err);
	} else {
		found = tessera_vipu_find(&list, name);
		if (found != NULL && found->state != TESSERA_VIPU_REMOVED)
			event = request != NULL && found->ipus == request->ipus &&
						found->gcds == request->gcds
					? PARTITION_REUSABLE
					: PARTITION_PRESENT;
	}
	tessera_vipu_list_free(&list);
	return event;
}

/* Query the state of NAME. ERR says what it is unless it is active. */
static enum partition_event query_state(struct tessera_vipu *v, const char *name, int64_t deadline,
					struct tessera_error *err)
{
	struct tessera_vipu_status status;
	struct tessera_error failure = {0};

	if (tessera_vipu_status(v, name, &status, &failure) < 0) {
		report_failure(err, &failure, deadline);
		return classify_failure(v, &failure);
	}
	if (status.state == TESSERA_VIPU_ACTIVE)
		return PARTITION_ACTIVE;
	tessera_error_set(err, TESSERA_ERR_SHORTAGE,
			  "V-IPU controller %s:%u: the partition's state is %s", v->site->host,
			  v->site->port, status.text);
	if (status.state == TESSERA_VIPU_REMOVED)
		return PARTITION_REMOVED;
	return status.state == TESSERA_VIPU_ERROR ? PARTITION_ERROR : PARTITION_PENDING;
}

static enum partition_event request_removal(struct removal *r)
{
	enum partition_event event = classify_call(
		r->v, tessera_vipu_remove(r->v, r->name, r->run.forced, &r->refusal), &r->refusal);

	if (event != PARTITION_OK && tessera_error_exit(&r->refusal) == TESSERA_ERR_UNAVAILABLE)
		report_failure(r->err, &r->refusal, r->deadline);
	return event;
}

static enum partition_event check_removal(struct removal *r)
{
	struct tessera_error unclear = {0};
	enum partition_event event = find_partition(r->v, r->name, NULL, &unclear);

	if (event == PARTITION_PRESENT && r->run.accepted)
		tessera_error_set(r->err, TESSERA_ERR_SHORTAGE,
				  "V-IPU controller %s:%u: partition %s still exists after its "
				  "removal was accepted%s",
				  r->v->site->host, r->v->site->port, r->name,
				  r->run.forced ? " (forced)" : "");
	else if (event == PARTITION_PRESENT)
		*r->err = r->refusal;
	else if (event != PARTITION_ABSENT)
		report_failure(r->err, &unclear, r->deadline);
	return event;
}

static enum partition_event escalate_removal(struct removal *r)
{
	r->deadline = r->forced_deadline;
	r->pause = POLL_FIRST_MS;
	r->refusal = (struct tessera_error){0};
	tessera_vipu_deadline(r->v, r->deadline);
	return PARTITION_OK;
}

static enum partition_event perform_removal(struct removal *r, enum partition_remove_action action)
{
	switch (action) {
	case REMOVE_REQUEST:
		return request_removal(r);
	case REMOVE_CHECK:
		return check_removal(r);
	case REMOVE_ESCALATE:
		return escalate_removal(r);
	default:
		return pause_until(r->deadline, &r->pause, POLL_MOST_MS);
	}
}

/*
 * Remove NAME and wait until it is gone: plainly until PLAIN, then by force until FORCED
 * (deadlines). V's deadline is changed. Returns 0, or -1 with ERR.
 */
static int remove_until(struct tessera_vipu *v, const char *name, int64_t plain, int64_t forced,
			struct tessera_error *err)
{
	struct removal r = {
		.v = v,
		.name = name,
		.deadline = plain,
		.forced_deadline = forced,
		.pause = POLL_FIRST_MS,
		.err = err,
	};
	enum partition_remove_action action = REMOVE_REQUEST;

	tessera_vipu_deadline(v, plain);
	while (action != REMOVE_SUCCEED && action != REMOVE_FAIL)
		action = partition_remove_advance(&r.run, perform_removal(&r, action));
	return action == REMOVE_SUCCEED ? 0 : -1;
}

static enum partition_event create_partition(struct making *m)
{
	struct tessera_error failure = {0};
	int rc = tessera_vipu_create(m->v, m->request, &failure);

	m->query_pause = POLL_FIRST_MS;
	if (rc < 0)
		report_failure(m->err, &failure, m->deadline);
	return classify_call(m->v, rc, &failure);
}

static enum partition_event find_leftover(struct making *m)
{
	bool reset = m->v->site->leftover == TESSERA_VIPU_LEFTOVER_RESET;
	struct tessera_error failure = {0};
	enum partition_event event =
		find_partition(m->v, m->request->name, reset ? m->request : NULL, &failure);

	if (failure.code != TESSERA_OK)
		report_failure(m->err, &failure, m->deadline);
	return event;
}

static enum partition_event reset_leftover(struct making *m)
{
	struct tessera_error ignored = {0}; /* the leftover is removed then */
	int rc = tessera_vipu_reset(m->v, m->request->name, &ignored);

	m->query_pause = POLL_FIRST_MS;
	return classify_call(m->v, rc, &ignored);
}

/* Remove what has the partition's name, within the time left, but not for long. */
static enum partition_event remove_partition(struct making *m)
{
	struct tessera_error failure = {0};
	int64_t plain = deadline_after(CLEAN_WAIT), forced = deadline_after(2 * CLEAN_WAIT);
	int rc = remove_until(m->v, m->request->name, deadline_earlier(plain, m->deadline),
			      deadline_earlier(forced, m->deadline), &failure);

	tessera_vipu_deadline(m->v, m->deadline);
	/* Why it had to be removed says more than that no time was left for it. */
	if (rc < 0 && deadline_left(m->deadline) == 0)
		return PARTITION_TIME_UP;
	if (rc < 0)
		report_failure(m->err, &failure, m->deadline);
	return classify_call(m->v, rc, &failure);
}

static enum partition_event perform_making(struct making *m, enum partition_make_action action)
{
	struct tessera_error ignored = {0};

	switch (action) {
	case MAKE_CREATE:
		return create_partition(m);
	case MAKE_FIND:
		return find_leftover(m);
	case MAKE_RESET:
		return reset_leftover(m);
	case MAKE_REMOVE:
		return remove_partition(m);
	case MAKE_QUERY:
		return query_state(m->v, m->request->name, m->deadline, m->err);
	case MAKE_CONFIRM:
		return find_partition(m->v, m->request->name, NULL, &ignored);
	case MAKE_PAUSE_QUERY:
		return pause_until(m->deadline, &m->query_pause, POLL_MOST_MS);
	default:
		return pause_until(m->deadline, &m->create_pause, RETRY_MOST_MS);
	}
}

/* Making failed: remove what may be left of it, because it would hold IPUs, and complete ERR. */
static void fail_making(struct making *m, unsigned wait)
{
	struct tessera_error failure = {0};
	bool late = deadline_left(m->deadline) == 0;
	const char *rest = "";

	if (m->run.may_exist && remove_until(m->v, m->request->name, deadline_after(CLEAN_WAIT),
					     deadline_after(2 * CLEAN_WAIT), &failure) < 0)
		rest = ", and what exists of it could not be removed";
	if (late)
		tessera_error_prefix(
			m->err, "partition %s of %u IPUs could not be created within %u seconds%s",
			m->request->name, m->request->ipus, wait, rest);
	else
		tessera_error_prefix(m->err, "partition %s of %u IPUs cannot be created%s",
				     m->request->name, m->request->ipus, rest);
}

int tessera_partition_make(const struct tessera_vipu_site *site,
			   const struct tessera_vipu_request *request, unsigned wait,
			   struct tessera_error *err)
{
	struct making m = {
		.request = request,
		.deadline = deadline_after(wait),
		.create_pause = RETRY_FIRST_MS,
		.err = err,
	};
	enum partition_make_action action = MAKE_CREATE;

	m.v = tessera_vipu_open(site, err);
	if (m.v == NULL)
		return -1;
	tessera_vipu_deadline(m.v, m.deadline);
	while (action != MAKE_SUCCEED && action != MAKE_FAIL)
		action = partition_make_advance(&m.run, perform_making(&m, action));
	if (action == MAKE_FAIL)
		fail_making(&m, wait);
	tessera_vipu_close(m.v);
	return action == MAKE_SUCCEED ? 0 : -1;
}

int tessera_partition_await(const struct tessera_vipu_site *site, const char *name, unsigned wait,
			    struct tessera_error *err)
{
	int64_t deadline = deadline_after(wait);
	struct tessera_vipu *v = tessera_vipu_open(site, err);
	enum partition_event event;
	unsigned pause = POLL_FIRST_MS;

	if (v == NULL)
		return -1;
	tessera_vipu_deadline(v, deadline);
	do {
		event = query_state(v, name, deadline, err);
		/* The controller may call a name invalid that another node has yet to create. */
		if (event == PARTITION_ACTIVE || event == PARTITION_DENIED ||
		    event == PARTITION_INCOMPATIBLE)
			break;
	} while (pause_until(deadline, &pause, POLL_MOST_MS) == PARTITION_OK);
	tessera_vipu_close(v);
	if (event != PARTITION_ACTIVE)
		return tessera_error_prefix(err, "partition %s was not active within %u seconds",
					    name, wait);
	tessera_error_clear(err);
	return 0;
}

int tessera_partition_remove(const struct tessera_vipu_site *site, const char *name,
			     struct tessera_error *err)
{
	struct tessera_vipu *v = tessera_vipu_open(site, err);
	int64_t plain = deadline_after(site->remove_wait),
		forced = deadline_after(2 * site->remove_wait);
	int rc;

	if (v == NULL)
		return -1;
	rc = remove_until(v, name, plain, forced, err);
	tessera_vipu_close(v);
	return rc < 0 ? tessera_error_prefix(err, "partition %s could not be removed", name) : 0;
}
