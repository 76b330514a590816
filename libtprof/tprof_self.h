/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Counters of the calling thread: what does this part of a program cost? Included by tprof.h, which has the rules for
 * all functions.
 *
 *	struct tprof_self *self = tprof_self__open(NULL, &error);
 *	uint64_t before[TPROF_SELF_MAX_EVENTS], after[TPROF_SELF_MAX_EVENTS];
 *
 *	tprof_self__read(self, before);
 *	puts("this is measured");
 *	tprof_self__read(self, after);
 *	printf("%llu\n", (unsigned long long)(after[0] - before[0]));
 *	tprof_self__close(self);
 */
#ifndef TPROF_TPROF_SELF_H
#define TPROF_TPROF_SELF_H

#include "tprof.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tprof_self;

#define TPROF_SELF_MAX_EVENTS 8

/**
 * struct tprof_self_opts - what to count in the calling thread
 * @sz:        size of this struct
 * @events:    names as in struct tprof_session_opts. NULL: instructions and cycles, as far as the machine has them, or
 *             task-clock if it has neither
 * @nr_events: number of elements in @events, at most 8
 * @kernel:    also count in the kernel, on behalf of the thread; may need privileges (perf_event_paranoid). What the
 *             kernel itself counts (clocks, faults, context switches) is counted in all modes also without it, unless
 *             that is not permitted: then faults are those of user mode, and context switches are refused
 */
struct tprof_self_opts {
	size_t sz;
	const char *const *events;
	size_t nr_events;
	bool kernel;
};

/**
 * tprof_self__open() - start counting the calling thread
 * @opts:  NULL for defaults
 * @error: NULL, or filled on failure
 *
 * The events are one group: the kernel counts them at the same time or not at all, so ratios of differences are exact.
 * Threads that this one starts are not counted. Only the thread that opened the counters may read them.
 *
 * On a hybrid machine, a hardware, cache or raw event is counted on CPUs of one type only: those of the PMU in its name
 * (cpu_core/cycles/). Keep the thread on these CPUs, because in the time on others nothing is counted.
 *
 * Errors: EINVAL (malformed event, modifiers with which it cannot be counted, or events that cannot be counted
 * together), ENOENT (no such event), E2BIG (more than 8), EOPNOTSUPP (this machine does not have the event, or cannot
 * count it in the modes that @opts chooses), EPERM, EMFILE, ENOMEM.
 */
TPROF_API struct tprof_self *tprof_self__open(const struct tprof_self_opts *opts, struct tprof_error *error);
/** tprof_self__close() - stop counting and free everything; may be called by any thread */
TPROF_API void tprof_self__close(struct tprof_self *self);

/**
 * tprof_self__read() - read the counters
 * @self:   counters that the calling thread has opened
 * @values: filled with a value for each event, in the order of the options: what was counted since the counters were
 *          opened. Differences of two readings are what happened in between
 *
 * If tprof_self__is_direct(), this takes some tens of nanoseconds and no system call; otherwise gettid(2) and one
 * read(2).
 *
 * Errors: EAGAIN (no counter was free for a part of the time, so the values are too low; they are filled), EINVAL
 * (another thread has opened it, or the process that has forked this one), those of read(2).
 */
TPROF_API int tprof_self__read(struct tprof_self *self, uint64_t *values);

/** tprof_self__nr_events() - returns the number of events */
TPROF_API size_t tprof_self__nr_events(const struct tprof_self *self);
/** tprof_self__event() - returns the name of an event; NULL if out of range */
TPROF_API const char *tprof_self__event(const struct tprof_self *self, size_t event);

/**
 * tprof_self__is_direct() - returns whether the counters are read from user space
 *
 * With the instruction rdpmc on x86-64, or from the registers of the PMU on arm64 if /proc/sys/kernel/perf_user_access
 * is 1. Only hardware events can be; if one of the events cannot, or had no free counter when they were opened, all are
 * read with read(2).
 */
TPROF_API bool tprof_self__is_direct(const struct tprof_self *self);

#ifdef __cplusplus
}
#endif

#endif /* TPROF_TPROF_SELF_H */
