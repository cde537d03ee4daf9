/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "lib/vendor/gcipuinfo.h"
#include "lib/vendor/tool_json.h"

static int set_parse_error(struct tessera_error *err, const char *what)
{
	return tessera_error_set(err, TESSERA_ERR_INPUT, "cannot parse the IPU health output: %s",
				 what);
}

/* The text of member KEY; "" if there is none. */
static const char *get_member(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text != NULL ? text : "";
}

/* Append "10.1.5.10: device 2 of partition p1", cut to the room left. */
static void append_remark(struct tessera_health_ipus *ipus, const char *host, const json_t *entry)
{
	const char *id = get_member(entry, "id"), *partition = get_member(entry, "partition"),
		   *kind = get_member(entry, "error");
	size_t used = strlen(ipus->text);

	snprintf(ipus->text + used, sizeof(ipus->text) - used, "%s%s: %s%s%s%s%s",
		 used > 0 ? "; " : "", host, kind[0] != '\0' ? kind : "error",
		 id[0] != '\0' ? " " : "", id, partition[0] != '\0' ? " of partition " : "",
		 partition);
}

/* Did an earlier entry report the same device? REPORTED is an object with their ids as keys. */
static bool is_reported(json_t *reported, const json_t *entry)
{
	const char *id = get_member(entry, "id");

	if (id[0] == '\0')
		return false;
	if (json_object_get(reported, id) != NULL)
		return true;
	/* If that fails for lack of memory, a repeated entry is counted twice. */
	json_object_set_new(reported, id, json_true());
	return false;
}

static int read_host(const char *host, const json_t *list, struct tessera_health_ipus *ipus,
		     struct tessera_error *err)
{
	json_t *reported;
	int rc = 0;

	if (!json_is_array(list))
		return set_parse_error(err, "a host has no list of errors");
	reported = json_object();
	for (size_t i = 0; i < json_array_size(list) && rc == 0; i++) {
		const json_t *entry = json_array_get(list, i);

		if (!json_is_object(entry)) {
			rc = set_parse_error(err, "an error is not an object");
		} else if (!is_reported(reported, entry)) {
			ipus->bad++;
			append_remark(ipus, host, entry);
		}
	}
	json_decref(reported);
	return rc;
}

static int read_hosts(json_t *hosts, struct tessera_health_ipus *ipus, struct tessera_error *err)
{
	const char *host;
	json_t *list;

	if (!json_is_object(hosts))
		return set_parse_error(err, "hosts is not an object");
	json_object_foreach(hosts, host, list)
	{
		if (read_host(host, list, ipus, err) < 0)
			return -1;
	}
	return 0;
}

static int read_cards(const json_t *cards, struct tessera_health_ipus *ipus,
		      struct tessera_error *err)
{
	for (size_t i = 0; i < json_array_size(cards); i++) {
		const json_t *list = json_object_get(json_array_get(cards, i), "ipus");

		if (!json_is_array(list))
			return set_parse_error(err, "a card has no list of ipus");
		ipus->seen += (unsigned)json_array_size(list);
	}
	return ipus->seen > 0 ? 0 : set_parse_error(err, "it lists no IPU");
}

static int read_root(const json_t *root, struct tessera_health_ipus *ipus,
		     struct tessera_error *err)
{
	json_t *hosts = json_object_get(root, "hosts");
	const json_t *cards = json_object_get(root, "cards");

	if (!json_is_object(root))
		return set_parse_error(err, "it is not an object");
	if (hosts == NULL && cards == NULL && json_object_size(root) > 0)
		return set_parse_error(err, "it has neither hosts nor cards");
	if (hosts != NULL && read_hosts(hosts, ipus, err) < 0)
		return -1;
	return cards != NULL ? read_cards(cards, ipus, err) : 0;
}

int gcipuinfo_read(const char *text, struct tessera_health_ipus *ipus, struct tessera_error *err)
{
	json_error_t where;
	json_t *root = tool_json_load(text, &where);
	int rc;

	ipus->seen = 0;
	ipus->bad = 0;
	ipus->text[0] = '\0';
	if (root == NULL)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "the IPU health output is not JSON: line %d: %s",
					 where.line, where.text);
	rc = read_root(root, ipus, err);
	json_decref(root);
	if (rc < 0) {
		ipus->seen = 0;
		ipus->bad = 0;
		ipus->text[0] = '\0';
	}
	return rc;
}
