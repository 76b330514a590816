/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Other BPF programs that make the kernel skip perf event programs.
 *
 * The kernel has one counter per CPU (bpf_prog_active). It is nonzero while a kprobe, tracepoint or perf event program
 * runs on that CPU, or while bpf(2) works on a map there; the kernel then skips further programs of these types. Other
 * program types (raw tracepoints, fentry, struct_ops) have a counter per program and do not interfere.
 */
#ifndef TPROF_BPF_NEIGHBOURS_H
#define TPROF_BPF_NEIGHBOURS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bpf_neighbour {
	__u32 id;
	const char *kind;	/* static string */
	char name[16];		/* letters, digits, dots and underscores; empty: no name */
	uint64_t run_ns;	/* total run time; counted only while BPF run time statistics are enabled */
};

struct bpf_neighbours {
	struct bpf_neighbour *programs;
	size_t nr;
};

/*
 * Reads the programs of these types that are loaded now, except for @own_ids. Returns 0 or -errno: EPERM without
 * CAP_SYS_ADMIN.
 */
int bpf_neighbours_read(struct bpf_neighbours *neighbours, const __u32 *own_ids, size_t nr_own);
void bpf_neighbours_fini(struct bpf_neighbours *neighbours);

/* Writes as many as fit: "kprobe one, tracepoint two and 3 more". */
void bpf_neighbours_list(const struct bpf_neighbours *neighbours, char *text, size_t size);

#endif
