// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Waits until every BPF program that is running now has ended. */
#include "program_barrier.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <unistd.h>

#include "tprof/object.h"

static int make(struct program_barrier *barrier)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts);

	barrier->inner_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "tprof_barrier", sizeof(__u32), sizeof(__u32), 1, NULL);
	if (barrier->inner_fd < 0)
		return barrier->inner_fd;
	opts.inner_map_fd = (__u32)barrier->inner_fd;
	barrier->outer_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "tprof_barriers", sizeof(__u32), sizeof(__u32),
					   1, &opts);
	return barrier->outer_fd < 0 ? barrier->outer_fd : 0;
}

int program_barrier_prepare(struct program_barrier *barrier)
{
	int err;

	if (barrier->outer_fd > 0)
		return 0;
	program_barrier_fini(barrier);
	err = make(barrier);
	if (err)
		program_barrier_fini(barrier);
	return err;
}

int program_barrier_wait(struct program_barrier *barrier)
{
	const __u32 zero = 0;
	int err = program_barrier_prepare(barrier);

	if (err)
		return err;
	return bpf_map_update_elem(barrier->outer_fd, &zero, &barrier->inner_fd, BPF_ANY) ? -errno : 0;
}

void program_barrier_fini(struct program_barrier *barrier)
{
	if (barrier->outer_fd > 0)
		close(barrier->outer_fd);
	if (barrier->inner_fd > 0)
		close(barrier->inner_fd);
	*barrier = (struct program_barrier){ 0, 0 };
}
