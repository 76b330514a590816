// SPDX-License-Identifier: GPL-2.0-only
/*
 * A workload that calls a function a known number of times: visits CALLS [THREADS]. Each thread calls visit() CALLS
 * times, which calls getppid(2) once.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_THREADS 64

static unsigned long nr_calls;

/* With a word on the stack: gcc makes no frame for a function that needs none, and its caller would be missing. */
__attribute__((noipa)) long visit(long value)
{
	volatile long seed = value;

	return seed + syscall(SYS_getppid);
}

__attribute__((noipa)) long travel(long value)
{
	for (unsigned long i = 0; i < nr_calls; i++)
		value += visit(value);
	return value;
}

static void *run(void *unused)
{
	(void)unused;
	return (void *)travel(1);
}

int main(int argc, char **argv)
{
	unsigned int nr_threads = argc > 2 ? (unsigned int)atoi(argv[2]) : 1;
	pthread_t threads[MAX_THREADS];

	nr_calls = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	if (!nr_calls || !nr_threads || nr_threads > MAX_THREADS) {
		fprintf(stderr, "usage: visits CALLS [THREADS]\n");
		return 2;
	}
	for (unsigned int i = 0; i < nr_threads; i++) {
		if (pthread_create(&threads[i], NULL, run, NULL))
			return EXIT_FAILURE;
	}
	for (unsigned int i = 0; i < nr_threads; i++)
		pthread_join(threads[i], NULL);
	return EXIT_SUCCESS;
}
