// SPDX-License-Identifier: GPL-2.0-only
/* What filters can call: the stacks of their sample. */
#include <linux/btf.h>
#include <linux/btf_ids.h>
#include <linux/module.h>

#include "compat.h"
#include "filter.h"
#include "frames.h"
#include "sample.h"
#include "unwind.h"

static int copy_frames(u64 *to, const struct tprof_capture *c, unsigned int room)
{
	struct tprof_frames walk = { .ip = to, .room = room };

	for (unsigned int i = 0; i < c->nr_frames && frames_want(&walk); i++)
		frames_add(&walk, c->frames[i]);
	return frames_end(&walk) * sizeof(*to);
}

/* Called by filters only; there is no header that would have them. */
__bpf_kfunc int tprof_walk_kernel(const struct tprof_sample *s, void *ip, u32 ip__sz);
__bpf_kfunc int tprof_walk_user(const struct tprof_sample *s, void *ip, u32 ip__sz);

__bpf_kfunc_start_defs();

/*
 * tprof_walk_kernel - the kernel's call stack of a sample
 * @s: as the filter got it
 * @ip: where the addresses go, leaf first; of a stack that does not fit, both ends, with TPROF_FRAME_CUT between
 * @ip__sz: its size in bytes; with room for less than 4 frames, there is the leaf's end alone
 *
 * Returns how many bytes were written; 0 if the sample is not of the kernel, or its stack cannot be walked any more.
 */
__bpf_kfunc int tprof_walk_kernel(const struct tprof_sample *s, void *ip, u32 ip__sz)
{
	const struct tprof_capture *c = tprof_capture_of(s);

	if (!(s->flags & TPROF_SAMPLE_KERNEL))
		return 0;
	if (c->nr_frames)
		return copy_frames(ip, c, ip__sz / sizeof(u64));
	if (!c->regs)
		return 0;
	return tprof_unwind_kernel(c->regs, c->task, ip, ip__sz / sizeof(u64)) * sizeof(u64);
}

/*
 * tprof_walk_user - the user call stack of a sample, by frame pointers
 * @s, @ip, @ip__sz: as above
 *
 * Returns how many bytes were written; 0 for a kernel thread, and if the task does not run any more on this CPU.
 */
__bpf_kfunc int tprof_walk_user(const struct tprof_sample *s, void *ip, u32 ip__sz)
{
	const struct tprof_capture *c = tprof_capture_of(s);
	struct pt_regs *regs = c->regs;

	/* Those that work for a process in the kernel only have the registers of whoever made them. */
	if ((s->flags & TPROF_SAMPLE_KTHREAD) || c->task != current || (current->flags & PF_USER_WORKER))
		return 0;
	if (!regs || !user_mode(regs))
		regs = task_pt_regs(current);
	if (!user_mode(regs))
		return 0;
	return tprof_unwind_user(regs, ip, ip__sz / sizeof(u64)) * sizeof(u64);
}

__bpf_kfunc_end_defs();

BTF_KFUNCS_START(tprof_kfuncs)
BTF_ID_FLAGS(func, tprof_walk_kernel, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, tprof_walk_user, KF_TRUSTED_ARGS)
BTF_KFUNCS_END(tprof_kfuncs)

static const struct btf_kfunc_id_set kfunc_set = {
	.owner = THIS_MODULE,
	.set = &tprof_kfuncs,
};

int tprof_filter_kfunc_init(void)
{
	return register_btf_kfunc_id_set(BPF_PROG_TYPE_STRUCT_OPS, &kfunc_set);
}
