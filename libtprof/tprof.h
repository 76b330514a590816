/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * libtprof: sample what the CPUs do, let a BPF filter count it in the kernel, and read the answer.
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
 * Rules that hold for every function unless it says otherwise:
 *  - Functions that return int return 0 or -errno. Those that return a pointer return NULL and set errno.
 *    A sentence on what failed is in the object (tprof_session__error()) or, for the functions that make an
 *    object, in the struct tprof_error that the caller passed (which may be NULL).
 *  - Strings and pointers that a function returns belong to the object and live as long as it does.
 *  - Names in profiles, of symbols and in recordings are UTF-8 without control characters, whatever they were called:
 *    each byte of what is not has become a question mark. So are sentences on what failed, and messages to the log.
 *  - Every function that frees or closes takes NULL.
 *  - The library has no threads, prints nothing and never exits, and no global state but that it takes libbpf's print
 *    function while it calls libbpf, and gives it back. Objects may be used from any thread, but each from one at a
 *    time.
 *  - Structs that begin with sz grow at their end, and program and library may know different lengths of them. The
 *    caller sets sz to sizeof(struct ...), as TPROF_OPTS() does. Where sz is not set, the call fails with EINVAL.
 *    Options: members that the caller's struct does not have are 0. A member that the library does not know has to be
 *    0; otherwise the call fails with E2BIG.
 *    Structs that the library fills: it writes sz bytes at most and leaves sz as it is; members that it does not know
 *    become 0. The contents are as they were if the call fails, unless the function says otherwise.
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
 * struct tprof_error - why a call failed, in words
 * @text: one sentence without a full stop: "what: why"; empty if nothing failed
 * @hint: what the user can do about it; empty where nothing is known
 */
struct tprof_error {
	char text[512];
	char hint[256];
};

/** enum tprof_log_level - weight of a message to the log callback */
enum tprof_log_level {
	TPROF_LOG_WARN,		/* something is missing from the answer or less exact; said once each */
	TPROF_LOG_INFO,		/* what was chosen and why */
	TPROF_LOG_DEBUG,	/* what the library does; includes libbpf's and the verifier's own words */
};

/**
 * typedef tprof_log_fn - receives what the library has to say
 * @ctx:     as passed with the callback
 * @level:   weight
 * @message: one line without a newline; valid during the call only
 *
 * Called from within library calls, on the caller's thread; must not call the library.
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

/** tprof_mode__name() - "user", "kernel", "guest", "idle" or "unknown" */
TPROF_API const char *tprof_mode__name(enum tprof_mode mode);

/** tprof_version() - version of the library, "MAJOR.MINOR.PATCH" */
TPROF_API const char *tprof_version(void);

/**
 * tprof_text__mend() - replace what is no UTF-8 by question marks, one for each byte
 * @text: is changed
 *
 * Names of threads, files and filters may be of any bytes, and the kernel cuts the former in the middle of a letter.
 * JSON and XML are UTF-8, and other programs refuse what is not.
 */
TPROF_API void tprof_text__mend(char *text);

/* Session ------------------------------------------------------------------------------------------------ */

struct tprof_session;
struct tprof_filter;
struct tprof_profile;

/**
 * struct tprof_session_opts - what to sample
 * @sz:         size of this struct
 * @engine:     "kmod", "perf", or NULL for the best that works here
 * @event:      what to count: an event name as in `tprof list events`, rNNN, or pmu/term=value,.../.
 *              NULL: cycles, or cpu-clock where there is no such counter
 * @rate_hz:    samples a second on each CPU, 1 to 100,000; 0: 99 unless @period is set
 * @period:     take a sample every so many events (nanoseconds for cpu-clock); not together with @rate_hz
 * @cpus:       list such as "0-3,8"; NULL: all that are online
 * @pids:       processes to sample, with all that descend from them; NULL: all
 * @nr_pids:    how many
 * @tids:       single threads to sample, besides @pids
 * @nr_tids:    how many
 * @cgroups:    paths below the cgroup v2 root, each with its subtree; NULL: all. At most 8
 * @nr_cgroups: how many
 * @comm:       only threads of this name; NULL: all
 * @user_only:  drop samples from the kernel
 * @kernel_only: drop samples from user mode; not together with @user_only
 * @tables:     fill the rows of profiles too (tprof_profile__row()); costs time
 * @log:        where messages go; NULL: nowhere
 * @log_ctx:    passed to @log
 * @lines:      tell the source line of each frame and entry, from debug information; costs time and memory, and where
 *              that lacks libdw, which reads it, ends the process
 * @inlines:    tell functions that were inlined as frames of their own, from debug information; costs the same
 * @debuginfod_ms: ask the servers in DEBUGINFOD_URLS for debug files that are not on this machine, for so many
 *              milliseconds in all, in which samples go on but tables are not read; 0: ask nobody, even if that is set
 *
 * A sample has to satisfy all that is given. What does not is accounted as out_of_scope. Processes and threads are
 * those of the caller's pid namespace; engine perf refuses them in another one than the initial (EOPNOTSUPP).
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
};

/**
 * struct tprof_info - what a session really does
 * @sz:        set by the caller to sizeof(struct tprof_info)
 * @engine:    "kmod" or "perf"
 * @event:     name of the event that is counted
 * @unit:      what weights are in: "ns", "cycles", "events", ...
 * @fallback:  why it is not what was asked for ("cycles -> cpu-clock: no hardware counters on this machine"),
 *             or NULL. Of a file of another program: the unit, which other values it has, and what was left out
 * @rate_hz:   samples a second and CPU that are aimed at, or 0 if the period is fixed by the user
 * @period:    events per sample at present
 * @nr_cpus:   how many CPUs are sampled
 * @nr_online: how many CPUs are online
 * @warnings:  what readers should know: sentences separated by "; ", one for each perf map that was not read so far,
 *             one if much code that was compiled at run time has no name, one if other BPF programs kept samples from
 *             being taken (TPROF_LOST_ENGINE_MISSED), and those of tprof_session__warn(); or NULL
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

/* Capacities of the arrays in the ledger: an outcome or a reason that is added later moves no other member. */
#define TPROF_LEDGER_OUTCOMES		8
#define TPROF_LEDGER_LOST_REASONS	32
#define TPROF_LEDGER_COUNTINGS		8

/**
 * struct tprof_ledger - the account of every sample
 * @sz:        set by the caller to sizeof(struct tprof_ledger)
 * @fired:     how often the event fired: the counters' own count
 * @outcomes:  by enum tprof_outcome; 0 for those that the library does not know
 * @lost:      by enum tprof_lost_reason, likewise
 * @countings: by enum tprof_counting, likewise: what became of the filters' counting calls
 * @idle:      of those fired, in scope or not: the filter saw them, and the CPU was idle
 * @counter:   what the counters read, divided by the period. Engine perf: @fired.samples less those throttled differs
 *             from it by less than one a CPU. Engine kmod: @fired.weight divided by the period does, by less than two,
 *             for a sample may stand for several periods (those of idle CPUs do)
 * @sideband_lost: side-band events (exec, mmap, fork, exit) that were lost; names may be missing for them
 * @not_in_file: counted, but not in the raw recording that this was read from, because that was cut short or is damaged
 * @unnamed_sideband_lost: of those aggregated: the process was not known, or the code at the address, while such events
 *             were lost
 *
 * fired = sum(outcomes) + sum(lost), in samples and in weight, at any time.
 */
struct tprof_ledger {
	size_t sz;
	struct tprof_tally fired;
	struct tprof_tally outcomes[TPROF_LEDGER_OUTCOMES];
	struct tprof_tally lost[TPROF_LEDGER_LOST_REASONS];
	struct tprof_tally countings[TPROF_LEDGER_COUNTINGS];
	struct tprof_tally idle;
	double counter;
	uint64_t sideband_lost;
	struct tprof_tally not_in_file;
	struct tprof_tally unnamed_sideband_lost;
};

TPROF_ASSERT(TPROF_NR_OUTCOMES <= TPROF_LEDGER_OUTCOMES);
TPROF_ASSERT(TPROF_NR_LOST_REASONS <= TPROF_LEDGER_LOST_REASONS);
TPROF_ASSERT(TPROF_NR_COUNTINGS <= TPROF_LEDGER_COUNTINGS);

/** tprof_outcome__name() - name of an outcome as in JSON, or NULL */
TPROF_API const char *tprof_outcome__name(enum tprof_outcome outcome);
/** tprof_lost_reason__name() - name of a reason as in JSON, or NULL */
TPROF_API const char *tprof_lost_reason__name(enum tprof_lost_reason reason);
/** tprof_lost_reason__text() - the reason in words, or NULL */
TPROF_API const char *tprof_lost_reason__text(enum tprof_lost_reason reason);
/** tprof_counting__name() - name of a counting result as in JSON, or NULL */
TPROF_API const char *tprof_counting__name(enum tprof_counting counting);

/**
 * tprof_ledger__lost() - all that was lost and matters to the answer
 * @ledger: a ledger
 *
 * Sums the reasons, less those for samples of idle CPUs (see TPROF_LOST_IDLE_MISSED).
 */
TPROF_API struct tprof_tally tprof_ledger__lost(const struct tprof_ledger *ledger);

/**
 * struct tprof_loss - how much is missing of what was asked for
 * @sz:       set by the caller to sizeof(struct tprof_loss)
 * @missing:  samples in scope that were lost, and counting calls that found no place
 * @in_scope: of so many, missing ones included
 * @percent:  that as a share, 0 to 100
 * @text:     a sentence without a full stop if it is more than 1 %: how much, for which reasons, and which option mends
 *            it; empty otherwise
 *
 * Samples of some reasons were lost before anybody asked whether they are in scope: of these, as many are taken to have
 * been as of the samples of busy CPUs of which it is known, rounded up.
 */
struct tprof_loss {
	size_t sz;
	uint64_t missing;
	uint64_t in_scope;
	double percent;
	char text[1024];
};

/**
 * tprof_ledger__loss() - how much of what was asked for is missing, in numbers and in words
 * @ledger: of a session, or of any part of its time
 * @loss:   filled
 */
TPROF_API void tprof_ledger__loss(const struct tprof_ledger *ledger, struct tprof_loss *loss);

/**
 * tprof_ledger__difference() - what is missing for the ledger to close: always 0 and 0
 * @ledger: a ledger
 *
 * fired - sum(outcomes) - sum(lost), as unsigned numbers. For tests, which check it.
 */
TPROF_API struct tprof_tally tprof_ledger__difference(const struct tprof_ledger *ledger);

/**
 * tprof_session__open() - check the options, choose engine and event, take nothing yet
 * @opts:  NULL for defaults
 * @error: NULL, or filled on failure
 *
 * Errors: EINVAL (an option makes no sense), ENOENT (no such event or cgroup), ESRCH (no such process),
 * ENXIO (no such CPU), EPERM (not allowed), EOPNOTSUPP (the kernel cannot), ENOMEM.
 */
TPROF_API struct tprof_session *tprof_session__open(const struct tprof_session_opts *opts,
						    struct tprof_error *error);

/** tprof_session__close() - stop, remove pins, release everything */
TPROF_API void tprof_session__close(struct tprof_session *session);

/** tprof_session__error() - the sentence of the last call that failed; never NULL */
TPROF_API const char *tprof_session__error(const struct tprof_session *session);
/** tprof_session__hint() - what can be done about it; never NULL, often empty */
TPROF_API const char *tprof_session__hint(const struct tprof_session *session);

/**
 * tprof_session__add_filter() - let a filter see the samples of the session
 * @session: not started yet
 * @filter:  the session's from now on, on failure too
 *
 * With several filters each one sees every sample. Engine perf: the ledger is then the sum over the filters; kmod: each
 * sample is accounted for once.
 * Errors: EBUSY (started already), EINVAL (filter is NULL), ENOMEM.
 */
TPROF_API int tprof_session__add_filter(struct tprof_session *session, struct tprof_filter *filter);

/**
 * tprof_session__add_pid() - sample one more process with its descendants
 * @session: opened with at least one process in its options, or with none and not started
 * @pid:     in the caller's pid namespace
 *
 * Errors: EINVAL (not a number of a process), ESRCH, EBUSY (the session samples all processes already and is started),
 * EOPNOTSUPP (engine perf, in another pid namespace than the initial one).
 */
TPROF_API int tprof_session__add_pid(struct tprof_session *session, pid_t pid);

/**
 * tprof_session__prepare() - load the filters and open all events, and let none run yet
 * @session: with at least one filter
 *
 * All that needs privileges. For those who do something between this and tprof_session__start(), which does it
 * otherwise.
 * Errors: those of tprof_session__start().
 */
TPROF_API int tprof_session__prepare(struct tprof_session *session);

/**
 * tprof_session__warn() - have all outputs say something
 * @session: a session
 * @sentence: without a full stop; copied. It stands among the warnings of struct tprof_info, unless these are longer
 *            than 1000 bytes by now
 */
TPROF_API void tprof_session__warn(struct tprof_session *session, const char *sentence);

/**
 * tprof_session__start() - load the filters, program the counters, let them run
 * @session: with at least one filter
 *
 * Errors: EINVAL (no filter; the verifier refused one), EBUSY (started already), EPERM, EOPNOTSUPP, ENOMEM,
 * EMFILE.
 */
TPROF_API int tprof_session__start(struct tprof_session *session);

/**
 * tprof_session__stop() - stop the counters; all that was counted can still be read
 * @session: a session; success if it is not running
 */
TPROF_API int tprof_session__stop(struct tprof_session *session);

/**
 * tprof_session__epoll_fd() - a descriptor for the client's event loop
 *
 * Readable when tprof_session__dispatch() has something to do, until that was called. So it is once filters have kept
 * samples: again only after tprof_session__read_samples(). Valid from start to close.
 */
TPROF_API int tprof_session__epoll_fd(const struct tprof_session *session);

/**
 * tprof_session__dispatch() - do what is pending, without waiting
 *
 * Follows processes as they start and end, and empties tables before they fill up. A client that sleeps for
 * long should call this (or tprof_session__wait()) whenever the epoll descriptor is readable; otherwise
 * names of short-lived processes get lost (counted in @sideband_lost) and tables may run full (counted as
 * table_full).
 * Errors: EINVAL (not started).
 */
TPROF_API int tprof_session__dispatch(struct tprof_session *session);

/**
 * tprof_session__targets_gone() - have all the processes and threads that the session was asked to sample ended?
 * @session: a session
 *
 * True once tprof_session__dispatch() has seen the last of those end that were in the options or added; what descends
 * from them may go on, and is sampled. False where none were given. The epoll descriptor is readable when one of them
 * ends that has to be waited for; Linux before 6.9 does not tell of threads, which are looked for once a second.
 */
TPROF_API bool tprof_session__targets_gone(const struct tprof_session *session);

/**
 * tprof_session__wait() - dispatch for some time
 * @session:    started, or stopped again
 * @timeout_ms: milliseconds; returns when they are over
 *
 * Errors: EINVAL (not started), EINTR (a signal came).
 */
TPROF_API int tprof_session__wait(struct tprof_session *session, int timeout_ms);

/**
 * tprof_session__snapshot() - what was counted since the last snapshot
 * @session: started, or stopped again
 *
 * Every count is in exactly one snapshot, and so is every sample of the ledger: entries, ledger and duration of a
 * profile are those of the same time, which ends when the call begins. What is counted while tables are read is for
 * the next one. The counters keep running meanwhile. Free the profile before or after the session, as you like.
 * Errors: EINVAL (not started), ENOMEM; nothing is lost by one, the next snapshot has it all. But where there was no
 * memory to keep what had been read already, each later one fails too.
 */
TPROF_API struct tprof_profile *tprof_session__snapshot(struct tprof_session *session);

/**
 * tprof_session__ledger() - the account since start; exact when stopped, consistent at any time
 * @session: started, or stopped again
 * @ledger:  filled
 *
 * Errors: EINVAL (not started).
 */
TPROF_API int tprof_session__ledger(struct tprof_session *session, struct tprof_ledger *ledger);

/** tprof_session__info() - what the session really does; strings belong to the session */
TPROF_API int tprof_session__info(const struct tprof_session *session, struct tprof_info *info);

/**
 * tprof_session__read_samples() - hand over the samples that filters kept
 * @session: started, or stopped again
 * @fn:      called for each; a return value other than 0 ends the reading and is returned
 * @ctx:     passed to @fn
 *
 * Returns how many were read, or what @fn returned. Those of one call come with the oldest first (engine kmod), or as
 * they were kept; what is kept while it reads is for the next call. Until the first call they are counted in the
 * snapshots instead: to be given all of them, call it right after tprof_session__start(). From then on a client that
 * does not read them loses them (stream_full): whenever the epoll descriptor is readable, dispatch first and then
 * read. What was left, or comes behind the dispatching, makes it readable again.
 * Errors: EINVAL (not started).
 */
TPROF_API int tprof_session__read_samples(struct tprof_session *session,
					  int (*fn)(void *ctx, const struct tprof_sample *sample), void *ctx);

/**
 * tprof_session__pin() - make the maps visible below /sys/fs/bpf/tprof/<session>/ until close
 * @session: prepared or started, and in no sandbox yet
 *
 * Removes what sessions left behind that were killed. Errors: ENOENT (no bpf file system), EPERM, EBUSY (not prepared,
 * in a sandbox, or it has them already).
 */
TPROF_API int tprof_session__pin(struct tprof_session *session);

/** tprof_session__pin_path() - the directory of the pins, or NULL */
TPROF_API const char *tprof_session__pin_path(const struct tprof_session *session);

/* Symbols of single addresses, for clients that read tables or samples themselves. */

/**
 * struct tprof_symbol - a named address
 * @name:   function, demangled; "[object+0xoffset]" where it cannot be named, never a neighbour's name; of the start of
 *          the function if that is known
 * @object: file name of program or library, "[kernel]", "[module]", "[vdso]", "[bpf]", "[jit]", ...
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
 * tprof_session__symbolize() - name a code address
 * @session: a session
 * @tgid:    process in the initial pid namespace; ignored for kernel addresses
 * @exec_id: tprof_sample.exec_id, or 0 if unknown
 * @ip:      the address
 * @symbol:  filled; always with a name
 */
TPROF_API int tprof_session__symbolize(struct tprof_session *session, pid_t tgid, uint32_t exec_id, uint64_t ip,
				       struct tprof_symbol *symbol);

/* What this machine can do ------------------------------------------------------------------------------- */

/**
 * struct tprof_probe - one thing that profiling needs or profits from
 * @name:     short name ("privileges", "bpf", "btf", "pmu", ...)
 * @required: nothing works without it
 * @ok:       it is there
 * @text:     what was found
 * @mend:     the one command that mends it; empty if it is there or nothing can be done
 */
struct tprof_probe {
	const char *name;
	bool required;
	bool ok;
	const char *text;
	const char *mend;
};

/**
 * tprof_probe__each() - find out what this machine can do
 * @fn:  called for each finding, in the order in which they matter; what it is passed is valid during the
 *       call only; a return value other than 0 ends the search and is returned
 * @ctx: passed to @fn
 */
TPROF_API int tprof_probe__each(int (*fn)(void *ctx, const struct tprof_probe *probe), void *ctx);

/**
 * tprof_engine__each() - the engines
 * @fn:  called with the name of each and 0 or -errno: whether it works here, with the reason if not
 * @ctx: passed to @fn
 */
TPROF_API int tprof_engine__each(int (*fn)(void *ctx, const char *name, int usable, const struct tprof_error *why),
				 void *ctx);

/**
 * tprof_event__each() - the events that can be counted here
 * @fn:  called with the name of each, its kind ("hardware", "software", "cache", or the name of the PMU), and
 *       whether this machine has it
 * @ctx: passed to @fn
 */
TPROF_API int tprof_event__each(int (*fn)(void *ctx, const char *name, const char *kind, bool usable), void *ctx);

/**
 * struct tprof_running - a session that is running on this machine, of any user
 * @name:    of its pins, or NULL
 * @filter:  name of its filter
 * @engine:  of which engine
 * @pid:     owner, or -1 if only pins are left
 * @comm:    name of the owner
 * @stale:   pins of an owner that is gone
 * @map_id:  id of the ledger map: bpftool map show id ...
 */
struct tprof_running {
	const char *name;
	const char *filter;
	const char *engine;
	pid_t pid;
	const char *comm;
	bool stale;
	uint32_t map_id;
};

/**
 * tprof_running__each() - the sessions that are running
 * @fn:    called for each; what it is passed is valid during the call only
 * @ctx:   passed to @fn
 * @error: NULL, or filled on failure
 *
 * Errors: EPERM (seeing other programs' maps needs CAP_SYS_ADMIN).
 */
TPROF_API int tprof_running__each(int (*fn)(void *ctx, const struct tprof_running *running), void *ctx,
				  struct tprof_error *error);

/**
 * struct tprof_listing - a line of a list that the kernel module keeps
 * @nr:     how many columns it has; newer modules have more
 * @names:  of the columns
 * @values: of this line
 */
struct tprof_listing {
	size_t nr;
	const char *const *names;
	const char *const *values;
};

/**
 * tprof_module__each() - what the kernel module says of its sources, sessions and filters, of any user
 * @list:  "sources", those that run (id, source, event, period, users, cpus, fired); "registered", all that sessions
 *         may use (source, min_period, max_period, count_only, attr); "sessions" (id, state, pid, comm, events,
 *         filters,
 *         fired, lost, epoch); or "filters" (session, id, name, state, calls, run_ns, kept, bad, longest_ns, pid, comm)
 * @fn:    called for each line; what it is passed is valid during the call only; a return value other than 0 ends
 *         the list and is returned
 * @ctx:   passed to @fn
 * @error: NULL, or filled on failure
 *
 * Errors: EINVAL (no such list), ENODEV (the module is not loaded), EPERM (not root), EOPNOTSUPP (no debugfs).
 */
TPROF_API int tprof_module__each(const char *list, int (*fn)(void *ctx, const struct tprof_listing *line), void *ctx,
				 struct tprof_error *error);

/** tprof_listing__value() - the value of a column, by its name; "" if there is none of this name */
TPROF_API const char *tprof_listing__value(const struct tprof_listing *line, const char *name);

/**
 * struct tprof_function - a name of a function of an object
 * @name:     as profiles would show it: demangled, without a version
 * @symbol:   as the object has it, with its version if the table of symbols tells one ("memcpy@@GLIBC_2.14")
 * @address:  where the function begins, as the object has it and nm(1) shows it
 * @size:     in bytes; where the object tells none, up to the next function
 * @is_shown: profiles show this one; all other names of the same function come right behind it
 */
struct tprof_function {
	const char *name;
	const char *symbol;
	uint64_t address;
	uint64_t size;
	bool is_shown;
};

/**
 * tprof_function__each() - the functions of an object by all of their names, in the order of their addresses
 * @path:    of a program, a library or a kernel module. Symbols are looked for where they are for profiles: in the
 *           object, in its debug file on this machine, in the table of Go's runtime
 * @pattern: NULL, or a pattern of fnmatch(3): functions of which one @name matches come with all of their names
 * @fn:      called for each name; what it is passed is valid during the call only; a return value other than 0 ends the
 *           list and is returned
 * @ctx:     passed to @fn
 * @error:   NULL, or filled on failure
 *
 * Functions that have no symbol are left out. May be called from any thread, and without a session.
 *
 * Errors: those of open(2), ENOEXEC (no ELF object), ENOMEM (no memory, or more than 4 million functions).
 */
TPROF_API int tprof_function__each(const char *path, const char *pattern,
				   int (*fn)(void *ctx, const struct tprof_function *function), void *ctx,
				   struct tprof_error *error);

#ifdef __cplusplus
}
#endif

#include "tprof_filter.h"
#include "tprof_profile.h"
#include "tprof_raw.h"

#endif /* TPROF_H */
