// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Other BPF programs that make the kernel skip perf event programs. */
#include "bpf_neighbours.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Limit for the programs that are read: the list is meant for people. */
#define MAX_PROGRAMS 1024
/* Capacity for " and 1024 more". */
#define AND_MORE_BYTES 16

static const char *kind_of(__u32 type)
{
	switch (type) {
	case BPF_PROG_TYPE_KPROBE:
		return "kprobe";
	case BPF_PROG_TYPE_TRACEPOINT:
		return "tracepoint";
	case BPF_PROG_TYPE_PERF_EVENT:
		return "perf_event";
	default:
		return NULL;
	}
}

static bool is_one_of(__u32 id, const __u32 *ids, size_t nr)
{
	while (nr--) {
		if (ids[nr] == id)
			return true;
	}
	return false;
}

/* Returns false if the program is unloaded or of another type. */
static bool describe(struct bpf_neighbour *program, __u32 id)
{
	struct bpf_prog_info info = { 0 };
	__u32 length = sizeof(info);
	int fd = bpf_prog_get_fd_by_id(id), err;

	if (fd < 0)
		return false;
	err = bpf_prog_get_info_by_fd(fd, &info, &length);
	close(fd);
	if (err || !kind_of(info.type))
		return false;
	*program = (struct bpf_neighbour){ .id = id, .kind = kind_of(info.type), .run_ns = info.run_time_ns };
	snprintf(program->name, sizeof(program->name), "%s", info.name);
	return true;
}

int bpf_neighbours_read(struct bpf_neighbours *neighbours, const __u32 *own_ids, size_t nr_own)
{
	__u32 id = 0;
	int err = 0;

	*neighbours = (struct bpf_neighbours){ calloc(MAX_PROGRAMS, sizeof(*neighbours->programs)), 0 };
	if (!neighbours->programs)
		return -ENOMEM;
	while (neighbours->nr < MAX_PROGRAMS && !(err = bpf_prog_get_next_id(id, &id))) {
		if (!is_one_of(id, own_ids, nr_own))
			neighbours->nr += describe(&neighbours->programs[neighbours->nr], id);
	}
	if (!err || err == -ENOENT)
		return 0;
	bpf_neighbours_fini(neighbours);
	return err;
}

void bpf_neighbours_fini(struct bpf_neighbours *neighbours)
{
	free(neighbours->programs);
	*neighbours = (struct bpf_neighbours){ NULL, 0 };
}

void bpf_neighbours_list(const struct bpf_neighbours *neighbours, char *text, size_t size)
{
	size_t length = 0;

	text[0] = '\0';
	for (size_t i = 0; i < neighbours->nr; i++) {
		const struct bpf_neighbour *program = &neighbours->programs[i];
		char one[64];

		snprintf(one, sizeof(one), "%s%s %s", i ? ", " : "", program->kind,
			 program->name[0] ? program->name : "without a name");
		if (length + strlen(one) + AND_MORE_BYTES > size) {
			snprintf(text + length, size - length, " and %zu more", neighbours->nr - i);
			return;
		}
		length += (size_t)snprintf(text + length, size - length, "%s", one);
	}
}
