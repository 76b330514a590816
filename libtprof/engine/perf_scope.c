// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The processes and threads in the scope of the perf engine. */
#include "perf_scope.h"

#include <bpf/bpf.h>
#include <errno.h>

int perf_scope_add(const struct tprof_filter *filter, enum tprof_scope_kind kind, pid_t id)
{
	const struct tprof_scope_key key = { .kind = kind, .id = (uint32_t)id };
	const uint32_t one = 1;

	return bpf_map_update_elem(filter_map_fd(filter, TPROF_SCOPE_NAME), &key, &one, BPF_ANY) ? -errno : 0;
}

bool perf_scope_has(const struct tprof_filter *filter, enum tprof_scope_kind kind, pid_t id)
{
	const struct tprof_scope_key key = { .kind = kind, .id = (uint32_t)id };
	uint32_t value;

	return bpf_map_lookup_elem(filter_map_fd(filter, TPROF_SCOPE_NAME), &key, &value) == 0;
}

void perf_scope_remove(const struct tprof_filter *filter, enum tprof_scope_kind kind, pid_t id)
{
	const struct tprof_scope_key key = { .kind = kind, .id = (uint32_t)id };

	bpf_map_delete_elem(filter_map_fd(filter, TPROF_SCOPE_NAME), &key);
}
