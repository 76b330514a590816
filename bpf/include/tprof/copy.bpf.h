/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copies of user stacks, for programs built without frame pointers: the user registers and some KiB of stack memory are
 * copied to user space, where libtprof unwinds them with the unwind tables of the compiler (.eh_frame). Samples are
 * counted by the id of the copy, as with stacks that are walked:
 *
 *	TPROF_COPIES(8192);
 *	TPROF_TABLE(calls, tprof_stack_t, 16384);
 *	...
 *	tprof_count(calls, tprof_user_copy(s), s->weight);
 *
 * Every copy has a unique id, so a table needs an entry for each sample between two readings. Copying costs about as
 * much as all the rest of a sample, so copy only for samples that you count.
 *
 * Works on both engines: it uses BPF helpers that both allow.
 */
#ifndef __TPROF_COPY_BPF_H
#define __TPROF_COPY_BPF_H

#include <tprof/stack.bpf.h>

/* Flags of bpf_ringbuf_submit() and bpf_ringbuf_query(), from the kernel's ABI. */
enum {
	TPROF_RING_NO_WAKEUP = 1,
	TPROF_RING_FORCE_WAKEUP = 2,
	TPROF_RING_FILLED = 0,
	TPROF_RING_SIZE = 1,
};

/* Bytes of the header that the kernel puts before each record. */
#define TPROF_RING_HEADER 8

/*
 * TPROF_COPIES(bytes) - define the ring buffer for the copies; at most one per object
 * @bytes: how much of a stack is copied, from the stack pointer on: TPROF_COPY_MIN to TPROF_COPY_MAX, a multiple of 8;
 *         the user may change it (--set stack_bytes=...)
 *
 * libtprof sets the size of the ring buffer from the sampling rate and the number of CPUs.
 */
#define TPROF_COPIES(bytes)								\
	const volatile __u32 stack_bytes = (bytes);					\
	struct {									\
		__uint(type, TPROF_MAP_RINGBUF);					\
		__uint(max_entries, 4 << 20);						\
	} tprof_copies SEC(".maps")

/*
 * tprof_user_copy(s) - copy the user stack of a sample
 * @s: the sample that was passed to the filter
 *
 * Returns the id of the copy, or an id that stands for no stack, as tprof_user_stack() does. If the ring buffer is
 * full, the ledger counts a table_full. The stack is not read if the sampled task is not running any more (module,
 * samples captured in NMI; waits), nor on arm64 if the task is a 32-bit one.
 *
 * The copy has the registers of the interrupt. Of an event whose address the hardware records earlier (precise_ip), the
 * leaf of the copy is not at @s->ip, but where the interrupt came.
 */
#define tprof_user_copy(s) tprof_copy_stack(&tprof_copies, stack_bytes, s)

/* Copies the registers with which the task entered the kernel. Returns 0 if they are not of unwindable user code. */
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

/* Pieces of the smallest page. */
#define TPROF_COPY_PAGE_PIECES	(4096 / TPROF_COPY_PIECE)

/*
 * Copies @nr pieces, which end before piece @end of @nr_pieces. Returns 0, or not 0 if there are not so many or the
 * memory is not mapped. The compiler must compute the address from the number that is compared, for the verifier.
 */
static __always_inline long tprof_copy_pieces(struct tprof_copy *copy, __u64 from, __u64 end, __u32 nr, __u32 nr_pieces)
{
	__asm__ volatile("" : "+r"(end));
	if (end > nr_pieces)
		return -1;
	end = (end - nr) * TPROF_COPY_PIECE;
	return bpf_probe_read_user(copy->data + end, nr * TPROF_COPY_PIECE, (const void *)(from + end));
}

/*
 * Copies page by page, because the end of the mapped memory only shortens the copy. Of the last page single pieces: the
 * verifier adds the largest offset and the largest size.
 */
static __always_inline void tprof_copy_data(struct tprof_copy *copy, __u32 nr_pieces, __u64 sp)
{
	__u32 start = sp & (TPROF_COPY_PIECE - 1);
	__u64 from = sp - start;
	__u32 i = TPROF_COPY_PAGE_PIECES - (from / TPROF_COPY_PIECE & (TPROF_COPY_PAGE_PIECES - 1)), n;

	if (i > nr_pieces - 1)
		i = nr_pieces - 1;
	copy->start = copy->end = start;
	if (bpf_probe_read_user(copy->data + start, i * TPROF_COPY_PIECE - start, (const void *)sp))
		return;
	for (n = 0; n <= TPROF_COPY_MAX / TPROF_COPY_PIECE / TPROF_COPY_PAGE_PIECES; n++) {
		if (tprof_copy_pieces(copy, from, i + TPROF_COPY_PAGE_PIECES, TPROF_COPY_PAGE_PIECES, nr_pieces))
			break;
		i += TPROF_COPY_PAGE_PIECES;
	}
	for (n = 0; n < TPROF_COPY_PAGE_PIECES; n++) {
		if (tprof_copy_pieces(copy, from, i + 1, 1, nr_pieces))
			break;
		i++;
	}
	copy->end = i * TPROF_COPY_PIECE;
}

/*
 * Counts a failed bpf_ringbuf_reserve(): table_full if the ring buffer is full, else table_busy, since another CPU
 * holds its lock and the helper does not spin for it in NMI.
 */
static __always_inline __u64 tprof_copy_failed(void *ring, __u64 record_bytes, const struct tprof_sample *s)
{
	__u64 filled = bpf_ringbuf_query(ring, TPROF_RING_FILLED) + record_bytes + TPROF_RING_HEADER;
	__u32 why = filled > bpf_ringbuf_query(ring, TPROF_RING_SIZE) ? TPROF_COUNTING_TABLE_FULL :
		    TPROF_COUNTING_TABLE_BUSY;
	struct tprof_program_ledger *counted = tprof_current_ledger();

	if (counted && tprof_has_events())
		counted += s->event & (TPROF_OBJECT_EVENTS - 1);
	if (counted)
		tprof_tally_add(TPROF_TALLY_AT(&counted->countings, why), s->weight);
	return TPROF_STACK_ID_FULL(TPROF_STACK_USER);
}

/* The reader polls periodically. It is woken only when this record makes the ring buffer half full. */
static __always_inline __u64 tprof_copy_wakeup(void *ring, __u64 record_bytes)
{
	__u64 filled = bpf_ringbuf_query(ring, TPROF_RING_FILLED);
	__u64 half = bpf_ringbuf_query(ring, TPROF_RING_SIZE) / 2;

	return filled >= half && filled - record_bytes - TPROF_RING_HEADER < half ? TPROF_RING_FORCE_WAKEUP :
	       TPROF_RING_NO_WAKEUP;
}

/* @bytes is constant to the verifier, so the size of the record is constant too, as bpf_ringbuf_reserve() requires. */
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
		return tprof_copy_failed(ring, record_bytes, s);
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
