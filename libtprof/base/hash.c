// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* A growing hash table with separate chaining. It doubles when the average chain length reaches one node. */
#include "hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MIN_BUCKETS 64

static struct hash_node **hash_bucket(struct hash_node **buckets, size_t nr_buckets, uint64_t key)
{
	/* Fibonacci hashing: consecutive ids spread over all buckets. */
	uint64_t mixed = key * 0x9e3779b97f4a7c15ull;

	return &buckets[(mixed >> 32) & (nr_buckets - 1)];
}

static struct hash_node *reverse(struct hash_node *node)
{
	struct hash_node *reversed = NULL, *next;

	for (; node; node = next) {
		next = node->next;
		node->next = reversed;
		reversed = node;
	}
	return reversed;
}

static int hash_grow(struct hash *hash)
{
	size_t nr_buckets = hash->nr_buckets ? hash->nr_buckets * 2 : MIN_BUCKETS;
	struct hash_node **buckets = calloc(nr_buckets, sizeof(*buckets));

	if (!buckets)
		return -ENOMEM;
	for (size_t i = 0; i < hash->nr_buckets; i++) {
		struct hash_node *next;

		/* Inserts in reverse, so that nodes with the same key keep their order. */
		for (struct hash_node *node = reverse(hash->buckets[i]); node; node = next) {
			struct hash_node **bucket = hash_bucket(buckets, nr_buckets, node->key);

			next = node->next;
			node->next = *bucket;
			*bucket = node;
		}
	}
	free(hash->buckets);
	hash->buckets = buckets;
	hash->nr_buckets = nr_buckets;
	return 0;
}

static struct hash_node *first_with_key(struct hash_node *node, uint64_t key)
{
	while (node && node->key != key)
		node = node->next;
	return node;
}

struct hash_node *hash_find(const struct hash *hash, uint64_t key)
{
	if (!hash->nr_buckets)
		return NULL;
	return first_with_key(*hash_bucket(hash->buckets, hash->nr_buckets, key), key);
}

struct hash_node *hash_find_next(const struct hash_node *node)
{
	return first_with_key(node->next, node->key);
}

int hash_add(struct hash *hash, struct hash_node *node, uint64_t key)
{
	struct hash_node **bucket;

	/* If the table cannot grow, adding still works; lookups become slower. */
	if (hash->nr >= hash->nr_buckets && hash_grow(hash) && !hash->nr_buckets)
		return -ENOMEM;
	bucket = hash_bucket(hash->buckets, hash->nr_buckets, key);
	node->key = key;
	node->next = *bucket;
	*bucket = node;
	hash->nr++;
	return 0;
}

void hash_remove(struct hash *hash, struct hash_node *node)
{
	struct hash_node **at = hash_bucket(hash->buckets, hash->nr_buckets, node->key);

	while (*at != node)
		at = &(*at)->next;
	*at = node->next;
	hash->nr--;
}

void hash_filter(struct hash *hash, bool (*keep)(void *ctx, struct hash_node *node), void *ctx)
{
	for (size_t i = 0; i < hash->nr_buckets; i++) {
		struct hash_node **at = &hash->buckets[i];

		while (*at) {
			struct hash_node *node = *at, *next = node->next;

			if (keep(ctx, node)) {
				at = &node->next;
				continue;
			}
			*at = next;
			hash->nr--;
		}
	}
}

void hash_fini(struct hash *hash)
{
	free(hash->buckets);
	*hash = (struct hash){ 0 };
}

uint64_t hash_mix(uint64_t key, uint64_t word)
{
	key = (key ^ word) * 0x9e3779b97f4a7c15ULL;
	return key ^ (key >> 32);
}

uint64_t hash_text(const char *text)
{
	size_t left = strlen(text);
	uint64_t key = left, word;

	for (; left >= sizeof(word); left -= sizeof(word), text += sizeof(word)) {
		memcpy(&word, text, sizeof(word));
		key = hash_mix(key, word);
	}
	word = 0;
	memcpy(&word, text, left);
	return hash_mix(key, word);
}
