/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Waiting until every BPF program that runs now has ended.
 *
 * The kernel promises just that to whoever changes a map of maps. So there is one that no program uses:
 * made beforehand, or when it is first needed.
 */
#ifndef TPROF_PROGRAM_BARRIER_H
#define TPROF_PROGRAM_BARRIER_H

struct program_barrier {
	int inner_fd, outer_fd;		/* 0: not made yet */
};

/* 0 or -errno. */
int program_barrier_prepare(struct program_barrier *barrier);

/* Takes some milliseconds. A zeroed struct is ready for use. Returns 0 or -errno. */
int program_barrier_wait(struct program_barrier *barrier);
void program_barrier_fini(struct program_barrier *barrier);

#endif
