/* SPDX-License-Identifier: GPL-2.0-only */
/* Compatibility with the supported kernels: Linux 6.12 and later. */
#ifndef _TPROF_COMPAT_H
#define _TPROF_COMPAT_H

#include <linux/btf.h>
#include <linux/hrtimer.h>
#include <linux/perf_event.h>
#include <linux/version.h>

/* hrtimer_setup() exists since Linux 6.13. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void hrtimer_setup(struct hrtimer *timer, enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

/* The last argument of handlers of uprobes: since Linux 6.13 they have @data. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define TPROF_UPROBE_DATA
#else
#define TPROF_UPROBE_DATA , __u64 *data
#endif

/*
 * perf_allow_kernel() has no argument since Linux 6.14, and in 6.12 of distributions that took the change. Before, it
 * passed the attributes on to security modules, none of which used them.
 */
static inline int tprof_allow(int (*allow)(void))
{
	return allow();
}

static inline int tprof_allow_attr(int (*allow)(struct perf_event_attr *attr))
{
	struct perf_event_attr attr = {};

	return allow(&attr);
}

#define tprof_perf_allow_kernel()								\
	_Generic(&perf_allow_kernel, int (*)(void): tprof_allow, default: tprof_allow_attr)(perf_allow_kernel)

/* Linux 7.0 has no KF_TRUSTED_ARGS: all kfunc arguments are trusted. */
#ifndef KF_TRUSTED_ARGS
#define KF_TRUSTED_ARGS 0
#endif

#endif
