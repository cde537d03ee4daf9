/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "lib/conf/gres_list.h"
#include "lib/request/gres_detail.h"

#define COUNT_MAX 65536 /* more than any node has: a larger number is an error */

/*
 * The length of the item at TEXT: up to the first comma outside parentheses; 0 if parentheses are
 * not balanced.
 */
static size_t measure_item(const char *text)
{
	size_t len = 0;
	bool inside = false;

	for (; text[len] != '\0' && (inside || text[len] != ','); len++) {
		if (text[len] == '(' || text[len] == ')')
			inside = text[len] == '(';
	}
	return inside ? 0 : len;
}

/* All of the LEN bytes must be digits. */
static int read_count(const char *text, size_t len, unsigned *count)
{
	unsigned value = 0;

	if (len == 0)
		return -1;
	for (size_t i = 0; i < len; i++) {
		if (text[i] < '0' || text[i] > '9')
			return -1;
		value = value * 10 + (unsigned)(text[i] - '0');
		if (value > COUNT_MAX)
			return -1;
	}
	*count = value;
	return 0;
}

/* name[:type](CNT:n) or name[:type]:n(...) */
static int read_item_count(const char *item, size_t len, unsigned *count)
{
	const char *open = memchr(item, '(', len);
	size_t head = open != NULL ? (size_t)(open - item) : len;
	size_t number = head;

	if (open != NULL && len - head > 6 && memcmp(open, "(CNT:", 5) == 0)
		return read_count(open + 5, len - head - 6, count);
	while (number > 0 && item[number - 1] != ':')
		number--;
	return number > 0 ? read_count(item + number, head - number, count) : -1;
}

static bool is_item_of(const char *item, size_t len, const char *name)
{
	size_t n = strlen(name);

	return len > n && memcmp(item, name, n) == 0 && (item[n] == ':' || item[n] == '(');
}

static int sum_items(const char *detail, const char *name, struct gres_sum *sum,
		     struct tessera_error *err)
{
	const char *item = detail != NULL ? detail : "";

	*sum = (struct gres_sum){0};
	while (*item != '\0') {
		size_t len = measure_item(item);
		bool ours = is_item_of(item, len, name);
		unsigned count = 0;

		if (len == 0 || (ours && read_item_count(item, len, &count) < 0) ||
		    sum->count + count > COUNT_MAX)
			return tessera_error_set(
				err, TESSERA_ERR_INPUT,
				"cannot parse the GRES that slurmctld allocated: '%.200s'", detail);
		sum->given = sum->given || ours;
		sum->count += count;
		item += len;
		if (*item == ',')
			item++;
	}
	return 0;
}

int tessera_gres_detail_read(const char *detail, struct tessera_gres_detail *allocated,
			     struct tessera_error *err)
{
	struct gres_sum rdu, tile;

	*allocated = (struct tessera_gres_detail){0};
	if (sum_items(detail, GRES_RDU, &rdu, err) < 0 ||
	    sum_items(detail, GRES_RDU_TILE, &tile, err) < 0)
		return -1;
	allocated->rdus = rdu.count;
	allocated->tiles = tile.count;
	return 0;
}

/* How many of NAME are allocated, at most LIMIT, the number requested. */
static int read_allocated(const char *detail, const char *name, unsigned limit, unsigned *count,
			  struct tessera_error *err)
{
	struct gres_sum sum;

	*count = 0;
	if (limit == 0)
		return 0;
	if (sum_items(detail, name, &sum, err) < 0)
		return -1;
	if (!sum.given)
		return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
					 "slurmctld does not report how many %s it allocated, "
					 "although %u were requested",
					 name, limit);
	*count = sum.count < limit ? sum.count : limit;
	return 0;
}

/* How many of NAME the job requests on the node, at most. */
static int read_requested(const struct tessera_gres_detail_asked *asked, const char *name,
			  unsigned *limit, struct tessera_error *err)
{
	struct gres_sum node, task;
	unsigned long long most;

	if (gres_sum(asked->per_node, GRES_LIST_GRES, name, "the job's TresPerNode", &node, err) <
		    0 ||
	    gres_sum(asked->per_task, GRES_LIST_GRES, name, "the job's TresPerTask", &task, err) <
		    0)
		return -1;
	most = node.count + 1ULL * task.count * asked->tasks;
	*limit = most < COUNT_MAX ? (unsigned)most : COUNT_MAX;
	return 0;
}

int tessera_gres_detail_within(const char *detail, const struct tessera_gres_detail_asked *asked,
			       struct tessera_gres_detail *allocated, struct tessera_error *err)
{
	unsigned rdus, tiles;

	*allocated = (struct tessera_gres_detail){0};
	if (read_requested(asked, GRES_RDU, &rdus, err) < 0 ||
	    read_requested(asked, GRES_RDU_TILE, &tiles, err) < 0 ||
	    read_allocated(detail, GRES_RDU, rdus, &rdus, err) < 0 ||
	    read_allocated(detail, GRES_RDU_TILE, tiles, &tiles, err) < 0)
		return -1;
	*allocated = (struct tessera_gres_detail){.rdus = rdus, .tiles = tiles};
	return 0;
}

int tessera_gres_detail_total(char *const *details, size_t count, const char *name, unsigned each,
			      unsigned *total, struct tessera_error *err)
{
	unsigned long long sum = 0;
	unsigned part;

	*total = 0;
	for (size_t i = 0; i < count; i++) {
		if (read_allocated(details[i], name, each, &part, err) < 0)
			return -1;
		sum += part;
	}
	if (sum > UINT_MAX)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "%llu %s are more than any pool has", sum, name);
	*total = (unsigned)sum;
	return 0;
}
