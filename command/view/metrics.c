/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "command/view/metrics.h"
#include "lib/tile/hostlist.h"

/* The first one also counts partitions in states that are not in this list. */
static const char *const partition_states[METRICS_STATES] = {
	"unknown", "pending", "active", "removed", "error", "removing", "resetting"};

/* States of a request that holds something, and states that are causes of failures. */
static const char *const states[] = {"held", "making", "ready"};
static const char *const causes[] = {"short", "refused", "failed", "leaving", OCCUPANCY_DAMAGED};

void metrics_count_partition(struct metrics *m, const char *state)
{
	size_t n = METRICS_STATES - 1;

	while (n > 0 && strcmp(partition_states[n], state) != 0)
		n--;
	m->partitions[n]++;
}

static void print_family(FILE *out, const char *name, const char *help)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
}

/* Escape the value of a label. */
static void print_label(FILE *out, const char *before, const char *name, const char *value)
{
	fprintf(out, "%s%s=\"", before, name);
	for (; *value != '\0'; value++) {
		if (*value == '\n')
			fputs("\\n", out);
		else if (*value == '"' || *value == '\\')
			fprintf(out, "\\%c", *value);
		else
			fputc(*value, out);
	}
	fputc('"', out);
}

/* Print a value of the node, with a second label unless LABEL is empty. */
static void print_sample(FILE *out, const struct metrics *m, const char *name, const char *label,
			 const char *value, uint64_t number)
{
	fputs(name, out);
	print_label(out, "{", "node", m->node->name);
	if (label[0] != '\0')
		print_label(out, ",", label, value);
	fprintf(out, "} %" PRIu64 "\n", number);
}

static bool matches(const struct occupancy_item *item, const char *resource, const char *state)
{
	return (resource == NULL || strcmp(item->resource, resource) == 0) &&
	       (state == NULL || strcmp(item->state, state) == 0);
}

/* Number of items in STATE, of any resource. */
static uint64_t count_items(const struct occupancy *s, const char *state)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->count; i++)
		sum += matches(&s->items[i], NULL, state);
	return sum;
}

static void print_tiles(FILE *out, const struct metrics *m)
{
	uint64_t held = 0, withheld = 0, outside = 0;
	bool sampled = false;

	for (size_t i = 0; i < m->occupancy->count; i++) {
		const struct occupancy_item *item = &m->occupancy->items[i];

		held += matches(item, OCCUPANCY_TILES, "held") ? item->count : 0;
		withheld += matches(item, OCCUPANCY_TILES, OCCUPANCY_WITHHELD) ? item->count : 0;
		outside += item->outside;
		sampled |= item->has_outside;
	}
	print_family(out, "tessera_tiles", "Tiles of the node.");
	print_sample(out, m, "tessera_tiles", "", "", tessera_platform_tiles(m->node->platform));
	print_family(out, "tessera_tiles_held", "Tiles that jobs hold.");
	print_sample(out, m, "tessera_tiles_held", "", "", held);
	print_family(out, "tessera_tiles_withheld",
		     "Tiles withheld: the job has ended, its processes still use the device.");
	print_sample(out, m, "tessera_tiles_withheld", "", "", withheld);
	if (!sampled)
		return;
	print_family(out, "tessera_outside_tile_seconds",
		     "Tile-seconds of unauthorized use seen by samples, of jobs running or not yet "
		     "accounted.");
	print_sample(out, m, "tessera_outside_tile_seconds", "", "", outside);
}

/*
 * Does this node export the numbers of its pool? All hosts of a pool know them, and a sum over the
 * hosts must count the pool once. So only one host exports them: the first node in tessera.conf
 * that has the controller of the pool, or without a controller the first of this node's block.
 */
static bool exports_pool(const struct node *node)
{
	const struct tessera_platform *p;
	const char *hosts;
	char first[256];

	for (size_t n = 0; (p = tessera_conf_node_at(node->conf, n, &hosts)) != NULL; n++) {
		const char *pool = node->site != NULL ? node->site->nodes : hosts;

		if (p->kind != TESSERA_KIND_IPU ||
		    (node->site == NULL && !tessera_hostlist_has(hosts, node->name)))
			continue;
		if (tessera_hostlist_common(pool, hosts, first, sizeof(first)))
			return strcmp(first, node->name) == 0;
	}
	return false;
}

/* Each node of a job has its job record; only the first node counts its IPUs. */
static void print_ipus(FILE *out, const struct metrics *m)
{
	uint64_t held = 0;

	for (size_t i = 0; i < m->occupancy->count; i++) {
		const struct occupancy_item *item = &m->occupancy->items[i];

		if (item->first && occupancy_has_ipus(item))
			held += item->count;
	}
	if (exports_pool(m->node)) {
		print_family(out, "tessera_ipus",
			     "IPUs of the pool, exported by its first host only.");
		print_sample(out, m, "tessera_ipus", "", "", m->node->ipus->ipus);
	}
	print_family(out, "tessera_ipus_held", "IPUs of jobs whose first node this is.");
	print_sample(out, m, "tessera_ipus_held", "", "", held);
}

/* The number of bad tiles is known with a current result, or if no tool is configured. */
static void print_bad_tiles(FILE *out, const struct metrics *m)
{
	const struct health_view *view = m->health;
	bool known = !health_view_is_asked(m->node);

	for (size_t i = 0; i < view->health.count; i++)
		known |= tessera_health_counts(tessera_conf_health(m->node->conf),
					       view->health.sources[i].time, view->now);
	if (known) {
		print_family(out, "tessera_tiles_bad", "Tiles not allocated because they are bad.");
		print_sample(out, m, "tessera_tiles_bad", "", "",
			     tessera_tileset_count(&view->verdict.bad));
	}
	print_family(out, "tessera_tiles_unknown", "Tiles not covered by a current health result.");
	print_sample(out, m, "tessera_tiles_unknown", "", "",
		     tessera_tileset_count(&view->verdict.unknown));
}

static void print_age(FILE *out, const struct metrics *m, const char *source, int64_t when)
{
	int64_t now = m->health->now;

	if (when > 0)
		print_sample(out, m, "tessera_health_age_seconds", "source", source,
			     when < now ? (uint64_t)(now - when) : 0);
}

static void print_health(FILE *out, const struct metrics *m)
{
	const struct tessera_health *health = &m->health->health;

	if (m->node->platform != NULL)
		print_bad_tiles(out, m);
	if (tessera_health_counts(tessera_conf_health(m->node->conf), health->ipus.time,
				  m->health->now)) {
		print_family(out, "tessera_ipus_bad", "IPUs that are bad, as this host sees them.");
		print_sample(out, m, "tessera_ipus_bad", "", "", health->ipus.bad);
		if (health->ipus.seen > 0) {
			print_family(
				out, "tessera_ipus_seen",
				"IPUs that the health tool of this host reported, good or bad.");
			print_sample(out, m, "tessera_ipus_seen", "", "", health->ipus.seen);
		}
	}
	if (health->count == 0 && health->ipus.name[0] == '\0')
		return;
	print_family(out, "tessera_health_age_seconds",
		     "Seconds since the last result of a health tool.");
	for (size_t i = 0; i < health->count; i++)
		print_age(out, m, health->sources[i].name, health->sources[i].time);
	print_age(out, m, health->ipus.name, health->ipus.time);
}

static void print_states(FILE *out, const struct metrics *m)
{
	print_family(out, "tessera_reservations",
		     "Requests of jobs that hold accelerators of the node, by state.");
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		print_sample(out, m, "tessera_reservations", "state", states[i],
			     count_items(m->occupancy, states[i]));
	print_family(
		out, "tessera_failures",
		"Requests of jobs on the node that failed, or could not be released, by cause.");
	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++)
		print_sample(out, m, "tessera_failures", "cause", causes[i],
			     count_items(m->occupancy, causes[i]));
}

static void print_partitions(FILE *out, const struct metrics *m)
{
	print_family(out, "tessera_vipu_up", "Whether the node's V-IPU controller responded.");
	print_sample(out, m, "tessera_vipu_up", "", "", m->answered);
	if (!m->answered || !exports_pool(m->node))
		return;
	print_family(
		out, "tessera_partitions",
		"Partitions at the V-IPU controller by state, exported by the pool's first host "
		"only.");
	for (size_t i = 0; i < METRICS_STATES; i++)
		print_sample(out, m, "tessera_partitions", "state", partition_states[i],
			     m->partitions[i]);
}

void metrics_print(FILE *out, const struct metrics *m)
{
	print_family(out, "tessera_up", "Whether the node's own files could be read.");
	print_sample(out, m, "tessera_up", "", "", m->occupancy != NULL && m->health != NULL);
	if (m->occupancy != NULL && m->node->platform != NULL)
		print_tiles(out, m);
	if (m->occupancy != NULL && m->node->ipus != NULL)
		print_ipus(out, m);
	if (m->health != NULL)
		print_health(out, m);
	if (m->occupancy != NULL)
		print_states(out, m);
	if (m->asked)
		print_partitions(out, m);
}
