/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Everything a filter author includes. A filter is one function that is called for every sample in scope,
 * in the kernel, and decides there what the sample is worth:
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
 * Compile, look, run:
 *
 *	clang -g -O2 --target=bpf -c by_task.bpf.c -o by_task.bpf.o
 *	tprof filter check by_task.bpf.o
 *	tprof run by_task.bpf.o
 *
 * The one object runs on every engine, kernel (6.1 and later) and architecture. What there is:
 *
 *	s->...			struct tprof_sample (uapi/tprof.h): ip, weight, tgid, cpu, flags, comm, ...
 *	TPROF_DONE, TPROF_KEEP	the verdict: done with the sample, or copy it to the stream
 *	TPROF_TABLE		a table to count in                            (table.bpf.h)
 *	tprof_count		count a sample under a key                     (table.bpf.h)
 *	TPROF_STACKS		a table of call stacks                         (stack.bpf.h)
 *	tprof_user_stack	intern the stack, returns its id               (stack.bpf.h)
 *	tprof_kernel_stack	the same for the kernel's
 *	TPROF_COPIES		a ring of copies of stacks                     (copy.bpf.h)
 *	tprof_user_copy		copy the stack, for programs without frame pointers
 *	TPROF_PARAM		a number the user may set: tprof run --set     (below)
 *	tprof_*_t		types that say how a key is to be printed      (key.bpf.h)
 *
 * All of libbpf's bpf_helpers.h may be used as well; a helper that an engine does not allow is reported by
 * `tprof filter check`.
 *
 * Context: filters run with preemption off, in interrupt context; they cannot sleep, block or loop without
 * bound, and the verifier sees to that. Two calls never overlap on one CPU.
 */
#ifndef __TPROF_FILTER_BPF_H
#define __TPROF_FILTER_BPF_H

#include <tprof/types.bpf.h>
#include <bpf/bpf_helpers.h>
#include <tprof/object.h>
#include <tprof/key.bpf.h>
#include <tprof/ledger.bpf.h>
#include <tprof/table.bpf.h>
#include <tprof/stack.bpf.h>
#include <tprof/copy.bpf.h>
#include <tprof/engine_perf.bpf.h>
#include <tprof/engine_kmod.bpf.h>

/*
 * TPROF_FILTER(name, s) { body } - define a filter
 * @name: at most 10 characters (the kernel keeps 15 and each engine adds five)
 * @s:    what the body calls the sample; const struct tprof_sample *
 *
 * The body returns a verdict. It is compiled twice, once for each engine; the loader switches off the half
 * that it does not need.
 */
#define TPROF_FILTER(name, s)								\
	_Static_assert(sizeof(#name) <= sizeof("0123456789"),				\
		       "tprof: the name of a filter has at most 10 characters");	\
	static __always_inline int name##_body(const struct tprof_sample *s);		\
	TPROF_PERF_ENTRY(name)								\
	TPROF_KMOD_ENTRY(name)								\
	static __always_inline int name##_body(const struct tprof_sample *s)

/*
 * TPROF_LICENSE(text) - required once in every object
 * @text: "GPL" or another text that the kernel takes for GPL compatible; the helpers that tprof needs are
 *        for such programs only
 */
#define TPROF_LICENSE(text) char tprof_license[] SEC("license") = text

/*
 * TPROF_PARAM(type, name, value) - a number that the user may set before the filter is loaded
 * @type:  an integer type, or tprof_*_t
 * @name:  how the filter and `--set name=value` call it
 * @value: the default
 *
 * The verifier knows the value, so code that it switches off costs nothing.
 */
#define TPROF_PARAM(type, name, value) const volatile type name = (value)

#endif
