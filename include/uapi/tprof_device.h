/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * /dev/tprof: the device of the kernel module.
 *
 * A client opens the device and asks it for session file descriptors. Everything a session has hangs off its
 * descriptor: whoever holds the descriptor, by inheritance or over a socket, may operate the session, and when the
 * last one is closed the session is gone, with all that it had programmed. A session is driven like this:
 *
 *	device = open("/dev/tprof", O_RDWR | O_CLOEXEC);
 *	session = ioctl(device, TPROF_IOC_CREATE, &create);
 *	ioctl(session, TPROF_IOC_CONFIGURE, &config);		stream, CPUs, modes, budget	(optional)
 *	ioctl(session, TPROF_IOC_ADD_EVENT, &event);		what to sample, and how often	(once or more)
 *	ioctl(session, TPROF_IOC_ATTACH, &target);		only these processes or cgroups	(optional)
 *	bpf(BPF_LINK_CREATE, ...)				filters: struct_ops with .session_fd = session
 *	ioctl(session, TPROF_IOC_START);
 *	...
 *	ioctl(session, TPROF_IOC_STOP);				all that was captured has been delivered
 *	ioctl(session, TPROF_IOC_LEDGER, &ledger);
 *	close(session);
 *
 * States:
 *
 *	NEW --START--> RUNNING --STOP--> STOPPED --START--> RUNNING ...	and close() from any of them
 *
 * CONFIGURE and ADD_EVENT need NEW. START needs at least one event; while RUNNING it is no error and does nothing,
 * as STOP is none in the other states. All other calls work in any state. Filters may be attached, replaced
 * and detached in any state.
 *
 * Structs: the first member is the size that the caller was compiled with. A caller that is older than the module gets
 * the members it knows; a newer one gets E2BIG if a member that the module does not know is not zero. Members
 * named pad are to be 0. Features are told by bits (TPROF_FEATURE_*), never by a version.
 *
 * Permission: opening the device is up to the mode of the node (0600 by default), and TPROF_IOC_CREATE needs
 * CAP_PERFMON (or CAP_SYS_ADMIN) in the initial user namespace. Kernel lockdown in confidentiality mode refuses it.
 *
 * Errors that any call may return: EFAULT (a pointer cannot be read or written), E2BIG (above), EINVAL (a value out
 * of its range, an unknown flag, a pad that is not 0, a size smaller than the first version of the struct), ENOTTY
 * (not a call of this descriptor), ENOMEM. Others stand with the calls.
 */
#ifndef _UAPI_TPROF_DEVICE_H
#define _UAPI_TPROF_DEVICE_H

#include <linux/ioctl.h>
#include <linux/types.h>

#include "tprof.h"

#define TPROF_DEVICE		"/dev/tprof"
#define TPROF_NAME_LEN		16	/* names of sources and filters, with their NUL */

/* What the module can do; bits are only ever added. */
#define TPROF_FEATURE_TIMER	(1ULL << 0)	/* source "timer" */
#define TPROF_FEATURE_PERF	(1ULL << 1)	/* source "perf" */
#define TPROF_FEATURE_FILTER	(1ULL << 2)	/* filters attach through struct_ops links */
#define TPROF_FEATURE_STREAM	(1ULL << 3)	/* streams: mmap, read and poll */
#define TPROF_FEATURE_CGROUP	(1ULL << 4)	/* scope by cgroup */
#define TPROF_FEATURE_IDLE	(1ULL << 5)	/* the timer stops on idle CPUs and is made up for when they wake */
#define TPROF_FEATURE_USER_STACK (1ULL << 6)	/* filters can walk user stacks */
#define TPROF_FEATURE_KERNEL_STACK (1ULL << 7)	/* filters can walk kernel stacks */

/* Limits. */
#define TPROF_MAX_EVENTS	8		/* in a session */
#define TPROF_MAX_FILTERS	16		/* in a session */
#define TPROF_MIN_TIMER_NS	10000		/* shortest period of the timer: 100,000 samples/s on each CPU */
#define TPROF_MAX_TIMER_NS	3600000000000ULL
#define TPROF_MAX_STREAM_BYTES	(1U << 26)	/* of one CPU */
#define TPROF_MAX_MARK_BYTES	240
/* Room for outcomes and reasons to come; those of today are TPROF_NR_OUTCOMES and TPROF_NR_LOST_REASONS. */
#define TPROF_MAX_OUTCOMES	8
#define TPROF_MAX_LOST_REASONS	24

/*
 * TPROF_IOC_INFO, on the device: what this module is. No permission needed beyond the open device.
 *
 * @abi:          TPROF_ABI_VERSION of struct tprof_sample that filters get
 * @features:     TPROF_FEATURE_*
 * @nr_sources:   sources that are registered
 * @nr_sessions:  sessions that are open
 * @version:      of the module, for humans
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
 * TPROF_IOC_CREATE, on the device: a session. Returns its descriptor, which is close-on-exec.
 *
 * Errors: EPERM (no CAP_PERFMON, or refused by lockdown), EMFILE, ENFILE, ENODEV (the module is going away).
 */
struct tprof_create {
	__u32 size;
	__u32 flags;			/* none yet */
};

/* Flags of struct tprof_source_info. */
#define TPROF_SOURCE_CAN_COUNT	(1U << 0)	/* takes the period 0 */
#define TPROF_SOURCE_HAS_ATTR	(1U << 1)	/* has more than one event: wants an attr */

/*
 * TPROF_IOC_SOURCE, on the device: a source that is registered. Needs nothing but the open device.
 *
 * @index:      which one, from 0
 * @flags:      out: TPROF_SOURCE_*
 * @name:       out: as in struct tprof_event
 * @min_period: out: what may be asked for; 0: no limit
 * @max_period: out: likewise
 *
 * Errors: ENOENT (there are fewer).
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
#define TPROF_CONFIG_USER	(1U << 0)	/* only samples of user mode */
#define TPROF_CONFIG_KERNEL	(1U << 1)	/* only samples of the kernel */
#define TPROF_CONFIG_COMM	(1U << 2)	/* only threads called comm */
#define TPROF_CONFIG_STALL	(1U << 3)	/* while the stream has no room, filters get no samples either */
#define TPROF_CONFIG_FLAGS	0xfU

/*
 * TPROF_IOC_CONFIGURE: may be repeated until the session is started; the last call stands.
 *
 * @flags:           TPROF_CONFIG_*; USER and KERNEL exclude each other
 * @stream_bytes:    data area of each CPU's stream: 0 (no stream: what a filter keeps is lost as stream_full), or a
 *                   power of two from the page size to TPROF_MAX_STREAM_BYTES
 * @stream_wakeup:   poll() reports a stream when it holds that many bytes, or had no room for a sample; 0: as soon as
 *                   there is a record
 * @budget_permille: how much of a CPU's time each filter may take, in thousandths, over a second; a filter that takes
 *                   more on any CPU is not called any more, and samples after that are lost as over_budget. 1 to
 *                   1000; 0: the module's default
 * @cpus:            address of a bit mask of CPUs to sample, in native 64-bit words; 0: all, also those that come
 * @cpus_size:       its length in bytes, a multiple of 8; bits of CPUs that cannot exist are to be 0
 * @comm:            with TPROF_CONFIG_COMM: the name of the thread, padded with NUL
 *
 * Errors: EBUSY (has been started, or its streams are mapped or being read), ENOMEM, ENOSPC (the streams of all
 * sessions together would be larger than the module's parameter stream_limit_mb allows), EINVAL also for STALL
 * without a stream.
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
 * TPROF_IOC_ADD_EVENT: returns the index of the event, from 0; samples carry it.
 *
 * Sessions that sample the same event share its source: it fires as often as the one with the shortest period wants
 * it, and the others get every so many of its samples. Their weight is a whole multiple of the session's own period;
 * what was skipped counts as decimated, with the weight 0, for it is part of the weight of the next sample delivered.
 *
 * @source:    "timer", "perf", or the name under which another module has registered a source
 * @period:    how much of the event a sample stands for: nanoseconds for the timer (TPROF_MIN_TIMER_NS to
 *             TPROF_MAX_TIMER_NS), units of the event otherwise; perf's clocks fire every 10 us at most, samples of
 *             shorter periods weigh as much. 0: count only, no samples (not for the timer). What there is once for
 *             several CPUs, such as the counters of a package, is counted on the one in charge of it
 * @attr:      address of what the source wants to know. perf: struct perf_event_attr; of its members count type,
 *             size, config*, bp_*, exclude_{user,kernel,hv,host,guest,idle}, pinned, exclusive and precise_ip; others
 *             have to be 0, among them freq, inherit and the likes. timer: 0
 * @attr_size: its length in bytes
 *
 * Errors: EBUSY (has been started), ENOENT (no such source), ENOSPC (TPROF_MAX_EVENTS), EOPNOTSUPP (no CPU of this
 * machine can count it, or sample it), and what the kernel says to the event.
 */
struct tprof_event {
	__u32 size;
	__u32 flags;			/* none yet */
	char  source[TPROF_NAME_LEN];
	__u64 period;
	__u64 attr;
	__u32 attr_size;
	__u32 pad;
};

/*
 * TPROF_IOC_PERIOD: another period for an event, at once, in any state. Where that makes an event of perf fire at
 * another period, the new one begins then: what had come together of the old one is counted, and is no sample. If it
 * fails, the old period stays. Errors: ENOENT (no such event), and what the source says to the period.
 */
struct tprof_period {
	__u32 size;
	__u32 event;
	__u64 period;
};

/* Kinds of targets. */
#define TPROF_TARGET_PROCESS	0	/* a process and all that it forks from now on; id: its pid */
#define TPROF_TARGET_THREAD	1	/* one thread; id: its tid */
#define TPROF_TARGET_CGROUP	2	/* a cgroup (v2) and all below; id: inode number of its directory */

/*
 * TPROF_IOC_ATTACH, TPROF_IOC_DETACH: which tasks the session sees; a session that never had a target sees all.
 * With processes or threads as well as cgroups among its targets, it sees what is in both.
 *
 * @id: pid or tid in the pid namespace of the caller, or the id of the cgroup
 *
 * Attaching what is attached is no error. Errors: ESRCH (no such process or thread), ENOENT (no such cgroup; detach: it
 * was not attached), ENOSPC (64 cgroups are attached), EOPNOTSUPP (kernel without cgroups, or without the tracepoint
 * sched_process_fork, by which processes are followed).
 */
struct tprof_target {
	__u32 size;
	__u32 kind;
	__u64 id;
};

/*
 * TPROF_IOC_FLUSH: when it returns, every sample captured before the call has been through the filters, and the
 * stream of every CPU has a record TPROF_RECORD_FLUSH with the cookie behind its samples (where there is room; see
 * the record's lost). The argument is a pointer to the cookie, a __u64.
 *
 * TPROF_IOC_CLEAR: empties the streams and sets the ledger to 0, as one step for each CPU, and then the counts: what
 * fires between is in the one and not in the other. The epoch goes up by one. No argument. Errors of both: none of
 * their own.
 */

/*
 * TPROF_IOC_LEDGER: the account. Closes at any time: see TPROF_OUTCOMES. Read while the session runs, it is exact
 * for each CPU, and the CPUs are read one after the other.
 *
 * @cpu:      one CPU, or -1 for their sum
 * @epoch:    out: how often the account was set to 0
 * @fired:    out: samples of the session's events on its CPUs, and their weight; likewise:
 * @idle:     those with TPROF_SAMPLE_IDLE that were not decimated, in scope or not
 * @outcomes: by enum tprof_outcome
 * @lost:     by enum tprof_lost_reason
 *
 * Errors: EINVAL (cpu cannot exist).
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
};

/*
 * TPROF_IOC_COUNTS: what the counter of an event itself says since the session was started (or cleared), stopped
 * times not counted.
 *
 * @event:      index of the event
 * @cpu:        one CPU, or -1 for their sum
 * @value:      out: units of the event
 * @enabled_ns: out: how long it was meant to count
 * @running_ns: out: how long it did; less if the kernel had more events than counters
 *
 * Errors: ENOENT (no such event), EINVAL (cpu cannot exist).
 */
struct tprof_counts {
	__u32 size;
	__u32 event;
	__s32 cpu;
	__u32 pad;
	__u64 value;
	__u64 enabled_ns;
	__u64 running_ns;
};

/* States of a session. */
#define TPROF_SESSION_NEW	0
#define TPROF_SESSION_RUNNING	1
#define TPROF_SESSION_STOPPED	2

/*
 * TPROF_IOC_SESSION: what this session is. All members are out.
 *
 * @id:           number of the session, as in fdinfo and debugfs
 * @stream_cpus:  CPUs that have a stream: those that were possible at CONFIGURE; 0: no stream
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

/*
 * A filter attaches through a BPF link of a struct_ops map of this type, which is the module's struct tprof_filter_ops:
 *
 *	int (*sample)(const struct tprof_sample *s);	called for each sample in scope, in hard interrupt context
 *	char name[TPROF_NAME_LEN];			not empty
 *	__u32 flags;					TPROF_FILTER_*_STACK
 *	__s32 session_fd;				descriptor of the session, in the process that attaches
 *
 * Errors of BPF_LINK_CREATE and BPF_LINK_UPDATE: EBADF (session_fd is no session of this process), ENOSPC
 * (TPROF_MAX_FILTERS), EINVAL (no name, an unknown flag, no program, another session than that of the filter to be
 * replaced), ENOLINK (the link was detached).
 */
#define TPROF_FILTER_KERNEL_STACK (1U << 0)	/* walks kernel stacks: a sample captured in NMI has one taken along */
#define TPROF_FILTER_USER_STACK	(1U << 1)	/* walks user stacks */
#define TPROF_FILTER_FLAGS	3U

/* States of a filter. */
#define TPROF_FILTER_ACTIVE	0
#define TPROF_FILTER_OVER_BUDGET 1	/* took too much time and is not called until it is replaced */

/*
 * TPROF_IOC_FILTER: a filter of this session. Filters are called in the order in which they were attached; one that
 * replaces another takes its place. A sample is kept if one of them keeps it.
 *
 * @index:  which one, from 0
 * @state:  out: TPROF_FILTER_*
 * @id:     out: a number of its own, the same after it was replaced
 * @calls:  out: how often it was called
 * @run_ns: out: for how long in all
 * @kept:   out: how often it answered TPROF_KEEP
 * @bad:    out: how often it answered what is no verdict
 * @longest_ns: out: its longest call
 * @owner:  out: process id, in the initial namespace, of who attached it
 * @name:   out: its name
 *
 * Errors: ENOENT (there are fewer).
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
 * The stream: one ring for each CPU, for samples that filters kept. Either mapped or read with read(2), not both:
 * read() answers EBUSY while there is a mapping.
 *
 * Mapping: two mappings for each CPU, at these offsets:
 *
 *	TPROF_STREAM_CONTROL(cpu)  one page, readable and writable: struct tprof_stream_control, the reader's
 *	TPROF_STREAM_DATA(cpu)     one page and stream_bytes, read-only: struct tprof_stream_state, then the ring
 *
 * Positions are in bytes and never wrap; the place of a position in the ring is its remainder by stream_bytes. The
 * reader loads head with acquire semantics, reads the records from tail to head, and stores its new tail with release
 * semantics. A record does not wrap: where it would, a TPROF_RECORD_PAD fills the end of the ring. The module never
 * reads back anything that the reader can write but tail, and a tail that is not within [head - stream_bytes, head]
 * counts as a full stream. Errors of mmap(2): EBADF (no stream), EPERM (the data, writable), EINVAL (neither of these
 * offsets and lengths, or private).
 *
 * read(2): whole records only, those of one CPU after those of another; EINVAL if not even one fits, EAGAIN if there
 * is none and O_NONBLOCK is set, 0 when the session is stopped and all is read. PAD records are left out.
 * poll(2): POLLIN when there is something to read (see stream_wakeup), or the session is stopped; POLLHUP when it is
 * stopped.
 *
 * write(2): a record TPROF_RECORD_MARK with that content, at most TPROF_MAX_MARK_BYTES, in the stream of the CPU that
 * the caller runs on. EINVAL (empty, too long), ENOSPC (the stream is full), EBADF (no stream).
 */
#define TPROF_STREAM_CONTROL(cpu)	((__u64)(cpu) << 32)
#define TPROF_STREAM_DATA(cpu)		(((__u64)(cpu) << 32) | (1ULL << 31))

struct tprof_stream_control {
	__u64 tail;
};

struct tprof_stream_state {
	__u64 head;
	__u64 lost;			/* records that found no room, since the session was created */
};

/* Every record starts with this. Records of types that a reader does not know are to be skipped. */
struct tprof_record {
	__u16 type;			/* TPROF_RECORD_* */
	__u16 cpu;
	__u32 size;			/* with this header; a multiple of 8 */
};

#define TPROF_RECORD_PAD	0	/* to the end of the ring */
#define TPROF_RECORD_SAMPLE	1	/* struct tprof_sample */
#define TPROF_RECORD_LOST	2	/* struct tprof_tally: samples that found no room before this place */
#define TPROF_RECORD_FLUSH	3	/* __u64 cookie */
#define TPROF_RECORD_MARK	4	/* __u64 time_ns, __u32 length, __u32 tid, then the bytes that were written */
#define TPROF_RECORD_START	5	/* __u64 time_ns, __u32 epoch, __u32 nr_events: the session was started */
#define TPROF_RECORD_STOP	6	/* the same: it was stopped; no sample follows before the next start */
#define TPROF_RECORD_EVENT	7	/* __u32 index, __u32 pad, __u64 period, char source[16]: each, after START */

struct tprof_record_mark {
	__u64 time_ns;
	__u32 length;
	__u32 tid;
};

struct tprof_record_session {
	__u64 time_ns;
	__u32 epoch;
	__u32 nr_events;
};

struct tprof_record_event {
	__u32 index;
	__u32 pad;
	__u64 period;
	char  source[TPROF_NAME_LEN];
};

#define TPROF_IOC_MAGIC		0xb7
/* On the device: */
#define TPROF_IOC_INFO		_IOWR(TPROF_IOC_MAGIC, 0x00, struct tprof_module_info)
#define TPROF_IOC_CREATE	_IOW(TPROF_IOC_MAGIC, 0x01, struct tprof_create)
#define TPROF_IOC_SOURCE	_IOWR(TPROF_IOC_MAGIC, 0x02, struct tprof_source_info)
/* On a session: */
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

TPROF_ASSERT(sizeof(struct tprof_module_info) == 40);
TPROF_ASSERT(sizeof(struct tprof_create) == 8);
TPROF_ASSERT(sizeof(struct tprof_source_info) == 48);
TPROF_ASSERT(sizeof(struct tprof_config) == 48);
TPROF_ASSERT(sizeof(struct tprof_event) == 48);
TPROF_ASSERT(sizeof(struct tprof_period) == 16);
TPROF_ASSERT(sizeof(struct tprof_target) == 16);
TPROF_ASSERT(sizeof(struct tprof_ledger_read) == 560);
TPROF_ASSERT(sizeof(struct tprof_counts) == 40);
TPROF_ASSERT(sizeof(struct tprof_session_info) == 40);
TPROF_ASSERT(sizeof(struct tprof_filter_info) == 80);
TPROF_ASSERT(sizeof(struct tprof_record) == 8);
TPROF_ASSERT(TPROF_NR_OUTCOMES <= TPROF_MAX_OUTCOMES);
TPROF_ASSERT(TPROF_NR_LOST_REASONS <= TPROF_MAX_LOST_REASONS);

#endif /* _UAPI_TPROF_DEVICE_H */
