/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copies of call stacks, for programs that were built without frame pointers: the registers and some KiB of the stack
 * go to user space, where libtprof unwinds them by what the compiler has written down (.eh_frame). Counting is by id,
 * as with stacks that are walked:
 *
 *	TPROF_COPIES(8192);
 *	TPROF_TABLE(calls, tprof_stack_t, 16384);
 *	...
 *	tprof_count(calls, tprof_user_copy(s), s->weight);
 *
 * Every copy has an id of its own, so a table needs an entry for each sample between two readings. Copying costs about
 * as much as all the rest of a sample: decide first whether it is worth it.
 *
 * The same on every engine, for the helpers are.
 */
#ifndef __TPROF_COPY_BPF_H
#define __TPROF_COPY_BPF_H

#include <tprof/stack.bpf.h>

/* Of bpf_ringbuf_submit() and bpf_ringbuf_query(), from the kernel's ABI. */
enum {
	TPROF_RING_NO_WAKEUP = 1,
	TPROF_RING_FORCE_WAKEUP = 2,
	TPROF_RING_FILLED = 0,
	TPROF_RING_SIZE = 1,
};

/* What the kernel puts before each record. */
#define TPROF_RING_HEADER 8

/*
 * TPROF_COPIES(bytes) - the ring that copies go to; one in an object
 * @bytes: how much of a stack is copied, from its end; the user may change it (--set stack_bytes=...)
 *
 * libtprof sets the size of the ring, by the rate and the number of CPUs.
 */
#define TPROF_COPIES(bytes)								\
	const volatile __u32 stack_bytes = (bytes);					\
	struct {									\
		__uint(type, TPROF_MAP_RINGBUF);					\
		__uint(max_entries, 4 << 20);						\
	} tprof_copies SEC(".maps")

/*
 * tprof_user_copy(s) - copy the stack of the program
 * @s: the sample as the filter got it
 *
 * Returns the id of the copy, or one that stands for no stack, as tprof_user_stack() does; where the ring has no room,
 * that is accounted as table_full. A stack whose task does not run any more is not read, nor, on arm64, that of a
 * 32-bit one.
 */
#define tprof_user_copy(s) tprof_copy_stack(&tprof_copies, stack_bytes, s)

/* The registers with which the task left user mode; 0 if it is a program that cannot be unwound. */
static __always_inline int tprof_copy_regs(struct tprof_copy *copy, __u64 *sp)
{
	void *regs = (void *)bpf_task_pt_regs(bpf_get_current_task_btf());

	if (tprof_object.machine == TPROF_MACHINE_X86_64) {
		if (bpf_probe_read_kernel(copy->regs, TPROF_X86_64_WORDS * sizeof(copy->regs[0]), regs))
			return 0;
		*sp = copy->regs[TPROF_X86_64_SP];
		return (copy->regs[TPROF_X86_64_CS] & 3) == 3;
	}
	if (tprof_object.machine == TPROF_MACHINE_AARCH64) {
		if (bpf_probe_read_kernel(copy->regs, TPROF_AARCH64_WORDS * sizeof(copy->regs[0]), regs))
			return 0;
		*sp = copy->regs[TPROF_AARCH64_SP];
		return !(copy->regs[TPROF_AARCH64_PSTATE] & TPROF_AARCH64_PSTATE_MODE);
	}
	return 0;
}

/* Piece by piece, so that the end of the memory cuts the copy and does not undo it. */
static __always_inline void tprof_copy_data(struct tprof_copy *copy, __u32 nr_pieces, __u64 sp)
{
	__u32 start = sp & (TPROF_COPY_PIECE - 1);
	__u64 from = sp - start;
	__u32 i;

	copy->start = copy->end = start;
	if (bpf_probe_read_user(copy->data + start, TPROF_COPY_PIECE - start, (const void *)sp))
		return;
	for (i = 1; i < TPROF_COPY_MAX / TPROF_COPY_PIECE + 2; i++) {
		if (i >= nr_pieces || bpf_probe_read_user(copy->data + i * TPROF_COPY_PIECE, TPROF_COPY_PIECE,
							  (const void *)(from + i * TPROF_COPY_PIECE)))
			break;
	}
	copy->end = i * TPROF_COPY_PIECE;
}

/* No memory, or another CPU holds the ring's lock, which an NMI does not wait for. */
static __always_inline __u64 tprof_copy_failed(void *ring, __u64 record_bytes, __u64 weight)
{
	__u64 filled = bpf_ringbuf_query(ring, TPROF_RING_FILLED) + record_bytes + TPROF_RING_HEADER;
	__u32 why = filled > bpf_ringbuf_query(ring, TPROF_RING_SIZE) ? TPROF_COUNTING_TABLE_FULL :
		    TPROF_COUNTING_TABLE_BUSY;
	struct tprof_booked *booked = tprof_booked_now();

	if (booked)
		tprof_tally_add(TPROF_TALLY_AT(&booked->countings, why), weight);
	return TPROF_STACK_ID_FULL(TPROF_STACK_USER);
}

/* The reader comes by itself, now and then; it is woken only when the ring gets half full before. */
static __always_inline __u64 tprof_copy_wakeup(void *ring, __u64 record_bytes)
{
	__u64 filled = bpf_ringbuf_query(ring, TPROF_RING_FILLED);
	__u64 half = bpf_ringbuf_query(ring, TPROF_RING_SIZE) / 2;

	return filled >= half && filled - record_bytes - TPROF_RING_HEADER < half ? TPROF_RING_FORCE_WAKEUP :
	       TPROF_RING_NO_WAKEUP;
}

/* @bytes is a constant to the verifier, and so is the size of the record. */
static __always_inline __u64 tprof_copy_stack(void *ring, __u32 bytes, const struct tprof_sample *s)
{
	__u32 nr_pieces = (bytes + TPROF_COPY_PIECE - 1) / TPROF_COPY_PIECE + 1;
	__u64 record_bytes = sizeof(struct tprof_copy) + nr_pieces * TPROF_COPY_PIECE;
	struct tprof_copy *copy;
	__u64 sp = 0, id;

	if (s->flags & TPROF_SAMPLE_KTHREAD)
		return 0;
	if ((__u32)bpf_get_current_pid_tgid() != s->tid)
		return TPROF_STACK_ID_UNREAD(TPROF_STACK_USER);
	copy = bpf_ringbuf_reserve(ring, record_bytes, 0);
	if (!copy)
		return tprof_copy_failed(ring, record_bytes, s->weight);
	if (tprof_copy_regs(copy, &sp))
		tprof_copy_data(copy, nr_pieces, sp);
	else
		copy->start = copy->end = 0;
	if (copy->start == copy->end) {
		bpf_ringbuf_discard(copy, TPROF_RING_NO_WAKEUP);
		return TPROF_STACK_ID_UNREAD(TPROF_STACK_USER);
	}
	id = tprof_stack_mix(tprof_stack_mix(s->cpu + 1, s->tid), s->time_ns);
	id = id < TPROF_STACK_ID_MIN ? id + TPROF_STACK_ID_MIN : id;
	copy->id = id;
	copy->time_ns = s->time_ns;
	copy->tgid = s->tgid;
	copy->exec_id = s->exec_id;
	bpf_ringbuf_submit(copy, tprof_copy_wakeup(ring, record_bytes));
	return id;
}

#endif
