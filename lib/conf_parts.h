/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts that tessera.conf is read with. Not installed: only libtessera uses it.
 *
 * conf_read.c opens the file. conf_text.c has libconfuse read it into blocks of texts with their lines. conf_keys.c has
 * the table of keys and says what the text of each means, conf_blocks.c what a block means, when everything is known:
 * a partition may stand above the platform that it names. conf.c answers questions, conf_pack.c carries the answers from
 * one process to another, conf_scan.c looks for the names of pools without reading the rest.
 */
#ifndef TESSERA_CONF_PARTS_H
#define TESSERA_CONF_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "conf.h"

#define CONF_KEYS_MAX 96 /* room for more than the table has */

/* A partition or a node block. */
struct use {
	char *title;
	const struct tessera_platform *platform;
	struct tessera_policy policy; /* of a partition */
};

struct uses {
	struct use *list;
	size_t count;
};

struct tessera_conf {
	struct tessera_policy policy; /* of partitions that say nothing of their own */
	enum tessera_ipu_model ipu_model;
	char ipu_name[TESSERA_NAME_MAX];
	char state_dir[TESSERA_PATH_MAX]; /* %n in it is the node's name */
	char vipu_helper[TESSERA_PATH_MAX];
	enum tessera_user_mask user_mask;
	unsigned place_wait;
	unsigned max_requeue;
	char sntilestat[TESSERA_COMMAND_MAX]; /* "" is none */
	char gc_monitor[TESSERA_COMMAND_MAX];
	unsigned sample_max;
	unsigned sample_wait;
	struct tessera_health_conf health;
	char marks_dir[TESSERA_PATH_MAX];
	struct tessera_stale_conf stale;
	struct tessera_grant_conf grants;
	char topology[TESSERA_COMMAND_MAX];
	struct tessera_platform *platforms;
	size_t platform_count;
	struct uses partitions;
	struct uses nodes;
	struct tessera_vipu_site *vipus;
	size_t vipu_count;
	struct tessera_pool *pools;
	size_t pool_count;
};

enum block_kind { ROOT, PLATFORM, PARTITION, NODE, VIPU, POOL, BLOCK_KINDS };

/* What libconfuse and the file call them. */
extern const char *const conf_block_names[BLOCK_KINDS];

enum value_type { NUMBER, POSITIVE, WORD, NAME, TEXT, COMMAND, PATTERN, PATH, NODE_PATH, REFERENCE };

struct word {
	const char *name;
	unsigned value;
};

struct key {
	enum block_kind block;
	const char *name;
	enum value_type type;
	size_t offset;            /* of the field, in the structure that the block describes; not of a REFERENCE */
	const struct word *words; /* of a WORD */
	enum tessera_kind kind;   /* only platforms of this kind have it; 0: all */
	unsigned max;             /* of a NUMBER, or POSITIVE; the size of a TEXT's, COMMAND's or PATTERN's field */
};

extern const struct key conf_keys[];
extern const size_t conf_key_count;

/* What was read. The texts belong to libconfuse. */

struct value {
	const char *text; /* NULL: the key was not written */
	int line;
};

struct block {
	enum block_kind kind;
	const char *title;
	int line;
	struct value value[CONF_KEYS_MAX]; /* by the number of the key */
};

struct reading {
	const char *name;
	struct tessera_error *err;
	bool failed;
	struct cfg_t *root;    /* libconfuse's, or NULL */
	struct block settings; /* what stands outside all blocks */
	struct block open;     /* the block that is being read */
	struct block *blocks;
	size_t count;
	const char *text; /* without comments */
};

/* Says where, and what. The first trouble counts. Returns -1. */
int conf_fail_at(struct reading *r, int line, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* There is no memory left. Returns -1. */
int conf_fail_memory(struct reading *r);

/*
 * Read TEXT, LEN bytes with a NUL after them, into R's settings and blocks. TEXT is changed. Returns 0, or -1 with
 * r->err. To be given back with conf_text_free() in either case.
 */
int conf_text_read(struct reading *r, char *text, size_t len);
void conf_text_free(struct reading *r);

/* Put what B says into BASE, the structure that its keys' fields are in. Returns 0, or -1 with r->err. */
int conf_store_values(struct reading *r, const struct block *b, void *base);

/* Is NAME fit to be the name of WHAT? Returns 0, or -1 with r->err. */
int conf_check_name(struct reading *r, int line, const char *what, const char *name);

/* The defaults, with room for what BLOCKS blocks may add. NULL when out of memory. */
struct tessera_conf *conf_new(size_t blocks);

/* The defaults of what conf_node.c answers. */
void conf_new_node(struct tessera_conf *conf);

/* What R's settings and blocks mean. Returns 0 with CONF changed, or -1 with r->err. */
int conf_store(struct reading *r, struct tessera_conf *conf);

/* Where the block of that kind and title begins; 0 if there is none. */
int conf_line_of(const struct reading *r, enum block_kind kind, const char *title);

/* ERR says what is wrong, but not yet where. Returns -1. */
int conf_wrong_at(struct reading *r, int line);

/* What a vipu or a pool block says. Returns 0 with CONF changed, or -1 with r->err. */
int conf_add_vipu(struct reading *r, struct tessera_conf *conf, const struct block *b);
int conf_add_pool(struct reading *r, struct tessera_conf *conf, const struct block *b);

/* The row of that name, or NULL; and the sentence that there is none, which lists those there are. Returns -1. */
struct tessera_platform *conf_find_platform(const struct tessera_conf *conf, const char *name);
int conf_unknown_platform(const struct tessera_conf *conf, const char *name, struct tessera_error *err);

/* Is NAME one of LIST's names, which have commas between? Everything is, if there is no list. */
bool conf_listed(const char *list, const char *name);

/*
 * The first of PARTITIONS (a list as above) that is not the SAME as the first one, which *FIRST is set to; NULL: all are, or
 * the file has none of them, and then *FIRST is NULL too.
 */
const struct use *conf_differing(const struct tessera_conf *conf, const char *partitions,
				 bool (*same)(const struct use *, const struct use *), const struct use **first);

#endif /* TESSERA_CONF_PARTS_H */
