// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The filters that an engine has called in one place, and the sum of their counts. */
#include "served.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "profile/ledger.h"

int served_prepare(struct served *served, struct tprof_filter *filter)
{
	struct tprof_filter **grown = array_grow(served->filters, served->nr, &served->capacity, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	served->filters = grown;
	return filter_ledger(filter) ? 0 : -errno;
}

void served_add(struct served *served, struct tprof_filter *filter)
{
	for (size_t i = 0; i < served->nr; i++) {
		if (served->filters[i] == filter)
			return;
	}
	served->filters[served->nr++] = filter;
}

void served_fini(struct served *served)
{
	free(served->filters);
}

struct tprof_program_ledger served_counted(const struct served *served, size_t event, unsigned int cpu)
{
	struct tprof_program_ledger sum = { 0 };

	for (size_t i = 0; i < served->nr; i++) {
		struct tprof_program_ledger counted;

		ledger_copy_cpu(&served->filters[i]->ledger[cpu], event, &counted);
		program_ledger_add(&sum, &counted);
	}
	return sum;
}

struct tprof_program_ledger served_settled(const struct served *served, size_t event, unsigned int cpu)
{
	struct tprof_program_ledger sum = { 0 };

	for (size_t i = 0; i < served->nr; i++) {
		const struct tprof_program_ledger counted = filter_settled(served->filters[i], event, cpu);

		program_ledger_add(&sum, &counted);
	}
	return sum;
}
