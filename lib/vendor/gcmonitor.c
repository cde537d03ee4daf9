/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/util/array.h"
#include "lib/util/scan.h"
#include "lib/vendor/gcmonitor.h"
#include "lib/vendor/tool_json.h"

struct list {
	struct gcmonitor_ipu *ipus;
	size_t count;
	struct tessera_error *err;
};

static int set_parse_error(const struct list *list, const char *what)
{
	return tessera_error_set(list->err, TESSERA_ERR_INPUT,
				 "cannot parse the output of gc-monitor: %s", what);
}

/*
 * "PID", "PIDs", "PID 2": there may be several. Other keys, such as "PID command", have text that
 * any user can choose.
 */
static bool is_pid_key(const char *key)
{
	if (strncasecmp(key, "pid", 3) != 0)
		return false;
	key += 3;
	key += *key == 's' || *key == 'S';
	return key[strspn(key, " _0123456789")] == '\0';
}

static bool is_partition_key(const char *key)
{
	return strcasecmp(key, "partition") == 0 || strcasecmp(key, "partition_id") == 0 ||
	       strcasecmp(key, "partition id") == 0;
}

/*
 * A number, or a number in quotes. *PID is 0 if VALUE means no process. Returns 0, or -1 if VALUE
 * is anything else.
 */
static int read_pid(const json_t *value, pid_t *pid)
{
	const char *text = json_string_value(value);
	struct scan r = {.at = text};

	*pid = 0;
	if (json_is_null(value) || (text != NULL && (*text == '\0' || strcmp(text, "N/A") == 0)))
		return 0;
	if (json_is_integer(value)) {
		json_int_t number = json_integer_value(value);

		if (number < 0 || number > INT_MAX)
			return -1;
		*pid = (pid_t)number;
		return 0;
	}
	if (text == NULL)
		return -1;
	*pid = (pid_t)scan_number(&r, "", INT_MAX);
	return r.failed || *r.at != '\0' ? -1 : 0;
}

/* The first PID of an IPU, 0 if it has none. Returns 0, or -1 if one is invalid. */
static int find_pid(json_t *ipu, pid_t *pid)
{
	const char *key;
	json_t *value;

	*pid = 0;
	json_object_foreach(ipu, key, value)
	{
		if (!is_pid_key(key))
			continue;
		if (json_is_array(value))
			value = json_array_get(value, 0);
		if (value != NULL && read_pid(value, pid) < 0)
			return -1;
		if (*pid != 0)
			return 0;
	}
	return 0;
}

/* Copy the partition that OBJECT names; leave PARTITION as it is if it names none. */
static void copy_partition(json_t *object, char *partition, size_t len)
{
	const char *key;
	json_t *value;

	json_object_foreach(object, key, value) if (is_partition_key(key) && json_is_string(value))
		snprintf(partition, len, "%s", json_string_value(value));
}

static int read_ipu(struct list *list, json_t *ipu, const char *partition)
{
	struct gcmonitor_ipu *grown, *new;
	pid_t pid = 0;

	if (!json_is_object(ipu))
		return set_parse_error(list, "an IPU is not an object");
	if (find_pid(ipu, &pid) < 0)
		return set_parse_error(list, "a PID is not a number");
	if (pid == 0)
		return 0;
	grown = array_grow(list->ipus, list->count, sizeof(*grown));
	if (grown == NULL)
		return tessera_error_nomem(list->err);
	list->ipus = grown;
	new = &list->ipus[list->count++];
	new->pid = pid;
	snprintf(new->partition, sizeof(new->partition), "%s", partition);
	copy_partition(ipu, new->partition, sizeof(new->partition));
	return 0;
}

static int read_card(struct list *list, json_t *card, const char *outer)
{
	json_t *ipus = json_object_get(card, "ipus"), *ipu;
	char partition[2 * TESSERA_NAME_MAX];
	size_t i;

	if (!json_is_array(ipus))
		return set_parse_error(list, "a card has no list of ipus");
	snprintf(partition, sizeof(partition), "%s", outer);
	copy_partition(card, partition, sizeof(partition));
	json_array_foreach(ipus, i, ipu) if (read_ipu(list, ipu, partition) < 0) return -1;
	return 0;
}

int gcmonitor_read(const char *text, struct gcmonitor_ipu **ipus, struct tessera_error *err)
{
	struct list list = {.err = err};
	char partition[2 * TESSERA_NAME_MAX] = "";
	json_error_t where;
	json_t *root = tool_json_load(text, &where);
	json_t *cards = json_object_get(root, "cards"), *card;
	size_t i;
	int rc = -1;

	*ipus = NULL;
	if (root == NULL) {
		tessera_error_set(err, TESSERA_ERR_INPUT,
				  "the output of gc-monitor is not JSON: line %d: %s", where.line,
				  where.text);
		goto cleanup;
	}
	if (!json_is_array(cards)) {
		set_parse_error(&list, "it has no list of cards");
		goto cleanup;
	}
	copy_partition(root, partition, sizeof(partition));
	json_array_foreach(cards, i, card) if (read_card(&list, card, partition) < 0) goto cleanup;
	rc = (int)list.count;
	*ipus = list.ipus;
	list.ipus = NULL;
cleanup:
	free(list.ipus);
	json_decref(root);
	return rc;
}
