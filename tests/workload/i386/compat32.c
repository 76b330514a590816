// SPDX-License-Identifier: GPL-2.0-only
/*
 * A 32-bit program of x86 without a C library, because 32-bit libraries are often not installed. compat32 [call] runs a
 * recursion for two seconds of CPU time; with an argument it makes system calls through the vDSO instead.
 */
#define AT_SYSINFO 32
#define SYS_EXIT 1
#define SYS_READ 3
#define SYS_CLOCK_GETTIME 265
#define CLOCK_PROCESS_CPUTIME_ID 2

static volatile unsigned int sink;
static unsigned long sysinfo;

/* _start passes the initial stack pointer to main32(). */
__asm__(".globl _start\n.type _start, @function\n_start: .cfi_startproc\n.cfi_undefined eip\n"
	"mov %esp, %eax\npush %eax\ncall main32\nhlt\n.cfi_endproc\n.size _start, . - _start\n");

static inline int enter(int number, int a, void *b)
{
	int result;

	__asm__ volatile("int $0x80" : "=a"(result) : "0"(number), "b"(a), "c"(b), "d"(0) : "memory");
	return result;
}

/* A system call through the vDSO, as a C library makes it. */
__attribute__((noipa)) int call_kernel(int number, int a)
{
	int result;

	__asm__ volatile("call *%1" : "=a"(result) : "m"(sysinfo), "0"(number), "b"(a), "c"(0), "d"(0) : "memory");
	return result;
}

__attribute__((noipa)) void bottom(void)
{
	for (unsigned int i = 0; i < 200000; i++)
		sink = sink * 1664525 + 1013904223;
}

__attribute__((noipa)) void odd(int depth);

__attribute__((noipa)) void even(int depth)
{
	if (depth)
		odd(depth - 1);
	else
		bottom();
	sink++;
}

__attribute__((noipa)) void odd(int depth)
{
	even(depth - 1);
	sink++;
}

__attribute__((noipa)) void run(int calls)
{
	if (!calls)
		even(6);
	for (int i = 0; i < 1000 && calls; i++)
		call_kernel(SYS_READ, -1);
	sink++;
}

__attribute__((noipa, used)) void main32(unsigned long *stack)
{
	unsigned long argc = stack[0], *word = stack + argc + 2;
	long now[2] = { 0, 0 };

	while (*word++)
		;
	for (; word[0]; word += 2)
		sysinfo = word[0] == AT_SYSINFO ? word[1] : sysinfo;
	do {
		run(argc > 1 && sysinfo);
		enter(SYS_CLOCK_GETTIME, CLOCK_PROCESS_CPUTIME_ID, now);
	} while (now[0] < 2);
	enter(SYS_EXIT, 0, 0);
}
