/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How tessera.conf is parsed. Not installed.
 *
 * conf_read.c opens the file. conf_text.c parses it with libconfuse into blocks of strings with
 * their line numbers. conf_schema.c has the table of keys and converts the values; conf_blocks.c
 * and conf_pools.c convert the blocks, after the whole file has been read, because a partition may
 * stand above its platform. conf.c has the lookup functions, conf_pack.c serializes a
 * configuration, conf_scan.c finds the options of pools without parsing the rest.
 */
#ifndef TESSERA_CONF_INTERNAL_H
#define TESSERA_CONF_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/conf/conf.h"
#include "lib/conf/conf_use.h"

#define CONF_KEYS_MAX 96 /* at least the number of keys in the table */

struct uses {
	struct use *list;
	size_t count;
};

struct tessera_conf {
	struct tessera_policy policy; /* of partitions without their own */
	enum tessera_ipu_model ipu_model;
	char ipu_name[TESSERA_NAME_MAX];
	char state_dir[TESSERA_PATH_MAX]; /* %n: the node's name */
	char vipu_helper[TESSERA_PATH_MAX];
	enum tessera_user_mask user_mask;
	unsigned place_wait;
	unsigned max_requeue;
	char sntilestat[TESSERA_COMMAND_MAX]; /* "": none */
	char gc_monitor[TESSERA_COMMAND_MAX];
	unsigned sample_max;
	unsigned sample_wait;
	struct tessera_health_conf health;
	char marks_dir[TESSERA_PATH_MAX];
	struct tessera_leftover_conf leftover;
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

/* The names of blocks in the file; "root" is libconfuse's name for the file itself. */
extern const char *const conf_block_names[BLOCK_KINDS];

enum value_type {
	NUMBER,
	POSITIVE,
	WORD,
	NAME,
	TEXT,
	COMMAND,
	PATTERN,
	PATH,
	NODE_PATH,
	REFERENCE,
	REMOVED /* a key of an earlier release: an error that says what to write instead */
};

struct word {
	const char *name;
	unsigned value;
};

struct key {
	enum block_kind block;
	const char *name;
	enum value_type type;
	/* of the field in the structure for the block; not used by REFERENCE and REMOVED */
	size_t offset;
	const struct word *words; /* allowed by a WORD; of a REMOVED, the first is the advice */
	enum tessera_kind kind;   /* only for platforms of this kind; 0: all */
	/* largest NUMBER or POSITIVE; size of the field of a TEXT, COMMAND or PATTERN */
	unsigned max;
};

extern const struct key conf_keys[];
extern const size_t conf_key_count;

/* The parsed file. The strings are owned by libconfuse. */

struct value {
	const char *text; /* NULL: the key is not set */
	int line;
};

struct block {
	enum block_kind kind;
	const char *title;
	int line;
	struct value value[CONF_KEYS_MAX]; /* indexed like conf_keys[] */
};

struct reading {
	const char *name;
	struct tessera_error *err;
	bool failed;
	struct cfg_t *root;    /* libconfuse's, or NULL */
	struct block settings; /* the keys outside all blocks */
	struct block open;     /* the block being parsed */
	struct block *blocks;
	size_t count;
	const char *text; /* of the file, without comments */
};

/* Set r->err to the name, LINE and message, unless an error is already set. Returns -1. */
int conf_fail_at(struct reading *r, int line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Set r->err to out of memory. Returns -1. */
int conf_fail_memory(struct reading *r);

/*
 * Parse TEXT, LEN bytes with a NUL after them, into R's settings and blocks. TEXT is modified.
 * Returns 0, or -1 with r->err. Call conf_text_free() in either case.
 */
int conf_text_read(struct reading *r, char *text, size_t len);
void conf_text_free(struct reading *r);

/* Store the values of B in BASE, the structure for its kind. Returns 0, or -1 with r->err. */
int conf_store_values(struct reading *r, const struct block *b, void *base);

/* Is NAME a valid name for WHAT? Returns 0, or -1 with r->err. */
int conf_check_name(struct reading *r, int line, const char *what, const char *name);

/* A configuration with the defaults, and room for BLOCKS blocks. NULL when out of memory. */
struct tessera_conf *conf_new(size_t blocks);

/* Set the defaults of settings that only processes on a node use. */
void conf_new_node(struct tessera_conf *conf);

/* Convert R's settings and blocks into CONF. Returns 0, or -1 with r->err. */
int conf_store(struct reading *r, struct tessera_conf *conf);

/* The first line of the block with that kind and title; 0 if there is none. */
int conf_line_of(const struct reading *r, enum block_kind kind, const char *title);

/* Prefix the message already in r->err with the name and LINE. Returns -1. */
int conf_wrong_at(struct reading *r, int line);

/* Add a vipu or pool block to CONF. Returns 0, or -1 with r->err. */
int conf_add_vipu(struct reading *r, struct tessera_conf *conf, const struct block *b);
int conf_add_pool(struct reading *r, struct tessera_conf *conf, const struct block *b);

/* The platform with that name, or NULL; and the error for an unknown name, which returns -1. */
struct tessera_platform *conf_find_platform(const struct tessera_conf *conf, const char *name);
int conf_unknown_platform(const struct tessera_conf *conf, const char *name,
			  struct tessera_error *err);

#endif /* TESSERA_CONF_INTERNAL_H */
