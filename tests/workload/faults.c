// SPDX-License-Identifier: GPL-2.0-only
/*
 * faults PAGES: causes this number of page faults in known functions, by the first access to new pages: half of them in
 * hot(), three tenths in warm(), one fifth in mild().
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static long page;

/* noipa: the compiler must not merge equal functions. */
#define TOUCH(name)								\
__attribute__((noipa)) static void name(volatile char *from, long nr)		\
{										\
	for (long i = 0; i < nr; i++)						\
		from[i * page] = 1;						\
}

TOUCH(hot)
TOUCH(warm)
TOUCH(mild)

int main(int argc, char **argv)
{
	long nr = argc == 2 ? atol(argv[1]) / 10 * 10 : 0;
	char *pages;

	if (nr <= 0) {
		fprintf(stderr, "usage: faults PAGES\n");
		return 2;
	}
	page = sysconf(_SC_PAGESIZE);
	pages = mmap(NULL, (size_t)(nr * page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	/* No huge pages, so that each page faults. Real-time kernels have no huge pages, and refuse this advice. */
	if (pages == MAP_FAILED || (madvise(pages, (size_t)(nr * page), MADV_NOHUGEPAGE) && errno != EINVAL)) {
		perror("faults");
		return 1;
	}
	hot(pages, nr / 2);
	warm(pages + nr / 2 * page, nr / 10 * 3);
	mild(pages + nr / 10 * 8 * page, nr / 5);
	return 0;
}
