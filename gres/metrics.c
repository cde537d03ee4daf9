/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "gres/metrics.h"
#include "lib/hostlist.h"

/* The first is also what stands for those that nobody has heard of. */
static const char *const partition_states[METRICS_STATES] = {"unknown", "pending",  "active",   "removed",
							     "error",   "removing", "resetting"};

/* What a job has, and why one has not. A cause is a state, too: the texts are for people. */
static const char *const states[] = {"held", "making", "ready"};
static const char *const causes[] = {"short", "refused", "failed", "leaving", SURVEY_DAMAGED};

void metrics_count_partition(struct metrics *m, const char *state)
{
	size_t n = METRICS_STATES - 1;

	while (n > 0 && strcmp(partition_states[n], state) != 0)
		n--;
	m->partitions[n]++;
}

static void family(FILE *out, const char *name, const char *help)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
}

/* A label's value, as the format wants it. */
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

/* One number: of the node, with a second label unless LABEL is empty. */
static void sample(FILE *out, const struct metrics *m, const char *name, const char *label, const char *value,
		   uint64_t number)
{
	fputs(name, out);
	print_label(out, "{", "node", m->node->name);
	if (label[0] != '\0')
		print_label(out, ",", label, value);
	fprintf(out, "} %" PRIu64 "\n", number);
}

static bool is_of(const struct survey_item *item, const char *resource, const char *state)
{
	return (resource == NULL || strcmp(item->resource, resource) == 0) &&
	       (state == NULL || strcmp(item->state, state) == 0);
}

/* How many items of a state there are, whatever they are of. */
static uint64_t count(const struct survey *s, const char *state)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->count; i++)
		sum += is_of(&s->items[i], NULL, state);
	return sum;
}

static void print_tiles(FILE *out, const struct metrics *m)
{
	uint64_t held = 0, stale = 0, outside = 0;
	bool sampled = false;

	for (size_t i = 0; i < m->survey->count; i++) {
		const struct survey_item *item = &m->survey->items[i];

		held += is_of(item, SURVEY_TILES, "held") ? item->count : 0;
		stale += is_of(item, SURVEY_TILES, SURVEY_STALE) ? item->count : 0;
		outside += item->outside;
		sampled |= item->has_outside;
	}
	family(out, "tessera_tiles", "Tiles of the node.");
	sample(out, m, "tessera_tiles", "", "", tessera_platform_tiles(m->node->platform));
	family(out, "tessera_tiles_held", "Tiles that jobs hold.");
	sample(out, m, "tessera_tiles_held", "", "", held);
	family(out, "tessera_tiles_stale",
	       "Tiles kept back: their job has ended, its processes still hold the device.");
	sample(out, m, "tessera_tiles_stale", "", "", stale);
	if (!sampled)
		return;
	family(out, "tessera_outside_tile_seconds",
	       "Tile-seconds that samples saw outside of grants, of jobs that are still here or not yet "
	       "accounted.");
	sample(out, m, "tessera_outside_tile_seconds", "", "", outside);
}

/*
 * Does this node export its pool's numbers? All hosts of a pool know them, and a sum over the hosts must count the pool once.
 * So one host exports them: the first node in tessera.conf that has the pool's controller, or without a controller the
 * first of this node's block.
 */
static bool speaks_for_pool(const struct node *node)
{
	const struct tessera_platform *p;
	const char *hosts;
	char first[256];

	for (size_t n = 0; (p = tessera_conf_node_at(node->conf, n, &hosts)) != NULL; n++) {
		const char *pool = node->site != NULL ? node->site->nodes : hosts;

		if (p->kind != TESSERA_KIND_IPU || (node->site == NULL && !tessera_hostlist_has(hosts, node->name)))
			continue;
		if (tessera_hostlist_common(pool, hosts, first, sizeof(first)))
			return strcmp(first, node->name) == 0;
	}
	return false;
}

/* A job of several nodes is written down on each of them, but counted on its first alone. */
static void print_ipus(FILE *out, const struct metrics *m)
{
	uint64_t held = 0;

	for (size_t i = 0; i < m->survey->count; i++) {
		const struct survey_item *item = &m->survey->items[i];

		if (item->first && survey_has_ipus(item))
			held += item->count;
	}
	if (speaks_for_pool(m->node)) {
		family(out, "tessera_ipus", "IPUs of the pool, told by its first host alone.");
		sample(out, m, "tessera_ipus", "", "", m->node->ipus->ipus);
	}
	family(out, "tessera_ipus_held", "IPUs of jobs whose first node this is.");
	sample(out, m, "tessera_ipus_held", "", "", held);
}

/* How many tiles are bad is known if somebody said so lately, or nobody is to be asked. */
static void print_bad_tiles(FILE *out, const struct metrics *m)
{
	const struct health_view *view = m->health;
	bool known = !health_view_is_asked(m->node);

	for (size_t i = 0; i < view->health.count; i++)
		known |= tessera_health_counts(tessera_conf_health(m->node->conf), view->health.sources[i].time,
					       view->now);
	if (known) {
		family(out, "tessera_tiles_bad", "Tiles that are not handed out since they are bad.");
		sample(out, m, "tessera_tiles_bad", "", "", tessera_tileset_count(&view->verdict.bad));
	}
	family(out, "tessera_tiles_unknown", "Tiles of which nobody has said lately whether they are good.");
	sample(out, m, "tessera_tiles_unknown", "", "", tessera_tileset_count(&view->verdict.unknown));
}

static void print_age(FILE *out, const struct metrics *m, const char *source, int64_t when)
{
	int64_t now = m->health->now;

	if (when > 0)
		sample(out, m, "tessera_health_age_seconds", "source", source,
		       when < now ? (uint64_t)(now - when) : 0);
}

static void print_health(FILE *out, const struct metrics *m)
{
	const struct tessera_health *health = &m->health->health;

	if (m->node->platform != NULL)
		print_bad_tiles(out, m);
	if (tessera_health_counts(tessera_conf_health(m->node->conf), health->ipus.time, m->health->now)) {
		family(out, "tessera_ipus_bad", "IPUs that are bad, as this host sees them.");
		sample(out, m, "tessera_ipus_bad", "", "", health->ipus.bad);
		if (health->ipus.seen > 0) {
			family(out, "tessera_ipus_seen", "IPUs that this host was told of, good or bad.");
			sample(out, m, "tessera_ipus_seen", "", "", health->ipus.seen);
		}
	}
	if (health->count == 0 && health->ipus.name[0] == '\0')
		return;
	family(out, "tessera_health_age_seconds", "Seconds since a tool that knows what is bad last answered.");
	for (size_t i = 0; i < health->count; i++)
		print_age(out, m, health->sources[i].name, health->sources[i].time);
	print_age(out, m, health->ipus.name, health->ipus.time);
}

static void print_states(FILE *out, const struct metrics *m)
{
	family(out, "tessera_reservations", "What jobs have on the node, or are being given, by state.");
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		sample(out, m, "tessera_reservations", "state", states[i], count(m->survey, states[i]));
	family(out, "tessera_failures", "What jobs on the node did not get, or could not give back, by cause.");
	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++)
		sample(out, m, "tessera_failures", "cause", causes[i], count(m->survey, causes[i]));
}

static void print_partitions(FILE *out, const struct metrics *m)
{
	family(out, "tessera_vipu_up", "Whether the node's V-IPU controller answered.");
	sample(out, m, "tessera_vipu_up", "", "", m->answered);
	if (!m->answered || !speaks_for_pool(m->node))
		return;
	family(out, "tessera_partitions",
	       "Partitions at the V-IPU controller by state, told by the pool's first host alone.");
	for (size_t i = 0; i < METRICS_STATES; i++)
		sample(out, m, "tessera_partitions", "state", partition_states[i], m->partitions[i]);
}

void metrics_print(FILE *out, const struct metrics *m)
{
	family(out, "tessera_up", "Whether the node's own files could be read.");
	sample(out, m, "tessera_up", "", "", m->survey != NULL && m->health != NULL);
	if (m->survey != NULL && m->node->platform != NULL)
		print_tiles(out, m);
	if (m->survey != NULL && m->node->ipus != NULL)
		print_ipus(out, m);
	if (m->health != NULL)
		print_health(out, m);
	if (m->survey != NULL)
		print_states(out, m);
	if (m->asked)
		print_partitions(out, m);
}
