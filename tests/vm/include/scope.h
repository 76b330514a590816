/* SPDX-License-Identifier: GPL-2.0-only */
/* Sessions with a scope of some tasks, for guest tests in C. Include ktap.h, device.h and process.h first. */
#ifndef TPROF_TESTS_SCOPE_H
#define TPROF_TESTS_SCOPE_H

#include <sys/resource.h>

__attribute__((unused))
static int attach(int session, uint32_t kind, uint64_t id)
{
	struct tprof_target target = { .size = sizeof(target), .kind = kind, .id = id };

	return ioctl(session, TPROF_IOC_ATTACH, &target);
}

__attribute__((unused))
static int detach(int session, uint32_t kind, uint64_t id)
{
	struct tprof_target target = { .size = sizeof(target), .kind = kind, .id = id };

	return ioctl(session, TPROF_IOC_DETACH, &target);
}

/* Returns the weight of the samples in scope, in ns. The session must have no filter. */
__attribute__((unused))
static uint64_t seen_ns(int session)
{
	flush(session);
	return read_ledger(session, -1).outcomes[TPROF_OUTCOME_DONE].weight;
}

/* Returns the CPU time of @who, as defined by getrusage(). */
__attribute__((unused))
static uint64_t cpu_time_ns(int who)
{
	struct rusage usage;

	getrusage(who, &usage);
	return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000ULL +
	       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000ULL;
}

/* Returns the CPU time of this thread. */
__attribute__((unused))
static uint64_t thread_time_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* Uses that much CPU time, mostly in user mode. */
__attribute__((unused))
static void burn_cpu(uint64_t ns)
{
	uint64_t end = thread_time_ns() + ns;

	while (thread_time_ns() < end) {
		for (volatile int i = 0; i < 10000; i++)
			;
	}
}

/*
 * Reports whether two CPU times are equal within random errors. The standard deviation of a number of random samples,
 * @period_ns apart, is about its square root; five times that has a probability of less than one in a million.
 */
__attribute__((unused, format(printf, 4, 5)))
static void same_time(uint64_t seen, uint64_t truth, uint64_t period_ns, const char *format, ...)
{
	uint64_t difference = seen > truth ? seen - truth : truth - seen;
	uint64_t n = truth / period_ns + 25;
	char text[200];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (!check(difference / period_ns * (difference / period_ns) <= 25 * n, "%s", text))
		diag("seen %llu, in truth %llu ns", (unsigned long long)seen, (unsigned long long)truth);
}

#endif
