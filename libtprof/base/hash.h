/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * A growing hash table of nodes embedded in the caller's structs as their first member. The table does not own the
 * nodes. A zeroed struct is an empty table.
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

/* The node that was added last under @key, or NULL. */
struct hash_node *hash_find(const struct hash *hash, uint64_t key);
/* The next node with the same key, or NULL. */
struct hash_node *hash_find_next(const struct hash_node *node);
/* Adds @node under @key. Errors: ENOMEM. */
int hash_add(struct hash *hash, struct hash_node *node, uint64_t key);
/* Removes a node, which must be in the table. Its owner may then free it. */
void hash_remove(struct hash *hash, struct hash_node *node);
/* Calls @keep for each node and removes the nodes for which it returns false. @keep may free a node that it rejects. */
void hash_filter(struct hash *hash, bool (*keep)(void *ctx, struct hash_node *node), void *ctx);
/* Frees the table but not the nodes. */
void hash_fini(struct hash *hash);

/* 64-bit hash of a text, usable as a key. Different texts can have the same hash: compare the texts too. */
uint64_t hash_text(const char *text);
/* Mixes one more word into a hash. */
uint64_t hash_mix(uint64_t key, uint64_t word);

#endif
