/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * libtprof: samples the CPUs, lets BPF filters count the samples in the kernel, and returns profiles.
 *
 *	struct tprof_error error;
 *	struct tprof_session *session = tprof_session__open(NULL, &error);
 *	struct tprof_filter *filter = tprof_filter__open("top", &error);
 *
 *	tprof_session__add_filter(session, filter);
 *	tprof_session__start(session);
 *	for (;;) {
 *		tprof_session__wait(session, 1000);
 *		struct tprof_profile *profile = tprof_session__snapshot(session);
 *
 *		if (profile && tprof_profile__nr_entries(profile))
 *			puts(tprof_profile__entry(profile, 0)->symbol);
 *		tprof_profile__free(profile);
 *	}
 *	tprof_session__close(session);
 *
 * Rules for all functions, unless a function says otherwise:
 *  - Functions that return int return 0 or -errno. Functions that return a pointer return NULL and set errno.
 *    The error message is in the object (tprof_session__error(), tprof_filter__error()). Functions that create an
 *    object, and functions without one, store it in a struct tprof_error of the caller, which may be NULL. Functions of
 *    profiles that fail return only the errno.
 *  - Strings and pointers that a function returns belong to the object, and are valid as long as the object.
 *  - Names in profiles, symbols and recordings, error messages, warnings, and log messages are UTF-8 without control
 *    characters: each byte of a control character or of invalid UTF-8 is replaced by a question mark.
 *  - Functions that free or close accept NULL. All other functions need every pointer, unless their description or that
 *    of the option says what NULL means. The ctx of a callback may always be NULL.
 *  - The library has no threads, prints nothing and never exits. It has no global state, except that it sets the print
 *    function of libbpf during calls of libbpf and then restores it. An object may be used from any thread, but from
 *    only one at a time. After fork(), a prepared session belongs to the parent: in the child, calls with it fail with
 *    EBUSY, and tprof_session__close() does nothing.
 *  - Structs that begin with sz can grow at their end, so the program and the library may know different sizes. The
 *    caller sets sz to sizeof(struct ...), as TPROF_OPTS() does. If sz is not set, or cannot be the size of the struct
 *    (more than 64 KiB, or not a multiple of sizeof(size_t)), the call fails with EINVAL.
 *    Option structs: members that the caller's struct does not have are 0. Members that the library does not know must
 *    be 0; otherwise the call fails with E2BIG.
 *    Structs that the library fills: the library writes at most sz bytes and leaves sz unchanged; members that it does
 *    not know become 0. If the call fails, the struct is unchanged.
 */
#ifndef TPROF_H
#define TPROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "uapi/tprof.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TPROF_API __attribute__((visibility("default")))

/* Declares an option struct with its size set: TPROF_OPTS(tprof_session_opts, opts, .rate_hz = 997); */
#define TPROF_OPTS(type, name, ...) struct type name = { .sz = sizeof(struct type), __VA_ARGS__ }

/**
 * struct tprof_error - why a call failed
 * @text: one sentence without a full stop, "what: why"; empty if nothing failed
 * @hint: what the user can do about it; empty if nothing is known
 */
struct tprof_error {
	char text[512];
	char hint[256];
};

/** enum tprof_log_level - severity of a message to the log callback */
enum tprof_log_level {
	TPROF_LOG_WARN,		/* the result is incomplete or less exact; each warning is reported once */
	TPROF_LOG_INFO,		/* what was selected, and why */
	TPROF_LOG_DEBUG,	/* what the library does; includes messages of libbpf and of the verifier */
};

/**
 * typedef tprof_log_fn - receives the messages of the library
 * @ctx:     the context that was set with the callback
 * @level:   severity
 * @message: one line without a newline; valid during the call only
 *
 * Called on the caller's thread, during a call of the library. It must not call the library.
 */
typedef void (*tprof_log_fn)(void *ctx, enum tprof_log_level level, const char *message);

/** enum tprof_mode - what a CPU was doing when a sample was taken */
enum tprof_mode {
	TPROF_MODE_UNKNOWN,
	TPROF_MODE_USER,
	TPROF_MODE_KERNEL,
	TPROF_MODE_GUEST,
	TPROF_MODE_IDLE,
};

/** tprof_mode__name() - returns "user", "kernel", "guest", "idle" or "unknown"; a static string */
TPROF_API const char *tprof_mode__name(enum tprof_mode mode);

/** tprof_version() - returns the version of the library, "MAJOR.MINOR.PATCH"; a static string */
TPROF_API const char *tprof_version(void);

/**
 * tprof_text__mend() - replace each byte that is not part of valid UTF-8 by a question mark
 * @text: changed in place; its length stays the same
 *
 * Names of threads, files and filters can contain any bytes, and the kernel truncates thread names, possibly within a
 * character. JSON and XML require UTF-8, and other programs reject anything else. Control characters are kept.
 */
TPROF_API void tprof_text__mend(char *text);

/* Session ------------------------------------------------------------------------------------------------ */

struct tprof_session;
struct tprof_filter;
struct tprof_profile;
struct tprof_ledger;
struct tprof_event_opts;

/* Limits and defaults of struct tprof_session_opts, for clients that show them. */
#define TPROF_RATE_HZ_DEFAULT	99
#define TPROF_RATE_HZ_MAX	100000

/**
 * struct tprof_session_opts - what to sample
 * @sz:         size of this struct
 * @engine:     "kmod" or "perf"; NULL: the best one that works on this machine
 * @event:      event to sample: a name as in `tprof list events`, rNNN, or pmu/term=value,.../; with the engine kmod
 *              also GROUP:NAME of a tracepoint, kprobe:FUNCTION, uprobe:PATH:FUNCTION and others of tprof-list(1).
 *              NULL: cycles, or cpu-clock if the machine has no cycle counter. On hybrid machines, hardware, cache
 *              and raw events stand for an event of the PMU of each type of CPU, cpu_core/cycles/ and
 *              cpu_atom/cycles/, which a PMU before the name selects
 * @rate_hz:    samples per second on each CPU, 1 to 100,000; 0: 99 unless @period is set or the event is a tracepoint
 *              or a place in code, whose period is then 1. Waits (off-cpu), runs (on-cpu) and wake-ups (wakeup)
 *              have no rate
 * @period:     take a sample every @period events, at most INT64_MAX; for clock events in nanoseconds, at least 10,000.
 *              For off-cpu in nanoseconds of waiting: 1, the default, takes each wait with its length. For on-cpu and
 *              wakeup only 1, the default. Excludes @rate_hz
 * @cpus:       list of CPUs such as "0-3,8"; NULL: all that are online, also those that come online later. Engine perf
 *              finds these within a second or two, if tprof_session__dispatch() is called
 * @pids:       processes to sample, with all their descendants; NULL and 0: all processes
 * @nr_pids:    number of elements in @pids
 * @tids:       single threads to sample, in addition to @pids
 * @nr_tids:    number of elements in @tids
 * @cgroups:    paths below the cgroup v2 root, each with its subtree; NULL: all. At most 8
 * @nr_cgroups: number of elements in @cgroups
 * @comm:       only threads of this name, 1 to 15 bytes; NULL: all
 * @user_only:  only samples of user mode
 * @kernel_only: only samples of kernel mode; excludes @user_only
 * @tables:     also fill the rows of profiles (tprof_profile__row()); costs time
 * @log:        receives messages; NULL: they are dropped
 * @log_ctx:    passed to @log
 * @lines:      add the source line to each frame and entry, from debug information. Costs time and memory. Debug
 *              information is read by libdw, which ends the process if memory runs out
 * @inlines:    add inlined functions as frames of their own, from debug information; same costs as @lines
 * @debuginfod_ms: ask the servers in DEBUGINFOD_URLS for debug files that are not on this machine, for at most this
 *              many milliseconds in total. During a download sampling continues, but tables are not drained. 0: ask no
 *              server, even if DEBUGINFOD_URLS is set. The client library of debuginfod stays loaded
 * @events:     several events to sample at once, each with its own rate or period. Excludes @event, @rate_hz and
 *              @period. The index of an event in this array is that of its samples (struct tprof_sample), and of its
 *              values in profiles. The table that entries are made of needs a tprof_event_t in its key
 * @nr_events:  number of elements in @events, at most TPROF_EVENTS_MAX; 0: one event, @event
 * @wait_min_ns: waits (event off-cpu) shorter than this are only counted in the ledger, as below_min; nanoseconds. 0:
 *              all waits are given to the filter
 * @stream_bytes: capacity for kept samples that have not been read: of each CPU (engine kmod), or of each filter object
 *              (engine perf). A power of two from the page size to 64 MiB; 0: 64 KiB (kmod) or 256 KiB (perf). A sample
 *              beyond that is lost as stream_full
 * @stall:      while the stream of a CPU is full, do not call filters for its samples, which are lost as stream_full:
 *              tables then have no sample that the stream lacks. Reading samples ends that. Engine kmod only
 *
 * A sample has to match all criteria; one that does not match is counted as out_of_scope. Process and thread ids are
 * those of the caller's pid namespace. Engine perf refuses them outside the initial pid namespace (EOPNOTSUPP).
 */
struct tprof_session_opts {
	size_t sz;
	const char *engine;
	const char *event;
	uint64_t rate_hz;
	uint64_t period;
	const char *cpus;
	const pid_t *pids;
	size_t nr_pids;
	const pid_t *tids;
	size_t nr_tids;
	const char *const *cgroups;
	size_t nr_cgroups;
	const char *comm;
	bool user_only;
	bool kernel_only;
	bool tables;
	tprof_log_fn log;
	void *log_ctx;
	bool lines;
	bool inlines;
	uint64_t debuginfod_ms;
	const struct tprof_event_opts *events;
	size_t nr_events;
	uint64_t wait_min_ns;
	uint64_t stream_bytes;
	bool stall;
};

/**
 * struct tprof_info - what a session really uses
 * @sz:        set by the caller to sizeof(struct tprof_info)
 * @engine:    "kmod" or "perf"; in profiles also "unknown" (from a file without a ledger) and "several" (merged)
 * @event:     name of the event that is sampled; of several, the first. tprof_session__event() describes the others
 * @unit:      unit of weights: "ns", "cycles", "events", ...
 * @fallback:  why the event is not the requested one ("cycles -> cpu-clock: no hardware counters on this machine"), or
 *             NULL. In a profile from a file of another program: the unit, which other values the file has, and what
 *             was left out
 * @rate_hz:   target rate in samples per second on each CPU; 0 if the period is fixed by the user
 * @period:    current period: events per sample
 * @nr_cpus:   number of CPUs that are sampled
 * @nr_online: number of CPUs that are online
 * @warnings:  what readers of the results should know, or NULL: sentences separated by "; ". One for each perf map that
 *             was not read so far; one if other BPF programs kept samples from being taken
 *             (TPROF_LOST_ENGINE_MISSED); those of tprof_session__warn(); and, in the info of a profile only, one if
 *             much of its code was compiled at run time and has no name, and one if nothing was counted by a filter
 *             that is for another event
 */
struct tprof_info {
	size_t sz;
	const char *engine;
	const char *event;
	const char *unit;
	const char *fallback;
	uint64_t rate_hz;
	uint64_t period;
	unsigned int nr_cpus;
	unsigned int nr_online;
	const char *warnings;
};

/**
 * tprof_session__open() - check the options, and select the engine and the event
 * @opts:  NULL for defaults
 * @error: NULL, or filled on failure
 *
 * The new session does not sample yet and keeps no kernel resources. Close it with tprof_session__close(). The strings
 * and arrays in @opts are not needed after the call.
 *
 * If a number in @opts is out of range, the error message begins with the name of the member ("rate_hz 200000: ...").
 * If members exclude each other, it begins with both ("rate_hz and period ..."). A client can replace these words by
 * the names of its own options.
 *
 * Errors: EINVAL (an option is invalid, options exclude each other, an event is given twice, or @debuginfod_ms is set
 * and DEBUGINFOD_URLS is not), E2BIG (more than 8 cgroups, or more than 8 events), ENOENT (no such event or cgroup),
 * ESRCH (no such process or thread), ENXIO (no such CPU), EPERM (missing privileges), EOPNOTSUPP (the kernel or the
 * machine lacks a feature, the engine cannot stall, or debuginfod's client library is missing), ENOMEM.
 */
TPROF_API struct tprof_session *tprof_session__open(const struct tprof_session_opts *opts,
						    struct tprof_error *error);

/**
 * tprof_session__close() - stop the session, remove its pins, and free it with its filters
 * @session: in any state, or NULL. No other thread may use it, not even in tprof_session__wait()
 *
 * Does not stop a session that has a descriptor for other processes (tprof_session__fd()).
 *
 * Does nothing in a child process that inherited a prepared session by fork().
 */
TPROF_API void tprof_session__close(struct tprof_session *session);

/** tprof_session__error() - returns the message of the last failed call; never NULL, valid until the next call */
TPROF_API const char *tprof_session__error(const struct tprof_session *session);
/** tprof_session__hint() - returns what the user can do about the error; never NULL, empty if nothing is known */
TPROF_API const char *tprof_session__hint(const struct tprof_session *session);

/**
 * tprof_session__add_filter() - add a filter that receives the samples of the session
 * @session: not prepared or started yet
 * @filter:  owned by the session from now on, even on failure
 *
 * Each filter receives every sample. With several filters, engine perf adds up the ledgers of the filters; engine kmod
 * counts each sample once.
 *
 * Errors: EBUSY (prepared or started already; @filter was loaded by tprof_filter__check(); or it belongs to a session
 * already, whose filter it stays), EINVAL (@filter is NULL), ENOMEM.
 */
TPROF_API int tprof_session__add_filter(struct tprof_session *session, struct tprof_filter *filter);

/**
 * tprof_session__add_pid() - also sample a process and its descendants
 * @session: opened with at least one process or thread in its options; or not prepared yet
 * @pid:     in the caller's pid namespace
 *
 * Errors: EINVAL (@pid is not positive), ESRCH (no such process), EBUSY (the session is prepared or started, and
 * samples all processes), E2BIG (too many processes), EOPNOTSUPP (engine perf outside the initial pid namespace),
 * ENOMEM.
 */
TPROF_API int tprof_session__add_pid(struct tprof_session *session, pid_t pid);

/**
 * tprof_session__prepare() - load the filters and open all events, but do not start sampling
 * @session: not prepared yet, with at least one filter
 *
 * Does everything that needs privileges. tprof_session__start() calls it if the client has not; call it to do something
 * between the two steps, such as tprof_session__sandbox() or tprof_session__pin().
 *
 * Errors: those of tprof_session__start().
 */
TPROF_API int tprof_session__prepare(struct tprof_session *session);

/**
 * tprof_session__warn() - add a warning to all outputs
 * @session:  a session
 * @sentence: without a full stop; copied. It is added to the warnings in struct tprof_info; dropped if it is empty, or
 *            if they would exceed about 1000 bytes
 */
TPROF_API void tprof_session__warn(struct tprof_session *session, const char *sentence);

/**
 * tprof_session__start() - start sampling, or start it again after tprof_session__stop()
 * @session: not running, with at least one filter
 *
 * Calls tprof_session__prepare() if that has not been done. A session that was stopped continues: its ledger and its
 * tables go on, and the time in between is missing nowhere.
 *
 * Errors: EINVAL (no filter, the verifier refused one, or it cannot have the events of the session), EBUSY (running or
 * paused; or its raw recording has ended), EPERM (missing privileges), EOPNOTSUPP (the kernel or the machine lacks a
 * feature), EMFILE (limit of open files), ENOMEM.
 */
TPROF_API int tprof_session__start(struct tprof_session *session);

/**
 * tprof_session__seal() - forbid, until the session is closed, to change what it samples
 * @session: prepared or started
 *
 * The kernel then refuses other filters, targets, CPUs and events for this session, also if another program has taken
 * control of the process: tprof_session__add_pid() fails with EPERM. The period may change only if it follows the rate.
 *
 * Errors: EINVAL (not prepared), EOPNOTSUPP (engine perf, or an older module).
 */
TPROF_API int tprof_session__seal(struct tprof_session *session);

/**
 * tprof_session__enable_filters() - call filters again that were disabled because they took too much CPU time
 * @session: prepared or started
 *
 * Engine kmod disables a filter that exceeds its share of a CPU (module parameter budget_permille); the samples that it
 * does not see are lost as over_budget. Returns the number of filters that are called again; 0 with engine perf.
 *
 * Errors: EINVAL (not prepared), EAGAIN (a filter exceeded its budget less than a second ago).
 */
TPROF_API int tprof_session__enable_filters(struct tprof_session *session);

/**
 * tprof_session__stop() - stop sampling; everything that was counted can still be read
 * @session: a session; succeeds if it is not running
 *
 * tprof_session__start() starts it again.
 */
TPROF_API int tprof_session__stop(struct tprof_session *session);

/**
 * tprof_session__epoll_fd() - a file descriptor for the client's event loop
 * @session: a session
 *
 * The file descriptor is readable while tprof_session__dispatch() has work to do. It also becomes readable, until the
 * next tprof_session__dispatch(), when filters have kept samples; for samples that are kept later, only after
 * tprof_session__read_samples(). It belongs to the session and is valid from tprof_session__prepare() to
 * tprof_session__close(); -1 before.
 */
TPROF_API int tprof_session__epoll_fd(const struct tprof_session *session);

/**
 * tprof_session__dispatch() - do the pending work, without waiting
 * @session: started, or stopped again
 *
 * Processes side-band events (exec, mmap, fork, exit) and drains tables before they fill. A client that sleeps longer
 * has to call this, or tprof_session__wait(), whenever the epoll file descriptor is readable. Otherwise side-band
 * events are lost, and with them names of short-lived processes (@sideband_lost in struct tprof_ledger), and tables may
 * fill (counted as table_full).
 *
 * Errors: EINVAL (not started), ENOMEM; with tprof_session__raw_begin(), those of write(2).
 */
TPROF_API int tprof_session__dispatch(struct tprof_session *session);

/**
 * tprof_session__targets_gone() - returns whether all processes and threads that were selected have ended
 * @session: a session
 *
 * True once tprof_session__dispatch() has seen the end of the last process or thread that was given in the options or
 * added; descendants may still run, and are still sampled. False if none was given. The epoll file descriptor becomes
 * readable when one that still has to be waited for ends. Linux before 6.9 does not report the end of threads; they are
 * checked once a second.
 */
TPROF_API bool tprof_session__targets_gone(const struct tprof_session *session);

/**
 * tprof_session__wait() - call tprof_session__dispatch() as needed until a time is over
 * @session:    started, or stopped again
 * @timeout_ms: milliseconds, 0 or more; returns when they are over
 *
 * Errors: EINVAL (not started, or @timeout_ms is negative), EINTR (interrupted by a signal), those of
 * tprof_session__dispatch().
 */
TPROF_API int tprof_session__wait(struct tprof_session *session, int timeout_ms);

/**
 * tprof_session__snapshot() - returns what was counted since the previous snapshot
 * @session: started, or stopped again
 *
 * Each count, and each sample of the ledger, is in exactly one snapshot. Entries, ledger and duration of a profile
 * cover the same time, which ends when the call begins; what is counted while the tables are read belongs to the next
 * snapshot. Sampling continues during the call.
 *
 * The caller frees the profile with tprof_profile__free(), before or after the session.
 *
 * Errors: EINVAL (not started), ENOMEM; with tprof_session__raw_begin(), those of write(2). After an error nothing is
 * lost: the next snapshot contains everything. Exception: if there was no memory to store what had already been read,
 * all later snapshots fail too.
 */
TPROF_API struct tprof_profile *tprof_session__snapshot(struct tprof_session *session);

/** tprof_session__info() - what the session really uses; strings are valid until the next call with the session */
TPROF_API int tprof_session__info(const struct tprof_session *session, struct tprof_info *info);

/**
 * tprof_session__read_samples() - read the samples that filters kept
 * @session: started, or stopped again
 * @fn:      called for each sample, which is valid during the call only; a value other than 0 ends the reading and is
 *           returned
 * @ctx:     passed to @fn
 *
 * Returns the number of samples that were read, or the value of @fn. Engine kmod returns the samples of one call with
 * the oldest first; engine perf in the order in which they were kept. Samples that are kept during the call are left
 * for the next call.
 *
 * Until the first call, kept samples are counted in snapshots instead. To receive all samples, call it right after
 * tprof_session__start(). From then on the client has to read them regularly, otherwise they are lost (stream_full):
 * whenever the epoll file descriptor is readable, call tprof_session__dispatch() and then this function. Samples that
 * are left, or arrive later, make the file descriptor readable again.
 *
 * Errors: EINVAL (not started).
 */
TPROF_API int tprof_session__read_samples(struct tprof_session *session,
					  int (*fn)(void *ctx, const struct tprof_sample *sample), void *ctx);

/**
 * tprof_session__pin() - pin the maps below /sys/fs/bpf/tprof/SESSION/ until the session is closed
 * @session: prepared or started, and not in a sandbox
 *
 * Also removes pins of sessions whose process was killed.
 *
 * Errors: ENOENT (no BPF file system is mounted), EPERM (missing privileges), EBUSY (not prepared, in a sandbox, or
 * pinned already), ENOMEM.
 */
TPROF_API int tprof_session__pin(struct tprof_session *session);

/** tprof_session__pin_path() - returns the directory of the pins; NULL if the session is not pinned */
TPROF_API const char *tprof_session__pin_path(const struct tprof_session *session);

/* Symbolization of single addresses, for clients that read tables or samples themselves. */

/**
 * struct tprof_symbol - the symbol of an address
 * @name:   function, demangled. "[object+0xoffset]" if there is no symbol, never the name of a neighbor; with the
 *          offset of the start of the function if that is known
 * @object: file name of the program or library, "[kernel]", "[module]", "[vdso]", "[bpf]", "[jit]", ...
 * @offset: bytes from the start of the function, or 0
 *
 * Strings are valid until the next call with the session.
 */
struct tprof_symbol {
	const char *name;
	const char *object;
	uint64_t offset;
};

/**
 * tprof_session__symbolize() - symbolize a code address
 * @session: a session
 * @tgid:    process in the initial pid namespace; ignored for kernel addresses
 * @exec_id: tprof_sample.exec_id; 0 if unknown
 * @ip:      the address
 * @symbol:  filled; @name is always set
 *
 * Errors: ENOMEM.
 */
TPROF_API int tprof_session__symbolize(struct tprof_session *session, pid_t tgid, uint32_t exec_id, uint64_t ip,
				       struct tprof_symbol *symbol);

#ifdef __cplusplus
}
#endif

#include "tprof_control.h"
#include "tprof_count.h"
#include "tprof_event.h"
#include "tprof_filter.h"
#include "tprof_ledger.h"
#include "tprof_machine.h"
#include "tprof_profile.h"
#include "tprof_raw.h"
#include "tprof_self.h"

#endif /* TPROF_H */
