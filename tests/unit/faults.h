/* SPDX-License-Identifier: GPL-2.0-only */
/* Page faults in a known number, which tests of counters count. */
#ifndef TPROF_TESTS_FAULTS_H
#define TPROF_TESTS_FAULTS_H

#include <sys/mman.h>
#include <unistd.h>

/* Writes to @nr pages for the first time. */
static void fault_pages(long nr)
{
	long size = sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, (size_t)(nr * size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(pages != MAP_FAILED);
	madvise(pages, (size_t)(nr * size), MADV_NOHUGEPAGE);
	for (long i = 0; i < nr; i++)
		((volatile char *)pages)[i * size] = 1;
	munmap(pages, (size_t)(nr * size));
}

#endif
