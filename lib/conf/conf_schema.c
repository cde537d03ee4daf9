/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "lib/conf/conf_internal.h"
#include "lib/util/strbuf.h"
#include "lib/util/utf8.h"

#define NUMBER_MAX 65536
/* seconds; a job that would wait longer should wait in the queue */
#define WAIT_MAX 3600
#define DAY      86400

const char *const conf_block_names[BLOCK_KINDS] = {"root", "platform", "partition",
						   "node", "vipu",     "pool"};

static const struct word kinds[] = {
	{"rdu", TESSERA_KIND_RDU}, {"ipu", TESSERA_KIND_IPU}, {NULL, 0}};
static const struct word scopes[] = {{"node", TESSERA_SCOPE_NODE},
				     {"task", TESSERA_SCOPE_TASK},
				     {"auto", TESSERA_SCOPE_AUTO},
				     {NULL, 0}};
static const struct word unaskeds[] = {{"leave", TESSERA_UNASKED_LEAVE},
				       {"default", TESSERA_UNASKED_DEFAULT},
				       {"none", TESSERA_UNASKED_NONE},
				       {"refuse", TESSERA_UNASKED_REFUSE},
				       {NULL, 0}};
static const struct word models[] = {
	{"license", TESSERA_IPU_LICENSE}, {"gres", TESSERA_IPU_GRES}, {NULL, 0}};
static const struct word masks[] = {{"narrow", TESSERA_MASK_NARROW},
				    {"refuse", TESSERA_MASK_REFUSE},
				    {"ignore", TESSERA_MASK_IGNORE},
				    {"wish", TESSERA_MASK_WISH},
				    {NULL, 0}};

static const struct word leftovers[] = {{"remove", TESSERA_VIPU_LEFTOVER_REMOVE},
					{"reset", TESSERA_VIPU_LEFTOVER_RESET},
					{NULL, 0}};
static const struct word unknowns[] = {{"use", 0}, {"avoid", 1}, {NULL, 0}};
static const struct word policies[] = {{"wait", TESSERA_LEFTOVER_WAIT},
				       {"kill", TESSERA_LEFTOVER_KILL},
				       {"quarantine", TESSERA_LEFTOVER_QUARANTINE},
				       {NULL, 0}};
static const struct word yesno[] = {{"yes", 1}, {"no", 0}, {NULL, 0}};

/* Advice for removed keys. */
static const struct word grpc_only[] = {
	{"delete it, and set Host and Port to the V-IPU controller's gRPC address", 0}, {NULL, 0}};
static const struct word leftover_processes[] = {{"write LeftoverProcesses", 0}, {NULL, 0}};
static const struct word leftover_wait[] = {{"write LeftoverWait", 0}, {NULL, 0}};

#define CONF(field) offsetof(struct tessera_conf, field)
#define ROW(field)  offsetof(struct tessera_platform, field)
#define SITE(field) offsetof(struct tessera_vipu_site, field)
#define OF(field)   offsetof(struct tessera_pool, field)
#define HOW(field)  offsetof(struct tessera_policy, field)

/* A new key needs a row here and a field in its structure. */
const struct key conf_keys[] = {
	{ROOT, "RduScope", WORD, CONF(policy.rdu_scope), scopes, 0, 0},
	{ROOT, "TilesPerTask", NUMBER, CONF(policy.tiles_per_task), NULL, 0, TESSERA_TILES_MAX},
	{ROOT, "Unasked", WORD, CONF(policy.unasked), unaskeds, 0, 0},
	{ROOT, "Default", TEXT, CONF(policy.default_gres), NULL, 0, TESSERA_NAME_MAX},
	{ROOT, "IpuModel", WORD, CONF(ipu_model), models, 0, 0},
	{ROOT, "IpuName", NAME, CONF(ipu_name), NULL, 0, 0},
	{ROOT, "StateDir", NODE_PATH, CONF(state_dir), NULL, 0, 0},
	{ROOT, "UserMask", WORD, CONF(user_mask), masks, 0, 0},
	{ROOT, "PlaceWait", NUMBER, CONF(place_wait), NULL, 0, WAIT_MAX},
	{ROOT, "MaxRequeue", NUMBER, CONF(max_requeue), NULL, 0, NUMBER_MAX},
	{ROOT, "VipuHelper", PATH, CONF(vipu_helper), NULL, 0, 0},
	{ROOT, "SntilestatCommand", COMMAND, CONF(sntilestat), NULL, 0, TESSERA_COMMAND_MAX},
	{ROOT, "GcMonitorCommand", COMMAND, CONF(gc_monitor), NULL, 0, TESSERA_COMMAND_MAX},
	{ROOT, "SampleMax", NUMBER, CONF(sample_max), NULL, 0, DAY},
	{ROOT, "SampleWait", POSITIVE, CONF(sample_wait), NULL, 0, WAIT_MAX},
	{ROOT, "SnfadmCommand", COMMAND, CONF(health.snfadm), NULL, 0, TESSERA_COMMAND_MAX},
	{ROOT, "SnconfigCommand", COMMAND, CONF(health.snconfig), NULL, 0, TESSERA_COMMAND_MAX},
	{ROOT, "SnconfigBad", TEXT, CONF(health.snconfig_bad), NULL, 0, TESSERA_NAME_MAX},
	{ROOT, "SnconfigGood", TEXT, CONF(health.snconfig_good), NULL, 0, TESSERA_NAME_MAX},
	{ROOT, "IpuHealthCommand", COMMAND, CONF(health.ipus), NULL, 0, TESSERA_COMMAND_MAX},
	{ROOT, "HealthWait", POSITIVE, CONF(health.wait), NULL, 0, WAIT_MAX},
	{ROOT, "HealthMax", NUMBER, CONF(health.max), NULL, 0, 30 * DAY},
	{ROOT, "UnknownTiles", WORD, CONF(health.avoid_unknown), unknowns, 0, 0},
	{ROOT, "MarksDir", NODE_PATH, CONF(marks_dir), NULL, 0, 0},
	{ROOT, "DeviceFiles", PATTERN, CONF(leftover.devices), NULL, 0, TESSERA_PATH_MAX},
	{ROOT, "LeftoverProcesses", WORD, CONF(leftover.policy), policies, 0, 0},
	{ROOT, "StaleHolders", REMOVED, 0, leftover_processes, 0, 0},
	{ROOT, "StaleWait", REMOVED, 0, leftover_wait, 0, 0},
	{ROOT, "LeftoverWait", NUMBER, CONF(leftover.wait), NULL, 0, WAIT_MAX},
	{ROOT, "TopologyCommand", COMMAND, CONF(topology), NULL, 0, TESSERA_COMMAND_MAX},
	{ROOT, "Grants", WORD, CONF(grants.enabled), yesno, 0, 0},
	{ROOT, "MungeSocket", PATH, CONF(grants.socket), NULL, 0, 0},
	{PLATFORM, "Like", REFERENCE, 0, NULL, 0, 0},
	{PLATFORM, "Title", TEXT, ROW(title), NULL, 0, TESSERA_NAME_MAX},
	{PLATFORM, "Kind", WORD, ROW(kind), kinds, 0, 0},
	{PLATFORM, "Xrdus", NUMBER, ROW(xrdus), NULL, TESSERA_KIND_RDU, NUMBER_MAX},
	{PLATFORM, "RdusPerXrdu", NUMBER, ROW(rdus_per_xrdu), NULL, TESSERA_KIND_RDU, NUMBER_MAX},
	{PLATFORM, "TilesPerRdu", NUMBER, ROW(tiles_per_rdu), NULL, TESSERA_KIND_RDU, NUMBER_MAX},
	{PLATFORM, "TilesPerGres", NUMBER, ROW(tiles_per_gres), NULL, TESSERA_KIND_RDU, NUMBER_MAX},
	{PLATFORM, "MaskBits", NUMBER, ROW(mask_bits), NULL, TESSERA_KIND_RDU, NUMBER_MAX},
	{PLATFORM, "Numa", TEXT, ROW(numa), NULL, TESSERA_KIND_RDU, TESSERA_NUMA_MAX},
	{PLATFORM, "PciId", TEXT, ROW(pci_id), NULL, TESSERA_KIND_RDU, TESSERA_PCI_MAX},
	{PLATFORM, "Ipus", NUMBER, ROW(ipus), NULL, TESSERA_KIND_IPU, NUMBER_MAX},
	{PLATFORM, "IpusPerMachine", NUMBER, ROW(ipus_per_machine), NULL, TESSERA_KIND_IPU,
	 NUMBER_MAX},
	{PLATFORM, "IpusPerDomain", NUMBER, ROW(ipus_per_domain), NULL, TESSERA_KIND_IPU,
	 NUMBER_MAX},
	{PARTITION, "Platform", REFERENCE, 0, NULL, 0, 0},
	{PARTITION, "RduScope", WORD, HOW(rdu_scope), scopes, 0, 0},
	{PARTITION, "TilesPerTask", NUMBER, HOW(tiles_per_task), NULL, 0, TESSERA_TILES_MAX},
	{PARTITION, "Unasked", WORD, HOW(unasked), unaskeds, 0, 0},
	{PARTITION, "Default", TEXT, HOW(default_gres), NULL, 0, TESSERA_NAME_MAX},
	{NODE, "Platform", REFERENCE, 0, NULL, 0, 0},
	{VIPU, "Backend", REMOVED, 0, grpc_only, 0, 0},
	{VIPU, "Host", TEXT, SITE(host), NULL, 0, TESSERA_HOST_MAX},
	{VIPU, "Port", NUMBER, SITE(port), NULL, 0, 65535},
	{VIPU, "Allocation", NAME, SITE(allocation), NULL, 0, 0},
	{VIPU, "Prefix", NAME, SITE(prefix), NULL, 0, 0},
	{VIPU, "Reconfigurable", WORD, SITE(reconfigurable), yesno, 0, 0},
	{VIPU, "Relocatable", WORD, SITE(relocatable), yesno, 0, 0},
	{VIPU, "Leftover", WORD, SITE(leftover), leftovers, 0, 0},
	{VIPU, "CreateWait", NUMBER, SITE(create_wait), NULL, 0, WAIT_MAX},
	{VIPU, "RemoveWait", NUMBER, SITE(remove_wait), NULL, 0, WAIT_MAX},
	{VIPU, "CallWait", NUMBER, SITE(call_wait), NULL, 0, WAIT_MAX},
	{VIPU, "TaskTimeout", NUMBER, SITE(task_timeout), NULL, 0, NUMBER_MAX},
	{VIPU, "Tls", WORD, SITE(tls), yesno, 0, 0},
	{VIPU, "CaFile", PATH, SITE(ca_file), NULL, 0, 0},
	{VIPU, "CertFile", PATH, SITE(cert_file), NULL, 0, 0},
	{VIPU, "CertKey", PATH, SITE(cert_key), NULL, 0, 0},
	{VIPU, "MetadataFile", PATH, SITE(metadata_file), NULL, 0, 0},
	{VIPU, "CreateCommand", REMOVED, 0, grpc_only, 0, 0},
	{VIPU, "RemoveCommand", REMOVED, 0, grpc_only, 0, 0},
	{VIPU, "ForceCommand", REMOVED, 0, grpc_only, 0, 0},
	{VIPU, "StatusCommand", REMOVED, 0, grpc_only, 0, 0},
	{POOL, "Option", NAME, OF(option), NULL, 0, 0},
	{POOL, "License", NAME, OF(license), NULL, 0, 0},
	{POOL, "Max", NUMBER, OF(max), NULL, 0, NUMBER_MAX},
	{POOL, "Sizes", TEXT, OF(sizes), NULL, 0, TESSERA_VARIABLES_MAX},
	{POOL, "Variables", TEXT, OF(variables), NULL, 0, TESSERA_VARIABLES_MAX},
};

const size_t conf_key_count = sizeof(conf_keys) / sizeof(conf_keys[0]);

_Static_assert(sizeof(conf_keys) / sizeof(conf_keys[0]) <= CONF_KEYS_MAX,
	       "CONF_KEYS_MAX is too small");

/* store_word() writes enums as unsigned. */
_Static_assert(sizeof(enum tessera_kind) == sizeof(unsigned), "enums are as large as unsigned");

static int store_number(struct reading *r, const struct key *key, const struct value *v,
			unsigned *number)
{
	size_t digits = strspn(v->text, "0123456789");
	unsigned least = key->type == POSITIVE ? 1 : 0;
	unsigned long n = 0;

	if (digits == 0 || v->text[digits] != '\0')
		return conf_fail_at(r, v->line, "%s = %s is not a number: write one from %u to %u",
				    key->name, v->text, least, key->max);
	for (size_t i = 0; i < digits && n <= key->max; i++)
		n = n * 10 + (unsigned long)(v->text[i] - '0');
	if (n > key->max || n < least)
		return conf_fail_at(r, v->line, "%s = %s is too %s: write a number from %u to %u",
				    key->name, v->text, n < least ? "small" : "large", least,
				    key->max);
	*number = (unsigned)n;
	return 0;
}

/* Write "node or task", "narrow, refuse or ignore". */
static void list_words(const struct word *words, char *buf, size_t len)
{
	struct strbuf s = strbuf_start(buf, len);

	for (const struct word *w = words; w->name != NULL; w++) {
		const char *before = w == words ? "" : w[1].name == NULL ? " or " : ", ";

		strbuf_put(&s, "%s%s", before, w->name);
	}
}

static int store_word(struct reading *r, const struct key *key, const struct value *v,
		      unsigned *number)
{
	const struct word *w = key->words;
	char allowed[128];

	while (w->name != NULL && strcmp(w->name, v->text) != 0)
		w++;
	if (w->name == NULL) {
		list_words(key->words, allowed, sizeof(allowed));
		return conf_fail_at(r, v->line, "%s = %.80s is unknown: write %s", key->name,
				    v->text, allowed);
	}
	*number = w->value;
	return 0;
}

/* There is no escape for a literal %, which directories rarely have. */
static int store_path(struct reading *r, const struct key *key, const struct value *v, char *field)
{
	size_t len = strlen(v->text);

	if (v->text[0] != '/')
		return conf_fail_at(r, v->line,
				    "%s = %.80s is not an absolute path: it must start with /",
				    key->name, v->text);
	if (len >= TESSERA_PATH_MAX)
		return conf_fail_at(r, v->line, "%s has %zu characters, but at most %d are allowed",
				    key->name, len, TESSERA_PATH_MAX - 1);
	for (const char *at = strchr(v->text, '%'); at != NULL; at = strchr(at + 1, '%'))
		if (key->type == PATH || at[1] != 'n')
			return conf_fail_at(
				r, v->line, "%s = %.80s has a %% in it%s", key->name, v->text,
				key->type == PATH
					? ", which is not allowed here"
					: " other than %n: only %n, the node's name, is replaced");
	memcpy(field, v->text, len + 1);
	return 0;
}

static int store_text(struct reading *r, const struct key *key, const struct value *v, char *field)
{
	if (snprintf(field, key->max, "%s", v->text) >= (int)key->max)
		return conf_fail_at(r, v->line, "%s has %zu characters, but at most %u are allowed",
				    key->name, strlen(v->text), key->max - 1);
	return 0;
}

/* Root runs the command without a shell and does not search PATH. "": none. */
static int store_command(struct reading *r, const struct key *key, const struct value *v,
			 char *field)
{
	if (v->text[0] != '/' && v->text[0] != '\0')
		return conf_fail_at(
			r, v->line,
			"%s = %.80s has no absolute path: its first word must start with /",
			key->name, v->text);
	return store_text(r, key, v, field);
}

/* A path with wildcards of fnmatch(3). "": none. */
static int store_pattern(struct reading *r, const struct key *key, const struct value *v,
			 char *field)
{
	if (v->text[0] == '\0')
		return store_text(r, key, v, field);
	return store_path(r, key, v, field);
}

int conf_check_name(struct reading *r, int line, const char *what, const char *name)
{
	size_t len = strlen(name);

	if (len == 0 || len >= TESSERA_NAME_MAX || name[strspn(name, TEXT_NAME_CHARS)] != '\0')
		return conf_fail_at(r, line,
				    "%s \"%s\" is not a valid name: it must have 1 to %d letters, "
				    "digits or -_.@",
				    what, name, TESSERA_NAME_MAX - 1);
	return 0;
}

static int reject_removed(struct reading *r, const struct key *key, const struct value *v)
{
	return conf_fail_at(r, v->line, "%s is no longer supported: %s", key->name,
			    key->words[0].name);
}

int conf_store_values(struct reading *r, const struct block *b, void *base)
{
	for (size_t k = 0; k < conf_key_count; k++) {
		const struct value *v = &b->value[k];
		void *field = (char *)base + conf_keys[k].offset;
		int rc = 0;

		if (v->text == NULL)
			continue;
		switch (conf_keys[k].type) {
		case NUMBER:
		case POSITIVE:
			rc = store_number(r, &conf_keys[k], v, field);
			break;
		case WORD:
			rc = store_word(r, &conf_keys[k], v, field);
			break;
		case NAME:
			rc = conf_check_name(r, v->line, conf_keys[k].name, v->text);
			if (rc == 0)
				snprintf(field, TESSERA_NAME_MAX, "%s", v->text);
			break;
		case TEXT:
			rc = store_text(r, &conf_keys[k], v, field);
			break;
		case COMMAND:
			rc = store_command(r, &conf_keys[k], v, field);
			break;
		case PATTERN:
			rc = store_pattern(r, &conf_keys[k], v, field);
			break;
		case PATH:
		case NODE_PATH:
			rc = store_path(r, &conf_keys[k], v, field);
			break;
		case REMOVED:
			rc = reject_removed(r, &conf_keys[k], v);
			break;
		case REFERENCE:
			break;
		}
		if (rc < 0)
			return -1;
	}
	return 0;
}
