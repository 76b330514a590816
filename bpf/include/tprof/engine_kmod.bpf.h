/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of a filter for the module: a struct_ops program and the map that attaches it. The module captures the
 * sample, tests the scope and keeps the ledger, so the program only calls the body. Not for filter authors.
 */
#ifndef __TPROF_ENGINE_KMOD_BPF_H
#define __TPROF_ENGINE_KMOD_BPF_H

#include <tprof/types.bpf.h>
#include <bpf/bpf_helpers.h>
#include <tprof/object.h>
#include <tprof/ledger.bpf.h>

/*
 * Kfuncs of the module. They fill ip[] with the frames of the call stack, leaf first, and return the number of bytes
 * written; 0 if there is no stack. Weak, because an object for the perf engine is loaded without the module.
 */
extern int tprof_walk_kernel(const struct tprof_sample *s, void *ip, __u32 ip__sz) __weak __ksym;
extern int tprof_walk_user(const struct tprof_sample *s, void *ip, __u32 ip__sz) __weak __ksym;

/* Returns the number of frames. */
static __always_inline __u32 tprof_kmod_walk(const struct tprof_sample *s, __u64 *ip, __u32 capacity, __u32 kind)
{
	__u32 bytes = capacity * sizeof(*ip);
	int done = kind == TPROF_STACK_USER ? tprof_walk_user(s, ip, bytes) : tprof_walk_kernel(s, ip, bytes);

	return done < 0 ? 0 : (__u32)done / sizeof(*ip);
}

#define TPROF_KMOD_ENTRY(filter)							\
	SEC("struct_ops/" #filter)							\
	int filter##_kmod(unsigned long long *args)					\
	{										\
		const struct tprof_sample *s = (const struct tprof_sample *)args[0];	\
		const struct tprof_run run = {						\
			.engine = TPROF_OBJECT_KMOD,					\
			.event = tprof_has_events() ? s->event & (TPROF_OBJECT_EVENTS - 1) : 0, \
		};									\
											\
		return filter##_body(s, &run);						\
	}										\
	SEC(".struct_ops.link")								\
	struct tprof_filter_ops filter##_ops = {						\
		.sample = (void *)filter##_kmod,						\
		.name = #filter,								\
	};

/* With TPROF_OFFCPU(): the same, and a program for waits. */
#define TPROF_KMOD_OFFCPU(filter)							\
	int filter##_kmod(unsigned long long *args);					\
	SEC("struct_ops/" #filter "_offcpu")						\
	int filter##_offk(unsigned long long *args)					\
	{										\
		const struct tprof_wait *w = (const struct tprof_wait *)args[0];	\
		const struct tprof_run run = {						\
			.engine = TPROF_OBJECT_KMOD,					\
			.event = tprof_has_events() ? w->sample.event & (TPROF_OBJECT_EVENTS - 1) : 0, \
		};									\
											\
		return filter##_offcpu(w, &run);					\
	}										\
	SEC(".struct_ops.link")								\
	struct tprof_filter_ops filter##_offo = {					\
		.sample = (void *)filter##_kmod,					\
		.name = #filter,							\
		.offcpu = (void *)filter##_offk,					\
	};

/* With TPROF_WAKEUP(): likewise for wake-ups. */
#define TPROF_KMOD_WAKEUP(filter)							\
	int filter##_kmod(unsigned long long *args);					\
	SEC("struct_ops/" #filter "_wakeup")						\
	int filter##_wakk(unsigned long long *args)					\
	{										\
		const struct tprof_wakeup *w = (const struct tprof_wakeup *)args[0];	\
		const struct tprof_run run = {						\
			.engine = TPROF_OBJECT_KMOD,					\
			.event = tprof_has_events() ? w->sample.event & (TPROF_OBJECT_EVENTS - 1) : 0, \
		};									\
											\
		return filter##_wakeup(w, &run);					\
	}										\
	SEC(".struct_ops.link")								\
	struct tprof_filter_ops filter##_wako = {					\
		.sample = (void *)filter##_kmod,					\
		.name = #filter,							\
		.wakeup = (void *)filter##_wakk,					\
	};

#endif
