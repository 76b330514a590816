// SPDX-License-Identifier: GPL-2.0-only
/*
 * A workload with known call stacks that are hard to unwind: frames MODE [CPU-SECONDS], 10 by default. MODE is one of
 *
 *	signal		main() -> run_signal() -> trap() -> handle(), a signal handler, -> burn()
 *	library		main() -> run_library() -> qsort() -> compare() -> burn()
 *	dynamic		main() -> run_dynamic() -> dynamic(), whose frame has a dynamic size, -> burn()
 *	aligned		main() -> run_aligned() -> aligned(), which aligns the stack, -> burn()
 *	restorer	as signal, from run_restorer(), but the handler returns to own_restorer(), which has no unwind
 *			information
 *	generated	main() -> run_generated() -> generated code, which is in no file
 *	framed		main() -> run_framed() -> generated code with a frame pointer -> burn()
 *	coroutine	coroutine_end() -> coroutine_body() -> burn(), on a separate stack, which begins as if the first
 *			byte of coroutine_end() were a return address
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
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define STEPS 200000

static volatile uint64_t sink;

__attribute__((noipa)) void burn(void)
{
	uint64_t value = sink;

	for (unsigned int i = 0; i < STEPS; i++)
		value = value * 6364136223846793005ULL + 1442695040888963407ULL;
	sink = value;
}

/* Causes a signal at its first byte: an unwinder that subtracts 1 from the address would find another function. */
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

#if defined(__x86_64__)
#define SIGNAL_RETURN "mov $15, %rax\nsyscall\n"
#elif defined(__aarch64__)
#define SIGNAL_RETURN "mov x8, #139\nsvc #0\n"
#endif
void own_restorer(void);
asm(".type before_restorer, %function\n"
    "before_restorer: .cfi_startproc\nnop\n.cfi_endproc\n.size before_restorer, . - before_restorer\n"
    ".globl own_restorer\n.type own_restorer, %function\n"
    "own_restorer: " SIGNAL_RETURN ".size own_restorer, . - own_restorer\n");

/* struct sigaction of the kernel */
struct kernel_action {
	void (*handle)(int signal_number);
	unsigned long flags;
	void (*restorer)(void);
	unsigned long mask;
};

#define RESTORER_FLAG 0x04000000

__attribute__((noipa)) void run_restorer(void)
{
	const struct kernel_action action = { handle, RESTORER_FLAG, own_restorer, 0 };

	if (!sigsetjmp(behind_trap, 1)) {
		syscall(SYS_rt_sigaction, SIGILL, &action, NULL, sizeof(action.mask));
		trap();
	}
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

/* A function with a frame that calls its argument. */
#if defined(__x86_64__)
static const unsigned char framed_code[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 };
#elif defined(__aarch64__)
static const unsigned char framed_code[] = {
	0xfd, 0x7b, 0xbf, 0xa9, 0xfd, 0x03, 0x00, 0x91, 0x00, 0x00, 0x3f, 0xd6, 0xfd, 0x7b, 0xc1, 0xa8,
	0xc0, 0x03, 0x5f, 0xd6,
};
#endif

static void *generate(const unsigned char *bytes, size_t size)
{
	char *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		exit(1);
	memcpy(memory, bytes, size);
	__builtin___clear_cache(memory, memory + size);
	return memory;
}

__attribute__((noipa)) void run_generated(void)
{
	static void (*generated)(uint64_t count);

	if (!generated)
		generated = (void (*)(uint64_t))generate(code, sizeof(code));
	generated(10 * STEPS);
}

__attribute__((noipa)) void run_framed(void)
{
	static void (*framed)(void (*callee)(void));

	if (!framed)
		framed = (void (*)(void (*)(void)))generate(framed_code, sizeof(framed_code));
	framed(burn);
	sink++;
}

/*
 * enter_coroutine(stack) runs coroutine_body() on that stack, which returns to coroutine_end(), which returns to the
 * caller.
 */
void enter_coroutine(void *stack);
void *coroutine_caller;

__attribute__((noipa)) void coroutine_body(void)
{
	burn();
	sink++;
}

asm(".type enter_coroutine, %function\nenter_coroutine:\n"
#if defined(__x86_64__)
    "push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
    "mov %rsp, coroutine_caller(%rip)\nmov %rdi, %rsp\nlea coroutine_end(%rip), %rax\npush %rax\n"
    "xor %ebp, %ebp\njmp coroutine_body\n"
#elif defined(__aarch64__)
    "stp x29, x30, [sp, #-96]!\nstp x19, x20, [sp, #16]\nstp x21, x22, [sp, #32]\nstp x23, x24, [sp, #48]\n"
    "stp x25, x26, [sp, #64]\nstp x27, x28, [sp, #80]\n"
    "adrp x2, coroutine_caller\nadd x2, x2, :lo12:coroutine_caller\nmov x1, sp\nstr x1, [x2]\nmov sp, x0\n"
    "adr x30, coroutine_end\nmov x29, #0\nb coroutine_body\n"
#endif
    ".size enter_coroutine, . - enter_coroutine\n"
    ".type coroutine_end, %function\ncoroutine_end: .cfi_startproc\n"
#if defined(__x86_64__)
    ".cfi_undefined rip\nmov coroutine_caller(%rip), %rsp\n"
    "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n"
#elif defined(__aarch64__)
    ".cfi_undefined x30\nadrp x2, coroutine_caller\nadd x2, x2, :lo12:coroutine_caller\nldr x1, [x2]\n"
    "mov sp, x1\nldp x19, x20, [sp, #16]\nldp x21, x22, [sp, #32]\nldp x23, x24, [sp, #48]\n"
    "ldp x25, x26, [sp, #64]\nldp x27, x28, [sp, #80]\nldp x29, x30, [sp], #96\nret\n"
#endif
    ".cfi_endproc\n.size coroutine_end, . - coroutine_end\n");

__attribute__((noipa)) void run_coroutine(void)
{
	static alignas(16) char stack[16384];

	enter_coroutine(stack + sizeof(stack));
}

static const struct {
	const char *name;
	void (*run)(void);
} modes[] = {
	{ "signal", run_signal }, { "library", run_library }, { "dynamic", run_dynamic }, { "aligned", run_aligned },
	{ "restorer", run_restorer }, { "generated", run_generated }, { "framed", run_framed },
	{ "coroutine", run_coroutine },
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
	/* CPU time, so that a busy machine has as many samples. */
	do {
		run();
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	} while (now.tv_sec < seconds);
	return 0;
}
