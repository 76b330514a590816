// SPDX-License-Identifier: GPL-2.0-only
/*
 * A workload whose call chains are known, and hard to unwind: frames MODE [CPU-SECONDS], 10 by default. MODE is one of
 *
 *	signal		main() -> run_signal() -> trap() -> handle(), a signal handler, -> burn()
 *	library		main() -> run_library() -> qsort() -> compare() -> burn()
 *	dynamic		main() -> run_dynamic() -> dynamic(), whose frame is as large as it is told, -> burn()
 *	aligned		main() -> run_aligned() -> aligned(), which aligns the stack, -> burn()
 *	generated	main() -> run_generated() -> code that no compiler has written, and that no file tells of
 */
#include <alloca.h>
#include <setjmp.h>
#include <signal.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define STEPS 200000

static volatile uint64_t sink;

__attribute__((noipa)) void burn(void)
{
	uint64_t value = sink;

	for (unsigned int i = 0; i < STEPS; i++)
		value = value * 6364136223846793005ULL + 1442695040888963407ULL;
	sink = value;
}

/* Signals at its first byte: before that stands another function, which is not to be named. */
void trap(void);
#if defined(__x86_64__)
#define TRAP "ud2"
#elif defined(__aarch64__)
#define TRAP ".inst 0"
#endif
asm(".text\n"
    ".type before_trap, %function\n"
    "before_trap: .cfi_startproc\n" TRAP "\n.cfi_endproc\n.size before_trap, . - before_trap\n"
    ".globl trap\n.type trap, %function\n"
    "trap: .cfi_startproc\n" TRAP "\n.cfi_endproc\n.size trap, . - trap\n");

static sigjmp_buf behind_trap;

__attribute__((noipa)) void handle(int signal_number)
{
	burn();
	siglongjmp(behind_trap, signal_number);
}

__attribute__((noipa)) void run_signal(void)
{
	if (!sigsetjmp(behind_trap, 1))
		trap();
}

__attribute__((noipa)) int compare(const void *a, const void *b)
{
	burn();
	return *(const char *)a - *(const char *)b + (int)(sink & 0);
}

__attribute__((noipa)) void run_library(void)
{
	char letters[] = { 'c', 'a', 'b' };

	qsort(letters, sizeof(letters), 1, compare);
	sink += (uint64_t)letters[0];
}

__attribute__((noipa)) void dynamic(size_t bytes)
{
	volatile char *room = alloca(bytes);

	room[bytes - 1] = 1;
	burn();
	sink += (uint64_t)room[bytes - 1];
}

__attribute__((noipa)) void run_dynamic(void)
{
	dynamic(4000 + (sink & 1023));
}

__attribute__((noipa)) void aligned(uint64_t value)
{
	alignas(64) volatile uint64_t words[16];

	words[15] = value;
	burn();
	sink += words[15];
}

__attribute__((noipa)) void run_aligned(void)
{
	aligned(sink);
}

/* A loop that counts its argument down. */
#if defined(__x86_64__)
static const unsigned char code[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 };
#elif defined(__aarch64__)
static const unsigned char code[] = { 0x00, 0x04, 0x00, 0xf1, 0xe1, 0xff, 0xff, 0x54, 0xc0, 0x03, 0x5f, 0xd6 };
#endif

__attribute__((noipa)) void run_generated(void)
{
	static void (*generated)(uint64_t count);

	if (!generated) {
		char *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (memory == MAP_FAILED)
			exit(1);
		memcpy(memory, code, sizeof(code));
		__builtin___clear_cache(memory, memory + sizeof(code));
		generated = (void (*)(uint64_t))memory;
	}
	generated(10 * STEPS);
}

static const struct {
	const char *name;
	void (*run)(void);
} modes[] = {
	{ "signal", run_signal }, { "library", run_library }, { "dynamic", run_dynamic }, { "aligned", run_aligned },
	{ "generated", run_generated },
};

int main(int argc, char **argv)
{
	int seconds = argc > 2 ? atoi(argv[2]) : 10;
	void (*run)(void) = NULL;
	struct timespec now;

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		if (argc > 1 && !strcmp(argv[1], modes[i].name))
			run = modes[i].run;
	}
	if (!run) {
		fprintf(stderr, "frames: MODE [CPU-SECONDS]\n");
		return 2;
	}
	signal(SIGILL, handle);
	/* Of the CPU's time, so that there are as many samples on a busy machine. */
	do {
		run();
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	} while (now.tv_sec < seconds);
	return 0;
}
