/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the value of an option comes from, on the client. Slurm hands the options of a job down to whatever runs in
 * it, and those of a heterogeneous job's component to the next one; a request is only what was given for this one.
 */
#ifndef TESSERA_SOURCES_H
#define TESSERA_SOURCES_H

#include <stdbool.h>

#include "lib/error.h"
#include "plugin/options.h"

enum source {
	SOURCE_NONE,
	SOURCE_GIVEN,     /* on this command line, in this script, or in the environment of no job */
	SOURCE_INHERITED, /* from the job around us, or from an earlier component */
	SOURCE_TWIN,      /* TESSERA_... in the environment */
	SOURCE_COUNT,     /* --gres or --licenses */
};

struct sources {
	enum source source[OPTION_MAX];
	const char *value[OPTION_MAX]; /* NULL unless given here, by the twin or as a count */
	char count[OPTION_MAX][12];
};

/* What --gres and --licenses ask for. */
struct sources_said {
	bool tiles;
	bool ipus;
	bool pools[TESSERA_POOLS_MAX];
};

/* Look at what Slurm has told so far. Once for each component, before options_clear(). */
void sources_find(struct sources *sources);

/* Was any option given, here or further out, or is one of the twins set? */
bool sources_any(const struct sources *sources);

/*
 * Take the twins of options that were not given. Those of --ipus and of pools ask for something by themselves, but not
 * inside a job: there such a variable may be what a task was told of its own. The others only say how, and speak where
 * tiles or IPUs are asked for anyway. In a step what is inherited comes first: the job's command line weighs more than
 * its environment. Returns 0, or -1 with ERR: a twin that is too long.
 */
int sources_add_twins(struct sources *sources, const struct sources_said *said, bool step,
		      struct tessera_error *err);

/*
 * MASK, the user's SF_RNT_TILE_AFFINITY, is a wish of a job for these tiles, where tiles are asked for: it stands for
 * --tile-affinity as that option's twin does, and after it. Returns whether it counts.
 */
bool sources_add_mask(struct sources *sources, const struct sources_said *said, const char *mask);

/* COUNT was asked for by --gres or --licenses: let OPTION say it too, unless it does already. */
void sources_add_count(struct sources *sources, int option, unsigned count);

/*
 * See to it that the options of this component, and no others, reach its prolog, controller and steps. For a job,
 * or with STEP for a step, where what is inherited stays.
 *
 * One way is closed: srun sends each option that any component was given along with the steps of all components.
 */
void sources_publish(const struct sources *sources, spank_t sp, bool step);

#endif /* TESSERA_SOURCES_H */
