// SPDX-License-Identifier: GPL-2.0-only
/*
 * A library to preload: makes one allocation of the program fail, or all from one on. Child processes are not affected.
 *
 *	NO_MEMORY_AT=N		the allocation after N others fails
 *	NO_MEMORY_FROM=N	all allocations after the first N fail
 *	NO_MEMORY_COUNT=FILE	the number of allocations is written to FILE when the program ends
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The names of the allocator inside glibc. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t nr, size_t size);
extern void *__libc_realloc(void *old, size_t size);

static _Atomic long nr_before;
static long at = -1, from = -1;
static int count = -1;			/* opened at start: the sandbox may forbid opening files for writing later */
static pid_t pid;			/* 0: before begin() or after end() */

static long number(const char *name)
{
	const char *text = getenv(name);

	return text ? strtol(text, NULL, 10) : -1;
}

__attribute__((constructor)) static void begin(void)
{
	at = number("NO_MEMORY_AT");
	from = number("NO_MEMORY_FROM");
	if (getenv("NO_MEMORY_COUNT"))
		count = open(getenv("NO_MEMORY_COUNT"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	unsetenv("LD_PRELOAD");
	pid = getpid();
}

__attribute__((destructor)) static void end(void)
{
	long nr = atomic_load(&nr_before);

	if (count < 0 || pid != getpid())
		return;
	pid = 0;
	dprintf(count, "%ld\n", nr);
}

static int fails(void)
{
	long nr;

	if (!pid)
		return 0;
	nr = atomic_fetch_add(&nr_before, 1);
	if (nr != at && (from < 0 || nr < from))
		return 0;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t nr, size_t size)
{
	return fails() ? NULL : __libc_calloc(nr, size);
}

void *realloc(void *old, size_t size)
{
	return fails() ? NULL : __libc_realloc(old, size);
}
