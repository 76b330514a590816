// SPDX-License-Identifier: GPL-2.0-only
/*
 * A workload whose stack is what it wants: records NUMBER APART spins with the frame pointer at the first of as many
 * frame records, that many bytes apart from each other. The return addresses are 0x400000, 0x400001, ... from the leaf
 * to the root. It says when it begins, and has to be killed.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define FIRST_ADDRESS 0x400000UL

__attribute__((noinline, noreturn)) static void spin_with(const char *records)
{
#if defined(__x86_64__)
	__asm__ volatile("mov %0, %%rbp\n1: jmp 1b" : : "r"(records));
#elif defined(__aarch64__)
	__asm__ volatile("mov x29, %0\n1: b 1b" : : "r"(records));
#endif
	__builtin_unreachable();
}

int main(int argc, char **argv)
{
	size_t nr = argc == 3 ? strtoul(argv[1], NULL, 10) : 0, apart = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	char *memory;

	if (!nr || apart < 2 * sizeof(uint64_t) || apart % sizeof(uint64_t)) {
		fprintf(stderr, "usage: records NUMBER APART\n");
		return 2;
	}
	memory = mmap(NULL, nr * apart + apart, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED) {
		perror("records: mmap");
		return 1;
	}
	/* Each page of its own; kernels for real time have no larger ones, nor that word. */
	madvise(memory, nr * apart, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < nr; i++) {
		uint64_t *record = (uint64_t *)(memory + i * apart);

		record[0] = i + 1 < nr ? (uintptr_t)record + apart : 0;
		record[1] = FIRST_ADDRESS + i;
	}
	puts("spins");
	fflush(stdout);
	spin_with(memory);
}
