/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The decisions of making and removing a V-IPU partition, as two state machines. Each function
 * takes what came of the last action and says which action is next. They do no I/O and read no
 * clock; partition.c carries the actions out. Not installed.
 */
#ifndef TESSERA_PARTITION_STEPS_H
#define TESSERA_PARTITION_STEPS_H

#include <stdbool.h>

/* What came of an action. */
enum partition_event {
	/* the controller accepted the request; the partition was removed; the pause has passed */
	PARTITION_OK,
	/* A call or a removal failed. The next four may pass: */
	PARTITION_UNSENT,      /* no connection: the request was not sent */
	PARTITION_NO_ANSWER,   /* no gRPC status: the controller may have acted on the request */
	PARTITION_UNAVAILABLE, /* the controller answered, but cannot serve the request now */
	PARTITION_REFUSED,     /* the controller refused, for example because no IPUs are free */
	/* The next three last: */
	PARTITION_INVALID,      /* the controller calls the request invalid */
	PARTITION_DENIED,       /* authentication or permission */
	PARTITION_INCOMPATIBLE, /* certificates, or a controller of another version */
	/* The controller listed its partitions, and ours is: */
	PARTITION_ABSENT,
	PARTITION_PRESENT,
	PARTITION_REUSABLE, /* present, and can be used after a reset */
	/* The controller reported the partition's state: */
	PARTITION_PENDING, /* not active yet; also a state that we do not know */
	PARTITION_ACTIVE,
	PARTITION_REMOVED,
	PARTITION_ERROR,
	/* A pause or a removal ended at the deadline. */
	PARTITION_TIME_UP,
	PARTITION_EVENTS, /* their number */
};

/* The action whose result is awaited, and why it was taken where that matters. */
enum partition_make_state {
	MAKE_CREATING,
	MAKE_FINDING,           /* creation failed in a way that may pass: is a leftover there? */
	MAKE_FINDING_LASTING,   /* the same, but creation failed in a way that lasts */
	MAKE_RESETTING,         /* the leftover of an earlier run */
	MAKE_REMOVING_LEFTOVER, /* of an earlier run */
	MAKE_RECREATING,        /* the leftover is removed */
	MAKE_QUERYING,          /* the state of the partition */
	MAKE_CONFIRMING,        /* the query failed: does the controller still list it? */
	MAKE_REMOVING_FAILED,   /* the partition is in state error */
	MAKE_PAUSING_QUERY,
	MAKE_PAUSING_CREATE,
	MAKE_DONE,
	MAKE_FAILED,
	MAKE_STATES, /* their number */
};

enum partition_make_action {
	MAKE_CREATE,  /* request the partition */
	MAKE_FIND,    /* list; report a failure */
	MAKE_RESET,   /* request a reset of the leftover */
	MAKE_REMOVE,  /* remove what has the partition's name */
	MAKE_QUERY,   /* query its state */
	MAKE_CONFIRM, /* list; do not report a failure: the one of the query says more */
	MAKE_PAUSE_QUERY,
	MAKE_PAUSE_CREATE,
	MAKE_SUCCEED, /* the end */
	MAKE_FAIL,    /* the end: remove what may be left, and report */
};

struct partition_make {
	enum partition_make_state state; /* starts as MAKE_CREATING, with action MAKE_CREATE */
	bool may_exist;                  /* it may be there: remove it on failure */
};

/* Advance RUN by EVENT. An event that its state cannot have ends it with MAKE_FAIL. */
enum partition_make_action partition_make_advance(struct partition_make *run,
						  enum partition_event event);

enum partition_remove_state {
	REMOVE_REQUESTING,
	REMOVE_CHECKING, /* is it still listed? */
	REMOVE_PAUSING,
	REMOVE_ESCALATING, /* from a plain removal to one by force */
	REMOVE_DONE,
	REMOVE_FAILED,
	REMOVE_STATES, /* their number */
};

enum partition_remove_action {
	REMOVE_REQUEST, /* request the removal, by force if run.forced */
	REMOVE_CHECK,   /* list */
	REMOVE_PAUSE,
	REMOVE_ESCALATE, /* the deadline of the forced removal holds from now on */
	REMOVE_SUCCEED,  /* the end */
	REMOVE_FAIL,     /* the end */
};

struct partition_remove {
	enum partition_remove_state state; /* starts as REMOVE_REQUESTING, action REMOVE_REQUEST */
	bool forced;
	bool accepted; /* the controller accepted the request: it is not sent again */
	bool denied;   /* the controller denied it: force would be denied as well */
};

/* Advance RUN by EVENT. An event that its state cannot have ends it with REMOVE_FAIL. */
enum partition_remove_action partition_remove_advance(struct partition_remove *run,
						      enum partition_event event);

#endif /* TESSERA_PARTITION_STEPS_H */
