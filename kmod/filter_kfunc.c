// SPDX-License-Identifier: GPL-2.0-only
/* Kfuncs for filters: the call stacks of a sample, and its owner. */
#include <linux/btf.h>
#include <linux/btf_ids.h>
#include <linux/module.h>

#include "compat.h"
#include "filter.h"
#include "filter_kfunc.h"
#include "frames.h"
#include "owner.h"
#include "sample.h"
#include "stage.h"
#include "unwind.h"

/* A filter needs the two stacks of its sample and the owner, each once. */
#define MAX_WALKS	16

static void copy_all(struct tprof_frames *walk, const u64 *frames, unsigned int nr)
{
	if (frames[nr - 1] == TPROF_FRAME_CUT) {
		walk->cut = 1;
		nr--;
	}
	for (unsigned int i = 0; i < nr && frames_add(walk, frames[i], 0); i++)
		;
}

/* Copies the frames that were captured with a sample, at least one. Returns the number of bytes. */
static int copy_frames(u64 *to, const u64 *frames, unsigned int nr, unsigned int capacity)
{
	struct tprof_frames walk = { .ip = to, .capacity = capacity };

	do {
		copy_all(&walk, frames, nr);
	} while (frames_again(&walk));
	return frames_end(&walk) * sizeof(*to);
}

/*
 * Counts the walks of a call of a filter, and its questions for the owner, and returns whether it may call once more:
 * walks take longer than all else that a filter can call, and the verifier does not limit the number of these calls.
 */
static bool may_walk(const struct tprof_sample *s)
{
	struct tprof_capture *c = container_of(s, struct tprof_capture, sample);
	u64 clock = READ_ONCE(c->clock);

	if (c->walks_clock != clock) {
		c->walks_clock = clock;
		c->nr_walks = 0;
	}
	return c->nr_walks++ < MAX_WALKS;
}

/* Frames that fit into a buffer. A buffer can be a variable of many megabytes, and a user stack as deep. */
static unsigned int capacity_of(u32 bytes)
{
	return min(bytes / (u32)sizeof(u64), TPROF_STACK_MAX_FRAMES);
}

/*
 * A sample that is delivered where it was captured has the owner of its context; a staged one has been given its own. A
 * sample without registers is one of a thread that waits, or the context that it interrupted is not known.
 */
static bool owner_of(const struct tprof_capture *c, struct tprof_work_owner *owner)
{
	struct tprof_staged *staged;

	if (c == this_cpu_ptr(&tprof_captures)) {
		if (c->sample.flags & TPROF_SAMPLE_WAIT)
			return tprof_owner_of_task(c->task, owner);
		return c->regs && tprof_owner_of_sample(c->sample.flags, owner);
	}
	staged = container_of(c, struct tprof_staged, capture);
	if (staged->kind != TPROF_STAGED_OWNED)
		return false;
	*owner = *tprof_stage_owner(staged);
	return true;
}

/* Called by BPF programs only, so no header declares them; these prototypes avoid -Wmissing-prototypes. */
__bpf_kfunc int tprof_walk_kernel(const struct tprof_sample *s, void *ip, u32 ip__sz);
__bpf_kfunc int tprof_walk_user(const struct tprof_sample *s, void *ip, u32 ip__sz);
__bpf_kfunc int tprof_owner_of(const struct tprof_sample *s, void *owner, u32 owner__sz);

__bpf_kfunc_start_defs();

/*
 * tprof_walk_kernel - walk the kernel call stack of a sample
 * @s: the sample that was passed to the filter
 * @ip: buffer for the frames, leaf first, which is the address of the sample; TPROF_FRAME_SKID follows if the rest is
 *      unwound from another address; if the stack is deeper than the capacity, both ends, with TPROF_FRAME_CUT
 *      between them; if the root is far away (TPROF_WALK_LIMIT), the leaf's end, and TPROF_FRAME_CUT as the last frame
 * @ip__sz: size of the buffer in bytes, for at most TPROF_STACK_MAX_FRAMES frames; with a capacity of less than 4
 *          frames only the leaf's end is kept, without mark
 *
 * Returns the number of bytes written; 0 if the sample is not in the kernel, if its stack cannot be walked because it
 * was staged without a stack, and after MAX_WALKS walks in one call of the filter.
 */
__bpf_kfunc int tprof_walk_kernel(const struct tprof_sample *s, void *ip, u32 ip__sz)
{
	const struct tprof_capture *c = tprof_capture_of(s);

	if (!(s->flags & TPROF_SAMPLE_KERNEL) || !may_walk(s))
		return 0;
	if (c->nr_frames)
		return copy_frames(ip, c->frames, c->nr_frames, capacity_of(ip__sz));
	if (!c->regs)
		return 0;
	return tprof_unwind_kernel(c->regs, s->ip, c->task, ip, capacity_of(ip__sz)) * sizeof(u64);
}

/*
 * tprof_walk_user - walk the user call stack of a sample by frame pointers
 * @s, @ip, @ip__sz: as above
 *
 * Returns the number of bytes written; 0 for a kernel thread or a user worker, for an interrupt that wakes a thread, if
 * the sampled task is not current (a wait in progress may have its stack nevertheless), and after MAX_WALKS walks in
 * one call of the filter.
 */
__bpf_kfunc int tprof_walk_user(const struct tprof_sample *s, void *ip, u32 ip__sz)
{
	const struct tprof_capture *c = tprof_capture_of(s);
	struct pt_regs *regs = c->regs;
	u64 leaf;

	/* The member is set for waits, and for samples whose task may not be current: those that are staged. */
	if (((s->flags & TPROF_SAMPLE_WAIT) || c->task != current) && c->nr_user_frames)
		return may_walk(s) ? copy_frames(ip, c->user_frames, c->nr_user_frames, capacity_of(ip__sz)) : 0;
	/* The thread that an interrupt has interrupted is not the waker. */
	if ((s->flags & TPROF_SAMPLE_WAKEUP) && !s->tid)
		return 0;
	/* User workers (io_uring, vhost) never ran in user mode; their user registers are copies of their creator's. */
	if ((s->flags & TPROF_SAMPLE_KTHREAD) || c->task != current || (current->flags & PF_USER_WORKER))
		return 0;
	if (!regs || !user_mode(regs))
		regs = task_pt_regs(current);
	if (!user_mode(regs) || !may_walk(s))
		return 0;
	leaf = s->flags & TPROF_SAMPLE_USER ? s->ip : instruction_pointer(regs);
	return tprof_unwind_user(regs, leaf, ip, capacity_of(ip__sz)) * sizeof(u64);
}

/*
 * tprof_owner_of - get the owner of a sample, of work that the kernel does for somebody else
 * @s: the sample that was passed to the filter
 * @owner: buffer for a struct tprof_work_owner
 * @owner__sz: size of the buffer in bytes: a filter may know fewer members, or more, which are not written
 *
 * Returns 0, or -ENOENT if the sample is not of such work, or its owner is not known, and after MAX_WALKS walks and
 * calls in one call of the filter.
 */
__bpf_kfunc int tprof_owner_of(const struct tprof_sample *s, void *owner, u32 owner__sz)
{
	struct tprof_work_owner found = {};

	if (!may_walk(s) || !owner_of(tprof_capture_of(s), &found))
		return -ENOENT;
	memcpy(owner, &found, min_t(u32, owner__sz, sizeof(found)));
	return 0;
}

__bpf_kfunc_end_defs();

BTF_KFUNCS_START(tprof_kfuncs)
BTF_ID_FLAGS(func, tprof_walk_kernel, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, tprof_walk_user, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, tprof_owner_of, KF_TRUSTED_ARGS)
BTF_KFUNCS_END(tprof_kfuncs)

static const struct btf_kfunc_id_set kfunc_set = {
	.owner = THIS_MODULE,
	.set = &tprof_kfuncs,
};

int tprof_filter_kfunc_init(void)
{
	return register_btf_kfunc_id_set(BPF_PROG_TYPE_STRUCT_OPS, &kfunc_set);
}
