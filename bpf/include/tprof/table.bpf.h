/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tables to count in, which lose nothing when they are read.
 *
 * A table is two hash maps ("generations") and a slot that names the one in use. The reader puts the other
 * one into the slot; the kernel returns from that only when no program uses the old one any more; then the
 * old one is read and emptied at leisure. So each count is read exactly once, however busy the CPUs are.
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
	struct name##_generation name##_b SEC(".maps");					\
	struct {									\
		__uint(type, TPROF_MAP_ARRAY_OF_MAPS);					\
		__uint(max_entries, 1);							\
		__type(key, __u32);							\
		__array(values, struct name##_generation);				\
	} name SEC(".maps") = { .values = { &name##_a } }

/* The generation in use. NULL never happens, but the verifier wants it asked. */
static __always_inline void *tprof_table_generation(void *table)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(table, &zero);
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
static __always_inline void *tprof_table_find(void *table, const void *key, const void *zero, __u64 weight)
{
	void *generation = tprof_table_generation(table);
	void *value;
	long error;

	if (!generation)
		return 0;
	value = bpf_map_lookup_elem(generation, key);
	if (value)
		return value;
	/* Another CPU may insert the same key between the two calls: that is success as well. */
	error = bpf_map_update_elem(generation, key, zero, TPROF_UPDATE_NOEXIST);
	value = bpf_map_lookup_elem(generation, key);
	if (!value)
		tprof_account_failure(error, weight);
	return value;
}

/*
 * tprof_table_slot(table, key, zero, weight) - the value stored under a key, made if it is not there
 * @table:  address of a TPROF_TABLE_OF
 * @key:    pointer to the key
 * @zero:   pointer to the value that a new entry starts with
 * @weight: what the ledger is to write down for this call
 *
 * Returns NULL where there was no room; that is accounted already, as success is.
 */
static __always_inline void *tprof_table_slot(void *table, const void *key, const void *zero, __u64 weight)
{
	void *value = tprof_table_find(table, key, zero, weight);

	if (value)
		tprof_account_counting(TPROF_COUNTING_AGGREGATED, weight);
	return value;
}

static __always_inline void tprof_count_key(void *table, const void *key, __u64 weight)
{
	struct tprof_tally none = {};
	struct tprof_tally *tally = tprof_table_slot(table, key, &none, weight);

	if (tally) {
		__sync_fetch_and_add(&tally->samples, 1);
		__sync_fetch_and_add(&tally->weight, weight);
	}
}

/*
 * tprof_count(table, key_value, weight) - count one sample under a key
 * @table:     address of a TPROF_TABLE
 * @key_value: the key itself, of the table's key type
 * @weight:    usually s->weight
 */
#define tprof_count(table, key_value, weight)						\
	do {										\
		__typeof__(*(table)->values[0]->key) tprof_key = (key_value);	\
											\
		tprof_count_key(table, &tprof_key, weight);				\
	} while (0)

#endif
