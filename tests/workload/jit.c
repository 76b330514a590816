// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs generated code, and writes a perf map with its name, immediately or late: jit HOW [SECONDS].
 *
 *	reuse	early_fn for two thirds of the time, then late_fn at the same address
 *	new	early_fn for two thirds, then late_fn at another address
 *	exit	jitted_fn, whose map is written at the end
 *	moved	jitted_fn, after mremap() has moved its memory; removes its map
 *	old, foreign	jitted_fn, whose map has the time of yesterday, or belongs to another user
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"

#define PAGE		4096
#define ROUND		100000
#define FOREIGNER	1234

/* void function(long rounds), with a frame. */
static const uint8_t code[] = {
#if defined(__x86_64__)
	0x55,				/* push %rbp */
	0x48, 0x89, 0xe5,		/* mov %rsp, %rbp */
	0x48, 0xff, 0xcf,		/* dec %rdi */
	0x75, 0xfb,			/* jnz of the decrement */
	0x5d,				/* pop %rbp */
	0xc3,				/* ret */
#elif defined(__aarch64__)
	0xfd, 0x7b, 0xbf, 0xa9,		/* stp x29, x30, [sp, #-16]! */
	0xfd, 0x03, 0x00, 0x91,		/* mov x29, sp */
	0x00, 0x04, 0x00, 0xf1,		/* subs x0, x0, #1 */
	0xe1, 0xff, 0xff, 0x54,		/* b.ne of the subtraction */
	0xfd, 0x7b, 0xc1, 0xa8,		/* ldp x29, x30, [sp], #16 */
	0xc0, 0x03, 0x5f, 0xd6,		/* ret */
#endif
};

static char path[64];

static void tell(const void *at, const char *name)
{
	FILE *map = fopen(path, "a");

	if (!map || fprintf(map, "%lx %zx %s\n", (unsigned long)at, sizeof(code), name) < 0 || fclose(map)) {
		perror("jit: map");
		exit(1);
	}
}

static void run(void *at, uint64_t until_ns)
{
	void (*function)(long rounds);

	memcpy(&function, &at, sizeof(function));
	while (clock_ns(CLOCK_MONOTONIC) < until_ns)
		function(ROUND);
}

static char *emit(void)
{
	char *memory = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED) {
		perror("jit: memory");
		exit(1);
	}
	memcpy(memory, code, sizeof(code));
	memcpy(memory + PAGE, code, sizeof(code));
	__builtin___clear_cache(memory, memory + 2 * PAGE);
	return memory;
}

static char *move(char *memory)
{
	char *place = mmap(NULL, 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return mremap(memory, 2 * PAGE, 2 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, place);
}

int main(int argc, char **argv)
{
	const struct timespec yesterday[2] = { { .tv_sec = time(NULL) - 86400 }, { .tv_sec = time(NULL) - 86400 } };
	const char *how = argc > 1 ? argv[1] : "";
	uint64_t length_ns = (uint64_t)((argc > 2 ? atof(argv[2]) : 2) * 1e9);
	uint64_t start_ns = clock_ns(CLOCK_MONOTONIC), end_ns = start_ns + length_ns;
	bool reuses = !strcmp(how, "reuse"), at_exit = !strcmp(how, "exit"), moves = !strcmp(how, "moved");
	char *memory = emit();

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	unlink(path);
	if (reuses || !strcmp(how, "new")) {
		tell(memory, "early_fn");
		run(memory, start_ns + length_ns / 3 * 2);
		memory += reuses ? 0 : PAGE;
		tell(memory, "late_fn");
		run(memory, end_ns);
		return 0;
	}
	if (moves)
		memory = move(memory);
	if (!at_exit)
		tell(memory, "jitted_fn");
	if (!strcmp(how, "old") && utimensat(AT_FDCWD, path, yesterday, 0))
		return 1;
	if (!strcmp(how, "foreign") && chown(path, FOREIGNER, FOREIGNER))
		return 1;
	run(memory, end_ns);
	if (at_exit)
		tell(memory, "jitted_fn");
	if (moves)
		unlink(path);
	return 0;
}
