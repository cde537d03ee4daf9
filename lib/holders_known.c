/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/holders_job.h"

struct holder_answer {
	pid_t pid;
	uint64_t start;
	uint32_t job;
	char *text; /* of the claim that the answer confirmed; NULL: it confirmed none */
};

void holders_learn(struct holders_known *known, const struct holder_claim *claim, uint32_t job)
{
	struct holder_answer *answer;

	if (known->count == known->room) {
		size_t room = known->room * 2 + 16;
		struct holder_answer *list = realloc(known->list, room * sizeof(*list));

		if (list == NULL)
			return;
		known->list = list;
		known->room = room;
	}
	answer = &known->list[known->count++];
	*answer = (struct holder_answer){.pid = claim->pid, .start = claim->start, .job = job};
	if (claim->job == job)
		answer->text = strdup(claim->text);
}

uint32_t holders_recall(const struct holders_known *known, const struct holder_claim *claim)
{
	for (size_t i = 0; i < known->count; i++) {
		const struct holder_answer *answer = &known->list[i];

		if ((answer->pid == claim->pid && answer->start == claim->start) ||
		    (answer->text != NULL && strcmp(answer->text, claim->text) == 0))
			return answer->job;
	}
	return 0;
}

void holders_known_free(struct holders_known *known)
{
	for (size_t i = 0; i < known->count; i++)
		free(known->list[i].text);
	free(known->list);
	*known = (struct holders_known){0};
}
