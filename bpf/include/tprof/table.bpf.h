/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tables to count in, which lose nothing when they are read.
 *
 * A table NAME is two hash maps, NAME_a and NAME_b ("generations"), and a word that says which of them is in use.
 * The reader changes the word, waits until no program runs that saw the old one, and then reads and empties the
 * generation that was in use at leisure. So each count is read exactly once, however busy the CPUs are.
 *
 * A count that finds no room is accounted as table_full in the ledger, never forgotten.
 */
#ifndef __TPROF_TABLE_BPF_H
#define __TPROF_TABLE_BPF_H

#include <tprof/ledger.bpf.h>

/*
 * TPROF_TABLE(name, key_type, entries) - a table of struct tprof_tally by key
 * @name:     at most 13 characters
 * @key_type: a type of key.bpf.h, an integer, or a struct without holes
 * @entries:  how many different keys it holds between two readings (about 100 bytes each, twice);
 *            `--table-entries` changes it when the filter is loaded
 */
#define TPROF_TABLE(name, key_type, entries) TPROF_TABLE_OF(name, key_type, struct tprof_tally, entries)

/*
 * TPROF_TABLE_OF(name, key_type, value_type, entries) - the same with values of the author's own
 *
 * Use tprof_table_slot() to get at a value; several CPUs may hold the same one, so change it with
 * __sync_fetch_and_add().
 */
#define TPROF_TABLE_OF(name, key_type, value_type, entries)				\
	_Static_assert(sizeof(#name) <= TPROF_TABLE_NAME_MAX + 1,			\
		       "tprof: the name of a table has at most 13 characters");		\
	struct name##_generation {							\
		__uint(type, TPROF_MAP_HASH);						\
		__uint(max_entries, entries);						\
		__type(key, key_type);							\
		__type(value, value_type);						\
	};										\
	struct name##_generation name##_a SEC(".maps");					\
	struct name##_generation name##_b SEC(".maps")

/* Which generation of all tables of the object is in use: 0 or 1. Written by the reader alone. */
struct {
	__uint(type, TPROF_MAP_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} tprof_current SEC(".maps");

/* The generations of a table, and which of them is in use. */
struct tprof_generations {
	void *a, *b;
	__u32 current;
};

static __always_inline struct tprof_generations tprof_generations_of(void *a, void *b)
{
	__u32 zero = 0;
	__u32 *current = bpf_map_lookup_elem(&tprof_current, &zero);

	return (struct tprof_generations){ a, b, current ? *(volatile __u32 *)current : 0 };
}

/* By the table's name. */
#define tprof_generation(table) tprof_generations_of(&table##_a, &table##_b)

/*
 * A call for each generation: the kernel turns a call that names its map into a direct one. The empty instructions
 * differ, so that the compiler does not make one call of both.
 */
static __always_inline void *tprof_lookup(const struct tprof_generations *table, const void *key)
{
	void *value;

	if (table->current) {
		value = bpf_map_lookup_elem(table->b, key);
		asm volatile("" : "+r"(value) : "i"(1));
	} else {
		value = bpf_map_lookup_elem(table->a, key);
		asm volatile("" : "+r"(value) : "i"(0));
	}
	return value;
}

static __always_inline long tprof_insert(const struct tprof_generations *table, const void *key, const void *value)
{
	return bpf_map_update_elem(table->current ? table->b : table->a, key, value, TPROF_UPDATE_NOEXIST);
}

/* Accounts for a counting call that failed with @error; -E2BIG and -ENOMEM by their numbers in the ABI. */
static __always_inline void tprof_account_failure(long error, __u64 weight)
{
	if (error == -7)
		tprof_account_counting(TPROF_COUNTING_TABLE_FULL, weight);
	else if (error == -12)
		tprof_account_counting(TPROF_COUNTING_NO_MEMORY, weight);
	else
		tprof_account_counting(TPROF_COUNTING_TABLE_BUSY, weight);
}

/* The value under a key, made if it is not there. A failure is accounted; success is the caller's to account. */
static __always_inline void *tprof_table_find(struct tprof_generations generation, const void *key, const void *zero,
					      __u64 weight)
{
	void *value = tprof_lookup(&generation, key);
	long error;

	if (value)
		return value;
	/* Another CPU may insert the same key between the two calls: that is success as well. */
	error = tprof_insert(&generation, key, zero);
	value = tprof_lookup(&generation, key);
	if (!value)
		tprof_account_failure(error, weight);
	return value;
}

/*
 * tprof_table_slot(table, key_pointer, zero, weight) - the value stored under a key, made if it is not there
 * @table:  name of a TPROF_TABLE_OF
 * @key_pointer: to the key
 * @zero:   pointer to the value that a new entry starts with
 * @weight: what the ledger is to write down for this call
 *
 * Returns NULL where there was no room; that is accounted already, as success is.
 */
#define tprof_table_slot(table, key_pointer, zero, weight)				\
	tprof_generation_slot(tprof_generation(table), key_pointer, zero, weight)

static __always_inline void *tprof_generation_slot(struct tprof_generations generation, const void *key,
						   const void *zero, __u64 weight)
{
	void *value = tprof_table_find(generation, key, zero, weight);

	if (value)
		tprof_account_counting(TPROF_COUNTING_AGGREGATED, weight);
	return value;
}

static __always_inline void tprof_count_key(struct tprof_generations generation, const void *key, __u64 weight)
{
	struct tprof_tally none = {};
	struct tprof_tally *tally = tprof_generation_slot(generation, key, &none, weight);

	if (tally) {
		__sync_fetch_and_add(&tally->samples, 1);
		__sync_fetch_and_add(&tally->weight, weight);
	}
}

/*
 * tprof_count(table, key_value, weight) - count one sample under a key
 * @table:     name of a TPROF_TABLE
 * @key_value: the key itself, of the table's key type
 * @weight:    usually s->weight
 */
#define tprof_count(table, key_value, weight)						\
	do {										\
		__typeof__(*table##_a.key) tprof_key = (key_value);			\
											\
		tprof_count_key(tprof_generation(table), &tprof_key, weight);		\
	} while (0)

#endif
