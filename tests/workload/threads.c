// SPDX-License-Identifier: GPL-2.0-only
/*
 * threads NR PAGES: two threads that sleep until the end, and after SIGUSR1 one after the other NR threads that each
 * cause PAGES page faults and end. Then the process waits for a second SIGUSR1, and ends. The others are called
 * "sleeper" and "faulter".
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static long nr_pages;

static void *sleeper(void *unused)
{
	pthread_setname_np(pthread_self(), "sleeper");
	for (;;)
		pause();
	return unused;
}

static void *faulter(void *failed)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = (size_t)nr_pages * page;
	char *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	pthread_setname_np(pthread_self(), "faulter");
	if (pages == MAP_FAILED)
		return failed;
	/* No huge pages. Real-time kernels have none, and refuse this advice. */
	madvise(pages, bytes, MADV_NOHUGEPAGE);
	for (size_t at = 0; at < bytes; at += page)
		*(volatile char *)(pages + at) = 1;
	munmap(pages, bytes);
	return NULL;
}

int main(int argc, char **argv)
{
	long nr = argc == 3 ? atol(argv[1]) : 0;
	pthread_t thread;
	sigset_t go;
	int number;

	nr_pages = argc == 3 ? atol(argv[2]) : 0;
	if (nr <= 0 || nr_pages <= 0) {
		fprintf(stderr, "usage: threads NR PAGES\n");
		return 2;
	}
	sigemptyset(&go);
	sigaddset(&go, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &go, NULL);
	for (int i = 0; i < 2; i++)
		if (pthread_create(&thread, NULL, sleeper, NULL))
			return 1;
	sigwait(&go, &number);
	for (long i = 0; i < nr; i++) {
		void *failed;

		if (pthread_create(&thread, NULL, faulter, argv) || pthread_join(thread, &failed) || failed)
			return 1;
	}
	sigwait(&go, &number);
	return 0;
}
