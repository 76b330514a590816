/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Changes of a session while it runs. Included by tprof.h.
 *
 *	tprof_session__set_rate(session, 0, 997);
 *	tprof_session__pause(session);
 *	tprof_session__resume(session);
 *
 * No change loses a sample: every firing is in the ledger, with the weight that it had, and the ledger closes across
 * each change.
 */
#ifndef TPROF_CONTROL_H
#define TPROF_CONTROL_H

#include "tprof.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * tprof_session__set_rate() - change how often samples of an event are taken
 * @session: in any state
 * @event:   index of the event, below tprof_session__nr_events(); 0 if there is one
 * @rate_hz: samples per second on each CPU, 1 to 100,000
 *
 * Takes effect on each CPU at once. Samples from then on have the weight of the new period. On engine perf, and for
 * counters on both engines, a new period begins: the part of the old period that had elapsed on a CPU is in no sample,
 * and is not lost either. The period of an event that is not a clock approaches the rate within seconds, as after the
 * start.
 *
 * Errors: ENOENT (no such event), EINVAL (@rate_hz is out of range), EPERM (the session is sealed), EMFILE (limit of
 * open files; engine perf opens a clock again), ENOMEM. In a sandbox, for a clock on engine perf: EACCES
 * (kernel.perf_event_paranoid is above 2), ECHILD (the broker process has exited). After an error the old rate stays.
 */
TPROF_API int tprof_session__set_rate(struct tprof_session *session, size_t event, uint64_t rate_hz);

/**
 * tprof_session__set_period() - change the period of an event to a fixed one
 * @session: in any state
 * @event:   index of the event, below tprof_session__nr_events(); 0 if there is one
 * @period:  as in struct tprof_event_opts, but not 0
 *
 * As tprof_session__set_rate().
 *
 * Errors: EINVAL (@period is out of range), and those of tprof_session__set_rate().
 */
TPROF_API int tprof_session__set_period(struct tprof_session *session, size_t event, uint64_t period);

/**
 * tprof_session__pause() - take no samples until tprof_session__resume()
 * @session: started and not stopped; succeeds if it is paused
 *
 * Everything that was counted can be read, and tprof_session__wait() works. The time of the pause is missing nowhere:
 * it is neither in the ledger nor in the duration of profiles. Each CPU continues the period that was in progress, but
 * counters of engine kmod begin a new one.
 *
 * Errors: EINVAL (not started), EBUSY (stopped).
 */
TPROF_API int tprof_session__pause(struct tprof_session *session);

/**
 * tprof_session__resume() - continue after a pause
 * @session: paused; succeeds if it is running
 *
 * Errors: EINVAL (not started), EBUSY (stopped: tprof_session__start() starts it again), and those of the kernel.
 */
TPROF_API int tprof_session__resume(struct tprof_session *session);

/**
 * tprof_session__clear() - discard everything that was counted
 * @session: started, or stopped again
 * @cleared: NULL, or filled with the ledger of what is discarded: since the start, or the last call
 *
 * The tables and the ledger begin anew: this ledger and the later ones add up, without a gap and without a sample in
 * both. The next snapshot begins here. Samples that the client reads with tprof_session__read_samples() are not
 * discarded. A stopped session that is cleared and started again samples afresh.
 *
 * Errors: EINVAL (not started, or the size of @cleared), EBUSY (the session writes a raw recording), ENOMEM.
 */
TPROF_API int tprof_session__clear(struct tprof_session *session, struct tprof_ledger *cleared);

/**
 * tprof_session__flush() - wait until every sample taken before the call has been counted
 * @session: started, or stopped again
 *
 * On return, these samples are in the ledger, in the next snapshot, and can be read with tprof_session__read_samples().
 * A snapshot needs no flush: samples that are still in progress are in the next one.
 *
 * Errors: EINVAL (not started), and those of the kernel.
 */
TPROF_API int tprof_session__flush(struct tprof_session *session);

/**
 * tprof_session__add_tid() - also sample a thread
 * @session: opened with at least one process or thread in its options; or not prepared yet
 * @tid:     in the caller's pid namespace
 *
 * Errors: those of tprof_session__add_pid().
 */
TPROF_API int tprof_session__add_tid(struct tprof_session *session, pid_t tid);

/**
 * tprof_session__add_cgroup() - also sample a cgroup, with its subtree
 * @session: opened with at least one cgroup in its options; or not prepared yet
 * @path:    below the cgroup v2 root
 *
 * Errors: ENOENT (no such cgroup), E2BIG (more than 8 cgroups), EBUSY (the session is prepared or started, and samples
 * all cgroups), EPERM (the session is sealed), EOPNOTSUPP (no cgroup v2), ENOMEM.
 */
TPROF_API int tprof_session__add_cgroup(struct tprof_session *session, const char *path);

/**
 * tprof_session__remove_pid() - no longer sample a process and its descendants
 * @session: in any state
 * @pid:     in the options of the session, or added to it; it may have ended
 *
 * Descendants of other targets remain. A session whose last target was removed samples nothing until another one is
 * added. The next snapshot still has the samples that were taken before.
 *
 * Errors: ENOENT (not a target of the session), EPERM (the session is sealed), and those of reading /proc.
 */
TPROF_API int tprof_session__remove_pid(struct tprof_session *session, pid_t pid);

/**
 * tprof_session__remove_tid() - no longer sample a thread
 * @session: in any state
 * @tid:     in the options of the session, or added to it; it may have ended
 *
 * As tprof_session__remove_pid(). A thread of a process that is a target is still sampled.
 */
TPROF_API int tprof_session__remove_tid(struct tprof_session *session, pid_t tid);

/**
 * tprof_session__remove_cgroup() - no longer sample a cgroup and its subtree
 * @session: in any state
 * @path:    in the options of the session, or added to it; it must exist
 *
 * A session whose last cgroup was removed samples nothing until another one is added.
 *
 * Errors: ENOENT (not a target of the session), EPERM (the session is sealed).
 */
TPROF_API int tprof_session__remove_cgroup(struct tprof_session *session, const char *path);

/**
 * tprof_session__filter() - returns the filter that the session calls at a place
 * @session: a session
 * @index:   from 0, in the order in which filters were added; a filter that replaced another one has its place
 *
 * NULL: there are not as many filters. The filter belongs to the session.
 */
TPROF_API struct tprof_filter *tprof_session__filter(const struct tprof_session *session, size_t index);

/**
 * tprof_session__load_filter() - load a filter that can replace another one later
 * @session: prepared or started, and not in a sandbox
 * @filter:  owned by the session from now on; freed after an error, unless it belongs to a session already
 *
 * Everything that needs privileges is done: tprof_session__replace_filter() then works in a sandbox, too. The filter
 * takes memory of the kernel for its tables, but is not called.
 *
 * Errors: EINVAL (@filter is NULL; the session is not prepared; the verifier refused the filter), EPERM (the session is
 * in a sandbox; missing privileges), EBUSY (@filter belongs to a session already, or was loaded by
 * tprof_filter__check()), EOPNOTSUPP (the session has the event off-cpu or on-cpu), EMFILE (limit of open files),
 * ENOMEM.
 */
TPROF_API int tprof_session__load_filter(struct tprof_session *session, struct tprof_filter *filter);

/**
 * tprof_session__replace_filter() - call another filter instead of one of the session
 * @session: prepared or started
 * @filter:  the session calls it
 * @with:    the session has loaded it (tprof_session__load_filter()), or called it before; or a filter that belongs to
 *           no session, which is loaded, and freed if that fails
 *
 * Each sample is seen by exactly one of the two, and the ledger goes on. The next snapshot has what both have counted:
 * entries of both, and the tables of both if they have different names. The engine kmod exchanges the filters between
 * two samples. The engine perf stops the event of one CPU after the other, for some microseconds, in which it counts
 * nothing; the period in progress continues.
 *
 * @filter stays loaded, and can replace @with again.
 *
 * Errors: ENOENT (@filter is not called by the session), EBUSY (@with is called already, belongs to another session, or
 * was loaded by tprof_filter__check(); the session writes a raw recording), EINVAL (@with is NULL; the session is not
 * prepared; the object of @with has another number of filters; one of the two has a table and the other has none;
 * @with was called instead of another filter before; its table does not tell several events apart), EPERM (the session
 * is sealed, or in a sandbox and @with is not loaded), those of loading and of the kernel. After an error, @filter is
 * still called.
 */
TPROF_API int tprof_session__replace_filter(struct tprof_session *session, struct tprof_filter *filter,
					    struct tprof_filter *with);

/**
 * struct tprof_filter_state - what a filter of a running session has used
 * @sz:          set by the caller to sizeof(struct tprof_filter_state)
 * @name:        name of the filter; valid until the next call with the session
 * @over_budget: it exceeded its share of a CPU and is not called (tprof_session__enable_filters())
 * @calls:       number of calls, on all CPUs
 * @run_ns:      CPU time of all calls, nanoseconds
 * @longest_ns:  CPU time of the longest call, nanoseconds
 * @kept:        number of calls that returned TPROF_KEEP
 * @bad_verdicts: number of calls that returned no valid verdict
 */
struct tprof_filter_state {
	size_t sz;
	const char *name;
	bool over_budget;
	uint64_t calls;
	uint64_t run_ns;
	uint64_t longest_ns;
	uint64_t kept;
	uint64_t bad_verdicts;
};

/**
 * tprof_session__filter_state() - what a filter of the session has used
 * @session: prepared or started
 * @index:   from 0, in the order in which filters were added; an object with several filters counts as several
 * @state:   filled
 *
 * Errors: EINVAL (not prepared, or the size of @state), ENOENT (no such filter), EOPNOTSUPP (engine perf does not
 * measure filters).
 */
TPROF_API int tprof_session__filter_state(struct tprof_session *session, unsigned int index,
					  struct tprof_filter_state *state);

/**
 * tprof_session__fd() - a descriptor that is the session, for another process
 * @session: prepared, in any state; engine kmod; once
 *
 * Returns a descriptor, close-on-exec, which the caller closes. It can be inherited, sent over a Unix socket, taken
 * with pidfd_getfd(2), or left with a service manager (FDSTORE of systemd). While any process has it, the session goes
 * on: tprof_session__close() of its user, and the end of that process, do not stop it. When it is free, another process
 * continues it with tprof_session__from_fd(), and then perhaps a third one. A process that has the descriptor can do
 * all that the session permits (tprof_session__seal()).
 *
 * From now on, targets and filters of the session cannot be changed; rates can. Before tprof_session__sandbox().
 *
 * Errors: EINVAL (not prepared), EOPNOTSUPP (engine perf, whose sessions are events and links of their process), EBUSY
 * (it has a descriptor already, or filters that are not called), EPROTO (the file of a filter has changed since it was
 * loaded), E2BIG (its filters have too many tables for one message of 253 descriptors), EPERM (in a sandbox), EMFILE,
 * ENOMEM, and those of reading the files of its filters.
 */
TPROF_API int tprof_session__fd(struct tprof_session *session);

/**
 * tprof_session__from_fd() - continue the session of another process
 * @fd:    from tprof_session__fd(), possibly of a process that has ended; it stays open, and the caller's
 * @opts:  NULL for defaults; only @tables, @log, @log_ctx, @lines, @inlines and @debuginfod_ms may be set
 * @error: NULL, or filled on failure
 *
 * The session is in the state in which its last user left it, running if that was killed, and its ledger goes on. The
 * next snapshot has everything that was sampled since the last reading of its tables. What a user had read and not
 * reported, because it was killed or closed the session before a snapshot, is lost with it; the warnings (struct
 * tprof_info) say how many samples that is, for all users so far. Processes that have ended since that reading have no
 * names, and a sample from the moment of the last reading may have no call stack.
 *
 * Needs the same privileges as tprof_session__start(), and the same version of the library. Close it with
 * tprof_session__close().
 *
 * Errors: EBUSY (another process has the session, or is a child that it has forked), EPROTO (not the descriptor of a
 * session, or another version of the library), EINVAL (another option is set), EPERM (missing privileges), EMFILE,
 * ENOMEM.
 */
TPROF_API struct tprof_session *tprof_session__from_fd(int fd, const struct tprof_session_opts *opts,
						       struct tprof_error *error);

#ifdef __cplusplus
}
#endif

#endif /* TPROF_CONTROL_H */
