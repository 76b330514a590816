/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Waits until every BPF program that is running now has ended.
 *
 * The kernel guarantees this to the caller of an update of a map of maps. The barrier therefore has a map of maps that
 * no program uses, created in advance or at first use.
 */
#ifndef TPROF_PROGRAM_BARRIER_H
#define TPROF_PROGRAM_BARRIER_H

struct program_barrier {
	int inner_fd, outer_fd;		/* 0: not created yet */
};

/* 0 or -errno. */
int program_barrier_prepare(struct program_barrier *barrier);

/* Waits, which takes some milliseconds. A zeroed struct is ready for use. Returns 0 or -errno. */
int program_barrier_wait(struct program_barrier *barrier);
void program_barrier_fini(struct program_barrier *barrier);

#endif
