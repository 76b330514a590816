/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * A growing hash table of nodes that lie in the caller's structs (as their first member). It owns no node.
 * A zeroed struct is an empty table.
 */
#ifndef TPROF_HASH_H
#define TPROF_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hash_node {
	struct hash_node *next;
	uint64_t key;
};

struct hash {
	struct hash_node **buckets;
	size_t nr_buckets;		/* 0 or a power of two */
	size_t nr;
};

/* The node added last under @key, or NULL. */
struct hash_node *hash_find(const struct hash *hash, uint64_t key);
/* The next one under the same key, or NULL. */
struct hash_node *hash_find_next(const struct hash_node *node);
/* Adds @node under @key. Errors: ENOMEM. */
int hash_add(struct hash *hash, struct hash_node *node, uint64_t key);
/* Takes out a node that is in the table; its owner may free it then. */
void hash_remove(struct hash *hash, struct hash_node *node);
/* Calls @keep for each node and takes those out for which it returns false; it may free these. */
void hash_filter(struct hash *hash, bool (*keep)(void *ctx, struct hash_node *node), void *ctx);
/* Frees the table, not the nodes. */
void hash_fini(struct hash *hash);

/* 64 bits of a text (FNV-1a), to be used as a key; texts have to be compared nevertheless. */
uint64_t hash_text(const char *text);
/* One step of a hash of several words. */
uint64_t hash_mix(uint64_t key, uint64_t word);

#endif
