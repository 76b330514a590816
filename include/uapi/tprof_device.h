/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * /dev/tprof: the device of the kernel module.
 *
 * A client opens the device and creates sessions; each session is a file descriptor. A process that holds the
 * descriptor, also by inheritance or through a socket, may operate the session. When the last reference to the
 * descriptor is closed, the session is destroyed and all its events are stopped. The life of a session:
 *
 *	device = open("/dev/tprof", O_RDWR | O_CLOEXEC);
 *	session = ioctl(device, TPROF_IOC_CREATE, &create);
 *	ioctl(session, TPROF_IOC_CONFIGURE, &config);		stream, CPUs, modes, budget	(optional)
 *	ioctl(session, TPROF_IOC_ADD_EVENT, &event);		what to sample, and how often	(once or more)
 *	ioctl(session, TPROF_IOC_ATTACH, &target);		only these processes or cgroups	(optional)
 *	bpf(BPF_LINK_CREATE, ...)				filters: struct_ops with .session_fd = session
 *	ioctl(session, TPROF_IOC_START);
 *	...
 *	ioctl(session, TPROF_IOC_STOP);				all captured samples have been delivered
 *	ioctl(session, TPROF_IOC_LEDGER, &ledger);
 *	close(session);
 *
 * States:
 *
 *	NEW --START--> RUNNING --STOP--> STOPPED --START--> RUNNING ...	and close() from any of them
 *
 * CONFIGURE and ADD_EVENT need state NEW. START needs at least one event. START while RUNNING, and STOP in any other
 * state, succeed and do nothing. All other calls work in any state. Filters may be attached, replaced and detached in
 * any state. To place a probe can take long: meanwhile START and STOP of the same session wait, and so does START of
 * others with the same event. EINTR: a signal came, and nothing has changed.
 *
 * Structs: the first member is the size of the struct that the caller was compiled with. A caller older than the module
 * gets the members that it knows. A newer caller gets E2BIG if a member that the module does not know is not 0. Members
 * named pad must be 0. Features are reported as bits (TPROF_FEATURE_*), never by a version.
 *
 * Permission: the mode of the device node (0600 by default) controls open(). TPROF_IOC_CREATE needs CAP_PERFMON (or
 * CAP_SYS_ADMIN) in the initial user namespace. Kernel lockdown in confidentiality mode refuses it, and so may a
 * security module, such as SELinux, as for perf_event_open() with samples of the kernel.
 *
 * Limits and memory: a session and all that belongs to it count against limits of the user that created it, which are
 * parameters of the module (max_*_per_user), and its memory is charged to the memory cgroup of the process that created
 * it, also when another process operates it. They are given back when the session is closed and its filters are
 * detached. Root may have 16 times as much as the parameters say.
 *
 * Errors of all calls: EFAULT (a pointer cannot be read or written), E2BIG (see above), EINVAL (a value out of range,
 * an unknown flag, a pad that is not 0, a size smaller than the first version of the struct), ENOTTY (unknown request
 * for this descriptor), ENOMEM (the machine or the memory cgroup of the session is short of memory). Other errors are
 * listed with each call.
 */
#ifndef _UAPI_TPROF_DEVICE_H
#define _UAPI_TPROF_DEVICE_H

#include <linux/ioctl.h>
#include <linux/types.h>

#include "tprof.h"
#include "tprof_device_filter.h"
#include "tprof_device_stream.h"

#define TPROF_DEVICE		"/dev/tprof"

/* Features of the module. Bits are only added, never removed. */
#define TPROF_FEATURE_TIMER	(1ULL << 0)	/* source "timer" */
#define TPROF_FEATURE_PERF	(1ULL << 1)	/* source "perf" */
#define TPROF_FEATURE_FILTER	(1ULL << 2)	/* filters attach through struct_ops links */
#define TPROF_FEATURE_STREAM	(1ULL << 3)	/* streams: mmap, read and poll */
#define TPROF_FEATURE_CGROUP	(1ULL << 4)	/* scope by cgroup */
#define TPROF_FEATURE_IDLE	(1ULL << 5)	/* the timer stops on idle CPUs; one sample covers the idle time */
#define TPROF_FEATURE_USER_STACK (1ULL << 6)	/* filters can walk user stacks */
#define TPROF_FEATURE_KERNEL_STACK (1ULL << 7)	/* filters can walk kernel stacks */
#define TPROF_FEATURE_ENABLE	(1ULL << 8)	/* TPROF_IOC_FILTER_ENABLE */
#define TPROF_FEATURE_SEAL	(1ULL << 9)	/* TPROF_IOC_SEAL */
#define TPROF_FEATURE_KPROBE	(1ULL << 10)	/* source "kprobe" */
#define TPROF_FEATURE_UPROBE	(1ULL << 11)	/* source "uprobe" */
#define TPROF_FEATURE_EVENT_LEDGER (1ULL << 12)	/* tprof_ledger_read.event */
#define TPROF_FEATURE_WAIT	(1ULL << 13)	/* source "off-cpu", and offcpu of filters */
#define TPROF_FEATURE_OWNER	(1ULL << 14)	/* filters can ask for the owners of work */
#define TPROF_FEATURE_WAKEUP	(1ULL << 15)	/* source "wakeup", and wakeup of filters */
#define TPROF_FEATURE_RUN	(1ULL << 16)	/* source "on-cpu" */

/* Limits. */
#define TPROF_MAX_EVENTS	8		/* per session */
#define TPROF_MAX_FILTERS	16		/* per session */
#define TPROF_MIN_TIMER_NS	10000		/* shortest period of the timer: 100,000 samples/s on each CPU */
#define TPROF_MAX_TIMER_NS	3600000000000ULL
#define TPROF_MAX_STREAM_BYTES	(1U << 26)	/* per CPU */
#define TPROF_MAX_MARK_BYTES	240
#define TPROF_MAX_FUNCTION_LEN	240		/* bytes of a function's name in struct tprof_place, with its NUL */
/* Array sizes of struct tprof_ledger_read, larger than TPROF_NR_OUTCOMES and TPROF_NR_LOST_REASONS for extensions. */
#define TPROF_MAX_OUTCOMES	8
#define TPROF_MAX_LOST_REASONS	24

/*
 * TPROF_IOC_INFO, on the device: describes the module. Needs no permission beyond the open device.
 *
 * @abi:          TPROF_ABI_VERSION of the struct tprof_sample that filters receive
 * @features:     TPROF_FEATURE_*
 * @nr_sources:   number of registered sources
 * @nr_sessions:  number of open sessions
 * @version:      version of the module, for display
 */
struct tprof_module_info {
	__u32 size;
	__u32 abi;
	__u64 features;
	__u32 nr_sources;
	__u32 nr_sessions;
	char  version[TPROF_NAME_LEN];
};

/*
 * TPROF_IOC_CREATE, on the device: creates a session. Returns its file descriptor, which is close-on-exec. The
 * permission is checked here, and by ADD_EVENT for some events; the other calls of a session check none but its seals
 * (TPROF_IOC_SEAL).
 *
 * @flags: none defined; must be 0
 *
 * Errors: EPERM (no CAP_PERFMON, or refused by lockdown), EACCES or another (refused by a security module), EMFILE (the
 * process has too many open files, or the user has max_sessions_per_user sessions, by default 1,024), ENFILE.
 */
struct tprof_create {
	__u32 size;
	__u32 flags;
};

/* Flags of struct tprof_source_info. */
#define TPROF_SOURCE_CAN_COUNT	(1U << 0)	/* accepts the period 0: count without sampling */
#define TPROF_SOURCE_HAS_ATTR	(1U << 1)	/* has more than one event: needs tprof_event.attr */

/*
 * TPROF_IOC_SOURCE, on the device: describes a registered source. Needs no permission beyond the open device.
 *
 * @index:      in: number of the source, from 0
 * @flags:      out: TPROF_SOURCE_*
 * @name:       out: as in struct tprof_event
 * @min_period: out: shortest period that the source accepts; 0: no limit
 * @max_period: out: longest period that the source accepts; 0: no limit
 *
 * Errors: ENOENT (no source has this index).
 */
struct tprof_source_info {
	__u32 size;
	__u32 index;
	__u32 flags;
	__u32 pad;
	__u64 min_period;
	__u64 max_period;
	char  name[TPROF_NAME_LEN];
};

/* Flags of struct tprof_config. */
#define TPROF_CONFIG_USER	(1U << 0)	/* only samples in user mode */
#define TPROF_CONFIG_KERNEL	(1U << 1)	/* only samples in the kernel */
#define TPROF_CONFIG_COMM	(1U << 2)	/* only threads with the name @comm */
#define TPROF_CONFIG_STALL	(1U << 3)	/* while the stream is full, do not call the filters */
#define TPROF_CONFIG_FLAGS	0xfU

/*
 * TPROF_IOC_CONFIGURE: sets the options of a session. May be repeated until the session is first started; the last
 * call takes effect.
 *
 * @flags:           TPROF_CONFIG_*; USER and KERNEL exclude each other
 * @stream_bytes:    size of the ring of each CPU's stream: a power of two from the page size to
 *                   TPROF_MAX_STREAM_BYTES; 0: no stream, and samples that a filter keeps are lost as stream_full
 * @stream_wakeup:   poll() reports the session as readable when a stream holds that many bytes, or has dropped a
 *                   sample; at most @stream_bytes; 0: as soon as there is a record
 * @budget_permille: CPU time that each filter may take, in thousandths of each second, on each CPU. A filter that
 *                   exceeds it on any CPU is disabled on all: it stays attached but is not called until
 *                   TPROF_IOC_FILTER_ENABLE, and samples that it does not see are lost as over_budget. The budget
 *                   stays that of the filter when its program is replaced; if it is used up, the new program is called
 *                   a second after that. A filter that is attached within a second after another one of the same
 *                   user was detached takes over its budget likewise. 1 to 1000; 0: the module's default
 * @cpus:            address of a bit mask of CPUs to sample, in native 64-bit words; 0: all CPUs, also those that come
 *                   online later
 * @cpus_size:       length of the mask in bytes, a multiple of 8; bits of impossible CPUs must be 0
 * @comm:            with TPROF_CONFIG_COMM: the name of the thread, padded with NUL; else all 0
 *
 * Errors: EBUSY (the session has been started, or the size of its streams would change while they are mapped or
 * read), ENOMEM (also: the streams of the user's sessions, each ring with two more pages, would exceed
 * max_stream_mb_per_user, by default 128 MiB), ENOSPC (the streams of all sessions together would exceed the module
 * parameter stream_limit_mb), EINVAL also for STALL without a stream and for an empty mask of CPUs.
 */
struct tprof_config {
	__u32 size;
	__u32 flags;
	__u32 stream_bytes;
	__u32 stream_wakeup;
	__u32 budget_permille;
	__u32 cpus_size;
	__u64 cpus;
	char  comm[TPROF_COMM_LEN];
};

/*
 * TPROF_IOC_ADD_EVENT: adds an event to the session. Returns its index, from 0, which is tprof_sample.event.
 *
 * Sessions that sample the same event share one source, which fires with the shortest of their periods. A session with
 * a longer period skips samples: they are counted as decimated, with weight 0, because their weight is part of the next
 * sample that the session gets. The weight of each sample is a whole multiple of the session's own period.
 *
 * All that depends on the caller is resolved by this call: its memory is copied, paths are looked up in its root, and
 * its rights are checked. The session can then be used by any process that holds its descriptor.
 *
 * @flags:     none defined; must be 0
 * @source:    "timer", "perf", "off-cpu", "wakeup", "on-cpu", "kprobe", "uprobe", or the name of a source that
 *             another module has registered
 * @period:    how much of the event a sample represents: nanoseconds for the timer (TPROF_MIN_TIMER_NS to
 *             TPROF_MAX_TIMER_NS), units of the event otherwise. perf's clock events fire at most every 10 us; with a
 *             shorter period each sample has the weight of that time. 0: count without sampling (not for the timer).
 *             An event that several CPUs share, such as an uncore counter, is counted on the CPU that the kernel has
 *             designated for it. kprobe, uprobe: hits.
 *             off-cpu: nanoseconds of waiting; with 1, each wait is a sample, and weighs what it lasted
 *             wakeup: likewise nanoseconds in which the woken thread was blocked
 *             on-cpu: likewise nanoseconds in which a thread was on a CPU
 * @attr:      address of the attributes that the source needs. timer: 0. perf: struct perf_event_attr; the members
 *             type, size, config*, bp_*, exclude_{user,kernel,hv,host,guest,idle}, pinned, exclusive and precise_ip are
 *             used; all others, such as freq and inherit, must be 0. kprobe, uprobe: struct tprof_place and its text.
 *             off-cpu, on-cpu: struct tprof_wait_attr, or 0; wakeup: struct tprof_wakeup_attr, or 0
 * @attr_size: length of the attributes in bytes
 *
 * Errors: EBUSY (the session has been started), ENOENT (no such source, function or file), ENOSPC (TPROF_MAX_EVENTS, or
 * the sessions of the user have max_events_per_user events, by default 2,048, or max_waits_per_user of the sources
 * off-cpu, wakeup and on-cpu, by default 16), EOPNOTSUPP (no CPU of this machine can count or sample the event, as
 * those of PMUs that write to an AUX area; or its attributes hold addresses of the caller's memory, as those of perf's
 * kprobes and uprobes), EPERM (the caller lacks the capability for the event: CAP_PERFMON for kprobe and uprobe), and
 * the errors of the kernel for the event.
 */
struct tprof_event {
	__u32 size;
	__u32 flags;
	char  source[TPROF_NAME_LEN];
	__u64 period;
	__u64 attr;
	__u32 attr_size;
	__u32 pad;
};

/*
 * Attributes of the source "off-cpu": waits of threads (uapi/tprof_wait.h). Sessions share a source, and its table of
 * waiting threads, if these are the same. A wait ends on the CPU on which the thread runs again. Threads that wait
 * already when the session starts wait from its start on. Waits in progress are given out, as the part up to then, by
 * TPROF_IOC_STOP and TPROF_IOC_FLUSH. A filter whose struct_ops has offcpu gets a struct tprof_wait there; the others
 * get waits as samples.
 *
 * @sched_start, @sched_end: bounds of the scheduler in the text of the kernel (__sched_text_start and __sched_text_end
 *             in /proc/kallsyms). From them the module knows where a thread waits, tprof_sample.ip, and with which
 *             frame its call stack begins. Both 0: not known; ip is TPROF_IP_KERNEL
 * @min_ns:    shorter waits are only counted, as below_min
 */
struct tprof_wait_attr {
	__u64 sched_start;
	__u64 sched_end;
	__u64 min_ns;
};

/*
 * The source "on-cpu" has the same attributes; there @min_ns must be 0. A run begins when a thread comes to run on a
 * CPU, and ends when it leaves; the clock is read once for the end of a wait and the beginning of a run, so the times
 * of a thread add up to the time that passed. The call stack is that of the place where the thread leaves. Runs in
 * progress are given out like waits, without a kernel call stack; ip is TPROF_IP_KERNEL.
 */

/*
 * Attributes of the source "wakeup": who ends the time in which threads are blocked (uapi/tprof_wait.h). A wake-up is
 * in scope if the woken thread is; those of other threads are not counted. A thread that waits already when the session
 * starts is blocked from then on. No two sessions share such a source. A filter whose struct_ops has wakeup gets a
 * struct tprof_wakeup there; the others get wake-ups as samples.
 *
 * @wake_start: address of try_to_wake_up() (/proc/kallsyms). From it the module knows where the waker calls it,
 *             tprof_sample.ip, with which its call stack begins. 0: not known; ip is TPROF_IP_KERNEL
 * @min_ns:    wake-ups of threads that were blocked for less are only counted, as below_min
 */
struct tprof_wakeup_attr {
	__u64 wake_start;
	__u64 min_ns;
};

#define TPROF_PLACE_RETURN	(1U << 0)	/* hits are returns from the function that begins at the place */

/*
 * Attributes of the sources "kprobe", "uprobe" and "function": a place in code. The text follows the struct, with its
 * NUL, and attr_size includes both. Each passage of a CPU is a hit. A sample of a return has the address to which the
 * function returns. Sessions share a source if flags, offset and function, or the file, are the same.
 *
 * kprobe: the text is the name of a function of the kernel, "NAME" or "MODULE:NAME", of less than
 * TPROF_MAX_FUNCTION_LEN bytes; if several functions have the name, the kernel chooses one. With an empty text, @offset
 * is an address. The kernel looks up the name at each start of the session. Errors: ENOENT (no such function), EINVAL
 * (the place must not be probed, as those of the module itself; a return from a place that is not the start of a
 * function), EILSEQ (no instruction begins there), ENAMETOOLONG.
 *
 * uprobe: the text is the path of an executable file. The session holds the file, so its file system cannot be
 * unmounted; a file that replaces it at the path is not probed. All processes that map the file are probed. Errors:
 * EINVAL (not a regular file, or shorter than @offset), ENOENT, EACCES and others of the path. TPROF_IOC_START can fail
 * with EOPNOTSUPP or EIO, if the instruction or the file cannot be probed, or EINVAL, if the file has become shorter.
 *
 * function, of the module tprof_function, which the first event of it loads: the text is a pattern for names of
 * functions of the kernel, of less than TPROF_MAX_FUNCTION_LEN bytes, where * stands for any characters, ? for one, and
 * [...] for one of these. Each call of such a function by a task is a hit; those by handlers of interrupts and by idle
 * CPUs are not. @flags and @offset must be 0. x86-64 only. Errors: ENOENT (no function that can be traced has such a
 * name), EINVAL (no pattern, or it begins with an exclamation mark or a digit), ENAMETOOLONG.
 *
 * @flags:  TPROF_PLACE_*
 * @offset: kprobe: bytes from the start of the function, less than 2^32; uprobe: offset in the file
 */
struct tprof_place {
	__u32 flags;
	__u32 pad;
	__u64 offset;
};

/*
 * TPROF_IOC_PERIOD: changes the period of an event, immediately, in any state. If that changes the period at which an
 * event of perf fires, its new period starts at the call: the part of the old period that had elapsed is in the counts,
 * and no sample represents it. On failure the old period stays. An event that counts without sampling cannot become a
 * sampling one, nor the reverse (EINVAL). Errors: ENOENT (no such event), and the errors of the source for the period.
 */
struct tprof_period {
	__u32 size;
	__u32 event;
	__u64 period;
};

/* Kinds of targets. */
#define TPROF_TARGET_PROCESS	0	/* a process and the processes that it forks from now on; id: its pid */
#define TPROF_TARGET_THREAD	1	/* one thread; id: its tid */
#define TPROF_TARGET_CGROUP	2	/* a cgroup (v2) and its descendants; id: inode number of its directory */

/*
 * TPROF_IOC_ATTACH, TPROF_IOC_DETACH: add and remove a target, which limits the session to some tasks. A session that
 * never had a target samples all tasks; a session whose last target was removed samples none. A session with tasks
 * (processes, threads) and cgroups as targets samples the tasks that match both.
 *
 * @kind: TPROF_TARGET_*
 * @id:   pid or tid in the pid namespace of the caller, or the id of the cgroup
 *
 * Attaching an attached target succeeds. Errors: ESRCH (no such process or thread), ENOENT (no such cgroup; DETACH: the
 * target is not attached), ENOSPC (64 cgroups are attached, or the sessions of the user have max_targets_per_user
 * targets, by default 65,536, without the processes that targets forked), EOPNOTSUPP (the kernel has no cgroups, or no
 * tracepoint sched_process_fork, which is needed to follow processes).
 */
struct tprof_target {
	__u32 size;
	__u32 kind;
	__u64 id;
};

/*
 * TPROF_IOC_FLUSH: when it returns, every sample captured before the call has been through the filters, and the
 * stream of every CPU has a record TPROF_RECORD_FLUSH with the cookie after these samples. A stream that is full gets
 * no such record and counts it in tprof_stream_state.lost. The argument is a pointer to the cookie, a __u64.
 *
 * TPROF_IOC_CLEAR: empties the streams and sets the ledger to 0, in one step on each CPU, and afterwards sets the
 * counts to 0: an event that fires in between is in the ledger and not in the counts. Increments the epoch. No
 * argument. Neither call has errors of its own.
 */

/*
 * TPROF_IOC_LEDGER: reads the ledger. The equation of TPROF_OUTCOMES holds at any time. While the session runs, the
 * values of each event on each CPU are consistent, and these are read one after the other.
 *
 * @cpu:      in: one CPU, or -1 for the sum of all
 * @epoch:    out: how often the ledger was set to 0
 * @fired:    out: all samples of the session's events on its CPUs, and their weight
 * @idle:     out: samples with TPROF_SAMPLE_IDLE, in scope or not, that were neither decimated nor lost as
 *            engine_missed, reentry or staging_full
 * @outcomes: out: by enum tprof_outcome
 * @lost:     out: by enum tprof_lost_reason
 * @event:    in: index of an event plus 1: only the samples of this event (TPROF_FEATURE_EVENT_LEDGER); 0: the sum of
 *            all events. The equation holds for each event
 *
 * Errors: EINVAL (no such possible CPU), ENOENT (no such event).
 */
struct tprof_ledger_read {
	__u32 size;
	__s32 cpu;
	__u32 epoch;
	__u32 pad;
	struct tprof_tally fired;
	struct tprof_tally idle;
	struct tprof_tally outcomes[TPROF_MAX_OUTCOMES];
	struct tprof_tally lost[TPROF_MAX_LOST_REASONS];
	__u32 event;
	__u32 pad2;
};

/*
 * TPROF_IOC_COUNTS: reads the counter of an event: its value since the session was first started (or cleared), without
 * the time during which the session was stopped. If it is read before the ledger, it is not ahead of it by more than
 * the events whose samples are due, or have gone missing.
 *
 * @event:      in: index of the event
 * @cpu:        in: one CPU, or -1 for the sum of all
 * @value:      out: units of the event
 * @enabled_ns: out: time enabled, in nanoseconds
 * @running_ns: out: time running, in nanoseconds; less than the time enabled under multiplexing
 * @period_factor: out: how many times as long as asked for the period of the event has been, at most, on any CPU of the
 *              session, because the samples of all sessions took more of a CPU than the module parameter
 *              cpu_time_max_percent permits. There are fewer samples, each with the weight of its longer period. 1:
 *              never longer
 *
 * Errors: ENOENT (no such event), EINVAL (no such possible CPU).
 */
struct tprof_counts {
	__u32 size;
	__u32 event;
	__s32 cpu;
	__u32 pad;
	__u64 value;
	__u64 enabled_ns;
	__u64 running_ns;
	__u32 period_factor;
	__u32 pad2;
};

/* Seals of a session. */
#define TPROF_SEAL_EVENTS	(1U << 0)	/* no ADD_EVENT, no PERIOD */
#define TPROF_SEAL_SCOPE	(1U << 1)	/* no CONFIGURE, ATTACH, DETACH */
#define TPROF_SEAL_FILTERS	(1U << 2)	/* no filter attaches or replaces another */
#define TPROF_SEALS		0x7U

/*
 * TPROF_IOC_SEAL: seals the session, before its descriptor is passed to a process that must not sample anything else.
 * Seals are added to those that the session has, and hold until it is closed. The calls that they refuse fail with
 * EPERM; START, STOP, CLEAR and all calls that read are never sealed.
 *
 * @seals: TPROF_SEAL_*
 *
 * Errors: EINVAL (an unknown seal).
 */
struct tprof_seal {
	__u32 size;
	__u32 seals;
};

/* States of a session. */
#define TPROF_SESSION_NEW	0
#define TPROF_SESSION_RUNNING	1
#define TPROF_SESSION_STOPPED	2

/*
 * TPROF_IOC_SESSION: describes the session. All members but size and pad are out.
 *
 * @state:        TPROF_SESSION_*
 * @id:           number of the session, as in fdinfo and debugfs
 * @epoch:        how often the ledger was set to 0
 * @stream_bytes: as in struct tprof_config
 * @stream_cpus:  number of CPUs that have a stream: all possible CPUs; 0: no stream
 */
struct tprof_session_info {
	__u32 size;
	__u32 state;
	__u64 id;
	__u32 epoch;
	__u32 nr_events;
	__u32 nr_filters;
	__u32 stream_bytes;
	__u32 stream_cpus;
	__u32 pad;
};

#define TPROF_IOC_MAGIC		0xb7
/* Requests of the device. */
#define TPROF_IOC_INFO		_IOWR(TPROF_IOC_MAGIC, 0x00, struct tprof_module_info)
#define TPROF_IOC_CREATE	_IOW(TPROF_IOC_MAGIC, 0x01, struct tprof_create)
#define TPROF_IOC_SOURCE	_IOWR(TPROF_IOC_MAGIC, 0x02, struct tprof_source_info)
/* Requests of a session. */
#define TPROF_IOC_CONFIGURE	_IOW(TPROF_IOC_MAGIC, 0x10, struct tprof_config)
#define TPROF_IOC_ADD_EVENT	_IOW(TPROF_IOC_MAGIC, 0x11, struct tprof_event)
#define TPROF_IOC_PERIOD	_IOW(TPROF_IOC_MAGIC, 0x12, struct tprof_period)
#define TPROF_IOC_ATTACH	_IOW(TPROF_IOC_MAGIC, 0x13, struct tprof_target)
#define TPROF_IOC_DETACH	_IOW(TPROF_IOC_MAGIC, 0x14, struct tprof_target)
#define TPROF_IOC_START		_IO(TPROF_IOC_MAGIC, 0x15)
#define TPROF_IOC_STOP		_IO(TPROF_IOC_MAGIC, 0x16)
#define TPROF_IOC_FLUSH		_IOW(TPROF_IOC_MAGIC, 0x17, __u64)
#define TPROF_IOC_CLEAR		_IO(TPROF_IOC_MAGIC, 0x18)
#define TPROF_IOC_LEDGER	_IOWR(TPROF_IOC_MAGIC, 0x19, struct tprof_ledger_read)
#define TPROF_IOC_COUNTS	_IOWR(TPROF_IOC_MAGIC, 0x1a, struct tprof_counts)
#define TPROF_IOC_SESSION	_IOWR(TPROF_IOC_MAGIC, 0x1b, struct tprof_session_info)
#define TPROF_IOC_FILTER	_IOWR(TPROF_IOC_MAGIC, 0x1c, struct tprof_filter_info)
#define TPROF_IOC_FILTER_ENABLE	_IOW(TPROF_IOC_MAGIC, 0x1d, struct tprof_filter_enable)
#define TPROF_IOC_SEAL		_IOW(TPROF_IOC_MAGIC, 0x1e, struct tprof_seal)

TPROF_ASSERT(sizeof(struct tprof_module_info) == 40);
TPROF_ASSERT(sizeof(struct tprof_create) == 8);
TPROF_ASSERT(sizeof(struct tprof_source_info) == 48);
TPROF_ASSERT(sizeof(struct tprof_config) == 48);
TPROF_ASSERT(sizeof(struct tprof_event) == 48);
TPROF_ASSERT(sizeof(struct tprof_place) == 16);
TPROF_ASSERT(sizeof(struct tprof_period) == 16);
TPROF_ASSERT(sizeof(struct tprof_target) == 16);
TPROF_ASSERT(sizeof(struct tprof_ledger_read) == 568);
TPROF_ASSERT(sizeof(struct tprof_counts) == 48);
TPROF_ASSERT(sizeof(struct tprof_session_info) == 40);
TPROF_ASSERT(sizeof(struct tprof_seal) == 8);
TPROF_ASSERT(TPROF_NR_OUTCOMES <= TPROF_MAX_OUTCOMES);
TPROF_ASSERT(TPROF_NR_LOST_REASONS <= TPROF_MAX_LOST_REASONS);

#endif /* _UAPI_TPROF_DEVICE_H */
