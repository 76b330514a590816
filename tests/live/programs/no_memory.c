// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opens, starts, reads and closes a session, or opens a filter with a parameter, once for every STEP-th allocation of
 * this cycle. With "one" this allocation fails, with "from" all allocations from it on. Prints "NUMBER BLOCKS
 * DESCRIPTORS" if memory or descriptors are leaked, and at the end the number of allocations.
 *
 *	no_memory session|filter one|from STEP
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tprof.h"

/* The names of the allocator inside glibc. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t nr, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void __libc_free(void *block);

static _Atomic long nr_before, nr_blocks;
static long at = -1;			/* -1: none fails, none is counted */
static bool all;

static bool fails(void)
{
	long nr;

	if (at < 0)
		return false;
	nr = atomic_fetch_add(&nr_before, 1);
	if (nr != at && !(all && nr > at))
		return false;
	errno = ENOMEM;
	return true;
}

static void *counted(void *block)
{
	if (block)
		atomic_fetch_add(&nr_blocks, 1);
	return block;
}

void *malloc(size_t size)
{
	return fails() ? NULL : counted(__libc_malloc(size));
}

void *calloc(size_t nr, size_t size)
{
	return fails() ? NULL : counted(__libc_calloc(nr, size));
}

void *realloc(void *old, size_t size)
{
	void *block = fails() ? NULL : __libc_realloc(old, size);

	return old ? block : counted(block);
}

void free(void *block)
{
	if (block)
		atomic_fetch_sub(&nr_blocks, 1);
	__libc_free(block);
}

static long descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	long nr = 0;

	while (dir && readdir(dir))
		nr++;
	if (dir)
		closedir(dir);
	return nr;
}

static int use(struct tprof_session *session)
{
	struct tprof_profile *profile;
	int err = tprof_session__start(session);

	if (err)
		return err;
	tprof_session__wait(session, 20);
	tprof_session__stop(session);
	profile = tprof_session__snapshot(session);
	err = profile ? 0 : -errno;
	tprof_profile__free(profile);
	return err;
}

static int whole_session(void)
{
	TPROF_OPTS(tprof_session_opts, opts, .rate_hz = 997, .tables = true);
	struct tprof_error error = { .text = "" };
	struct tprof_session *session = tprof_session__open(&opts, &error);
	struct tprof_filter *filter;
	int err;

	if (!session)
		return -errno;
	filter = tprof_filter__open("stacks", &error);
	err = filter ? tprof_session__add_filter(session, filter) : -errno;
	if (!err)
		err = use(session);
	tprof_session__close(session);
	return err;
}

static int open_filter(void)
{
	struct tprof_error error = { .text = "" };
	struct tprof_filter *filter = tprof_filter__open("dwarf", &error);
	int err = filter ? 0 : -errno;

	tprof_filter__free(filter);
	return err;
}

static int (*cycle)(void) = whole_session;

static void fail_at(long number)
{
	long fds = descriptors(), blocks = atomic_load(&nr_blocks);

	atomic_store(&nr_before, 0);
	at = number;
	cycle();
	at = -1;
	blocks = atomic_load(&nr_blocks) - blocks;
	fds = descriptors() - fds;
	if (blocks > 0 || fds)
		printf("%ld %ld %ld\n", number, blocks, fds);
}

int main(int argc, char **argv)
{
	long step = argc > 3 ? strtol(argv[3], NULL, 10) : 1, nr;
	int err = 0;

	if (argc > 1 && !strcmp(argv[1], "filter"))
		cycle = open_filter;
	all = argc > 2 && !strcmp(argv[2], "from");
	/* The first cycles allocate what libraries keep permanently. */
	for (int i = 0; i < 3 && !err; i++)
		err = cycle();
	if (err) {
		fprintf(stderr, "%s with memory: %s\n", argc > 1 ? argv[1] : "session", strerror(-err));
		return 1;
	}
	fail_at(LONG_MAX);
	nr = atomic_load(&nr_before);
	for (long i = 0; i < nr; i += step)
		fail_at(i);
	printf("of %ld\n", nr);
	return 0;
}
