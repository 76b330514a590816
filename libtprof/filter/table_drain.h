/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * A BPF program that empties one generation of a table into memory that is mapped here.
 *
 * While bpf(2) reads or deletes entries of a map, the kernel runs no BPF program of a perf event on that CPU: samples
 * that fall into it are missed. A program that does the same is no such time.
 */
#ifndef TPROF_TABLE_DRAIN_H
#define TPROF_TABLE_DRAIN_H

#include <stdbool.h>
#include <stdint.h>

struct table_drain {
	int program_fds[2];	/* by generation; -1: the kernel has none */
	char *entries;		/* the key, and from value_offset on the value, every entry_bytes */
	uint32_t room;		/* entries */
	uint32_t value_offset, entry_bytes;
};

/* Returns 0, or -errno, and then no generation has a program. */
int table_drain_open(struct table_drain *drain, const int map_fds[2]);
void table_drain_close(struct table_drain *drain);

/*
 * Moves entries from the table to drain->entries until either is at its end. *left: some are in the table still, and
 * not for lack of room. Returns how many were moved, or -errno.
 */
int table_drain_run(const struct table_drain *drain, unsigned int generation, bool *left);

#endif
