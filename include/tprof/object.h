/* SPDX-License-Identifier: (GPL-2.0-only OR LGPL-2.1-only OR BSD-2-Clause) */
/*
 * The interface between a compiled filter object and its loader (libtprof): names and layouts of the maps and constants
 * that bpf/include/tprof/ adds to every object. Not for filter authors, not kernel ABI. Versioned by TPROF_ABI_VERSION,
 * which is the first member of struct tprof_object so that any loader can read it, and by TPROF_OBJECT_LAYOUT, which
 * covers changes to this file alone.
 */
#ifndef _TPROF_OBJECT_H
#define _TPROF_OBJECT_H

#include "uapi/tprof_owner.h"
#include "uapi/tprof_wait.h"

/* Incremented with each change to a map or struct below; the loader refuses an object with another layout. */
#define TPROF_OBJECT_LAYOUT	12

/*
 * A call of no helper, after "r2 = 0": r0 becomes the struct task_struct to which r1 points. The loader replaces it, in
 * programs but not in their functions (filter_cast.c).
 */
#define TPROF_CALL_CAST_TASK	0x74617363

/* Names of the maps and of the constant in every object. The kernel limits a name to 15 characters. */
#define TPROF_NAME_MAX		15
#define TPROF_OBJECT_NAME	"tprof_object"	/* struct tprof_object, in .rodata */
#define TPROF_ABOUT_NAME	"tprof_about"	/* text of TPROF_ABOUT(), in .rodata; optional */
#define TPROF_EVENT_NAME	"tprof_event"	/* name of TPROF_EVENT(), likewise */
#define TPROF_LEDGER_NAME	"tprof_ledger"	/* ARRAY of struct tprof_cpu_ledger by CPU, mapped by the loader */
#define TPROF_SCOPE_NAME	"tprof_scope"	/* HASH of struct tprof_scope_key -> __u32: the target */
#define TPROF_CGROUPS_NAME	"tprof_cgroups"	/* ARRAY of struct tprof_scope_cgroup; the first id of 0 ends it */
#define TPROF_STREAM_NAME	"tprof_stream"	/* RINGBUF of struct tprof_sample */
#define TPROF_SCRATCH_NAME	"tprof_scratch"	/* PERCPU_ARRAY of struct tprof_scratch, by enum tprof_scratch_use */
#define TPROF_COPIES_NAME	"tprof_copies"	/* RINGBUF of struct tprof_copy, only with TPROF_COPIES() */
#define TPROF_WAITS_NAME	"tprof_waits"	/* HASH of thread id -> struct tprof_wait_state */
#define TPROF_WAIT_HINT_NAME	"tprof_wait_hint" /* ARRAY by the lower bits of the thread id */
#define TPROF_WAIT_KERN_NAME	"tprof_wait_kern" /* HASH of thread id -> struct tprof_wait_stack */
#define TPROF_WAIT_USER_NAME	"tprof_wait_user"
#define TPROF_CHAINS_NAME	"tprof_chains"	/* HASH of thread id -> struct tprof_wait_chain */
#define TPROF_OWNED_NAME	"tprof_owned"	/* LRU_HASH of work item -> struct tprof_owned, with TPROF_OWNERS() */
#define TPROF_OWNERS_NAME	"tprof_owners"	/* HASH of thread id -> struct tprof_work_owner, likewise */
#define TPROF_COPY_PARAM	"stack_bytes"	/* __u32 in .rodata, likewise: bytes of each stack that are copied */

/* A table NAME consists of two HASH maps, its generations, with these suffixes. */
#define TPROF_GENERATION_A	"_a"
#define TPROF_GENERATION_B	"_b"
#define TPROF_TABLE_NAME_MAX	(TPROF_NAME_MAX - 2)

/* A filter NAME consists of two programs and one struct_ops map, with these suffixes. */
#define TPROF_PERF_SUFFIX	"_perf"
#define TPROF_KMOD_SUFFIX	"_kmod"
#define TPROF_OPS_SUFFIX	"_ops"
/* With TPROF_OFFCPU(), one more program, and another map, which has both of the module's programs. */
#define TPROF_OFFCPU_KMOD_SUFFIX "_offk"
#define TPROF_OFFCPU_OPS_SUFFIX	"_offo"
/* With TPROF_WAKEUP(), likewise. With both, this map gets all of the module's programs (filter_image_waits.c). */
#define TPROF_WAKEUP_KMOD_SUFFIX "_wakk"
#define TPROF_WAKEUP_OPS_SUFFIX	"_wako"

/*
 * Programs for the events off-cpu, on-cpu and wakeup, loaded only for a session that has one of them. Each filter has a
 * raw tracepoint program that is attached to sched_switch, and one that is run by the loader: for the threads that wait
 * or run now. With TPROF_OFFCPU(), these are the programs with the other suffixes. The object has further programs for
 * all filters; for the event wakeup, each filter has its own program at sched_waking, or another one with
 * TPROF_WAKEUP().
 */
#define TPROF_WAIT_SUFFIX	"_wait"
#define TPROF_PART_SUFFIX	"_part"
#define TPROF_WAKE_SUFFIX	"_wake"
#define TPROF_WAKEUP_WAKE_SUFFIX "_waku"
#define TPROF_OFFCPU_WAIT_SUFFIX "_offc"
#define TPROF_OFFCPU_PART_SUFFIX "_offp"
#define TPROF_WAKING_NAME	"tprof_waking"	/* at sched_waking */
#define TPROF_WAKERS_NAME	"tprof_woken_by"	/* instead of it, in objects with TPROF_WAKERS() */
#define TPROF_NEW_NAME		"tprof_new"	/* at sched_wakeup_new: a thread may run for the first time */
#define TPROF_EXEC_NAME		"tprof_exec"	/* at sched_process_exec */
#define TPROF_SEED_NAME		"tprof_seed"	/* an iterator over all threads: which wait when the session starts */

/* Programs of objects with TPROF_OWNERS(). */
#define TPROF_QUEUED_NAME	"tprof_queued"	/* at workqueue_queue_work */
#define TPROF_STARTED_NAME	"tprof_started"	/* at workqueue_execute_start */
#define TPROF_ENDED_NAME	"tprof_ended"	/* at workqueue_execute_end */

enum tprof_object_engine {
	TPROF_OBJECT_PERF = 0,
	TPROF_OBJECT_KMOD = 1,
	TPROF_OBJECT_WAIT = 2,		/* perf engine: a wait that is over; only in struct tprof_run */
	TPROF_OBJECT_PART = 3,		/* perf engine: the part of a wait that lasts; likewise */
	TPROF_OBJECT_WAKE = 4,		/* perf engine: the current thread wakes another one; likewise */
};

/*
 * Value of the struct_ops map of a filter. libbpf matches its members by name with the module's type of the same name
 * when the object is loaded.
 */
struct tprof_filter_ops {
	int (*sample)(const struct tprof_sample *s);
	char name[TPROF_NAME_MAX + 1];
	__u32 flags;			/* TPROF_FILTER_*_STACK; set by the loader */
	__s32 session_fd;		/* file descriptor of the session to attach to; set by the loader */
	int (*offcpu)(const struct tprof_wait *w);	/* 0: waits are given to @sample */
	int (*wakeup)(const struct tprof_wakeup *w);	/* 0: wake-ups are given to @sample */
};

/*
 * Layout of struct bpf_perf_event_data: byte offset of the instruction pointer, and size of the registers. The sample
 * period and the address follow the registers.
 */
enum tprof_machine {
	TPROF_MACHINE_X86_64 = 1,
	TPROF_MACHINE_AARCH64 = 2,
};

#define TPROF_X86_64_IP		128
#define TPROF_X86_64_REGS	168
#define TPROF_AARCH64_IP	256
#define TPROF_AARCH64_REGS	272

/*
 * User-space layout of the registers: number of 64-bit words, and word index of frame pointer, stack pointer and mode.
 */
#define TPROF_X86_64_WORDS	21		/* struct pt_regs */
#define TPROF_X86_64_FP		4
#define TPROF_X86_64_SP		19
#define TPROF_X86_64_CS		17
#define TPROF_X86_64_CS_32	0x23		/* value in a 32-bit program */
#define TPROF_X86_64_SYSCALL	15		/* orig_ax: number of the system call, or negative */
#define TPROF_AARCH64_WORDS	34		/* struct user_pt_regs */
#define TPROF_AARCH64_FP	29
#define TPROF_AARCH64_SP	31
#define TPROF_AARCH64_PSTATE	33
#define TPROF_AARCH64_SYSCALL	35		/* in struct pt_regs, which begins with the words above; -1: none */
#define TPROF_AARCH64_PSTATE_MODE 0x1f		/* 0: 64-bit user mode */

/* Scope tests of the perf engine, made by the BPF program. A sample must pass all that are set. */
#define TPROF_SCOPE_TASKS	(1U << 0)	/* tgid or tid, or an ancestor's tgid, is in tprof_scope */
#define TPROF_SCOPE_CGROUPS	(1U << 1)	/* in the subtree of one of cgroups[] */
#define TPROF_SCOPE_COMM	(1U << 2)	/* thread name equals comm */
#define TPROF_SCOPE_USER	(1U << 3)	/* user mode only */
#define TPROF_SCOPE_KERNEL	(1U << 4)	/* kernel mode only */

#define TPROF_SCOPE_MAX_CGROUPS	8
/* How many ancestors of a process are looked up in tprof_scope. */
#define TPROF_SCOPE_MAX_ANCESTORS 16

enum tprof_scope_kind {
	TPROF_SCOPE_KIND_TGID = 0,	/* a process and its descendants */
	TPROF_SCOPE_KIND_TID = 1,	/* one thread */
};

struct tprof_scope_key {
	__u32 kind;			/* enum tprof_scope_kind */
	__u32 id;			/* in the initial pid namespace */
};

struct tprof_scope_cgroup {
	__u64 id;
	__u32 level;			/* depth below the root, which is 0 */
	__u32 pad;
};

enum tprof_preempt_count_where {
	TPROF_PREEMPT_COUNT_UNKNOWN = 0,
	TPROF_PREEMPT_COUNT_IN_TASK = 1,	/* arm64 */
	TPROF_PREEMPT_COUNT_OF_CPU = 2,		/* x86-64 */
};

/*
 * Location of the kernel's preempt_count, from which a program knows whether a CPU handles an interrupt. A program
 * cannot address per-CPU variables directly. On x86-64 it goes through the idle task's cfs_rq pointer, which points
 * into the per-CPU struct rq, at a known distance from the per-CPU preempt_count.
 */
struct tprof_preempt_count {
	__u32 where;			/* enum tprof_preempt_count_where */
	__u32 task_count;		/* IN_TASK: byte offset of the count in struct task_struct */
	__u32 task_queue;		/* OF_CPU: byte offset of the cfs_rq pointer in struct task_struct */
	__s32 queue_to_cpu;		/* bytes from the cfs_rq to the CPU number, which the program verifies */
	__s32 queue_to_count;		/* bytes from the cfs_rq to the count */
	__u32 queue_rq;			/* OF_CPU: byte offset of the rq pointer in struct cfs_rq, of any task */
	__u32 rq_cfs;			/* OF_CPU: byte offset of the CPU's own cfs_rq in struct rq */
};

/*
 * Byte offsets in the running kernel's structures, from which a program describes a thread that is not the current one,
 * and why a thread waits. Set only for the events off-cpu and on-cpu.
 */
struct tprof_task_layout {
	__u32 task_state;		/* in struct task_struct */
	__u32 task_on_cpu;
	__u32 task_pi_lock;		/* not 0 while a waker holds it */
	__u32 task_cgroups;
	__u32 task_thread_pid;
	__u32 task_group_leader;
	__u32 task_cpu;
	__u32 task_in_iowait;		/* the byte with the bit field */
	__u32 in_iowait_mask;		/* its bit in that byte */
	__u32 task_exec_runtime;	/* se.sum_exec_runtime */
	__u32 task_nvcsw;		/* how often it has left a CPU, blocked */
	__u32 task_nivcsw;		/* and ready to run */
	__u32 css_set_cgroup;		/* in struct css_set: the cgroup of the unified hierarchy */
	__u32 cgroup_kn;		/* in struct cgroup */
	__u32 cgroup_level;
	__u32 cgroup_ancestors;
	__u32 kn_id;			/* in struct kernfs_node */
	__u32 pid_level;		/* in struct pid */
	__u32 pid_numbers;
	__u32 upid_ns;			/* in struct upid, which begins with the number */
	__u32 upid_size;
	__u32 ns_inum;			/* in struct pid_namespace */
	__u32 task_compat;		/* in struct task_struct: the word that tells 32-bit system calls */
	__u32 compat_mask;		/* its bit in that word */
};

/* Modes of the program at sched_switch (tprof_cpu_ledger.wait_mode). */
enum tprof_wait_mode {
	TPROF_WAIT_OFF = 0,		/* nothing: the session has not been started */
	TPROF_WAIT_COUNT = 1,
	TPROF_WAIT_FOLLOW = 2,		/* notes who waits, but counts nothing: the session is paused */
	TPROF_WAIT_SEED = 3,		/* likewise, and notes who runs: tprof_seed looks for waiting threads */
};

/* A thread, from its first wait to its end. */
struct tprof_wait_state {
	struct tprof_wait wait;		/* the thread as it left the CPU; completed when the wait is over */
	__u64 from_ns;			/* the time up to here is counted; 0: the thread does not wait */
	__u64 woken_ns;			/* when it was woken; 0: not yet */
	__u64 early_ns;			/* when a waker came while it still ran */
	__u64 runnable;			/* not 0: it was ready to run when it left */
	__u64 exec_ns;			/* how long it ran until then, as the scheduler counts */
	__u64 blocked_ns;		/* event wakeup: when the wait began, plus the pauses of the session in it */
	__u64 on_ns;			/* event on-cpu: its run up to here is counted; 0: not running, or unknown */
	__u32 on_cpu;			/* on which */
	__u32 nr_left;			/* 1 + how often it had left a CPU by then; 0: not known */
	__u32 nr_blocked;		/* how many times of these it was blocked */
	__u32 pad;
};

/* Most wakers of a wait that are kept: the first woke the thread, each other one the one before it. */
#define TPROF_WAKERS_MAX	8

/* Those of the last wait of a thread that was woken. */
struct tprof_wait_chain {
	__u64 woken_ns;			/* as in its struct tprof_wait_state */
	__u64 wakers[TPROF_WAKERS_MAX];	/* ids in the table of stacks; 0: no more */
};

/* A work item that is queued. */
struct tprof_owned {
	struct tprof_work_owner owner;
	__u64 again;			/* not 0: the same owner had queued it before, and it was not executed since */
};

/* Scratch spaces of a CPU if the session has the event off-cpu or on-cpu (enum tprof_scratch_use). */
#define TPROF_SCRATCH_USES	4

/* How many threads the maps of waiting threads have space for, unless the loader knows how many there may be. */
#define TPROF_WAIT_THREADS	16384

/* Set by the loader before the object is loaded. Constant to the verifier, so code that is disabled costs nothing. */
struct tprof_object {
	__u32 abi;			/* TPROF_ABI_VERSION of the header that the filter was compiled with */
	__u32 size;			/* sizeof(struct tprof_object) in that header */
	__u32 engine;			/* enum tprof_object_engine */
	__u32 machine;			/* enum tprof_machine */
	__u32 nr_events;		/* of the session; 0 means 1 */
	__u32 scope;			/* TPROF_SCOPE_* */
	__u32 nr_cgroups;
	__u32 task_mm;			/* byte offsets in the running kernel's struct task_struct */
	__u32 task_tgid;
	__u32 task_real_parent;
	__u32 mm_start_code;		/* byte offset in its struct mm_struct */
	__u32 layout;			/* TPROF_OBJECT_LAYOUT of the header that the filter was compiled with */
	__u64 pidns_dev;		/* the session's pid namespace; 0: the initial one */
	__u64 pidns_ino;
	struct tprof_scope_cgroup cgroups[TPROF_SCOPE_MAX_CGROUPS];
	char  comm[TPROF_COMM_LEN];
	__u32 stack_frames;		/* capacity of a call stack, TPROF_STACK_MIN_FRAMES to TPROF_STACK_MAX_FRAMES */
	__u32 stack_helper_frames;	/* perf engine: most frames that bpf_get_stack() returns */
	struct tprof_preempt_count preempt_count;
	__u32 task_pid;			/* byte offsets in struct task_struct, as above */
	__u32 task_comm;
	__u32 has_address;		/* perf engine: bit by event: the event sets the address of the context */
	__u32 wait_event;		/* 1 + index of the event off-cpu; 0: the session has none */
	__u32 wait_stacks;		/* TPROF_STACK_*: the stacks that the filter asks for, and wakers */
	__u32 wait_place;		/* not 0: the filter reads where a thread waits */
	__u32 nr_cpus;			/* number of possible CPUs: the slot of the ledger after theirs */
	__u64 sched_start;		/* bounds of the scheduler in the text of the kernel; 0: unknown */
	__u64 sched_end;
	__u64 wait_min_ns;		/* shorter waits are not counted */
	__u32 wait_details;		/* not 0: for TPROF_OFFCPU(), or a key with the state */
	__u32 run_event;		/* 1 + index of the event on-cpu; 0: the session has none */
	__u32 wake_event;		/* 1 + index of the event wakeup; 0: the session has none */
	__u64 wake_start;		/* the kernel's function try_to_wake_up(); 0: unknown */
	__u32 can_cast;			/* not 0: TPROF_CALL_CAST_TASK makes a pointer of a number */
	struct tprof_task_layout layouts;
};

/* Most events of a session, a power of two. Engine perf: the cookie of a link is the index of its event. */
#define TPROF_OBJECT_EVENTS	8

/* The ledger of the programs for one event and one generation of the tables. @fired: their calls. */
#define X(NAME, name, text) struct tprof_tally name;
struct tprof_program_ledger {
	struct tprof_tally fired;
	/* A member for each entry of the lists in uapi/tprof.h, so that dumps of the map name them. */
	struct { TPROF_OUTCOMES(X) } outcomes;
	struct { TPROF_LOST_REASONS(X) } lost;
	struct { TPROF_COUNTINGS(X) } countings;
	struct tprof_tally idle;	/* the part of @fired with TPROF_SAMPLE_IDLE, in scope or not */
};
#undef X

#define TPROF_TALLY_AT(list, index) ((struct tprof_tally *)(list) + (index))

/*
 * One per CPU, and one after them for the program that counts waits in progress; cache-line aligned. Written only by
 * the program on that CPU, except for the mode and the period of waits, and for one word that the loader writes:
 * perf engine: @wanted, which the program copies to @current at the start of each sample, so that all counts of a
 * sample are in one generation; kmod engine, which has no program at the start of a sample: @current. The map is an
 * ARRAY, not a PERCPU_ARRAY, because an ARRAY can be mapped and accessed without system calls.
 */
struct tprof_cpu_ledger {
	struct tprof_program_ledger generations[2][TPROF_OBJECT_EVENTS];
	__u32 current;			/* generation of all tables in which programs count here: 0 (_a) or 1 (_b) */
	__u32 wanted;			/* generation from the next sample on */
	__u32 cpu;			/* perf engine: number of this CPU, of which the verifier then knows no bound */
	__u32 wait_mode;		/* enum tprof_wait_mode */
	__u64 wait_period;		/* nanoseconds of waiting for each sample */
	__u64 wait_rest;		/* nanoseconds that were waited since the last sample */
	__u32 running;			/* event on-cpu: the thread that came to run last; 0: the idle task */
	__u32 scope_epoch;		/* only in the last slot: changes when tasks may have come into scope */
} __attribute__((aligned(64)));

/*
 * Call stacks: frames from the leaf to the root, in a table keyed by the 64-bit id of their content. Their capacity is
 * that of struct tprof_stack in the BTF of the object, which the loader changes if the user sets another depth.
 */
struct tprof_stack {
	__u32 nr_frames;
	__u32 flags;			/* TPROF_STACK_* */
	__u64 ip[TPROF_STACK_FRAMES];	/* TPROF_FRAME_CUT stands for missing frames */
};

/*
 * Scratch space for a call stack of the largest capacity. Its length is a power of two, so that indices can be masked.
 */
struct tprof_deep_stack {
	__u32 nr_frames;
	__u32 flags;
	__u64 ip[TPROF_STACK_MAX_FRAMES + 1];
};

/* The stack of a waiting thread. A type of its own, because only filters with a table of stacks have the other one. */
struct tprof_wait_stack {
	__u32 nr_frames;
	__u32 flags;
	__u64 ip[TPROF_STACK_FRAMES];
};

#define TPROF_STACK_USER	(1U << 0)
#define TPROF_STACK_KERNEL	(1U << 1)
#define TPROF_STACK_WAKER	(1U << 2)	/* no stack: a waker, with a word in place of each frame */

/* The words of a waker. */
enum tprof_waker_word {
	TPROF_WAKER_KERNEL,		/* id of its kernel stack */
	TPROF_WAKER_USER,		/* id of its user stack */
	TPROF_WAKER_PROCESS,		/* its tgid, and its exec_id in the upper half */
	TPROF_WAKER_COMM,		/* its name: two words */
	TPROF_WAKER_WORDS = TPROF_WAKER_COMM + TPROF_COMM_LEN / sizeof(__u64),
};

/* Least capacity of a call stack for wakers: the frames of the program that walks it come first, and are left out. */
#define TPROF_WAKER_MIN_FRAMES	32

/*
 * Ids that stand for no stack: 0 if the sample has no stack of the requested kind, else one of these. Ids of stacks
 * begin at TPROF_STACK_ID_MIN.
 */
#define TPROF_STACK_ID_FULL(kind)	(4 | (kind))	/* it could not be stored; the ledger says why */
#define TPROF_STACK_ID_UNREAD(kind)	(8 | (kind))	/* the sample has a stack that could not be walked */
#define TPROF_STACK_ID_MIN		16

/*
 * A copy of the memory of a user stack and of the user registers, to be unwound in user space. The copy is made in
 * aligned pieces of TPROF_COPY_PIECE bytes; the first begins at the stack pointer and may be shorter. So the copy can
 * be larger than stack_bytes, or smaller where the mapped memory ends. The capacity of @data is one piece more than
 * stack_bytes, rounded up to whole pieces.
 */
struct tprof_copy {
	__u64 id;			/* the stack id under which the sample was counted */
	__u64 time_ns;			/* time_ns, tgid and exec_id of the sample */
	__u32 tgid;
	__u32 exec_id;
	__u32 start;			/* offset in @data of the byte at the stack pointer */
	__u32 end;			/* offset in @data after the last byte that was copied */
	__u64 regs[TPROF_AARCH64_WORDS];	/* user registers, in the layout of the machine (above) */
	unsigned char data[];
};

#define TPROF_COPY_PIECE	1024		/* divides every page size */
#define TPROF_COPY_MIN		1024		/* range of stack_bytes, a multiple of 8 */
#define TPROF_COPY_MAX		65528

#endif /* _TPROF_OBJECT_H */
