/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module's half of a filter: a struct_ops program and the map that attaches it. The module makes the
 * sample, tests the scope and keeps the account, so nothing is left to do but to call the body. Not for
 * filter authors.
 */
#ifndef __TPROF_ENGINE_KMOD_BPF_H
#define __TPROF_ENGINE_KMOD_BPF_H

#include <tprof/object.h>

/*
 * The module's type of the same name; members are matched by name when the object is loaded.
 *
 * @sample:  called for every sample in scope, in hard-IRQ context; returns a verdict
 * @name:    how the filter is called in listings
 * @flags:   none yet
 * @session: set by libtprof before the map is loaded
 */
struct tprof_filter_ops {
	int (*sample)(const struct tprof_sample *s);
	char name[TPROF_NAME_MAX + 1];
	__u64 flags;
	__u64 session;
};

#define TPROF_KMOD_ENTRY(filter)							\
	SEC("struct_ops/" #filter)							\
	int filter##_kmod(unsigned long long *args)					\
	{										\
		return filter##_body((const struct tprof_sample *)args[0]);		\
	}										\
	SEC(".struct_ops.link")								\
	struct tprof_filter_ops filter##_ops = {						\
		.sample = (void *)filter##_kmod,						\
		.name = #filter,								\
	};

#endif
