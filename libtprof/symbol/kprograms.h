/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * BPF programs that came or went while somebody listened, as the kernel's events tell of them: /proc/kallsyms knows
 * only those of the moment when it is read, and samples are named later than they are taken.
 */
#ifndef TPROF_KPROGRAMS_H
#define TPROF_KPROGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A zeroed struct knows of none. */
struct kprograms {
	struct kprogram *programs;	/* in order of coming */
	size_t nr, room;
};

void kprograms_fini(struct kprograms *programs);

/* @gone: it was removed, else it was loaded. Without memory, or beyond 4,096 of them, one is not known. */
void kprograms_note(struct kprograms *programs, const char *name, uint64_t start, uint64_t length, bool gone);

enum kprograms_answer {
	KPROGRAMS_NONE,			/* it is in no program that came or went */
	KPROGRAMS_FOUND,
	KPROGRAMS_SEVERAL,		/* one took the place of another: which of them ran is not known */
};

/*
 * The byte before a program is its own, as in ksyms_find(). The name is valid until the next call of any function here.
 */
enum kprograms_answer kprograms_find(const struct kprograms *programs, uint64_t ip, const char **name, uint64_t *delta);

/* All tables were read: forgets those that went before the last time. */
void kprograms_age(struct kprograms *programs);

#endif
