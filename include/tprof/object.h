/* SPDX-License-Identifier: (GPL-2.0-only OR LGPL-2.1-only OR BSD-2-Clause) */
/*
 * What a compiled filter object and its loader (libtprof) know of each other: the names and layouts of what
 * bpf/include/tprof/ puts into every object. Not for filter authors, not kernel ABI; versioned by
 * TPROF_ABI_VERSION, which stands first in struct tprof_object so that any loader can read it, and by
 * TPROF_OBJECT_LAYOUT, for what changes here alone.
 */
#ifndef _TPROF_OBJECT_H
#define _TPROF_OBJECT_H

#include "uapi/tprof.h"

/* Goes up with each change to a map or structure below; an object of another layout is refused. */
#define TPROF_OBJECT_LAYOUT	4

/* Names of the maps and of the constant that every object has. Kernel names hold 15 characters. */
#define TPROF_NAME_MAX		15
#define TPROF_OBJECT_NAME	"tprof_object"	/* struct tprof_object, in .rodata */
#define TPROF_LEDGER_NAME	"tprof_ledger"	/* ARRAY of struct tprof_cpu_ledger by CPU, mapped by the loader */
#define TPROF_SCOPE_NAME	"tprof_scope"	/* HASH of struct tprof_scope_key -> __u32 */
#define TPROF_STREAM_NAME	"tprof_stream"	/* RINGBUF of struct tprof_sample */
#define TPROF_SCRATCH_NAME	"tprof_scratch"	/* PERCPU_ARRAY of one struct tprof_deep_stack, with stacks */
#define TPROF_COPIES_NAME	"tprof_copies"	/* RINGBUF of struct tprof_copy, only with TPROF_COPIES() */
#define TPROF_COPY_PARAM	"stack_bytes"	/* __u32 in .rodata, likewise: how much of a stack is copied */

/* A table NAME is two HASHes, its generations: */
#define TPROF_GENERATION_A	"_a"
#define TPROF_GENERATION_B	"_b"
#define TPROF_TABLE_NAME_MAX	(TPROF_NAME_MAX - 2)

/* A filter NAME is two programs and one struct_ops map. */
#define TPROF_PERF_SUFFIX	"_perf"
#define TPROF_KMOD_SUFFIX	"_kmod"
#define TPROF_OPS_SUFFIX	"_ops"

enum tprof_object_engine {
	TPROF_OBJECT_PERF = 0,
	TPROF_OBJECT_KMOD = 1,
};

/*
 * Value of the struct_ops map of a filter: the module's type of the same name, whose members are matched by name when
 * the object is loaded.
 */
struct tprof_filter_ops {
	int (*sample)(const struct tprof_sample *s);
	char name[TPROF_NAME_MAX + 1];
	__u32 flags;			/* TPROF_FILTER_*_STACK; set by the loader */
	__s32 session_fd;		/* likewise: the session that it is attached to */
};

/*
 * Where struct bpf_perf_event_data has the instruction pointer, and how long its registers are. Behind them stand
 * the sample period and the address.
 */
enum tprof_machine {
	TPROF_MACHINE_X86_64 = 1,
	TPROF_MACHINE_AARCH64 = 2,
};

#define TPROF_X86_64_IP		128
#define TPROF_X86_64_REGS	168
#define TPROF_AARCH64_IP	256
#define TPROF_AARCH64_REGS	272

/* Words of the registers as user space knows them, and where in them stand frame pointer, stack pointer and mode. */
#define TPROF_X86_64_WORDS	21		/* struct pt_regs */
#define TPROF_X86_64_FP		4
#define TPROF_X86_64_SP		19
#define TPROF_X86_64_CS		17
#define TPROF_X86_64_CS_32	0x23		/* of a 32-bit program */
#define TPROF_AARCH64_WORDS	34		/* struct user_pt_regs */
#define TPROF_AARCH64_FP	29
#define TPROF_AARCH64_SP	31
#define TPROF_AARCH64_PSTATE	33
#define TPROF_AARCH64_PSTATE_MODE 0x1f		/* 0: 64-bit user mode */

/* Scope tests that the perf engine makes in the program; a sample has to pass all that are set. */
#define TPROF_SCOPE_TASKS	(1U << 0)	/* tgid or tid, or an ancestor's tgid, is in tprof_scope */
#define TPROF_SCOPE_CGROUPS	(1U << 1)	/* in the subtree of one of cgroups[] */
#define TPROF_SCOPE_COMM	(1U << 2)	/* thread name equals comm */
#define TPROF_SCOPE_USER	(1U << 3)	/* user mode only */
#define TPROF_SCOPE_KERNEL	(1U << 4)	/* kernel mode only */

#define TPROF_SCOPE_MAX_CGROUPS	8
/* How many generations of ancestors are searched for a process that was asked for. */
#define TPROF_SCOPE_MAX_ANCESTORS 16

enum tprof_scope_kind {
	TPROF_SCOPE_KIND_TGID = 0,	/* a process and all that descends from it */
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
 * Where the kernel counts in which interrupts a CPU is. Programs have no way to the variables of their CPU but one: the
 * idle task's cfs_rq is in struct rq of its CPU, which is such a variable, at a known distance from the count.
 */
struct tprof_preempt_count {
	__u32 where;			/* enum tprof_preempt_count_where */
	__u32 task_count;		/* in struct task_struct */
	__u32 task_queue;		/* or the pointer to its cfs_rq there */
	__s32 queue_to_cpu;		/* from where that points: the number of the CPU, as a proof */
	__s32 queue_to_count;		/* and the count */
};

/* Set by the loader before the object is loaded; constant for the verifier, so unused code costs nothing. */
struct tprof_object {
	__u32 abi;			/* TPROF_ABI_VERSION of the header that the filter was compiled with */
	__u32 size;			/* sizeof(struct tprof_object) of the same */
	__u32 engine;			/* enum tprof_object_engine */
	__u32 machine;			/* enum tprof_machine */
	__u32 event;			/* index of the event within the session */
	__u32 scope;			/* TPROF_SCOPE_* */
	__u32 nr_cgroups;
	__u32 task_mm;			/* offsets in the running kernel's struct task_struct, bytes */
	__u32 task_tgid;
	__u32 task_real_parent;
	__u32 mm_start_code;		/* and in its struct mm_struct */
	__u32 layout;			/* TPROF_OBJECT_LAYOUT of the header, as above */
	__u64 pidns_dev;		/* the session's pid namespace; 0: the initial one */
	__u64 pidns_ino;
	struct tprof_scope_cgroup cgroups[TPROF_SCOPE_MAX_CGROUPS];
	char  comm[TPROF_COMM_LEN];
	__u32 stack_frames;		/* at which depth stacks are cut, 4 to TPROF_STACK_MAX_FRAMES */
	__u32 stack_helper_frames;	/* perf engine: how many frames the kernel's helper gives at most */
	struct tprof_preempt_count preempt_count;
	__u32 pad;
};

/* The account of the programs while they counted in one generation of the tables. @fired counts their calls. */
#define X(NAME, name, text) struct tprof_tally name;
struct tprof_booked {
	struct tprof_tally fired;
	/* A member for each entry of the lists in uapi/tprof.h, so that dumps of the map name them. */
	struct { TPROF_OUTCOMES(X) } outcomes;
	struct { TPROF_LOST_REASONS(X) } lost;
	struct { TPROF_COUNTINGS(X) } countings;
	struct tprof_tally idle;	/* of those fired, in scope or not: with TPROF_SAMPLE_IDLE */
};
#undef X

#define TPROF_TALLY_AT(list, index) ((struct tprof_tally *)(list) + (index))

/*
 * One for each CPU, in cache lines of its own; written by the program on that CPU alone, but for one word that the
 * loader writes: engine perf: @wanted, which the program copies to @current when a sample begins, so that all of the
 * sample is in one generation; engine kmod, where no program sees a sample begin: @current. An ordinary array, because
 * that can be mapped and used without a call.
 */
struct tprof_cpu_ledger {
	struct tprof_booked booked[2];	/* by generation */
	__u32 current;			/* which generation of all tables programs count in here: 0 (_a) or 1 (_b) */
	__u32 wanted;			/* and which one from the next sample on */
} __attribute__((aligned(64)));

/*
 * Stacks: frames from the leaf to the root, in a table keyed by the 64-bit id of their content. They are as deep as
 * struct tprof_stack in the BTF of the object says, which the loader changes if another depth is asked for.
 */
#define TPROF_STACK_FRAMES	127
#define TPROF_STACK_MIN_FRAMES	4	/* for both ends, and a mark between */
#define TPROF_STACK_MAX_FRAMES	1023

struct tprof_stack {
	__u32 nr_frames;
	__u32 flags;			/* TPROF_STACK_* */
	__u64 ip[TPROF_STACK_FRAMES];	/* TPROF_FRAME_CUT stands for those that were left out */
};

/* The same with room for any depth: where stacks are made. A power of two, for indices that are masked. */
struct tprof_deep_stack {
	__u32 nr_frames;
	__u32 flags;
	__u64 ip[TPROF_STACK_MAX_FRAMES + 1];
};

#define TPROF_STACK_USER	(1U << 0)
#define TPROF_STACK_KERNEL	(1U << 1)

/*
 * Ids of no stack: 0 where the sample has none of this kind, else one of these, by the kind that was asked for. Ids of
 * stacks begin at TPROF_STACK_ID_MIN.
 */
#define TPROF_STACK_ID_FULL(kind)	(4 | (kind))	/* there was no room for it; accounted */
#define TPROF_STACK_ID_UNREAD(kind)	(8 | (kind))	/* there is one, but it could not be walked */
#define TPROF_STACK_ID_MIN		16

/*
 * A copy of the stack of a program, to be unwound in user space, with the registers at its end. Copied are whole
 * pieces of TPROF_COPY_PIECE bytes, of which the first begins at the stack pointer; so a bit more than was asked for,
 * or less where memory ends. @data has room for one piece more than was asked for.
 */
struct tprof_copy {
	__u64 id;			/* under which it was counted, as a stack */
	__u64 time_ns;			/* of the sample, as are these: */
	__u32 tgid;
	__u32 exec_id;
	__u32 start;			/* where in @data the stack pointer is */
	__u32 end;			/* behind the last byte of @data that was copied */
	__u64 regs[TPROF_AARCH64_WORDS];	/* the machine's own, see above */
	unsigned char data[];
};

#define TPROF_COPY_PIECE	1024		/* divides the size of every page */
#define TPROF_COPY_MIN		1024		/* what stack_bytes may be; multiples of 8 */
#define TPROF_COPY_MAX		65528

#endif /* _TPROF_OBJECT_H */
