/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * BPF programs of others during which the kernel runs none of a perf event.
 *
 * One count for each CPU says whether a program of a kprobe, a tracepoint or a perf event is running there, or bpf(2)
 * is at work on a map; if it is not 0, the kernel leaves the next such program out. Programs of other kinds (raw
 * tracepoints, fentry, struct_ops) have a count of their own each, and are not in the way.
 */
#ifndef TPROF_BPF_NEIGHBOURS_H
#define TPROF_BPF_NEIGHBOURS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bpf_neighbour {
	__u32 id;
	const char *kind;	/* static */
	char name[16];		/* of letters, digits, dots and underscores; empty if it has none */
	uint64_t run_ns;	/* time that it ran so far, as far as the kernel counted that */
};

struct bpf_neighbours {
	struct bpf_neighbour *programs;
	size_t nr;
};

/* Those that are loaded now, but for the given ones. Returns 0 or -errno: EPERM without CAP_SYS_ADMIN. */
int bpf_neighbours_read(struct bpf_neighbours *neighbours, const __u32 *own_ids, size_t nr_own);
void bpf_neighbours_fini(struct bpf_neighbours *neighbours);

/* As many as there is room for: "kprobe one, tracepoint two and 3 more". */
void bpf_neighbours_list(const struct bpf_neighbours *neighbours, char *text, size_t size);

#endif
