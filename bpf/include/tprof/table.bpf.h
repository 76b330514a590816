/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tables of counts. Reading a table loses no count.
 *
 * A table NAME is two hash maps, NAME_a and NAME_b ("generations"). A word in the ledger of each CPU says which of them
 * programs use on that CPU. The reader changes these words, waits until no program that saw an old value is running,
 * and then reads and empties the generation that was in use. So each count is read exactly once, at any load, and the
 * ledger of the generation (ledger.bpf.h) says how many counts it must contain.
 *
 * If a table is full, the ledger counts the failed call as table_full.
 */
#ifndef __TPROF_TABLE_BPF_H
#define __TPROF_TABLE_BPF_H

#include <tprof/ledger.bpf.h>

/*
 * TPROF_TABLE(name, key_type, entries) - define a table of struct tprof_tally by key
 * @name:     at most 13 characters
 * @key_type: a type of key.bpf.h, an integer, or a struct without padding holes
 * @entries:  number of different keys between two readings (about 100 bytes each, in both generations);
 *            `--table-entries` changes it when the filter is loaded
 */
#define TPROF_TABLE(name, key_type, entries) TPROF_TABLE_OF(name, key_type, struct tprof_tally, entries)

/*
 * TPROF_TABLE_OF(name, key_type, value_type, entries) - define a table with another type of value
 *
 * tprof_table_slot() returns a pointer to a value. Several CPUs may use the same value at once, so update it with
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

/* The generations of a table, the one in use on this CPU, and its ledger. */
struct tprof_generations {
	void *a, *b;
	__u32 current;
	struct tprof_program_ledger *ledger;	/* never NULL; the verifier requires the check */
};

static __always_inline struct tprof_generations tprof_generations_of(void *a, void *b, const struct tprof_run *run)
{
	struct tprof_cpu_ledger *ledger;
	__u32 current;

	if (run && run->engine != TPROF_OBJECT_KMOD)
		return (struct tprof_generations){ a, b, run->current, run->ledger };
	ledger = tprof_this_ledger();
	current = ledger ? tprof_current(ledger) : 0;
	return (struct tprof_generations){
		a, b, current, ledger ? &ledger->generations[current][run ? run->event : 0] : 0,
	};
}

/* The generations of the table with this name. */
#define tprof_generation(table) tprof_generations_of(&table##_a, &table##_b, tprof_run)

/*
 * One call for each generation, because the kernel inlines a lookup only if the map is constant at the call. The empty
 * asm statements differ, so that the compiler does not merge the two calls.
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

/* Counts a counting call that failed with @error in the ledger; -7 is -E2BIG, -12 is -ENOMEM. */
static __always_inline void tprof_count_failure(struct tprof_program_ledger *ledger, long error, __u64 weight)
{
	if (error == -7)
		tprof_tally_add(&ledger->countings.table_full, weight);
	else if (error == -12)
		tprof_tally_add(&ledger->countings.no_memory, weight);
	else
		tprof_tally_add(&ledger->countings.table_busy, weight);
}

/* Inserts a key and returns its value, or NULL. Counts a failure in the ledger; the caller counts success. */
static __always_inline void *tprof_table_add(const struct tprof_generations *table, const void *key, const void *zero,
					     __u64 weight)
{
	/* If another CPU inserts the key first, tprof_insert() fails and the lookup succeeds. */
	long error = tprof_insert(table, key, zero);
	void *value = tprof_lookup(table, key);

	if (!value)
		tprof_count_failure(table->ledger, error, weight);
	return value;
}

/* Returns the value of a key, inserting it if it is missing, or NULL. Ledger as for tprof_table_add(). */
static __always_inline void *tprof_table_find(struct tprof_generations generation, const void *key, const void *zero,
					      __u64 weight)
{
	void *value;

	if (!generation.ledger)
		return 0;
	value = tprof_lookup(&generation, key);
	return value ? value : tprof_table_add(&generation, key, zero, weight);
}

/*
 * tprof_table_slot(table, key_pointer, zero, weight) - get a pointer to the value of a key, inserting it if missing
 * @table:       name of a TPROF_TABLE_OF
 * @key_pointer: pointer to the key
 * @zero:        pointer to the initial value of an entry
 * @weight:      weight of this call in the ledger, usually s->weight
 *
 * Returns NULL if the key could not be inserted. The ledger counts both success and failure.
 */
#define tprof_table_slot(table, key_pointer, zero, weight)				\
	tprof_generation_slot(tprof_generation(table), key_pointer, zero, weight)

static __always_inline void *tprof_generation_slot(struct tprof_generations generation, const void *key,
						   const void *zero, __u64 weight)
{
	void *value = tprof_table_find(generation, key, zero, weight);

	if (value)
		tprof_tally_add(&generation.ledger->countings.aggregated, weight);
	return value;
}

/* An entry is inserted with its first sample already in it, so that a reader never sees an empty one. */
static __always_inline void tprof_count_key(struct tprof_generations generation, const void *key, __u64 weight)
{
	struct tprof_tally *tally;
	long error = 0;

	if (!generation.ledger)
		return;
	tally = tprof_lookup(&generation, key);
	if (!tally) {
		struct tprof_tally first = { .samples = 1, .weight = weight };

		error = tprof_insert(&generation, key, &first);
		/* Another CPU may have inserted the key after the lookup. */
		if (error)
			tally = tprof_lookup(&generation, key);
	}
	if (tally) {
		__sync_fetch_and_add(&tally->samples, 1);
		__sync_fetch_and_add(&tally->weight, weight);
	} else if (error) {
		tprof_count_failure(generation.ledger, error, weight);
		return;
	}
	tprof_tally_add(&generation.ledger->countings.aggregated, weight);
}

/*
 * tprof_count(table, key_value, weight) - count one sample under a key
 * @table:     name of a TPROF_TABLE
 * @key_value: the key itself (not a pointer), of the table's key type
 * @weight:    usually s->weight
 */
#define tprof_count(table, key_value, weight)						\
	do {										\
		__typeof__(*table##_a.key) tprof_key = (key_value);			\
											\
		tprof_count_key(tprof_generation(table), &tprof_key, weight);		\
	} while (0)

#endif
