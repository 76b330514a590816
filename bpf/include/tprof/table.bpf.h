/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tables to count in, which lose nothing when they are read.
 *
 * A table NAME is two hash maps, NAME_a and NAME_b ("generations"), and each CPU has a word, in its ledger, that says
 * which of them is in use there. The reader changes the words, waits until no program runs that saw an old one, and
 * then reads and empties the generation that was in use at leisure. So each count is read exactly once, however busy
 * the CPUs are, and the account of the generation (ledger.bpf.h) tells how many there have to be.
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

/* The generations of a table, which of them is in use, and where to account for what is done with them. */
struct tprof_generations {
	void *a, *b;
	__u32 current;
	struct tprof_booked *booked;	/* NULL only to the verifier */
};

static __always_inline struct tprof_generations tprof_generations_of(void *a, void *b)
{
	struct tprof_cpu_ledger *ledger = tprof_this_ledger();
	__u32 current = ledger ? tprof_current(ledger) : 0;

	return (struct tprof_generations){ a, b, current, ledger ? &ledger->booked[current] : 0 };
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
static __always_inline void tprof_account_failure(struct tprof_booked *booked, long error, __u64 weight)
{
	if (error == -7)
		tprof_tally_add(&booked->countings.table_full, weight);
	else if (error == -12)
		tprof_tally_add(&booked->countings.no_memory, weight);
	else
		tprof_tally_add(&booked->countings.table_busy, weight);
}

/* The value under a key that was not there. A failure is accounted; success is the caller's to account. */
static __always_inline void *tprof_table_add(const struct tprof_generations *table, const void *key, const void *zero,
					     __u64 weight)
{
	/* Another CPU may insert the same key between the two calls: that is success as well. */
	long error = tprof_insert(table, key, zero);
	void *value = tprof_lookup(table, key);

	if (!value)
		tprof_account_failure(table->booked, error, weight);
	return value;
}

/* The value under a key, made if it is not there. Accounted as above. */
static __always_inline void *tprof_table_find(struct tprof_generations generation, const void *key, const void *zero,
					      __u64 weight)
{
	void *value;

	if (!generation.booked)
		return 0;
	value = tprof_lookup(&generation, key);
	return value ? value : tprof_table_add(&generation, key, zero, weight);
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
		tprof_tally_add(&generation.booked->countings.aggregated, weight);
	return value;
}

/* A new entry begins with its first sample: nobody who reads the table sees one without any. */
static __always_inline void tprof_count_key(struct tprof_generations generation, const void *key, __u64 weight)
{
	struct tprof_tally *tally;
	long error = 0;

	if (!generation.booked)
		return;
	tally = tprof_lookup(&generation, key);
	if (!tally) {
		struct tprof_tally first = { .samples = 1, .weight = weight };

		error = tprof_insert(&generation, key, &first);
		/* Another CPU may insert the same key between the two calls. */
		if (error)
			tally = tprof_lookup(&generation, key);
	}
	if (tally) {
		__sync_fetch_and_add(&tally->samples, 1);
		__sync_fetch_and_add(&tally->weight, weight);
	} else if (error) {
		tprof_account_failure(generation.booked, error, weight);
		return;
	}
	tprof_tally_add(&generation.booked->countings.aggregated, weight);
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
