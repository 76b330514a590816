// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waits that are hard to describe, of the process `left`.
 *
 *	hands NUMBER	hands a byte to and fro that often with the process `right`, each on a CPU of its own, so that
 *			one is often woken while it still leaves its CPU
 *	hands --32-bit	sleeps for 10 ms, 20 times, in a system call of 32-bit programs; x86-64 only. Exit code 4: the
 *			kernel has none
 */
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAPS 20
#define NAP_NS 10000000

/* On one of the CPUs on which this process may run. */
static void begin(const char *name, int nth)
{
	cpu_set_t all, one;

	prctl(PR_SET_NAME, name);
	sched_getaffinity(0, sizeof(all), &all);
	nth %= CPU_COUNT(&all);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &all) || nth--)
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		sched_setaffinity(0, sizeof(one), &one);
	}
}

static int hand(int from, int to)
{
	char byte;

	return read(from, &byte, 1) == 1 && write(to, &byte, 1) == 1;
}

static int hands(long number)
{
	int there[2], back[2];

	if (pipe(there) || pipe(back) || write(back[1], "x", 1) != 1)
		return EXIT_FAILURE;
	if (!fork()) {
		begin("right", 1);
		close(there[1]);
		while (hand(there[0], back[1]))
			;
		_exit(EXIT_SUCCESS);
	}
	begin("left", 0);
	while (number-- && hand(back[0], there[1]))
		;
	close(there[1]);
	wait(NULL);
	return EXIT_SUCCESS;
}

#ifdef __x86_64__
#define NANOSLEEP_32 162

/* Pointers have 32 bits there. */
static int nap(int32_t *time)
{
	int result;

	time[0] = 0;
	time[1] = NAP_NS;
	__asm__ volatile("int $0x80" : "=a"(result) : "a"(NANOSLEEP_32), "b"((int)(intptr_t)time), "c"(0)
			 : "memory", "r8", "r9", "r10", "r11");
	return result;
}

static int naps(void)
{
	int32_t *time = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);

	if (time == MAP_FAILED)
		return EXIT_FAILURE;
	prctl(PR_SET_NAME, "left");
	for (int i = 0; i < NAPS; i++) {
		if (nap(time))
			return EXIT_FAILURE;
	}
	return EXIT_SUCCESS;
}

/* Without support for 32-bit programs, the first call is a fault. */
static int naps_in_child(void)
{
	pid_t child = fork();
	int status;

	if (!child)
		_exit(naps());
	if (child < 0 || waitpid(child, &status, 0) != child)
		return EXIT_FAILURE;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 4;
}
#else
static int naps_in_child(void)
{
	return 4;
}
#endif

int main(int argc, char **argv)
{
	if (argc != 2)
		return EXIT_FAILURE;
	return strcmp(argv[1], "--32-bit") ? hands(atol(argv[1])) : naps_in_child();
}
