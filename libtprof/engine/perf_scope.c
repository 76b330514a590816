// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The processes, threads and cgroups in the scope of the perf engine. */
#include "perf_scope.h"

#include <bpf/bpf.h>
#include <errno.h>

int perf_scope_add(const struct tprof_filter *filter, enum tprof_scope_kind kind, pid_t id, pid_t root)
{
	const struct tprof_scope_key key = { .kind = kind, .id = (uint32_t)id };
	const uint32_t target = (uint32_t)root;

	if (bpf_map_update_elem(filter_map_fd(filter, TPROF_SCOPE_NAME), &key, &target, BPF_ANY))
		return -errno;
	filter_scope_changed(filter);
	return 0;
}

pid_t perf_scope_root(const struct tprof_filter *filter, enum tprof_scope_kind kind, pid_t id)
{
	const struct tprof_scope_key key = { .kind = kind, .id = (uint32_t)id };
	uint32_t target;

	return bpf_map_lookup_elem(filter_map_fd(filter, TPROF_SCOPE_NAME), &key, &target) ? 0 : (pid_t)target;
}

void perf_scope_remove(const struct tprof_filter *filter, enum tprof_scope_kind kind, pid_t id)
{
	const struct tprof_scope_key key = { .kind = kind, .id = (uint32_t)id };

	bpf_map_delete_elem(filter_map_fd(filter, TPROF_SCOPE_NAME), &key);
}

int perf_scope_remove_all(const struct tprof_filter *filter, pid_t root)
{
	int fd = filter_map_fd(filter, TPROF_SCOPE_NAME), nr = 0;
	struct tprof_scope_key key, next;
	bool more = bpf_map_get_next_key(fd, NULL, &next) == 0;
	uint32_t target;

	while (more) {
		key = next;
		more = bpf_map_get_next_key(fd, &key, &next) == 0;
		if (key.kind != TPROF_SCOPE_KIND_TGID || bpf_map_lookup_elem(fd, &key, &target) ||
		    target != (uint32_t)root)
			continue;
		if (bpf_map_delete_elem(fd, &key) && errno != ENOENT)
			return -errno;
		nr++;
	}
	return nr;
}

int perf_scope_copy(const struct tprof_filter *from, const struct tprof_filter *to)
{
	int from_fd = filter_map_fd(from, TPROF_SCOPE_NAME), to_fd = filter_map_fd(to, TPROF_SCOPE_NAME);
	struct tprof_scope_key key, next;
	uint32_t target;
	bool more;

	while (bpf_map_get_next_key(to_fd, NULL, &key) == 0) {
		if (bpf_map_delete_elem(to_fd, &key))
			return -errno;
	}
	more = bpf_map_get_next_key(from_fd, NULL, &next) == 0;
	while (more) {
		key = next;
		more = bpf_map_get_next_key(from_fd, &key, &next) == 0;
		if (!bpf_map_lookup_elem(from_fd, &key, &target) &&
		    bpf_map_update_elem(to_fd, &key, &target, BPF_ANY))
			return -errno;
	}
	return 0;
}

/* The programs read up to the first slot without a cgroup. */
int perf_scope_set_cgroups(const struct tprof_filter *filter, const struct tprof_object *scope)
{
	int fd = filter_map_fd(filter, TPROF_CGROUPS_NAME), err = 0;

	for (uint32_t i = 0; i < TPROF_SCOPE_MAX_CGROUPS && !err; i++) {
		const struct tprof_scope_cgroup none = { 0 };

		err = bpf_map_update_elem(fd, &i, i < scope->nr_cgroups ? &scope->cgroups[i] : &none, BPF_ANY);
	}
	return err ? -errno : 0;
}
