/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Threads that make random calls, for guest tests in C. The calls of a thread depend only on the seed and its number;
 * the interleaving of threads is not reproducible. Include ktap.h first.
 *
 *	static const struct fuzz_call calls[] = { { "PERIOD", 8, do_period, { EFAULT, EINVAL } }, ... };
 *	fuzz(calls, nr_calls, seed, calls of each thread, threads)
 */
#ifndef TPROF_TESTS_FUZZ_H
#define TPROF_TESTS_FUZZ_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "draw.h"

#define FUZZ_ROOM	8192U		/* bytes for arguments; the next page is not mapped */
#define FUZZ_VIEWS	4
#define FUZZ_THREADS	8
#define FUZZ_CALLS	64

struct fuzz_view {
	void *at;
	size_t size;
};

struct fuzzer {
	uint64_t drawn;
	unsigned int nr, nr_wanted;	/* calls */
	unsigned int good[FUZZ_CALLS];	/* of each kind */
	const struct fuzz_call *call;
	const char *said;		/* an error; NULL: none */
	int error;
	char *room, *constant;		/* FUZZ_ROOM each, the second read-only */
	char *placed;			/* where the argument is */
	struct fuzz_view views[FUZZ_VIEWS];
	int pipe[2];
	pthread_t thread;
};

struct fuzz_call {
	const char *name;
	unsigned int weight;		/* relative frequency */
	int (*make)(struct fuzzer *f);	/* returns less than 0 with errno */
	int errors[12];			/* the permitted errors; 0 ends the list */
};

static const struct fuzz_call *fuzz_calls;
static unsigned int fuzz_nr_calls;
static atomic_bool fuzz_over;

static uint64_t draw(struct fuzzer *f)
{
	return draw_from(&f->drawn);
}

static unsigned int draw_below(struct fuzzer *f, unsigned int limit)
{
	return draw_from_below(&f->drawn, limit);
}

static bool one_in(struct fuzzer *f, unsigned int n)
{
	return draw_below(f, n) == 0;
}

/* Records an error, which ends the thread. */
static int fuzz_stop(struct fuzzer *f, const char *what)
{
	f->said = what;
	f->error = errno;
	fuzz_over = true;
	return -1;
}

/* Copies an argument to memory for the kernel, or returns an address where the kernel cannot read it. */
static char *fuzz_place(struct fuzzer *f, const void *bytes, unsigned int size)
{
	unsigned int spare = FUZZ_ROOM - size;

	f->placed = f->room + (one_in(f, 2) ? spare : draw_below(f, spare + 1));
	if (bytes)
		memcpy(f->placed, bytes, size);
	if (!one_in(f, 24))
		return f->placed;
	switch (draw_below(f, 4)) {
	case 0:
		return f->placed = NULL;
	case 1:
		return f->placed = (char *)(draw(f) | 1ULL << 63);
	case 2:
		return f->placed = f->constant;
	default:
		return f->placed = f->room + FUZZ_ROOM - draw_below(f, size);
	}
}

static bool fuzz_is_placed(const struct fuzzer *f, unsigned int size)
{
	return f->placed >= f->room && f->placed + size <= f->room + FUZZ_ROOM;
}

/*
 * An ioctl with a struct that starts with its size; sometimes flips a bit, or changes the size. Reads the result back.
 */
static int fuzz_ioctl(struct fuzzer *f, int fd, unsigned long call, void *argument, unsigned int size)
{
	int result;

	fuzz_place(f, argument, size);
	if (fuzz_is_placed(f, size) && one_in(f, 12))
		f->placed[draw_below(f, size)] ^= (char)(1 << draw_below(f, 8));
	if (fuzz_is_placed(f, size) && size >= sizeof(uint32_t) && one_in(f, 24))
		memcpy(f->placed, &(uint32_t){ draw_below(f, 2 * size) }, sizeof(uint32_t));
	result = ioctl(fd, call, f->placed);
	if (fuzz_is_placed(f, size))
		memcpy(argument, f->placed, size);
	return result;
}

static struct fuzz_view *fuzz_any_view(struct fuzzer *f)
{
	return &f->views[draw_below(f, FUZZ_VIEWS)];
}

/* Stores a mapping in its views, and unmaps the one that it replaces. */
static void fuzz_see(struct fuzzer *f, void *at, size_t size)
{
	struct fuzz_view *view = fuzz_any_view(f);

	if (view->at)
		munmap(view->at, view->size);
	*view = (struct fuzz_view){ at, size };
}

/* Writes a random tail, possibly invalid, as a broken client may. A pipe returns EFAULT where a store would fault. */
static int fuzz_scribble(struct fuzzer *f)
{
	struct fuzz_view *view = fuzz_any_view(f);
	uint64_t tail = one_in(f, 4) ? draw(f) : draw_below(f, 1 << 16) * 8;
	char *at = view->at;

	if (!at)
		return 0;
	if (write(f->pipe[1], at + draw_below(f, view->size - 8), 8) == 8 && read(f->pipe[0], &tail, 8) != 8)
		return fuzz_stop(f, "the pipe is empty");
	if (write(f->pipe[1], &tail, 8) != 8)
		return fuzz_stop(f, "the pipe is full");
	if (read(f->pipe[0], at, 8) == 8)
		return 0;
	/* The pipe still contains the tail. */
	return read(f->pipe[0], &tail, 8) == 8 ? 0 : fuzz_stop(f, "the pipe is empty");
}

static int fuzz_unmap(struct fuzzer *f)
{
	struct fuzz_view *view = fuzz_any_view(f);
	int err = view->at ? munmap(view->at, view->size) : 0;

	view->at = NULL;
	return err;
}

static const struct fuzz_call *fuzz_choose(struct fuzzer *f)
{
	unsigned int sum = 0, i;
	uint64_t at;

	for (i = 0; i < fuzz_nr_calls; i++)
		sum += fuzz_calls[i].weight;
	at = draw_below(f, sum);
	for (i = 0; at >= fuzz_calls[i].weight; i++)
		at -= fuzz_calls[i].weight;
	return &fuzz_calls[i];
}

static bool fuzz_may_say(const struct fuzz_call *call, int error)
{
	for (size_t i = 0; i < sizeof(call->errors) / sizeof(call->errors[0]); i++) {
		if (call->errors[i] && call->errors[i] == error)
			return true;
	}
	return false;
}

static void *fuzz_thread(void *argument)
{
	struct fuzzer *f = argument;

	for (; f->nr < f->nr_wanted && !fuzz_over; f->nr++) {
		f->call = fuzz_choose(f);
		if (f->call->make(f) >= 0)
			f->good[f->call - fuzz_calls]++;
		else if (!f->said && !fuzz_may_say(f->call, errno))
			fuzz_stop(f, "that is not among its errors");
	}
	return NULL;
}

static void fuzz_open(struct fuzzer *f, uint64_t seed, unsigned int number)
{
	f->drawn = seed + number;
	f->drawn = draw(f);
	f->room = mmap(NULL, FUZZ_ROOM + 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	f->constant = mmap(NULL, FUZZ_ROOM, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	need(f->room != MAP_FAILED && f->constant != MAP_FAILED &&
	     mprotect(f->room, FUZZ_ROOM, PROT_READ | PROT_WRITE) == 0 && pipe2(f->pipe, O_CLOEXEC | O_NONBLOCK) == 0,
	     "room for a thread");
}

static void fuzz_close(struct fuzzer *f)
{
	for (int i = 0; i < FUZZ_VIEWS; i++) {
		if (f->views[i].at)
			munmap(f->views[i].at, f->views[i].size);
	}
	munmap(f->room, FUZZ_ROOM + 4096);
	munmap(f->constant, FUZZ_ROOM);
	close(f->pipe[0]);
	close(f->pipe[1]);
}

/* Runs the threads; reports whether all results were permitted, and whether each kind of call succeeded sometimes. */
static void fuzz(const struct fuzz_call *calls, unsigned int nr_calls, uint64_t seed, unsigned int nr_each,
		 unsigned int nr_threads)
{
	static struct fuzzer fuzzers[FUZZ_THREADS];

	fuzz_calls = calls;
	fuzz_nr_calls = nr_calls;
	fuzz_over = false;
	memset(fuzzers, 0, sizeof(fuzzers));
	need(nr_threads <= FUZZ_THREADS && nr_calls <= FUZZ_CALLS, "there is room for them");
	for (unsigned int i = 0; i < nr_threads; i++) {
		fuzz_open(&fuzzers[i], seed, i);
		fuzzers[i].nr_wanted = nr_each;
		need(pthread_create(&fuzzers[i].thread, NULL, fuzz_thread, &fuzzers[i]) == 0, "a thread");
	}
	for (unsigned int i = 0; i < nr_threads; i++)
		pthread_join(fuzzers[i].thread, NULL);
	for (unsigned int i = 0; i < nr_threads; i++) {
		const struct fuzzer *f = &fuzzers[i];

		if (!check(!f->said, "thread %u: %u calls are answered as they should be", i, f->nr))
			diag("seed %llu: call %u, %s: %s (errno %d)", (unsigned long long)seed, f->nr, f->call->name,
			     f->said, f->error);
	}
	for (unsigned int i = 0; i < nr_calls; i++) {
		unsigned int good = 0;

		for (unsigned int j = 0; j < nr_threads; j++)
			good += fuzzers[j].good[i];
		check(good, "%s: some are taken", calls[i].name);
	}
	for (unsigned int i = 0; i < nr_threads; i++)
		fuzz_close(&fuzzers[i]);
}

#endif
