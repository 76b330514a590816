// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walks kernel call stacks on arm64, which exports no unwinder, by frame records: the caller's frame pointer and the
 * return address. NMI-safe: no locks, no allocation, no printk().
 */
#include <linux/hardirq.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/sched/task_stack.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>
#include <asm/irq_regs.h>
#include <asm/pointer_auth.h>
#include <asm/stacktrace.h>

#include "frames.h"
#include "unwind.h"

struct record {
	unsigned long fp;
	unsigned long lr;
};

static bool direct = true;
module_param_named(kernel_stack_direct, direct, bool, 0644);
MODULE_PARM_DESC(kernel_stack_direct,
		 "whether kernel stacks that are mapped as a whole are read as other memory, which is faster (Y)");

/* Walks of kernel stacks, and those that read a stack directly. An NMI in an addition may make them less by one. */
struct counts {
	unsigned long walks, direct_walks;	/* c */
};
static DEFINE_PER_CPU(struct counts, counts);

/* Where a walk is. All stacks have the same size, and CONFIG_VMAP_STACK aligns them to it. */
struct position {
	unsigned long stack;		/* lowest address of the stack that is walked */
	unsigned long task_stack;	/* the same of the task's stack */
	unsigned long fp;		/* the frame record; 0: none yet */
	bool mapped;			/* the stack is mapped as a whole */
};

/*
 * The kernel does not export the bounds of its stacks, but each has THREAD_SIZE bytes and is aligned to it, except that
 * for overflows. The task's stack is mapped as a whole. So is the current one in the handler of an interrupt: that of
 * interrupts, or if the kernel has not changed the stack, the interrupted one, where interrupts were enabled. In other
 * contexts (NMI, firmware events (SDEI), overflows, probes in a handler), a stack other than the task's is read with
 * page faults handled.
 */
static bool is_mapped(unsigned long stack, unsigned long task_stack, const struct pt_regs *regs)
{
	if (!IS_ENABLED(CONFIG_VMAP_STACK) || !READ_ONCE(direct))
		return false;
	return stack == task_stack || (regs == get_irq_regs() && in_hardirq() && !in_nmi());
}

static bool is_on(unsigned long stack, unsigned long fp)
{
	return fp - stack <= THREAD_SIZE - sizeof(struct record);
}

/*
 * Moves to the frame record at @fp: further up on the same stack, or on the stack of the task if this code runs on the
 * stack of interrupts. Returns false if it is elsewhere: assembly may use the frame pointer for other values.
 */
static bool move_to(struct position *at, unsigned long fp)
{
	if (!IS_ALIGNED(fp, sizeof(long)))
		return false;
	if (fp <= at->fp || !is_on(at->stack, fp)) {
		if (at->stack == at->task_stack || !is_on(at->task_stack, fp))
			return false;
		at->stack = at->task_stack;
		at->mapped = IS_ENABLED(CONFIG_VMAP_STACK) && READ_ONCE(direct);
	}
	at->fp = fp;
	return true;
}

/* Reads @bytes, a multiple of 8, of the stack that is walked. */
static __always_inline bool read_stack(const struct position *at, void *to, unsigned long from, size_t bytes)
{
	unsigned long *word = to;
	size_t i;

	if (unlikely(!at->mapped))
		return !copy_from_kernel_nofault(to, (void *)from, bytes);
	for (i = 0; i < bytes / sizeof(*word); i++)
		word[i] = READ_ONCE_NOCHECK(((unsigned long *)from)[i]);
	return true;
}

#ifdef FRAME_META_TYPE_PT_REGS
/*
 * Since Linux 6.13, a record of two zeros is followed by its type. It is part of the registers that were saved at an
 * exception. If the exception was in the kernel, fills @record with the frame pointer and the address of the code that
 * it interrupted, which older kernels store in the record itself.
 */
static bool read_exception(const struct position *at, struct record *record)
{
	const struct pt_regs *regs = (void *)(at->fp - offsetof(struct pt_regs, stackframe));
	unsigned long type;

	if (!is_on(at->stack, (unsigned long)regs) || !is_on(at->stack, (unsigned long)&regs->stackframe.type))
		return false;
	return read_stack(at, &type, (unsigned long)&regs->stackframe.type, sizeof(type)) &&
	       type == FRAME_META_TYPE_PT_REGS &&
	       read_stack(at, &record->fp, (unsigned long)&regs->regs[29], sizeof(record->fp)) &&
	       read_stack(at, &record->lr, (unsigned long)&regs->pc, sizeof(record->lr));
}
#else
static bool read_exception(const struct position *at, struct record *record)
{
	return false;
}
#endif

/*
 * The fast way for most frames: walks records of a stack that is mapped as a whole, as far as they are further up on
 * the same stack, have a return address, and there is space. @record: the frame that is to be added next, before and
 * after. Does nothing if a record is not aligned.
 */
static void walk_mapped(struct tprof_frames *walk, struct position *at, struct record *record)
{
	unsigned long high = at->stack + THREAD_SIZE - sizeof(*record), last = max(at->fp, at->stack - 1);
	unsigned long fp = record->fp, lr = record->lr, bits = 0;
	u64 *first = walk->ip + walk->nr, *end = first + frames_space(walk), *ip = first;

	while (ip < end && fp > last && fp <= high) {
		unsigned long next = READ_ONCE_NOCHECK(((struct record *)fp)->lr);

		if (!next)
			break;
		*ip++ = lr;
		lr = ptrauth_strip_kernel_insn_pac(next);
		bits |= fp;
		last = fp;
		fp = READ_ONCE_NOCHECK(((struct record *)fp)->fp);
	}
	if (ip == first || !IS_ALIGNED(bits, sizeof(long)))
		return;
	walk->nr += ip - first;
	at->fp = last;
	*record = (struct record){ .fp = fp, .lr = lr };
}

/* @record: the frame that is to be added first */
static noinline void walk_records(struct tprof_frames *walk, struct position at, struct record record)
{
	unsigned long walked = 0;

	__this_cpu_inc(counts.walks);
	if (at.mapped)
		__this_cpu_inc(counts.direct_walks);
	for (;;) {
		if (at.mapped && at.stack != walked) {
			walked = at.stack;
			walk_mapped(walk, &at, &record);
		}
		if (!frames_add(walk, record.lr, 0) || !move_to(&at, record.fp) ||
		    !read_stack(&at, &record, at.fp, sizeof(record)))
			return;
		if (!record.fp && !record.lr) {
			if (!read_exception(&at, &record))
				return;
			walked = 0;
		}
		record.lr = ptrauth_strip_kernel_insn_pac(record.lr);
		if (!record.lr)
			return;
	}
}

static __always_inline void walk_kernel(struct tprof_frames *walk, struct pt_regs *regs, struct task_struct *task)
{
	struct position at = {
		.stack = ALIGN_DOWN(current_stack_pointer, THREAD_SIZE),
		.task_stack = (unsigned long)task_stack_page(task),
	};

	at.mapped = is_mapped(at.stack, at.task_stack, regs);
	walk_records(walk, at, (struct record){ .fp = regs->regs[29], .lr = instruction_pointer(regs) });
}

unsigned int tprof_unwind_kernel(struct pt_regs *regs, u64 leaf, struct task_struct *task, u64 *frames,
				 unsigned int max)
{
	struct tprof_frames walk = { .ip = frames, .capacity = max };

	if (user_mode(regs)) {
		walk.cut = frames_add(&walk, leaf, 0);
		return frames_end(&walk);
	}
	do {
		if (frames_add_leaf(&walk, instruction_pointer(regs), leaf))
			walk_kernel(&walk, regs, task);
	} while (frames_again(&walk));
	return frames_end(&walk);
}

unsigned int tprof_unwind_waiting(struct task_struct *task, bool stays, u64 *frames, unsigned int max)
{
	const struct cpu_context *left = &task->thread.cpu_context;
	struct tprof_frames walk = { .ip = frames, .capacity = max };
	unsigned long stack = (unsigned long)task_stack_page(task);
	const struct position at = {
		.stack = stack, .task_stack = stack, .mapped = IS_ENABLED(CONFIG_VMAP_STACK) && READ_ONCE(direct),
	};

	do {
		walk_records(&walk, at, (struct record){ .fp = READ_ONCE(left->fp), .lr = READ_ONCE(left->pc) });
	} while (frames_again(&walk));
	return frames_end(&walk);
}

void tprof_unwind_show(struct seq_file *m)
{
	struct counts all = { 0 };
	int cpu;

	for_each_possible_cpu(cpu) {
		all.walks += READ_ONCE(per_cpu(counts, cpu).walks);
		all.direct_walks += READ_ONCE(per_cpu(counts, cpu).direct_walks);
	}
	seq_puts(m, "state\twalks\tdirect_walks\n");
	seq_printf(m, "%s\t%lu\t%lu\n", READ_ONCE(direct) ? "on" : "off", all.walks, all.direct_walks);
}

/* Interrupts with the priority of an NMI set get_irq_regs() as well. */
struct pt_regs *tprof_unwind_interrupted(void)
{
	return get_irq_regs();
}
