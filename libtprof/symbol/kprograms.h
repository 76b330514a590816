/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * BPF programs that were loaded or unloaded during the session, from the kernel's BPF events. /proc/kallsyms lists only
 * the programs that exist when it is read, and samples are symbolized some time after they were taken.
 */
#ifndef TPROF_KPROGRAMS_H
#define TPROF_KPROGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A zeroed struct has no programs. */
struct kprograms {
	struct kprogram *programs;	/* in load order */
	size_t nr, capacity;
	uint64_t low, high;		/* all programs are in [low, high) */
};

void kprograms_fini(struct kprograms *programs);

/*
 * @gone: the program was unloaded; otherwise it was loaded. Programs beyond 4,096 are not recorded; nor is a program
 * for which there is no memory.
 */
void kprograms_note(struct kprograms *programs, const char *name, uint64_t start, uint64_t length, bool gone);

enum kprograms_answer {
	KPROGRAMS_NONE,			/* @ip lies in no recorded program */
	KPROGRAMS_FOUND,
	KPROGRAMS_SEVERAL,		/* one program was loaded where another had been: the one that ran is unknown */
};

/*
 * The byte before a program counts as part of it, as in ksyms_find(). @name is valid until the next call of any
 * function of this header.
 */
enum kprograms_answer kprograms_find(const struct kprograms *programs, uint64_t ip, const char **name, uint64_t *delta);

/* Call after all tables were read: drops the programs that had been unloaded at the previous call. */
void kprograms_age(struct kprograms *programs);

#endif
