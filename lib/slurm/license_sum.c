/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <string.h>

#include "lib/slurm/license_sum.h"
#include "lib/tile/hostlist.h"

/* Modes of a hierarchical resource, as slurmctld sends them; 0: an ordinary license. */
#define MODE_ALL_LAYERS 2
#define MODE_PER_NODE   3

/* A license from the database is called NAME@SERVER. */
static bool is_called(const slurm_license_info_t *license, const char *name, bool servers)
{
	size_t len = strlen(name);

	return license->name != NULL && strncmp(license->name, name, len) == 0 &&
	       (license->name[len] == '\0' || (servers && license->name[len] == '@'));
}

/* The number that *AT points to, and the text after it. */
static unsigned read_number(const char **at)
{
	unsigned number = 0;

	for (; **at >= '0' && **at <= '9'; (*at)++)
		number = number * 10 + (unsigned)(**at - '0');
	return number;
}

/* The number of names that the bracket after *AT stands for, and the text after its content. */
static unsigned count_bracket(const char **at)
{
	unsigned count = 0;

	do {
		unsigned from, to;

		(*at)++; /* [ or , */
		from = to = read_number(at);
		if (**at == '-') {
			(*at)++;
			to = read_number(at);
		}
		count += to >= from ? to - from + 1 : 1;
	} while (**at == ',');
	return count;
}

/* The number of nodes in LIST, as slurmctld writes it. */
static unsigned count_nodes(const char *list)
{
	unsigned count = 0, names = 1;

	for (const char *p = list; *p != '\0'; p++) {
		if (*p == '[')
			names *= count_bracket(&p);
		if (*p == '\0')
			break;
		if (*p == ',') {
			count += names;
			names = 1;
		}
	}
	return count + names;
}

/* Does the layer limit its nodes? In modes 2 and 3 one without a count has no effect. */
static bool has_limit(const slurm_license_info_t *layer)
{
	return TESSERA_LICENSE_MODE(layer) < MODE_ALL_LAYERS || layer->total != INFINITE;
}

/* Does another layer of the same resource limit nodes of record I, and more of them? */
static bool is_inner_layer(const license_info_msg_t *msg, uint32_t i)
{
	const slurm_license_info_t *layer = &msg->lic_array[i];
	const char *nodes = TESSERA_LICENSE_NODES(layer);
	char host[256];

	if (TESSERA_LICENSE_MODE(layer) < MODE_ALL_LAYERS || nodes == NULL)
		return false;
	for (uint32_t j = 0; j < msg->num_lic; j++) {
		const slurm_license_info_t *other = &msg->lic_array[j];
		const char *its = TESSERA_LICENSE_NODES(other);

		if (j == i || its == NULL || !is_called(other, layer->name, false) ||
		    !has_limit(other))
			continue;
		if (count_nodes(its) > count_nodes(nodes) &&
		    tessera_hostlist_common(nodes, its, host, sizeof(host)))
			return true;
	}
	return false;
}

struct license_sum license_sum(const license_info_msg_t *msg, const char *name, bool servers)
{
	struct license_sum sum = {0};
	bool limited = false;

	for (uint32_t i = 0; msg != NULL && i < msg->num_lic; i++) {
		const slurm_license_info_t *license = &msg->lic_array[i];

		if (!is_called(license, name, servers))
			continue;
		sum.found = true;
		if (!has_limit(license) || is_inner_layer(msg, i))
			continue;
		limited = true;
		sum.total = license->total < INFINITE - sum.total ? sum.total + license->total
								  : INFINITE;
		sum.in_use += license->in_use;
	}
	if (sum.found && !limited)
		sum.total = INFINITE;
	return sum;
}

bool license_is_per_node(const license_info_msg_t *msg, const char *name)
{
	for (uint32_t i = 0; msg != NULL && i < msg->num_lic; i++)
		if (is_called(&msg->lic_array[i], name, false) &&
		    TESSERA_LICENSE_MODE(&msg->lic_array[i]) == MODE_PER_NODE)
			return true;
	return false;
}

bool license_is_first(const license_info_msg_t *msg, uint32_t i)
{
	for (uint32_t j = 0; j < i; j++)
		if (msg->lic_array[j].name != NULL && msg->lic_array[i].name != NULL &&
		    strcmp(msg->lic_array[j].name, msg->lic_array[i].name) == 0)
			return false;
	return true;
}
