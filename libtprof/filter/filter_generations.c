// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * The generations of a filter's tables, with a ledger for each. Programs count in the ledger of the generation that
 * they count in, so that the tables and the ledger of a generation describe the same samples: those taken while it was
 * in use.
 */
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "filter.h"
#include "profile/ledger.h"

static size_t ledger_bytes(const struct tprof_filter *filter)
{
	return filter->nr_slots * sizeof(struct tprof_cpu_ledger);
}

const struct tprof_cpu_ledger *filter_ledger(struct tprof_filter *filter)
{
	void *ledger;

	if (filter->ledger)
		return filter->ledger;
	if (!filter->rested)
		filter->rested = calloc(filter->nr_slots, sizeof(*filter->rested));
	if (!filter->rested)
		return NULL;
	ledger = mmap(NULL, ledger_bytes(filter), PROT_READ | PROT_WRITE, MAP_SHARED,
		      filter_map_fd(filter, TPROF_LEDGER_NAME), 0);
	if (ledger == MAP_FAILED)
		return NULL;
	filter->ledger = ledger;
	return ledger;
}

void filter_ledger_unmap(struct tprof_filter *filter)
{
	if (filter->ledger)
		munmap(filter->ledger, ledger_bytes(filter));
	free(filter->rested);
	filter->ledger = NULL;
	filter->rested = NULL;
}

int filter_swap_generations(struct tprof_filter *filter)
{
	unsigned int other = !filter->current;

	if (!filter_ledger(filter))
		return -errno;
	/* No program counts in this generation now. */
	for (size_t cpu = 0; cpu < filter->nr_slots; cpu++)
		memcpy(filter->rested[cpu].events, filter->ledger[cpu].generations[other],
		       sizeof(filter->rested[cpu].events));
	for (size_t cpu = 0; cpu < filter->nr_slots; cpu++) {
		struct tprof_cpu_ledger *ledger = &filter->ledger[cpu];

		__atomic_store_n(filter->whole_samples ? &ledger->wanted : &ledger->current, other, __ATOMIC_RELAXED);
	}
	filter->current = other;
	return 0;
}

struct tprof_program_ledger filter_settled(const struct tprof_filter *filter, size_t event, unsigned int cpu)
{
	struct tprof_program_ledger counted = filter->rested[cpu].events[event];

	program_ledger_add(&counted, &filter->ledger[cpu].generations[!filter->current][event]);
	return counted;
}

struct tprof_program_ledger filter_retired(const struct tprof_filter *filter, size_t event)
{
	struct tprof_program_ledger sum = { 0 };

	for (size_t cpu = 0; filter->ledger && cpu < filter->nr_slots; cpu++)
		program_ledger_add(&sum, &filter->ledger[cpu].generations[!filter->current][event]);
	return sum;
}

struct tprof_program_ledger filter_rested(const struct tprof_filter *filter, size_t event)
{
	struct tprof_program_ledger sum = { 0 };

	for (size_t cpu = 0; filter->rested && cpu < filter->nr_slots; cpu++)
		program_ledger_add(&sum, &filter->rested[cpu].events[event]);
	return sum;
}

void filter_set_rested(struct tprof_filter *filter, size_t event, const struct tprof_program_ledger *counted)
{
	filter->rested[0].events[event] = *counted;
}
