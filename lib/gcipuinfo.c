/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "lib/gcipuinfo.h"
#include "lib/tool_json.h"

static int not_understood(struct tessera_error *err, const char *what)
{
	return tessera_error_set(err, TESSERA_ERR_INPUT, "what was printed of the IPUs was not understood: %s",
				 what);
}

/* A member's text; "" if it has none. */
static const char *member(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text != NULL ? text : "";
}

/* "10.1.5.10: device 2 of partition p1", as long as there is room. */
static void remark(struct tessera_health_ipus *ipus, const char *host, const json_t *entry)
{
	const char *id = member(entry, "id"), *partition = member(entry, "partition"),
		   *kind = member(entry, "error");
	size_t used = strlen(ipus->text);

	snprintf(ipus->text + used, sizeof(ipus->text) - used, "%s%s: %s%s%s%s%s", used > 0 ? "; " : "", host,
		 kind[0] != '\0' ? kind : "error", id[0] != '\0' ? " " : "", id,
		 partition[0] != '\0' ? " of partition " : "", partition);
}

/* Has an earlier entry said so of the same device? TOLD, an object, remembers. */
static bool is_told(json_t *told, const json_t *entry)
{
	const char *id = member(entry, "id");

	if (id[0] == '\0')
		return false;
	if (json_object_get(told, id) != NULL)
		return true;
	/* Out of memory it is counted again: better than not. */
	json_object_set_new(told, id, json_true());
	return false;
}

static int read_host(const char *host, const json_t *list, struct tessera_health_ipus *ipus,
		     struct tessera_error *err)
{
	json_t *told;
	int rc = 0;

	if (!json_is_array(list))
		return not_understood(err, "a host has no list of errors");
	told = json_object();
	for (size_t i = 0; i < json_array_size(list) && rc == 0; i++) {
		const json_t *entry = json_array_get(list, i);

		if (!json_is_object(entry)) {
			rc = not_understood(err, "an error is no object");
		} else if (!is_told(told, entry)) {
			ipus->bad++;
			remark(ipus, host, entry);
		}
	}
	json_decref(told);
	return rc;
}

static int read_hosts(json_t *hosts, struct tessera_health_ipus *ipus, struct tessera_error *err)
{
	const char *host;
	json_t *list;

	if (!json_is_object(hosts))
		return not_understood(err, "its hosts are no object");
	json_object_foreach(hosts, host, list)
	{
		if (read_host(host, list, ipus, err) < 0)
			return -1;
	}
	return 0;
}

static int read_cards(const json_t *cards, struct tessera_health_ipus *ipus, struct tessera_error *err)
{
	for (size_t i = 0; i < json_array_size(cards); i++) {
		const json_t *list = json_object_get(json_array_get(cards, i), "ipus");

		if (!json_is_array(list))
			return not_understood(err, "a card has no list of ipus");
		ipus->seen += (unsigned)json_array_size(list);
	}
	return ipus->seen > 0 ? 0 : not_understood(err, "there are cards, or none, but no IPU");
}

static int read_root(const json_t *root, struct tessera_health_ipus *ipus, struct tessera_error *err)
{
	json_t *hosts = json_object_get(root, "hosts");
	const json_t *cards = json_object_get(root, "cards");

	if (!json_is_object(root))
		return not_understood(err, "it is no object");
	if (hosts == NULL && cards == NULL && json_object_size(root) > 0)
		return not_understood(err, "it has neither hosts nor cards");
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
					 "what was printed of the IPUs is no JSON: line %d: %s", where.line,
					 where.text);
	rc = read_root(root, ipus, err);
	json_decref(root);
	if (rc < 0) {
		ipus->seen = 0;
		ipus->bad = 0;
		ipus->text[0] = '\0';
	}
	return rc;
}
