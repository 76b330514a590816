/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The header that a filter includes. A filter is one function that the kernel calls for every sample in scope. It
 * counts the sample in tables, keeps it, or drops it:
 *
 *	#include <tprof/filter.bpf.h>
 *
 *	TPROF_TABLE(tasks, tprof_tgid_t, 4096);
 *
 *	TPROF_FILTER(by_task, s)
 *	{
 *		if (s->flags & TPROF_SAMPLE_IDLE)
 *			return TPROF_DONE;
 *		tprof_count(tasks, s->tgid, s->weight);
 *		return TPROF_DONE;
 *	}
 *
 *	TPROF_LICENSE("GPL");
 *
 * Compile, check, run:
 *
 *	clang -g -O2 --target=bpf -c by_task.bpf.c -o by_task.bpf.o
 *	tprof filter check by_task.bpf.o
 *	tprof run by_task.bpf.o
 *
 * The same object runs on every engine, kernel (6.1 and later) and architecture. The definitions and functions:
 *
 *	s->...			struct tprof_sample (uapi/tprof.h): ip, weight, tgid, cpu, flags, comm, ...
 *	TPROF_OFFCPU		what is done with the waits of threads         (below)
 *	w->...			struct tprof_wait (uapi/tprof_wait.h): state, blocked_ns, waker_comm, ...
 *	TPROF_WAKEUP		what is done with wake-ups, where they happen  (below)
 *	TPROF_DONE, TPROF_KEEP	the verdict: finished with the sample, or copy it to the stream
 *	TPROF_TABLE		a table of counts by key                       (table.bpf.h)
 *	tprof_count		count a sample under a key                     (table.bpf.h)
 *	TPROF_STACKS		a table of call stacks                         (stack.bpf.h)
 *	tprof_user_stack	store the user call stack, return its id       (stack.bpf.h)
 *	tprof_kernel_stack	store the kernel call stack, return its id     (stack.bpf.h)
 *	TPROF_COPIES		a ring buffer for copies of user stacks        (copy.bpf.h)
 *	TPROF_WAKERS		keep the call stacks of wakers of waits        (wait_chain_perf.bpf.h)
 *	tprof_wakers		the wakers of a wait                           (wait_chain_perf.bpf.h)
 *	TPROF_OWNERS		note for whom work is queued                   (owner.bpf.h)
 *	tprof_work_owner	the thread for which the kernel worked         (owner.bpf.h)
 *	tprof_user_copy		copy the stack of a program without frame pointers (copy.bpf.h)
 *	TPROF_PARAM		a number that the user may set: tprof run --set (below)
 *	tprof_*_t		types that say how a key is printed            (key.bpf.h)
 *	tprof_log2, tprof_linear	the bucket of a number, for histograms (bucket.bpf.h)
 *
 * All of libbpf's bpf_helpers.h may be used as well. `tprof filter check` reports a helper that an engine does not
 * allow.
 *
 * Context: filters run in interrupt context with preemption disabled. They cannot sleep, block or loop without bound;
 * the verifier enforces this. Two calls never overlap on one CPU.
 */
#ifndef __TPROF_FILTER_BPF_H
#define __TPROF_FILTER_BPF_H

#include <tprof/types.bpf.h>
#include <bpf/bpf_helpers.h>
#include <tprof/object.h>
#include <tprof/key.bpf.h>
#include <tprof/bucket.bpf.h>
#include <tprof/ledger.bpf.h>
#include <tprof/table.bpf.h>
#include <tprof/stack.bpf.h>
#include <tprof/copy.bpf.h>
#include <tprof/engine_perf.bpf.h>
#include <tprof/engine_kmod.bpf.h>
#include <tprof/wait_perf.bpf.h>
#include <tprof/wake_perf.bpf.h>
#include <tprof/owner.bpf.h>

/*
 * TPROF_FILTER(name, s) { body } - define a filter
 * @name: at most 10 characters (a name in the kernel has 15, and each engine appends five)
 * @s:    name of the sample in the body; const struct tprof_sample *
 *
 * The body returns a verdict. It is compiled once for each engine, twice for waits (the event off-cpu), and once for
 * wake-ups (the event wakeup); the loader loads only the programs that are needed.
 */
#define TPROF_FILTER(name, s)								\
	_Static_assert(sizeof(#name) <= sizeof("0123456789"),				\
		       "tprof: the name of a filter has at most 10 characters");	\
	static __always_inline int name##_body(const struct tprof_sample *s, TPROF_HIDDEN);	\
	TPROF_PERF_ENTRY(name)								\
	TPROF_WAIT_PROGRAMS(name, filter, _wait, _part)					\
	TPROF_WAKE_PROGRAM(name, filter, _wake)						\
	TPROF_KMOD_ENTRY(name)								\
	static __always_inline int name##_body(const struct tprof_sample *s, TPROF_HIDDEN)

/*
 * TPROF_OFFCPU(name, w) { body } - say what is done with waits (the event off-cpu)
 * @name: of a TPROF_FILTER() in the same object, which then gets only samples
 * @w:    name of the wait in the body; const struct tprof_wait * (uapi/tprof_wait.h)
 *
 * The body is called when the wait is over, or for the part of a wait that lasts, and returns a verdict. The call
 * stacks of &w->sample are those with which the thread left the CPU. Tables are shared with the TPROF_FILTER(), so one
 * table can have all of the time of a thread: running, ready to run, and blocked. Without TPROF_OFFCPU(), the
 * TPROF_FILTER() gets waits, too, with TPROF_SAMPLE_WAIT in their flags.
 */
#define TPROF_OFFCPU(name, w)								\
	static __always_inline int name##_offcpu(const struct tprof_wait *w, TPROF_HIDDEN);	\
	static __always_inline int name##_body(const struct tprof_sample *s, TPROF_HIDDEN);	\
	TPROF_WAIT_PROGRAMS(name, offcpu, _offc, _offp)					\
	TPROF_KMOD_OFFCPU(name)								\
	static __always_inline int name##_offcpu(const struct tprof_wait *w, TPROF_HIDDEN)

/*
 * TPROF_WAKEUP(name, w) { body } - say what is done with wake-ups (the event wakeup)
 * @name: of a TPROF_FILTER() in the same object, which then gets no wake-ups
 * @w:    name of the wake-up in the body; const struct tprof_wakeup * (uapi/tprof_wait.h)
 *
 * The body is called where a thread or an interrupt ends the time in which another thread is blocked, and returns a
 * verdict. &w->sample is of the waker: its call stacks are those that lead to the wake-up. Tables are shared with the
 * TPROF_FILTER(). Without TPROF_WAKEUP(), the TPROF_FILTER() gets wake-ups, with TPROF_SAMPLE_WAKEUP in their flags.
 * Not together with TPROF_WAKERS().
 */
#define TPROF_WAKEUP(name, w)								\
	static __always_inline int name##_wakeup(const struct tprof_wakeup *w, TPROF_HIDDEN);	\
	TPROF_WAKE_PROGRAM(name, wakeup, _waku)						\
	TPROF_KMOD_WAKEUP(name)								\
	static __always_inline int name##_wakeup(const struct tprof_wakeup *w, TPROF_HIDDEN)

/* The second parameter of each body, for the macros that a body uses. */
#define TPROF_HIDDEN const struct tprof_run *const tprof_run __attribute__((unused))

/*
 * TPROF_LICENSE(text) - declare the license; required once in every object
 * @text: "GPL" or another license that the kernel accepts as GPL compatible; the helpers that tprof uses are restricted
 *        to such programs
 */
#define TPROF_LICENSE(text) char tprof_license[] SEC("license") = text

/*
 * TPROF_ABOUT(text) - say in one sentence what the filter counts, for `tprof list filters`; optional
 * @text: a string constant
 */
#define TPROF_ABOUT(text) const char tprof_about[] = text

/*
 * TPROF_EVENT(name) - the event to sample if the user names none; optional
 * @name: a string constant, as after -e. Without it: cycles, or cpu-clock on machines that do not count them
 */
#define TPROF_EVENT(name) const char tprof_event[] = name

/*
 * TPROF_PARAM(type, name, value) - define a number that the user may set before the filter is loaded
 * @type:  an integer type, or tprof_*_t
 * @name:  name of the number in the filter and in `--set name=value`
 * @value: the default
 *
 * The value is constant to the verifier, so code that it disables costs nothing.
 */
#define TPROF_PARAM(type, name, value) const volatile type name = (value)

#endif
