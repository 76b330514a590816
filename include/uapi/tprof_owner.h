/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * The tprof ABI: the owner of a sample of work that the kernel does for somebody else, which tprof_work_owner() gives
 * to a filter. Append-only: the call fills as many bytes as the filter knows.
 */
#ifndef _UAPI_TPROF_OWNER_H
#define _UAPI_TPROF_OWNER_H

#include "tprof.h"

/*
 * An owner is a thread that queued a work item, or what a module of the kernel declares for a section of code. All
 * members are as they were when the work was queued, so they are right also if the thread has ended since.
 *
 * @cgroup_id: cgroup of the thread, as in struct tprof_sample; 0 in a section
 * @id:        in a section: a number that the module has chosen; else 0
 * @tgid:      process of the thread in the initial pid namespace; 0 in a section
 * @tid:       the thread; 0 in a section
 * @exec_id:   program image of the thread, as in struct tprof_sample; 0 in a section
 * @subsystem: in a section: a number that the module has chosen for itself, not 0; else 0
 * @comm:      name of the thread; empty in a section
 */
struct tprof_work_owner {
	__u64 cgroup_id;
	__u64 id;
	__u32 tgid;
	__u32 tid;
	__u32 exec_id;
	__u32 subsystem;
	char  comm[TPROF_COMM_LEN];
};

TPROF_ASSERT_AT(tprof_work_owner, cgroup_id, 0);
TPROF_ASSERT_AT(tprof_work_owner, id, 8);
TPROF_ASSERT_AT(tprof_work_owner, tgid, 16);
TPROF_ASSERT_AT(tprof_work_owner, tid, 20);
TPROF_ASSERT_AT(tprof_work_owner, exec_id, 24);
TPROF_ASSERT_AT(tprof_work_owner, subsystem, 28);
TPROF_ASSERT_AT(tprof_work_owner, comm, 32);
TPROF_ASSERT(sizeof(struct tprof_work_owner) == 48);

#endif /* _UAPI_TPROF_OWNER_H */
