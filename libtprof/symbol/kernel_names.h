/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Asks the kernel for the name of one address.
 *
 * A BPF program of type syscall formats the address with "%pS", so the answer is the one that the kernel prints in its
 * own stack traces. An answer takes some microseconds; /proc/kallsyms is five megabytes of text, which take the kernel
 * and the reader some 70 ms.
 */
#ifndef TPROF_KERNEL_NAMES_H
#define TPROF_KERNEL_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kernel_names {
	int program_fd;			/* 0: not open */
	char *answer;			/* mapped; the program writes it */
	size_t answer_bytes;
	uint64_t start, end;		/* the text of the core kernel; 0: not asked yet */
};

/* Code that has a name. */
struct kernel_name {
	uint64_t start, end;		/* [start, end) */
	const char *name, *object;	/* "ext4_readdir" in "[ext4]", valid until the next call; not terminated */
	size_t name_length, object_length;	/* object_length is 0 for the core kernel */
};

/*
 * Loads the program. Needs CAP_BPF and CAP_PERFMON; the calls below need neither. Returns 0 or -errno: the kernel does
 * not accept the program.
 */
int kernel_names_open(struct kernel_names *names);
/* Also for a zeroed struct. */
void kernel_names_close(struct kernel_names *names);

/* True if the kernel answers. */
bool kernel_names_are_open(const struct kernel_names *names);

/*
 * Names the code at @ip. Returns 0; -ENOENT: the kernel has no name for it; -ENODATA: it is padding before a
 * function; -EPERM: this process may not see kernel
 * addresses (kptr_restrict), as in /proc/kallsyms; another -errno: the program does not run.
 */
int kernel_names_ask(struct kernel_names *names, uint64_t ip, struct kernel_name *name);

/*
 * Parses "vfs_read+0x10/0x1a0" or "ext4_readdir+0x10/0x1a0 [ext4]" for @ip. Returns false for anything else, such as
 * the address itself. Pure.
 */
bool kernel_names_parse(const char *text, size_t length, uint64_t ip, struct kernel_name *name);

#endif
