// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The maps of a filter that runs, for another process that continues to read them. */
#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>

#include "filter.h"

/* The ledger, the ring of copies if there is one, and both generations of each table. */
static struct bpf_map *map_at(const struct tprof_filter *filter, size_t i)
{
	struct bpf_map *copies = filter_map(filter, TPROF_COPIES_NAME);

	if (i == 0)
		return filter_map(filter, TPROF_LEDGER_NAME);
	if (copies && i == 1)
		return copies;
	i -= copies ? 2 : 1;
	return i / 2 < filter->nr_tables ? filter->tables[i / 2].generations[i % 2] : NULL;
}

size_t filter_pass_maps(const struct tprof_filter *filter, int *fds, size_t max)
{
	struct bpf_map *map;
	size_t nr = 0;

	for (; (map = map_at(filter, nr)); nr++) {
		if (nr < max)
			fds[nr] = bpf_map__fd(map);
	}
	return nr;
}

uint32_t filter_passed_frames(const struct tprof_filter *filter)
{
	for (size_t i = 0; i < filter->nr_tables; i++) {
		if (filter->tables[i].stacks)
			return table_stack_frames(&filter->tables[i]);
	}
	return 0;
}

/* Capacities are those of the process that created it. */
static int adopt(struct bpf_map *map, int fd)
{
	struct bpf_map_info info = { 0 };
	__u32 size = sizeof(info);

	if (bpf_map_get_info_by_fd(fd, &info, &size))
		return errno == EBADF || errno == EINVAL ? -EPROTO : -errno;
	if (info.type != (__u32)bpf_map__type(map) || info.key_size != bpf_map__key_size(map) ||
	    info.value_size != bpf_map__value_size(map) || info.map_flags != bpf_map__map_flags(map))
		return -EPROTO;
	return bpf_map__reuse_fd(map, fd);
}

int filter_adopt_maps(struct tprof_filter *filter, uint32_t stack_frames, const int *fds, size_t nr,
		      struct tprof_error *error)
{
	struct tprof_cpu_ledger *ledger;
	struct bpf_map *map;
	size_t i = 0;
	int err = 0;

	if (stack_frames && stack_frames != filter->constants->stack_frames)
		err = filter_reopen(filter, false, stack_frames, error);
	if (err)
		return err;
	for (; !err && (map = map_at(filter, i)); i++)
		err = i < nr ? adopt(map, fds[i]) : -EPROTO;
	filter->nr_slots = (size_t)libbpf_num_possible_cpus() + 1;
	if (!err && (i != nr || bpf_map__max_entries(filter_map(filter, TPROF_LEDGER_NAME)) != filter->nr_slots))
		err = -EPROTO;
	if (err)
		return error_set(error, -err, "filter %s: %s", tprof_filter__name(filter), err == -EPROTO ?
				 "its file has changed since it was loaded" : strerror(-err));
	filter->loaded = true;
	filter->constants = NULL;
	filter->rodata = NULL;
	ledger = filter_ledger(filter) ? filter->ledger : NULL;
	if (!ledger)
		return error_set(error, errno, "filter %s: its ledger cannot be mapped: %s",
				 tprof_filter__name(filter), strerror(errno));
	filter->current = ledger[0].current & 1;
	/* If a process was killed while it switched the generations, CPU 0 is the first that it has switched. */
	for (i = 0; i < filter->nr_slots; i++)
		__atomic_store_n(&ledger[i].current, filter->current, __ATOMIC_RELAXED);
	for (i = 0; i < filter->nr_tables; i++)
		table_prepare(&filter->tables[i]);
	return 0;
}
