/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * A BPF program that moves the entries of one table generation to memory that is mapped here.
 *
 * While bpf(2) reads or deletes entries of a map, the kernel runs no BPF program of a perf event on that CPU, so
 * samples are missed. A BPF program that does the same does not block them.
 */
#ifndef TPROF_TABLE_DRAIN_H
#define TPROF_TABLE_DRAIN_H

#include <stdbool.h>
#include <stdint.h>

struct table_drain {
	int program_fds[2];	/* by generation; -1: not supported by the kernel */
	char *entries;		/* every entry_bytes: the key, and the value at value_offset */
	uint32_t capacity;	/* in entries */
	uint32_t value_offset, entry_bytes;
};

/* Returns 0 or -errno; on error, no generation has a program. */
int table_drain_open(struct table_drain *drain, const int map_fds[2]);
void table_drain_close(struct table_drain *drain);

/*
 * Moves entries from the table to drain->entries until the table is empty or the memory is full. *left: entries are
 * left in the table for another reason than full memory. Returns the number of entries moved, or -errno.
 */
int table_drain_run(const struct table_drain *drain, unsigned int generation, bool *left);

#endif
