/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/* Filters of a session of /dev/tprof. Included by tprof_device.h, which has the rules for structs and errors. */
#ifndef _UAPI_TPROF_DEVICE_FILTER_H
#define _UAPI_TPROF_DEVICE_FILTER_H

#include <linux/types.h>

#include "tprof.h"

/*
 * A filter attaches through a BPF link of a struct_ops map of this type, which is the module's struct tprof_filter_ops:
 *
 *	int (*sample)(const struct tprof_sample *s);	called for each sample in scope, interrupts disabled, not in NMI
 *	char name[TPROF_NAME_LEN];			not empty
 *	__u32 flags;					TPROF_FILTER_*_STACK, TPROF_FILTER_OWNER
 *	__s32 session_fd;				file descriptor of the session, in the process that attaches
 *
 * Errors of BPF_LINK_CREATE and BPF_LINK_UPDATE: EBADF (session_fd is not an open session of this process), ENOSPC
 * (TPROF_MAX_FILTERS), EPERM (TPROF_SEAL_FILTERS), EINVAL (no name, an unknown flag, no program; or session_fd is not
 * the session of the filter to be replaced), EOPNOTSUPP (the map lacks BPF_F_LINK), ENOLINK (the link was detached).
 */
#define TPROF_FILTER_KERNEL_STACK (1U << 0)	/* walks kernel stacks: also capture them in NMI and task context */
#define TPROF_FILTER_USER_STACK	(1U << 1)	/* walks user stacks */
#define TPROF_FILTER_OWNER	(1U << 2)	/* asks for owners: also capture them in NMI and task context */
#define TPROF_FILTER_FLAGS	7U

/* States of a filter. */
#define TPROF_FILTER_ACTIVE	0
#define TPROF_FILTER_OVER_BUDGET 1	/* over its budget: not called until enabled, or a second if new */

/*
 * TPROF_IOC_FILTER: describes a filter of this session. Filters are called in the order in which they were attached; a
 * replacement takes the position of the filter that it replaces. A sample is kept if one of them keeps it.
 *
 * @index:  in: position of the filter, from 0
 * @state:  out: TPROF_FILTER_*
 * @owner:  out: process, in the initial pid namespace, that attached or last replaced the filter
 * @id:     out: unique number of the filter; a replacement keeps it
 * @calls:  out: number of calls
 * @run_ns: out: total run time of all calls, nanoseconds
 * @kept:   out: number of calls that returned TPROF_KEEP
 * @bad:    out: number of calls that returned no valid verdict
 * @longest_ns: out: run time of the longest call, nanoseconds
 * @name:   out: name of the filter
 *
 * Errors: ENOENT (no filter has this index).
 */
struct tprof_filter_info {
	__u32 size;
	__u32 index;
	__u32 state;
	__u32 owner;
	__u64 id;
	__u64 calls;
	__u64 run_ns;
	__u64 kept;
	__u64 bad;
	__u64 longest_ns;
	char  name[TPROF_NAME_LEN];
};

/*
 * TPROF_IOC_FILTER_ENABLE: enables a filter of this session that exceeded its budget. A new second of its budget begins
 * on each CPU. Does nothing if the filter is active.
 *
 * @id: number of the filter, from struct tprof_filter_info
 *
 * Errors: ENOENT (no filter of this session has this number), EAGAIN (it exceeded its budget less than a second ago),
 * EINVAL (@pad is not 0).
 */
struct tprof_filter_enable {
	__u32 size;
	__u32 pad;
	__u64 id;
};

TPROF_ASSERT(sizeof(struct tprof_filter_info) == 80);
TPROF_ASSERT(sizeof(struct tprof_filter_enable) == 16);

#endif /* _UAPI_TPROF_DEVICE_FILTER_H */
