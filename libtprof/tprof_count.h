/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Counting: how often events occur, without samples. Included by tprof.h, which has the rules for all functions.
 *
 *	struct tprof_counters *counters = tprof_counters__open(NULL, &error);
 *
 *	tprof_counters__start(counters);
 *	sleep(1);
 *	tprof_counters__read(counters);
 *	for (size_t i = 0; i < tprof_counters__nr_events(counters); i++) {
 *		struct tprof_counter_value value = { .sz = sizeof(value) };
 *
 *		tprof_counters__value(counters, 0, i, &value);
 *		printf("%s %llu\n", tprof_counters__event(counters, i)->name, (unsigned long long)value.value);
 *	}
 *	tprof_counters__close(counters);
 */
#ifndef TPROF_TPROF_COUNT_H
#define TPROF_TPROF_COUNT_H

#include "tprof.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tprof_counters;

/* Limits of struct tprof_counters_opts. */
#define TPROF_COUNTERS_MAX_EVENTS	32
#define TPROF_COUNTERS_MAX_UNITS	65536

/** enum tprof_counter_per - what a value belongs to: its unit */
enum tprof_counter_per {
	TPROF_PER_TOTAL,	/* one unit for everything */
	TPROF_PER_CPU,
	TPROF_PER_THREAD,
	TPROF_PER_PROCESS,
	TPROF_PER_CGROUP,
};

/**
 * struct tprof_counters_opts - what to count
 * @sz:         size of this struct
 * @events:     names as in struct tprof_session_opts. Names in braces, separated by commas, are a group, which the
 *              kernel counts at the same time or not at all: "{cycles,instructions}". NULL: task-clock,
 *              context-switches, cpu-migrations, page-faults, and if the machine has hardware counters cycles,
 *              instructions, branches, branch-misses. On hybrid machines, an event without a PMU, and a group of such
 *              events, stands for one of each type of CPU
 * @nr_events:  number of elements in @events; with those in groups, at most 32 events
 * @cpus:       list of CPUs such as "0-3,8"; NULL: all, also those that come online later
 * @pids:       processes to count, with all their threads and descendants, also those that start later; NULL and 0: all
 *              processes
 * @nr_pids:    number of elements in @pids
 * @tids:       single threads to count. Excludes @pids
 * @nr_tids:    number of elements in @tids
 * @cgroups:    paths below the cgroup v2 root, each with its subtree. Excludes @pids and @tids
 * @nr_cgroups: number of elements in @cgroups
 * @per:        an enum tprof_counter_per. TPROF_PER_CGROUP without @cgroups: each cgroup by itself, without its subtree
 * @user_only:  do not count in the kernel. What the kernel itself counts (clocks, faults, context switches,
 *              tracepoints) is counted in all modes. If that is not permitted, faults are those of user mode, and
 *              context switches and migrations are TPROF_NOT_SUPPORTED
 * @kernel_only: do not count in user mode, likewise; excludes @user_only
 * @enable_on_exec: tprof_counters__start() prepares counting, which begins when the process in @pids calls execve(2).
 *              Needs exactly one process
 * @log:        receives messages; NULL: they are dropped
 * @log_ctx:    passed to @log
 *
 * Values per thread (of processes), per process and per cgroup are taken by a BPF program at each context switch, from
 * one counter for each event and CPU, however many units there are. They need CAP_BPF and CAP_PERFMON, and the initial
 * pid namespace. They include the context switch of a task that exits, whose own counters have ended by then. All
 * other values are those of the counters that the kernel assigns to threads or CPUs; for one's own
 * processes, these need no privileges where the kernel permits that (perf_event_paranoid).
 */
struct tprof_counters_opts {
	size_t sz;
	const char *const *events;
	size_t nr_events;
	const char *cpus;
	const pid_t *pids;
	size_t nr_pids;
	const pid_t *tids;
	size_t nr_tids;
	const char *const *cgroups;
	size_t nr_cgroups;
	uint32_t per;
	bool user_only;
	bool kernel_only;
	bool enable_on_exec;
	tprof_log_fn log;
	void *log_ctx;
};

/** enum tprof_counter_state - is there a value? */
enum tprof_counter_state {
	TPROF_COUNTED,
	TPROF_NOT_COUNTED,	/* the counter never ran: the unit did not, or the PMU had no free counter */
	TPROF_NOT_SUPPORTED,	/* this machine does not have the event, or cannot count it as requested */
};

/**
 * struct tprof_counter_event - an event that is counted
 * @name:  as in the options, without the braces of its group
 * @unit:  unit of its values: "ns", "cycles", "events", ...
 * @group: index of the first event of its group; its own index if it is not in a group
 * @supported: this machine can count it, as requested
 */
struct tprof_counter_event {
	const char *name;
	const char *unit;
	size_t group;
	bool supported;
};

/**
 * struct tprof_counter_unit - what values belong to
 * @name:  of the thread, process or cgroup; "" for a total and for a CPU. "(others)": units beyond the limit of 65,536
 * @cpu:   number of the CPU; -1: all
 * @pid:   the process; -1: none in particular, or several
 * @tid:   the thread; -1: none in particular, or several
 * @ended: the thread or process has ended, the cgroup was removed, or the CPU is offline; the values remain
 */
struct tprof_counter_unit {
	const char *name;
	int cpu;
	pid_t pid;
	pid_t tid;
	bool ended;
};

/**
 * struct tprof_counter_value - how often an event occurred, since the start
 * @sz:         set by the caller to sizeof(struct tprof_counter_value)
 * @state:      an enum tprof_counter_state; if it is not TPROF_COUNTED, all values are 0
 * @value:      in units of the event. If the counter was multiplexed, an estimate: @raw * @enabled_ns / @running_ns
 * @raw:        what was counted
 * @enabled_ns: time in which the event was to be counted, summed over CPUs or threads. Of processes and threads on
 *              certain CPUs, the time in which they ran there. Software events are always counted
 * @running_ns: part of it in which a counter counted it; less than @enabled_ns under multiplexing
 */
struct tprof_counter_value {
	size_t sz;
	uint32_t state;
	uint64_t value;
	uint64_t raw;
	uint64_t enabled_ns;
	uint64_t running_ns;
};

/**
 * tprof_counters__open() - open counters, which do not count yet
 * @opts:  NULL for defaults: the whole machine, in total
 * @error: NULL, or filled on failure
 *
 * An event that this machine does not have is no error: its values are TPROF_NOT_SUPPORTED. Processes are counted per
 * CPU on the CPUs that are online now.
 *
 * Errors: EINVAL (malformed event or list, a place in code or a mode that cannot be counted, options that exclude each
 * other, an event that is given twice, a group of events that cannot be counted together, the same cgroup twice),
 * ENOENT (no such event or cgroup), ENXIO (a CPU is not online), ESRCH (no such process or thread), EPERM, E2BIG (more
 * than 32 events, or an option that the library does not know), EOPNOTSUPP (another pid namespace, no cgroup v2),
 * EMFILE, ENOMEM.
 */
TPROF_API struct tprof_counters *tprof_counters__open(const struct tprof_counters_opts *opts,
						      struct tprof_error *error);
/** tprof_counters__close() - stop counting and free everything; in a child process, frees its copy only */
TPROF_API void tprof_counters__close(struct tprof_counters *counters);

/** tprof_counters__error() - returns the message of the last call that failed; "" if none has */
TPROF_API const char *tprof_counters__error(const struct tprof_counters *counters);
/** tprof_counters__hint() - returns what the user can do about it, or "" */
TPROF_API const char *tprof_counters__hint(const struct tprof_counters *counters);

/**
 * tprof_counters__start() - start counting, or continue after tprof_counters__stop()
 *
 * Errors: EBUSY (already started, or opened by the process that has forked this one), those of ioctl(2).
 */
TPROF_API int tprof_counters__start(struct tprof_counters *counters);
/**
 * tprof_counters__stop() - stop counting, and read the values
 *
 * Errors: EINVAL (not started), EBUSY (opened by the process that has forked this one), those of
 * tprof_counters__read().
 */
TPROF_API int tprof_counters__stop(struct tprof_counters *counters);
/**
 * tprof_counters__read() - update the values, and follow CPUs that came online or went offline
 *
 * Values of an offline CPU remain. CPUs are looked for here only: until the next call, one that came online is not
 * counted per CPU, per cgroup or in the total of the machine. Call it at least once a second if CPUs may change.
 *
 * Errors: EINVAL (never started), EBUSY (opened by the process that has forked this one), ENOMEM, those of read(2)
 * and bpf(2).
 */
TPROF_API int tprof_counters__read(struct tprof_counters *counters);

/** tprof_counters__nr_events() - returns the number of events */
TPROF_API size_t tprof_counters__nr_events(const struct tprof_counters *counters);
/** tprof_counters__event() - returns an event, in the order of the options; NULL if out of range */
TPROF_API const struct tprof_counter_event *tprof_counters__event(const struct tprof_counters *counters, size_t event);
/**
 * tprof_counters__nr_units() - returns the number of units
 *
 * It can grow with each tprof_counters__read(). The index of a unit never changes. Processes of the options, and with
 * TPROF_PER_THREAD the threads of them and their descendants, are units from the start, also if they do not run.
 */
TPROF_API size_t tprof_counters__nr_units(const struct tprof_counters *counters);
/**
 * tprof_counters__unit() - returns a unit; NULL if out of range
 *
 * Valid until the next tprof_counters__read().
 */
TPROF_API const struct tprof_counter_unit *tprof_counters__unit(const struct tprof_counters *counters, size_t unit);
/**
 * tprof_counters__value() - the value of an event for a unit, as of the last tprof_counters__read()
 * @counters: counters
 * @unit:     less than tprof_counters__nr_units()
 * @event:    less than tprof_counters__nr_events()
 * @value:    filled
 *
 * Errors: EINVAL (out of range, or @sz is not set).
 */
TPROF_API int tprof_counters__value(const struct tprof_counters *counters, size_t unit, size_t event,
				    struct tprof_counter_value *value);

/**
 * tprof_counters__epoll_fd() - a file descriptor for the client's event loop
 * @counters: counters
 *
 * It becomes readable when a process or thread of the options ends, if tprof_counters__targets_gone() is called each
 * time. Linux before 6.9 does not report the end of threads. -1 if none were given.
 */
TPROF_API int tprof_counters__epoll_fd(const struct tprof_counters *counters);

/**
 * tprof_counters__targets_gone() - returns whether all processes and threads of the options have ended
 *
 * Also true if all their descendants have not. False if none were given, and in a child process.
 */
TPROF_API bool tprof_counters__targets_gone(struct tprof_counters *counters);

#ifdef __cplusplus
}
#endif

#endif /* TPROF_TPROF_COUNT_H */
